//! The default orders of the passes, one file for each kind of input.

mod binary;
mod by_input;
mod elements;
mod language;
mod limits;
mod lines;
mod text;
mod wasm;

pub(crate) use by_input::is_binary;
pub(super) use by_input::{order_for, size_of_example};
pub(super) use language::order_of_joined;
pub(super) use limits::PARSE_LIMIT;
pub(super) use text::is_spirv;
pub(super) use wasm::{is_wasm, is_wat};
