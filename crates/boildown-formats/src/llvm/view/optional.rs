//! Words that a module of LLVM IR can do without.

use std::ops::Range;

use super::form::{NEEDED_FIELDS, REQUIRED};
use super::module::{IrDefinition, IrModule, IrSort};
use super::words::WordSort;

/// Words without an operand. What they promise or ask for is not part of any type.
#[rustfmt::skip]
const FLAGS: [&str; 38] = [
    "afn", "arcp", "contract", "disjoint", "dso_local", "exact", "fast", "immarg", "inbounds",
    "inreg", "local_unnamed_addr", "mustprogress", "ninf", "nnan", "nneg", "noalias", "nocapture",
    "nofree", "nonnull", "noinline", "norecurse", "nosync", "noundef", "nounwind", "nsw", "nsz",
    "nuw", "readnone", "readonly", "reassoc", "returned", "samesign", "signext", "tail",
    "unnamed_addr", "willreturn", "writeonly", "zeroext",
];

/// A field of a node of debug information.
pub(super) struct DebugField {
    pub(super) words: Range<usize>,
    /// Whether the node cannot do without it.
    pub(super) is_needed: bool,
    /// The shortest text that a needed one may become.
    pub(super) instead: Option<&'static str>,
}

/// Words with something in brackets.
const WITH_BRACKETS: [&str; 5] = [
    "captures",
    "dereferenceable",
    "dereferenceable_or_null",
    "memory",
    "range",
];

impl IrModule {
    /// Returns the number of words from a position on that can be left out; zero if that one is
    /// needed.
    pub(super) fn optional_words(&self, word: usize) -> usize {
        let is_one_of = |names: &[&str]| names.iter().any(|name| self.is(word, name));
        let is_alignment = |word: usize| {
            self.is(word, "align")
                && (self.words.get(word + 1))
                    .is_some_and(|next| self.bytes[next.bytes.start].is_ascii_digit())
        };
        match self.sort(word) {
            WordSort::Comma if is_alignment(word + 1) => 3,
            WordSort::Other if is_alignment(word) => 2,
            WordSort::Other if is_one_of(&FLAGS) => 1,
            WordSort::Other if self.is(word + 1, "(") && is_one_of(&WITH_BRACKETS) => {
                self.closing(word + 1, self.words.len()) + 1 - word
            }
            _ => 0,
        }
    }

    /// Returns the word whose token stands for all words that a definition can do without. `None`
    /// if there are none.
    pub(super) fn place_of_optional(&self, definition: &IrDefinition) -> Option<usize> {
        let place = match &definition.sort {
            IrSort::Function(function) => function.brackets.start.checked_sub(1)?,
            IrSort::Declaration(_) => definition.name?,
            IrSort::Variable { .. } => definition.words.start + 1,
            _ => return None,
        };
        let mut words = definition.words.clone();
        let has_some = words.any(|word| self.optional_words(word) > 0);
        (place > definition.words.start && has_some).then_some(place)
    }

    /// Returns the opening bracket of a node of debug information, and its fields. `None` for other
    /// metadata.
    pub(super) fn fields(&self, definition: &IrDefinition) -> Option<(usize, Vec<DebugField>)> {
        let start = definition.words.start + 2;
        let node = start + usize::from(self.is(start, "distinct"));
        let is_node = node + 1 < definition.words.end
            && self.text(node).starts_with(b"!DI")
            && self.is(node + 1, "(")
            && self.is(node + 3, ":");
        if !is_node {
            return None;
        }
        let tables = REQUIRED.iter().chain(&NEEDED_FIELDS);
        let needed = tables.filter(|(name, _)| self.is(node, name));
        let needed: Vec<&str> = needed.flat_map(|(_, fields)| *fields).copied().collect();
        let instead = |words: &Range<usize>| {
            let mut values = words.clone().skip(2);
            if self.is(words.start, "directory") && !values.any(|word| self.is(word, "\"\"")) {
                return Some("directory: \"\"");
            }
            let flag = "DISPFlagDefinition";
            let is_flags = self.is(words.start, "spFlags") && words.len() > 3;
            let has_flag = is_flags && words.clone().any(|word| self.is(word, flag));
            has_flag.then_some("spFlags: DISPFlagDefinition")
        };
        let field = |words: Range<usize>| DebugField {
            is_needed: needed.iter().any(|name| self.is(words.start, name)),
            instead: instead(&words),
            words,
        };
        Some((
            node + 1,
            self.list(node + 1).into_iter().map(field).collect(),
        ))
    }
}
