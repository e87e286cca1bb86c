//! Modules of WebAssembly: their items and instructions, and any subset of them as a module.
//!
//! - `module.rs`, `body.rs`: reading, with the indices that everything mentions
//! - `layout.rs`: the tokens and nodes
//! - `link.rs`: which entities are left, and their new indices
//! - `write.rs`, `code.rs`, `names.rs`: writing what is kept

mod body;
mod code;
mod layout;
mod link;
mod module;
mod names;
#[cfg(test)]
mod tests;
mod write;

pub(super) use layout::read;
pub(super) use module::Module;
