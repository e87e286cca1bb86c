//! Words that a module of LLVM IR can do without.

use super::module::{IrDefinition, IrModule, IrSort};
use super::words::WordSort;

/// Words without an operand. What they promise or ask for is not part of any type.
const FLAGS: [&str; 38] = [
    "afn",
    "arcp",
    "contract",
    "disjoint",
    "dso_local",
    "exact",
    "fast",
    "immarg",
    "inbounds",
    "inreg",
    "local_unnamed_addr",
    "mustprogress",
    "ninf",
    "nnan",
    "nneg",
    "noalias",
    "nocapture",
    "nofree",
    "nonnull",
    "noinline",
    "norecurse",
    "nosync",
    "noundef",
    "nounwind",
    "nsw",
    "nsz",
    "nuw",
    "readnone",
    "readonly",
    "reassoc",
    "returned",
    "samesign",
    "signext",
    "tail",
    "unnamed_addr",
    "willreturn",
    "writeonly",
    "zeroext",
];

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
}
