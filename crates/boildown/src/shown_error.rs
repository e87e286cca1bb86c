//! Errors as the user sees them, as text and as an event, and notes of commands without a reporter.

use std::io::Write as _;

use crate::error::CliError;
use crate::report;
use crate::report::format::{Visible, with_short_words};

/// Prints an error as text, and as an event.
pub(crate) fn show(error: &CliError) {
    print_error(&error.to_string());
    report::json::print_error(error);
}

/// Prints a text on standard error.
pub(crate) fn print_error(text: &str) {
    print_line(&with_short_words(text).into());
}

/// Prints a note on standard error.
pub(crate) fn print_note(text: &str) {
    print_line(&format!("note: {text}").into());
}

/// Prints lines on standard error.
pub(crate) fn print_line(text: &Visible) {
    // A closed standard error is not an error.
    drop(writeln!(std::io::stderr(), "{text}"));
}
