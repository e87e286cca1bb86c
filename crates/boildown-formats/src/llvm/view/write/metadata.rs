//! Writing metadata and what mentions it.

use std::ops::Range;

use boildown_document::writable_module::{UnitToken, is_kept};

use super::IrWriter;
use crate::llvm::view::module::{IrDefinition, IrInstruction, IrModule, IrSort};
use crate::llvm::view::optional::DebugField;

impl IrModule {
    /// Returns a definition of a place in the source: somewhere in a function.
    pub(super) fn new_location(&self, subprogram: usize) -> Vec<u8> {
        let number = self.new_number(subprogram);
        let name = self.definitions[subprogram].name;
        let mut out = format!("\n!{number} = !DILocation(scope: ").into_bytes();
        out.extend_from_slice(name.map_or(b"null", |name| self.text(name)));
        out.push(b')');
        out
    }
}

impl IrWriter<'_> {
    pub(super) fn named_metadata(&mut self, words: Range<usize>) {
        let Some(open) = words.clone().find(|&word| self.module.is(word, "{")) else {
            return self.words(words);
        };
        self.words(words.start..open + 1);
        let elements = self.module.list(open).into_iter();
        let left: Vec<_> = elements
            .filter(|element| !self.is_gone(element.start))
            .collect();
        if left.is_empty() && !self.module.list(open).is_empty() {
            self.out.clear();
            return;
        }
        self.separated(&left);
        self.words(words.end - 1..words.end);
    }

    /// Writes metadata: lists without what is deleted, and nodes with the fields that are left.
    pub(super) fn metadata(&mut self, definition: &IrDefinition) {
        let words = definition.words.clone();
        if let Some((open, elements)) = self.module.plain_list(definition) {
            let elements = elements.into_iter();
            let left = elements.filter(|element| !self.is_gone(element.start));
            let left: Vec<_> = left.collect();
            self.words(words.start..open + 1);
            self.separated(&left);
            return self.words(self.module.closing(open, words.end)..words.end);
        }
        let tokens = &definition.fields;
        let fields = self.module.fields(definition);
        let is_gone = |token: &UnitToken| !is_kept(*token, self.kept);
        let Some((open, fields)) = fields.filter(|_| tokens.iter().any(is_gone)) else {
            return self.words(words);
        };
        self.words(words.start..open + 1);
        let fields: Vec<_> = fields.into_iter().zip(tokens).collect();
        // The line of a function is wrong without its file.
        let is_subprogram = self.module.is(open - 1, "!DISubprogram");
        let has_label = |field: &DebugField, label: &str| self.module.is(field.words.start, label);
        let mut files = fields.iter().filter(|(field, _)| has_label(field, "file"));
        let lacks_file = is_subprogram && files.any(|(_, token)| is_gone(token));
        // A checksum and its kind are one.
        let checksum = ["checksum", "checksumkind"];
        let is_of_checksum =
            |field: &DebugField| checksum.iter().any(|label| has_label(field, label));
        let lacks_checksum =
            (fields.iter()).any(|(field, token)| is_of_checksum(field) && is_gone(token));
        let is_left = |(field, token): &(DebugField, &UnitToken)| {
            let is_misplaced =
                lacks_file && has_label(field, "line") || lacks_checksum && is_of_checksum(field);
            !is_misplaced && (field.is_needed || !is_gone(token))
        };
        let left: Vec<_> = fields.into_iter().filter(is_left).collect();
        for (position, (field, token)) in left.into_iter().enumerate() {
            if position > 0 {
                self.put(b", ");
            }
            match field.instead.filter(|_| !is_kept(*token, self.kept)) {
                Some(instead) => self.put(instead.as_bytes()),
                None => self.separated(&[field.words]),
            }
        }
        self.words(self.module.closing(open, words.end)..words.end);
    }

    /// Returns what takes the place of deleted metadata.
    pub(super) fn gone_metadata(&self, word: usize) -> Vec<u8> {
        let module = self.module;
        if word > 0 && module.is(word - 1, "metadata") {
            return b"!{}".to_vec();
        }
        if word > 1
            && module.is(word - 2, "scope")
            && let Some(&scope) = module.names.get(module.text(word))
        {
            let outer = module.outer_scope(scope, |scope| !self.gone[scope]);
            let name = module.definitions[outer].name;
            if let Some(name) = name.filter(|_| !self.gone[outer]) {
                return module.text(name).to_vec();
            }
        }
        b"null".to_vec()
    }

    /// Returns whether an instruction describes a variable that is deleted, or is somewhere that no
    /// place of the function can stand for.
    pub(super) fn lacks_description(&self, one: &IrInstruction) -> bool {
        let module = self.module;
        if !module.is_description(one) {
            return false;
        }
        let place = module.attached(one.words.clone());
        let is_replaceable =
            || (self.subprogram).is_some_and(|subprogram| module.is_described_in(one, subprogram));
        module.described(one).any(|index| self.gone[index])
            || place.is_some_and(|place| self.gone[place]) && !is_replaceable()
    }

    /// Returns whether an instruction needs a place in the source: it describes a variable, or
    /// calls a function of which debug information is left.
    pub(super) fn needs_place(&self, one: &IrInstruction) -> bool {
        let module = self.module;
        let callee = one.callee.and_then(|callee| self.defined(callee));
        let is_known = callee.is_some_and(|callee| match &callee.sort {
            IrSort::Function(function) => {
                let attached = module.attached(function.brackets.end..function.body);
                is_kept(function.token, self.kept)
                    && attached.is_some_and(|index| !self.gone[index])
            }
            _ => false,
        });
        is_known || module.is_description(one)
    }

    /// Writes a new place in the source for a deleted one, if the instruction needs it.
    pub(super) fn new_place(&mut self, attachment: usize) {
        let Some(subprogram) = self.place.filter(|_| self.module.is(attachment, "!dbg")) else {
            return;
        };
        self.new_locations.insert(subprogram);
        let number = self.module.new_number(subprogram);
        self.put(format!(", !dbg !{number}").as_bytes());
    }
}
