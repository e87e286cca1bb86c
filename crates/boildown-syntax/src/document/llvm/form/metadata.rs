//! The form of metadata and of other lines outside of functions.

use super::super::words::WordSort;
use super::IrForm;

/// Fields whose values are other metadata, or `null`.
const REFERENCES: [&str; 25] = [
    "scope",
    "file",
    "type",
    "baseType",
    "elements",
    "types",
    "entity",
    "unit",
    "retainedNodes",
    "declaration",
    "templateParams",
    "var",
    "expr",
    "globals",
    "enums",
    "imports",
    "retainedTypes",
    "inlinedAt",
    "macros",
    "containingType",
    "vtableHolder",
    "discriminator",
    "thrownTypes",
    "annotations",
    "entities",
];

/// Fields whose values are numbers. A discriminator of a block is a number too.
const NUMBERS: [&str; 9] = [
    "line",
    "column",
    "size",
    "align",
    "offset",
    "arg",
    "scopeLine",
    "virtualIndex",
    "runtimeVersion",
];

/// The fields that a node cannot do without.
pub(in super::super) const REQUIRED: [(&str, &[&str]); 17] = [
    ("!DILocation", &["scope"]),
    ("!DILocalVariable", &["scope"]),
    ("!DICompileUnit", &["language", "file"]),
    ("!DIFile", &["filename", "directory"]),
    ("!DIDerivedType", &["tag", "baseType"]),
    ("!DICompositeType", &["tag"]),
    ("!DISubroutineType", &["types"]),
    ("!DILexicalBlock", &["scope"]),
    ("!DILexicalBlockFile", &["scope", "discriminator"]),
    ("!DIEnumerator", &["name", "value"]),
    ("!DIGlobalVariableExpression", &["var", "expr"]),
    ("!DIImportedEntity", &["tag", "scope"]),
    ("!DILabel", &["scope", "name", "file", "line"]),
    ("!DITemplateTypeParameter", &["type"]),
    ("!DITemplateValueParameter", &["value"]),
    ("!DINamespace", &["scope"]),
    ("!DIModule", &["scope", "name"]),
];

/// More fields that a verifier asks for, or that say which function a node belongs to.
pub(in super::super) const NEEDED_FIELDS: [(&str, &[&str]); 6] = [
    ("!DISubprogram", &["unit", "spFlags", "isDefinition"]),
    ("!DILocation", &["inlinedAt"]),
    ("!DISubrange", &["count", "upperBound"]),
    ("!DIGlobalVariable", &["name", "type", "isDefinition"]),
    ("!DICompileUnit", &["emissionKind"]),
    ("!DIFile", &["checksumkind", "checksum"]),
];

impl IrForm<'_> {
    /// Reads the metadata after a sign of equality.
    pub(super) fn metadata(&self, start: usize) -> Option<usize> {
        let node = start + usize::from(self.is(start, "distinct"));
        if self.is(node, "!") || self.is(node, "!DIExpression") || self.is(node, "!DIArgList") {
            let is_list = self.is(node + 1, "{") || self.is(node + 1, "(");
            return is_list.then(|| self.next_line(start));
        }
        (self.sort(node) == WordSort::Metadata).then_some(())?;
        // The type of a macro is a name.
        if !self.word(node).starts_with(b"!DI") || self.word(node).starts_with(b"!DIMacro") {
            let is_number = self.word(node)[1..].iter().all(u8::is_ascii_digit);
            return (!is_number).then(|| self.next_line(start));
        }
        let open = self.is(node + 1, "(").then_some(node + 1)?;
        let close = self.closing(open);
        let mut fields = Vec::new();
        let mut at = open + 1;
        while at < close {
            fields.push(self.word(at));
            at = self.field(at)?;
            if at < close {
                at = (self.sort(at) == WordSort::Comma && at + 1 < close).then_some(at + 1)?;
            }
        }
        let required = REQUIRED.iter().find(|(name, _)| self.is(node, name));
        let has = |field: &&str| fields.contains(&field.as_bytes());
        required
            .is_none_or(|(_, required)| required.iter().all(has))
            .then_some(())?;
        self.begins_line(close + 1).then_some(close + 1)
    }

    /// Reads a field and its value.
    fn field(&self, start: usize) -> Option<usize> {
        let at = self.expect(start + 1, ":")?;
        let is_name = self.word(start).iter().all(u8::is_ascii_alphanumeric);
        let sort = self.sort(at);
        let first = self.word(at).first().copied().unwrap_or(b' ');
        let is_alone = matches!(self.sort(at + 1), WordSort::Comma | WordSort::Close);
        let is_number = is_alone && (first == b'-' || first.is_ascii_digit());
        let is_reference = sort == WordSort::Metadata || self.is_one_of(at, &["!", "null"]);
        let fits = if self.is(start, "discriminator") {
            is_number || is_reference
        } else if self.is_one_of(start, &REFERENCES) {
            is_reference
        } else if self.is_one_of(start, &NUMBERS) {
            is_number
        } else {
            !matches!(sort, WordSort::Comma | WordSort::Close | WordSort::Label)
        };
        (is_name && fits).then_some(())?;
        let mut at = at;
        while !matches!(self.sort(at), WordSort::Comma | WordSort::Close) {
            (at < self.words.len()).then_some(())?;
            if self.is(at, "|") {
                // Between flags.
                (self.is_name(at - 1) && self.is_name(at + 1)).then_some(())?;
            }
            at = self.after(at);
        }
        Some(at)
    }

    /// Reads a group of attributes, or what the module says about its target.
    pub(super) fn setting(&self, at: usize) -> Option<usize> {
        if self.is(at, "target") {
            let is_set = self.is(at + 2, "=") && self.is_string(at + 3);
            return is_set.then(|| self.next_line(at));
        }
        let is_group = self.sort(at + 1) == WordSort::Attributes && self.is(at + 2, "=");
        let open = (is_group && self.is(at + 3, "{")).then_some(at + 3)?;
        let close = self.closing(open);
        let is_one_line = !(open + 1..=close).any(|word| self.begins_line(word));
        (is_one_line && close > open + 1 && self.begins_line(close + 1)).then_some(close + 1)
    }
}
