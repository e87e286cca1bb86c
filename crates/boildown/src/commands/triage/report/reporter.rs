//! The reporters of a triage, and its end in each format.

use std::time::Duration;

use boildown_session::Event;
use boildown_session::triage::TriageEvent;
use boildown_show::{JsonValue as _, TriageLine, visible_json};
use serde_json::Value;

use super::content::Report;
use super::summary::summary;
use super::{github, sarif, table};
use crate::commands::triage::args::{TriageArgs, TriageFormat};
use crate::report::format::{Visible, clock, count, grouped};
use crate::report::json::JsonReporter;
use crate::report::reporter::{FinalReport, Reporter};
use crate::report::terminal::{LiveLine, StatusOutput};
use crate::stdout;

/// Returns the reporter for these options.
pub(in crate::commands::triage) fn reporter(args: &TriageArgs) -> Box<dyn Reporter> {
    match (args.printing.json, args.printing.quiet) {
        (true, _) => Box::<JsonReporter>::default(),
        (false, is_quiet) => Box::new(TextLines {
            status: (!is_quiet).then(|| StatusOutput::new(LiveLine::OnTerminals)),
            groups: 0,
            state: String::new(),
        }),
    }
}

/// Prints progress to standard error, and the report to standard output.
struct TextLines {
    /// `None` when errors only are printed.
    status: Option<StatusOutput>,
    groups: usize,
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

    fn line(&mut self, line: &TriageLine) {
        match line {
            TriageLine::TriageStarted {
                files, distinct, ..
            } => {
                let same = match files == distinct {
                    true => String::new(),
                    false => format!(", {} different ones", grouped(*distinct)),
                };
                self.print(&format!("running {}{same}", count(*files, "input")));
            }
            TriageLine::Scanned { done, all } => {
                self.live(&format!("{} of {} inputs", grouped(*done), grouped(*all)));
            }
            TriageLine::Grouped { groups } => {
                self.groups = *groups;
                self.print(&count(*groups, "group"));
            }
            TriageLine::GroupStarted {
                number,
                failure,
                bytes,
                seconds,
            } => {
                let limit = seconds.map_or_else(String::new, |seconds| {
                    format!(" for {}", clock(Duration::from_secs_f64(seconds)))
                });
                self.state = format!(
                    "[{number}/{}] {failure}: reducing {}{limit}",
                    self.groups,
                    count(*bytes, "byte")
                );
                self.live(&self.state);
            }
            TriageLine::GroupFinished {
                number,
                failure,
                bytes_before,
                bytes,
                finished,
            } => {
                let more = if *finished { "" } else { ", not finished" };
                self.print(&format!(
                    "[{number}] {failure}: {} → {}{more}",
                    grouped(*bytes_before),
                    count(*bytes, "byte")
                ));
            }
            TriageLine::Note { .. } | TriageLine::TriageFinished(_) => {}
        }
    }
}

impl Reporter for TextLines {
    fn note(&mut self, text: &str) {
        self.print(text);
    }

    fn event(&mut self, event: &Event) {
        let Event::Triage(event) = event else {
            return;
        };
        match event {
            TriageEvent::Recorded(line) => self.line(line),
            TriageEvent::Smaller { bytes } => {
                self.live(&format!("{} → {}", self.state, grouped(*bytes)));
            }
            TriageEvent::Tick { tests } => {
                self.live(&format!("{}, {}", self.state, count(*tests, "test")));
            }
            TriageEvent::Verifying => self.live("running the examples again"),
            _ => {}
        }
    }

    fn finish(&mut self, report: &dyn FinalReport) {
        if let Some(status) = &self.status {
            status.idle();
            self.live("");
        }
        stdout::write(report.details().as_bytes());
    }
}

impl FinalReport for Report<'_> {
    fn details(&self) -> String {
        match self.format {
            TriageFormat::Text => Visible::from(table::text(self)).into(),
            TriageFormat::Json => pretty(&summary(self)),
            TriageFormat::Sarif => pretty(&sarif::log(self)),
            TriageFormat::Github => github::annotations(self),
        }
    }

    fn json(&self) -> Value {
        TriageLine::TriageFinished(Box::new(summary(self))).to_json()
    }
}

fn pretty(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("a report is valid JSON");
    visible_json(&text) + "\n"
}
