//! The answer as Markdown, for a bug report.

use std::io::Write as _;

use boildown_session::changes::{ChangesEvent, Goal};

use super::text::{reasons, sentences, size, spent};
use super::{Answer, Show};
use crate::report::Note;

/// Prints to standard output.
pub(super) struct Markdown;

impl Note for Markdown {
    fn note(&mut self, text: &str) {
        // Nobody is left to tell when standard error is gone.
        drop(writeln!(std::io::stderr(), "{text}"));
    }
}

impl Show for Markdown {
    fn event(&mut self, _: &ChangesEvent) {}

    fn finish(&mut self, answer: &Answer<'_>) {
        let found = answer.found;
        let title = match answer.goal {
            Goal::Culprit => "What broke it",
            Goal::Fix => "What fixes it",
        };
        let mut text = format!("## {title}\n\n");
        text += &format!(
            "`{}` between `{}` and `{}`: {}.\n",
            answer.command,
            answer.good,
            answer.bad,
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
        for sentence in sentences(answer) {
            text += &format!("- {}\n", escaped(&sentence));
        }
        let patch = String::from_utf8_lossy(answer.patch);
        let fence = fence(&patch);
        text += &format!("\n{fence}diff\n{}\n{fence}\n", patch.trim_end());
        text += &format!("\nFound by boildown with {}", spent(&found.tally));
        if !found.tally.unresolved.is_empty() {
            text += &format!(" ({})", reasons(&found.tally));
        }
        text += ".\n";
        drop(write!(std::io::stdout().lock(), "{text}"));
    }
}

/// A fence longer than any in the text.
fn fence(text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// A text in which nothing is a mark.
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
