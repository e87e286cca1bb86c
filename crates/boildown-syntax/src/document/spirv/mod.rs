//! Modules of SPIR-V in text: instructions, and any subset of them with everything that mentions
//! the others made right.
//!
//! - `words.rs`: the words of the text
//! - `module.rs`: the instructions, by function and block
//! - `layout.rs`: the tokens and nodes
//! - `flow.rs`: which blocks are left, and how each of them ends
//! - `stand_in.rs`: which instructions are left, and what takes the place of the others
//! - `write.rs`: writing what is kept

mod flow;
mod layout;
mod module;
mod stand_in;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(super) use layout::read;
