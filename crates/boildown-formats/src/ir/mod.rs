//! Parts that the formats of intermediate representations share: lines of words, names that are
//! defined and mentioned in functions, blocks that end in an instruction that leaves them, and the
//! jumps between these.

mod blocks;
mod flow;
mod lines;
mod linkage;
mod order;
mod scopes;
mod sorted_words;

pub(super) use blocks::{BlockOrder, BlockPlace};
pub(super) use flow::{BlockJumps, reached};
pub(super) use lines::{
    LineForm, is_constant, is_number, is_sized_type, kind_of, kind_of_text, words,
};
pub(super) use linkage::is_linkage;
pub(super) use order::{
    COARSE_INSTRUCTIONS, EACH_INSTRUCTION, INSTRUCTIONS, for_modules, instructions, with_trees_once,
};
pub(super) use scopes::ScopedNames;
pub(super) use sorted_words::{SortOfWord, SortedWord, sorted_words};

/// How many deleted values are followed to a value that is left.
pub(super) const LONGEST_CHAIN: usize = 50;
