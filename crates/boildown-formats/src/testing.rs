//! Helpers of the tests of all gates, and the property of all formats with units of their own.

mod checker;
mod definitions;
mod every_set;

pub(crate) use definitions::fault_of_lines;

use std::sync::Arc;

use boildown_document::{Document, Language, View};
use boildown_reduce::{FactGate, Format, GatePolicy, Input};

/// Returns the gate of an input that has this format, whatever its language.
///
/// # Panics
/// Panics if the format has no gate for it.
pub(super) fn gate(format: &'static dyn Format, input: &Arc<[u8]>) -> FactGate {
    let policy = format.gate(&Input {
        bytes: input,
        language: None,
        stated: None,
    });
    FactGate::new(format, policy.expect("the input is valid"), input)
}

/// Returns a program in a language.
pub(super) fn program_in(language: &str, text: &str) -> Document {
    let language = Language::named(language).expect("the grammar is built");
    Document::new(&text.as_bytes().into(), View::Syntax(language))
}

/// Returns a text that the gate stands before: with a long comment, which begins with `mark`.
pub(super) fn long(text: &str, mark: &str) -> String {
    format!("{text}{mark}{}\n", "-".repeat(GatePolicy::MANY))
}

/// Returns whether the gate admits an edit of a text with a long comment.
///
/// # Panics
/// Panics if the text does not contain `from`.
pub(super) fn admits(
    (format, mark): (&'static dyn Format, &str),
    input: &str,
    (from, to): (&str, &str),
) -> bool {
    let input = long(input, mark);
    let best: Arc<[u8]> = input.as_bytes().into();
    assert!(input.contains(from), "no {from:?}");
    gate(format, &best).admits(input.replacen(from, to, 1).as_bytes(), &best)
}
