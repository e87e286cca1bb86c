//! The result of a culprit search as Markdown, for a bug report.

use std::io::Write as _;

use boildown_session::Event;
use boildown_session::changes::SearchTarget;

use super::reporter::{ChangesReporter, CulpritSearchReport};
use super::sentences::{guarantee, reasons, sentences, size, spent};
use crate::report::format::printable;
use crate::report::notes::Notes;
use crate::stdout;

/// Prints to standard output.
pub(super) struct ChangesMarkdown;

impl Notes for ChangesMarkdown {
    fn note(&mut self, text: &str) {
        // A closed standard error is not an error.
        drop(writeln!(std::io::stderr(), "{}", printable(text)));
    }
}

impl ChangesReporter for ChangesMarkdown {
    fn event(&mut self, _: &Event) {}

    fn finish(&mut self, report: &CulpritSearchReport<'_>) {
        let found = report.found;
        let title = match report.target {
            SearchTarget::Culprit => "What broke it",
            SearchTarget::Fix => "What fixes it",
        };
        let mut text = format!("## {title}\n\n");
        text += &format!(
            "`{}` between `{}` and `{}`: {}.\n",
            report.command,
            report.good,
            report.bad,
            size(found)
        );
        if !found.commits.is_empty() {
            text += if found.undone {
                "\nIt undoes\n\n"
            } else {
                "\nIt comes from\n\n"
            };
        }
        for commit in &found.commits {
            text += &format!(
                "- {} ({}, {}): {}\n",
                commit.short(),
                commit.date,
                escaped(&commit.author),
                escaped(&commit.title)
            );
        }
        text += "\n";
        for sentence in sentences(report) {
            text += &format!("- {}\n", escaped(&sentence));
        }
        for line in guarantee(found) {
            text += &format!("- {}\n", escaped(&line));
        }
        let patch = String::from_utf8_lossy(report.patch);
        let fence = fence(&patch);
        text += &format!("\n{fence}diff\n{}\n{fence}\n", patch.trim_end());
        text += &format!("\nFound by boildown with {}", spent(&found.counts));
        if !found.counts.unresolved.is_empty() {
            text += &format!(" ({})", reasons(&found.counts.unresolved));
        }
        text += ".\n";
        stdout::write(printable(&text).as_bytes());
    }
}

/// Returns a code fence that is longer than any run of backquotes in the text.
fn fence(text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Returns the text with Markdown's special characters escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\`*_[]<>#|".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
