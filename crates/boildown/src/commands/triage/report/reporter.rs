//! The reporters of a triage: lines for people, JSON lines, or nothing.

use boildown_session::triage::TriageEvent;
use boildown_show::{JsonValue as _, TriageLine, visible_json};

use super::content::Report;
use super::events::line_of;
use super::summary::summary;
use super::{github, sarif, table};
use crate::commands::triage::args::{TriageArgs, TriageFormat};
use crate::error::ExitKind;
use crate::report::format::{clock, count, grouped};
use crate::report::json;
use crate::report::notes::{Notes, loosened};
use crate::report::terminal::{LiveLine, StatusOutput};
use crate::stdout;

/// A consumer of the events of a triage.
pub(in crate::commands::triage) trait TriageReporter: Notes {
    fn event(&mut self, event: &TriageEvent<'_>);
    fn finish(&mut self, report: &Report<'_>, exit: ExitKind);
}

/// Returns the reporter for these options.
pub(in crate::commands::triage) fn reporter(args: &TriageArgs) -> Box<dyn TriageReporter> {
    match (args.printing.json, args.printing.quiet) {
        (true, _) => Box::new(EventLines),
        (false, is_quiet) => Box::new(TextLines {
            format: args.format,
            status: (!is_quiet).then(|| StatusOutput::new(LiveLine::OnTerminals)),
            state: String::new(),
        }),
    }
}

/// Prints events as JSON lines.
struct EventLines;

impl Notes for EventLines {
    fn note(&mut self, text: &str) {
        let text = text.to_owned();
        json::print(&TriageLine::Note { text }.to_json());
    }
}

impl TriageReporter for EventLines {
    fn event(&mut self, event: &TriageEvent<'_>) {
        match note_of(event) {
            Some(note) => self.note(&note),
            None => {
                if let Some(line) = line_of(event) {
                    json::print(&line.to_json());
                }
            }
        }
    }

    fn finish(&mut self, report: &Report<'_>, _: ExitKind) {
        let summary = Box::new(summary(report));
        json::print(&TriageLine::TriageFinished(summary).to_json());
    }
}

/// Prints progress to standard error, and the report to standard output.
struct TextLines {
    format: TriageFormat,
    /// `None` when errors only are printed.
    status: Option<StatusOutput>,
    /// What the live line shows.
    state: String,
}

impl TextLines {
    fn live(&self, line: &str) {
        if let Some(status) = self.status.as_ref().filter(|status| status.is_live) {
            status.replace_live_line(line, "");
        }
    }

    fn print(&self, text: &str) {
        if let Some(status) = &self.status {
            status.print(text);
        }
    }
}

impl Notes for TextLines {
    fn note(&mut self, text: &str) {
        self.print(text);
    }
}

impl TriageReporter for TextLines {
    fn event(&mut self, event: &TriageEvent<'_>) {
        match event {
            TriageEvent::Inputs {
                files, distinct, ..
            } => {
                let same = match files == distinct {
                    true => String::new(),
                    false => format!(", {} different ones", grouped(*distinct)),
                };
                self.print(&format!("running {}{same}", count(*files, "input")));
            }
            TriageEvent::Scanned { done, all } => {
                self.live(&format!("{} of {} inputs", grouped(*done), grouped(*all)));
            }
            TriageEvent::Grouped { groups } => {
                self.print(&count(*groups, "group"));
            }
            TriageEvent::Reducing {
                number,
                groups,
                key,
                bytes,
                limit,
            } => {
                let limit =
                    limit.map_or_else(String::new, |limit| format!(" for {}", clock(limit)));
                self.state = format!(
                    "[{number}/{groups}] {key}: reducing {}{limit}",
                    count(*bytes, "byte")
                );
                self.live(&self.state);
            }
            TriageEvent::Smaller { bytes, .. } => {
                self.live(&format!("{} → {}", self.state, grouped(*bytes)));
            }
            TriageEvent::Tick { tests } => {
                self.live(&format!("{}, {}", self.state, count(*tests, "test")));
            }
            TriageEvent::Reduced {
                number,
                key,
                before,
                bytes,
                is_finished,
            } => {
                let more = if *is_finished { "" } else { ", not finished" };
                self.print(&format!(
                    "[{number}] {key}: {} → {}{more}",
                    grouped(*before),
                    count(*bytes, "byte")
                ));
            }
            TriageEvent::Verifying => self.live("running the examples again"),
            event => {
                if let Some(note) = note_of(event) {
                    self.print(&note);
                }
            }
        }
    }

    fn finish(&mut self, report: &Report<'_>, _: ExitKind) {
        if let Some(status) = &self.status {
            status.idle();
            self.live("");
        }
        let text = match self.format {
            TriageFormat::Text => return stdout::print(table::text(report)),
            TriageFormat::Json => pretty(&summary(report)),
            TriageFormat::Sarif => pretty(&sarif::log(report)),
            TriageFormat::Github => github::annotations(report),
        };
        stdout::write(text.as_bytes());
    }
}

fn pretty(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("a report is valid JSON");
    visible_json(&text) + "\n"
}

/// Returns the note of an event that has one.
fn note_of(event: &TriageEvent<'_>) -> Option<String> {
    match event {
        TriageEvent::Note(text) => Some(text.clone()),
        TriageEvent::Loosened(loosening) => Some(loosened(*loosening, "the input fails as before")),
        _ => None,
    }
}
