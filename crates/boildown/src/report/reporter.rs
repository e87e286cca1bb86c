//! The interface of the reporters of reductions and isolations.

use boildown_session::Event;
use boildown_store::Choice;
use serde_json::Value;

use super::json_events::StartedEvent;
use super::notes::Notes;

/// A consumer of the events of a session.
pub(crate) trait Reporter: Notes {
    /// Shows what was chosen for the user, and why.
    fn choice(&mut self, _: &Choice) {}

    /// Shows that the search begins.
    fn started(&mut self, _: StartedEvent) {}

    fn event(&mut self, event: &Event);
    fn finish(&mut self, report: &dyn FinalReport);
}

/// The end of a session, in the formats that reporters print.
pub(crate) trait FinalReport {
    /// Returns the summary, which people read on standard error.
    fn summary(&self) -> String;

    /// Returns what people read on standard output, after the summary.
    fn details(&self) -> String {
        String::new()
    }

    /// Returns the last event of `--json`.
    fn json(&self) -> Value;
}

/// Prints nothing.
pub(crate) struct QuietReporter;

impl Notes for QuietReporter {
    fn note(&mut self, _: &str) {}
}

impl Reporter for QuietReporter {
    fn event(&mut self, _: &Event) {}
    fn finish(&mut self, _: &dyn FinalReport) {}
}
