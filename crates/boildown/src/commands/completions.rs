//! `boildown completions`.

use std::io::Write as _;

use crate::error::ExitKind;

/// Prints a completion script for a shell.
pub(crate) fn print(shell: clap_complete::Shell, definition: &mut clap::Command) -> ExitKind {
    let mut script = Vec::new();
    clap_complete::generate(shell, definition, "boildown", &mut script);
    // A reader that stops early is not an error.
    drop(std::io::stdout().write_all(&script));
    ExitKind::Reduced
}
