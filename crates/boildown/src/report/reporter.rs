//! The interface of the reporters of all searches.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use boildown_exec::SecondaryFailures;
use boildown_folder::Listing;
use boildown_oracle::Interrupt;
use boildown_session::prepare::PrepareEvent;
use boildown_session::{Event, InputForm, SkipPass};
use boildown_show::{ChoiceRecord, StartedEvent};
use serde_json::Value;

use super::notes::{event_note, limit_advice, prepare_note};
use super::work_board::WorkBoard;

/// A consumer of the events of a session.
pub(crate) trait Reporter {
    fn note(&mut self, text: &str);

    /// Shows that the user waits for this, with advice for when it takes long.
    fn working(&mut self, _what: &str, _advice: &str) {}

    /// Shows what was chosen for the user, and why.
    fn choice(&mut self, _: &ChoiceRecord) {}

    /// Shows that the search of a reduction or an isolation begins.
    fn started(&mut self, _: StartedEvent) {}

    /// Prints an event as it is in the record of the session, if this reporter does so.
    fn record(&mut self, _: &Value) {}

    /// Takes over the keys, and shows what the workers run, if this reporter does so. The workers
    /// use the board that is returned.
    fn take_keys(&mut self, _: SearchControls) -> Option<Arc<WorkBoard>> {
        None
    }

    /// Shows the secondary failures so far.
    fn secondary_failures(&mut self, _: &SecondaryFailures) {}

    /// Gives the terminal back: the result may be printed next.
    fn leave_terminal(&mut self) {}

    /// Shows an event, which may be a note.
    fn show(&mut self, event: &Event) {
        match event_note(event) {
            Some(note) => self.note(&note),
            None => self.event(event),
        }
    }

    fn event(&mut self, event: &Event);
    fn finish(&mut self, report: &dyn FinalReport);
}

/// Returns a consumer of the events of a preparation that shows them as notes.
pub(crate) fn noting(reporter: &mut dyn Reporter) -> impl FnMut(PrepareEvent<'_>) {
    move |event| {
        if let PrepareEvent::Running { what, limit } = event {
            reporter.working(what, &limit_advice(limit));
        } else if let Some(text) = prepare_note(event) {
            reporter.note(&text);
        }
    }
}

/// A search that begins, and what a user can do with it.
pub(crate) struct SearchControls {
    /// The input, or a text that shows it.
    pub(crate) input: Arc<[u8]>,
    pub(crate) form: InputForm,
    /// What is preserved.
    pub(crate) property: String,
    /// The command that fails on the result, for a shell.
    pub(crate) command: String,
    /// The number of workers.
    pub(crate) jobs: usize,
    pub(crate) skip_pass: SkipPass,
    pub(crate) interrupt: Interrupt,
    /// Where the results so far are stored.
    pub(crate) steps: StepSource,
    /// Takes what to reduce next; `None` where none can follow.
    pub(crate) switch: Option<FailureSwitch>,
    /// Whether the search can be ended and continue from an earlier result.
    pub(crate) can_restart: bool,
    /// Whether the search is about a failure that a candidate of another one showed.
    pub(crate) is_other_failure: bool,
}

/// Where the results of a run are stored, and how they are shown.
#[derive(Clone, Default)]
pub(crate) struct StepSource {
    /// The file of the run; `None` if nothing is stored.
    pub(crate) store: Option<PathBuf>,
    /// What the folder holds that is reduced, if it is one. Its states are shown as lists of files.
    pub(crate) listing: Option<Arc<Listing>>,
}

/// What the user wants to reduce next, once the search has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextSearch {
    /// The input with its own failure.
    OfInput,
    /// A secondary failure, by the name of its file.
    Other(String),
    /// A result of this search, by its number.
    FromResult(usize),
}

/// Holds what the user wants to reduce next. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailureSwitch(Arc<Mutex<Option<NextSearch>>>);

impl FailureSwitch {
    /// Sets or removes what to reduce next.
    pub(crate) fn choose(&self, next: Option<NextSearch>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    /// Returns what to reduce next.
    pub(crate) fn chosen(&self) -> Option<NextSearch> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The end of a session, in the formats that reporters print.
pub(crate) trait FinalReport {
    /// Returns the summary, which people read on standard error.
    fn summary(&self) -> String {
        String::new()
    }

    /// Returns what people read on standard output, after the summary.
    fn details(&self) -> String {
        String::new()
    }

    /// Returns the last event of `--json`.
    fn json(&self) -> Value;
}

/// Prints nothing.
pub(crate) struct QuietReporter;

impl Reporter for QuietReporter {
    fn note(&mut self, _: &str) {}
    fn event(&mut self, _: &Event) {}
    fn finish(&mut self, _: &dyn FinalReport) {}
}
