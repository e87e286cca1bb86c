//! Parts that the formats of intermediate representations share: lines of words, names that are
//! defined and mentioned in functions, and blocks that end in an instruction that leaves them.

mod blocks;
mod lines;
mod order;
mod scopes;

pub(super) use blocks::{BlockOrder, BlockPlace};
pub(super) use lines::{
    LineForm, is_constant, is_number, is_sized_type, kind_of, kind_of_text, words,
};
pub(super) use order::{
    COARSE_INSTRUCTIONS, EACH_INSTRUCTION, INSTRUCTIONS, for_modules, instructions, with_trees_once,
};
pub(super) use scopes::ScopedNames;
