//! The form of metadata and of other lines outside of functions.

use super::super::words::WordSort;
use super::IrForm;

/// Fields whose values are other metadata, or `null`.
#[rustfmt::skip]
const REFERENCES: [&str; 25] = [
    "scope", "file", "type", "baseType", "elements", "types", "entity", "unit", "retainedNodes",
    "declaration", "templateParams", "var", "expr", "globals", "enums", "imports",
    "retainedTypes", "inlinedAt", "macros", "containingType", "vtableHolder", "discriminator",
    "thrownTypes", "annotations", "entities",
];

/// Fields whose values are numbers. A discriminator of a block is a number too.
#[rustfmt::skip]
const NUMBERS: [&str; 9] = [
    "line", "column", "size", "align", "offset", "arg", "scopeLine", "virtualIndex",
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
pub(in super::super) const NEEDED_FIELDS: [(&str, &[&str]); 5] = [
    ("!DISubprogram", &["unit", "spFlags", "isDefinition"]),
    ("!DILocation", &["inlinedAt"]),
    ("!DISubrange", &["count", "upperBound"]),
    ("!DIGlobalVariable", &["name", "type", "isDefinition"]),
    ("!DICompileUnit", &["emissionKind"]),
];

/// Fields whose values are strings.
const STRINGS: [&str; 6] = [
    "name",
    "linkageName",
    "filename",
    "directory",
    "producer",
    "checksum",
];

/// The metadata that says which version of debug information a module has.
const VERSION: &str = "!\"Debug Info Version\"";

impl IrForm<'_> {
    /// Finds the metadata that says the version of debug information.
    pub(super) fn note_version(&mut self, at: usize) {
        if self.is(at + 2, "!")
            && self.is(at + 3, "{")
            && self.is(at + 7, VERSION)
            && self.closing(at + 3) == at + 11
        {
            let name = self.word(at);
            self.debug.versions.push(name);
        }
    }

    /// Returns whether tools look at the debug information, if there is any.
    pub(super) fn is_debug_read(&self) -> bool {
        self.debug.has_version || !self.debug.has_unit
    }

    /// Reads a list of metadata with a name, from its name on.
    pub(super) fn named_metadata(&mut self, at: usize) -> Option<usize> {
        let open = (self.is(at + 2, "!") && self.is(at + 3, "{")).then_some(at + 3)?;
        let (mut element, close) = (open + 1, self.closing(open));
        while element < close {
            (self.sort(element) == WordSort::Metadata).then_some(())?;
            let is_version = self.debug.versions.contains(&self.word(element));
            self.debug.has_version |= is_version && self.is(at, "!llvm.module.flags");
            element += 1;
            while element < close && self.sort(element) != WordSort::Comma {
                element = self.after(element);
            }
            element += 1;
        }
        Some(self.next_line(at))
    }

    /// Returns whether an instruction that describes a variable names it and a place in the source.
    /// Otherwise tools drop all debug information.
    pub(super) fn is_description(&self, callee: usize, end: usize) -> bool {
        if !self.word(callee).starts_with(b"@llvm.dbg.") || !self.is(callee + 1, "(") {
            return true;
        }
        let close = self.closing(callee + 1);
        // The value comes first, or the label.
        let is_mention = |&at: &usize| self.sort(at) == WordSort::Metadata;
        let described = (callee..close).filter(|&at| self.is(at, "metadata"));
        let mut described = described.skip(1).map(|at| at + 1);
        (close..end).any(|at| self.is(at, "!dbg")) && described.all(|at| is_mention(&at))
    }

    /// Reads the elements of a list of metadata.
    fn list_of_metadata(&mut self, open: usize) -> Option<usize> {
        let close = self.closing(open);
        let mut at = open + 1;
        while at < close {
            let is_metadata = self.sort(at) == WordSort::Metadata || self.is(at, "!");
            at = match is_metadata || self.is(at, "null") {
                true => at + 1,
                false => self.typed(at)?,
            };
            if self.sort(at) == WordSort::Open {
                at = self.after(at);
            }
            if at < close {
                at = (self.sort(at) == WordSort::Comma && at + 1 < close).then_some(at + 1)?;
            }
        }
        Some(self.next_line(open))
    }

    /// Reads the metadata after a sign of equality.
    pub(super) fn metadata(&mut self, start: usize) -> Option<usize> {
        let node = start + usize::from(self.is(start, "distinct"));
        if self.is(node, "!") {
            let open = self.is(node + 1, "{").then_some(node + 1)?;
            return self.list_of_metadata(open);
        }
        if self.is(node, "!DIExpression") || self.is(node, "!DIArgList") {
            return self.is(node + 1, "(").then(|| self.next_line(start));
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
        let is_unit = self.is(node, "!DICompileUnit");
        let is_definition = self.is(node, "!DISubprogram")
            && (open..close).any(|at| self.is(at, "DISPFlagDefinition"));
        (node > start || !is_unit && !is_definition).then_some(())?;
        (!is_definition || has(&"unit")).then_some(())?;
        self.debug.has_unit |= is_unit;
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
            is_reference && (is_alone || self.sort(at + 1) == WordSort::Open)
        } else if self.is_one_of(start, &NUMBERS) {
            is_number
        } else if self.is_one_of(start, &STRINGS) {
            self.is_string(at) && !(self.is(start, "filename") && self.is(at, "\"\""))
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
