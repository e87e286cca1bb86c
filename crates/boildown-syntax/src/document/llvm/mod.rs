//! Modules of LLVM IR in text: definitions, blocks and instructions, and any subset of them with
//! everything that mentions the others made right.
//!
//! - `words.rs`: the words of the text
//! - `module.rs`: the definitions, with their blocks and instructions
//! - `debug.rs`: metadata, and what it cannot do without
//! - `optional.rs`: words that a module can do without
//! - `layout.rs`: the tokens and nodes
//! - `flow.rs`: which blocks are left, and the edges between them
//! - `write.rs`: writing what is kept
//! - `opaque.rs`: pointers without the types that they point to
//! - `form.rs`: whether operands and constants have the types that are written with them

mod debug;
mod flow;
mod form;
mod layout;
mod module;
mod opaque;
mod optional;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(crate) use form::is_ill_formed;
pub(super) use layout::read;
pub(crate) use opaque::with_opaque_pointers;
pub(crate) use words::ends_block;
