//! Modules of SPIR-V: instructions, and any subset of them with everything that mentions
//! the others made right.
//!
//! - `words.rs`: the words of the text
//! - `module.rs`: the instructions, by function and block
//! - `layout.rs`: the tokens and nodes
//! - `flow.rs`: which blocks are left, and how each of them ends
//! - `stand_in.rs`: which instructions are left, and what takes the place of the others
//! - `write.rs`: writing what is kept
//! - `inlined.rs`: functions in the place of their calls
//! - `entered.rs`: functions in the place of the contents of the entry point
//! - `binary.rs`: modules as binaries, which are read as texts
//! - `pieces.rs`: the single words of binaries

use std::sync::Arc;

use super::Document;

mod binary;
mod entered;
mod flow;
mod inlined;
mod layout;
mod module;
mod pieces;
mod stand_in;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(crate) use binary::{is_spirv_binary, spirv_text};
pub(super) use pieces::read_words;

/// Reads a module; an input that is none becomes a single token.
pub(super) fn read(bytes: &Arc<[u8]>) -> Document {
    match is_spirv_binary(bytes) {
        true => binary::read(bytes),
        false => layout::read(bytes),
    }
}
