//! The result of a culprit search as Markdown, for a bug report.

use boildown_session::Event;
use boildown_session::changes::SearchTarget;
use boildown_show::{code, fenced, inline};

use super::culprit::CulpritSearchReport;
use super::sentences::{guarantee, reasons, sentences, size, spent};
use crate::report::reporter::{FinalReport, Reporter};
use crate::shown_error::print_line;
use crate::stdout;

/// Prints to standard output.
pub(super) struct ChangesMarkdown;

impl Reporter for ChangesMarkdown {
    fn note(&mut self, text: &str) {
        print_line(&text.into());
    }

    fn event(&mut self, _: &Event) {}

    fn finish(&mut self, report: &dyn FinalReport) {
        stdout::print(report.details());
    }
}

/// Returns the result.
pub(super) fn text(report: &CulpritSearchReport<'_>) -> String {
    let found = report.found;
    let title = match report.target {
        SearchTarget::Culprit => "What broke it",
        SearchTarget::Fix => "What fixes it",
    };
    let mut text = format!("## {title}\n\n");
    text += &format!(
        "{} between {} and {}: {}.\n",
        code(report.command),
        code(report.good),
        code(report.bad),
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
            inline(&commit.author),
            inline(&commit.title)
        );
    }
    text += "\n";
    for sentence in sentences(report) {
        text += &format!("- {}\n", inline(&sentence));
    }
    for line in guarantee(found) {
        text += &format!("- {}\n", inline(&line));
    }
    text += "\n";
    text += &fenced(report.patch.trim_ascii_end(), Some("diff"));
    text += &format!("\nFound by boildown with {}", spent(&found.counts.record()));
    if !found.counts.unresolved.is_empty() {
        text += &format!(" ({})", reasons(&found.counts.unresolved));
    }
    text + ".\n"
}
