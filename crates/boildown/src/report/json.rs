//! Events of reductions and isolations as JSON lines on standard output.

use boildown_session::Event;
use serde_json::Value;

use super::json_events::{JsonValue as _, ProgressEvent, SessionEvent};
use super::notes::Notes;
use super::reporter::{FinalReport, Reporter};
use crate::stdout;

/// Prints to standard output.
pub(crate) struct JsonReporter;

/// Prints a line to standard output.
pub(crate) fn print(value: &Value) {
    stdout::write(format!("{value}\n").as_bytes());
}

impl Notes for JsonReporter {
    fn note(&mut self, text: &str) {
        let text = text.to_owned();
        print(&SessionEvent::Note { text }.to_json());
    }
}

impl Reporter for JsonReporter {
    fn event(&mut self, event: &Event) {
        let event = match event {
            Event::PassStarted { name } => SessionEvent::Pass {
                name: (*name).to_owned(),
            },
            Event::Improved(progress) => SessionEvent::Improved(ProgressEvent::from(progress)),
            _ => return,
        };
        print(&event.to_json());
    }

    fn finish(&mut self, report: &dyn FinalReport) {
        print(&report.json());
    }
}
