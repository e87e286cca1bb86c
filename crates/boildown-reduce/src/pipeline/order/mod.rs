//! The default orders of the passes, one file for each kind of input.

mod binary;
mod by_input;
mod elements;
mod language;
mod limits;
mod lines;
mod text;

pub use by_input::order_for;
pub(super) use by_input::{redaction, size_of_example};
pub(super) use language::{EXPECTED_GAIN_FROM, order_of_joined};
pub use limits::{KIB, PARSE_LIMIT, TINY_LIMIT};
