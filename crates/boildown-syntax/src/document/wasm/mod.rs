//! Modules of WebAssembly: their items and instructions, and any subset of them as a module.
//!
//! - `module.rs`, `body.rs`: reading, with the indices that everything mentions (`mentions.rs`)
//! - `layout.rs`: the tokens and nodes
//! - `link.rs`: which entities are left, and their new indices
//! - `write.rs`, `code.rs`, `names.rs`: writing what is kept
//! - `feature_list.rs`: the list of features that compilers write
//! - `text.rs`: modules in text, read as binaries and printed
//! - `printed.rs`: texts as binaries, and binaries as texts
//! - `script.rs`, `script_parts.rs`, `forms.rs`: scripts of several modules, with commands between
//!   them
//! - `unfolded.rs`: older blocks for exceptions, as the parser of texts knows them
//! - `older_types.rs`, `older_instructions.rs`: types of references in older encodings, and what is
//!   done with them
//! - `overwritten.rs`: edits that overwrite bytes and gain nothing
//! - `absent.rs`, `unread.rs`: take the place of all that in builds without the feature

#[cfg(not(feature = "wasm"))]
mod absent;
#[cfg(feature = "wasm")]
mod body;
#[cfg(feature = "wasm")]
mod code;
#[cfg(feature = "wasm")]
mod feature_list;
#[cfg(feature = "wasm")]
mod forms;
#[cfg(feature = "wasm")]
mod layout;
#[cfg(feature = "wasm")]
mod link;
#[cfg(feature = "wasm")]
mod mentions;
#[cfg(feature = "wasm")]
mod module;
#[cfg(feature = "wasm")]
mod names;
#[cfg(feature = "wasm")]
mod older_instructions;
#[cfg(feature = "wasm")]
mod older_types;
#[cfg(feature = "wasm")]
mod overwritten;
#[cfg(feature = "wasm")]
mod printed;
#[cfg(feature = "wasm")]
mod script;
#[cfg(feature = "wasm")]
mod script_parts;
#[cfg(all(test, feature = "wasm"))]
mod tests;
#[cfg(feature = "wasm")]
mod text;
#[cfg(feature = "wasm")]
mod unfolded;
#[cfg(not(feature = "wasm"))]
mod unread;
#[cfg(feature = "wasm")]
mod write;

#[cfg(not(feature = "wasm"))]
pub(super) use absent::AbsentModule as Module;
#[cfg(feature = "wasm")]
pub(super) use layout::read;
#[cfg(feature = "wasm")]
pub(super) use module::Module;
#[cfg(feature = "wasm")]
pub(crate) use overwritten::is_overwritten;
#[cfg(feature = "wasm")]
pub(super) use text::read_text;
#[cfg(feature = "wasm")]
pub(crate) use text::{is_valid, is_valid_text, without_brackets};
#[cfg(not(feature = "wasm"))]
pub(crate) use unread::{is_overwritten, is_valid, is_valid_text, without_brackets};
#[cfg(not(feature = "wasm"))]
pub(super) use unread::{read, read_text};
