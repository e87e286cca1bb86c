//! Lines on standard error, with a live line at the bottom of a terminal.

use std::io::{IsTerminal as _, Write as _};

use crossterm::{cursor, queue, style, terminal};

use super::format::printable;

/// Standard error. Errors of writing are ignored: a closed stream does not stop a search.
pub(crate) struct StatusOutput {
    pub(crate) is_live: bool,
}

impl StatusOutput {
    pub(crate) fn new() -> Self {
        Self {
            is_live: std::io::stderr().is_terminal(),
        }
    }

    /// Prints lines that stay; the live line disappears.
    pub(crate) fn print(&self, text: &str) {
        let mut out = std::io::stderr();
        if self.is_live {
            drop(queue!(
                out,
                cursor::MoveToColumn(0),
                terminal::Clear(terminal::ClearType::UntilNewLine)
            ));
            drop(out.flush());
        }
        drop(writeln!(out, "{}", printable(text)));
    }

    /// Replaces the live line. It ends with the hint if there is room, and is cut at the width of
    /// the terminal.
    pub(crate) fn replace_live_line(&self, line: &str, hint: &str) {
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(20));
        let has_room = line.chars().count() + hint.len() < width;
        let hint = if has_room { hint } else { "" };
        let line: String = printable(line)
            .chars()
            .chain(hint.chars())
            .take(width - 1)
            .collect();
        let mut out = std::io::stderr();
        drop(queue!(
            out,
            cursor::MoveToColumn(0),
            style::Print(line),
            terminal::Clear(terminal::ClearType::UntilNewLine)
        ));
        drop(out.flush());
    }
}
