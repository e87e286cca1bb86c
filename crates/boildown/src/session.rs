//! Session of a search: what it shows, chooses and stores, from its beginning to its end.
//!
//! Each command that searches goes through the same steps: a [`Beginning`], a [`Session`] with its
//! reporter, a look for earlier sessions, the runs before the search, the store, the first event,
//! the search, and the last event.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_driver::Budget;
use boildown_exec::spawn::ReapOnDrop;
use boildown_oracle::Interrupt;
use boildown_session::SessionConfig;
use boildown_session::prepare::{EarlierSessions, Flakiness, SessionStore};
use boildown_show::{ChoiceRecord, JsonValue as _, SessionEvent, StartedEvent, StopReason};
use boildown_store::{Identity, RunDescription, RunStore};
use serde_json::Value;

use crate::error::{CliError, ExitKind};
use crate::habits::note_misplaced;
use crate::options::algorithms;
use crate::report::reporter::{FinalReport, Reporter, noting};
use crate::settings::{self, Settings};
use crate::signals::interrupt_within;

/// The beginning of a command that runs others.
pub(crate) struct Beginning {
    // Ends leftover processes of runs whatever happens, also in a panic.
    _reap: ReapOnDrop,
    begun: Instant,
    budget: Budget,
    /// What Ctrl-C and the limit on time trigger.
    pub(crate) interrupt: Interrupt,
}

impl Beginning {
    /// Begins a command with these limits.
    ///
    /// # Errors
    /// [`CliError`] when signals cannot be handled.
    pub(crate) fn new(budget: Budget) -> Result<Self, CliError> {
        let interrupt = interrupt_within(budget.time)?;
        algorithms::end_with(&interrupt);
        Ok(Self {
            _reap: ReapOnDrop::begin(),
            begun: Instant::now(),
            budget,
            interrupt,
        })
    }

    /// Returns the configuration of a search on this machine.
    pub(crate) fn config(&self, jobs: usize, store: Option<Arc<RunStore>>) -> SessionConfig {
        SessionConfig {
            jobs,
            budget: self.left(),
            interrupt: Some(self.interrupt.clone()),
            store,
            ..SessionConfig::default()
        }
    }

    /// Returns the time since the command began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Returns what is left of the limits.
    fn left(&self) -> Budget {
        let time = self.budget.time;
        Budget {
            time: time.map(|most| most.saturating_sub(self.elapsed())),
            ..self.budget
        }
    }
}

/// A session, which shows and stores its events.
pub(crate) struct Session<'a> {
    pub(crate) beginning: &'a Beginning,
    pub(crate) reporter: Box<dyn Reporter>,
    /// What was chosen for the user, the settings in effect first.
    pub(crate) choices: Vec<ChoiceRecord>,
    /// The sessions before this one, until its own store is open.
    pub(crate) earlier: EarlierSessions,
    pub(crate) store: SessionStore,
}

impl<'a> Session<'a> {
    /// Begins to report: says which settings are in effect, and which options went to the command
    /// by mistake.
    pub(crate) fn new(beginning: &'a Beginning, mut reporter: Box<dyn Reporter>) -> Self {
        settings::note(reporter.as_mut());
        note_misplaced(reporter.as_mut());
        let settings = settings::in_effect().into_iter();
        Self {
            beginning,
            reporter,
            choices: settings.flat_map(Settings::choices).collect(),
            earlier: EarlierSessions::default(),
            store: SessionStore::default(),
        }
    }

    pub(crate) fn reporter(&mut self) -> &mut dyn Reporter {
        self.reporter.as_mut()
    }

    /// Adds choices, and shows them with `--verbose`.
    pub(crate) fn choose(&mut self, choices: impl IntoIterator<Item = ChoiceRecord>) {
        for choice in choices {
            self.reporter.choice(&choice);
            self.choices.push(choice);
        }
    }

    /// Locks the result, and looks for earlier sessions of the run with this identity.
    ///
    /// # Errors
    /// [`CliError`] when another session is at work on the result.
    pub(crate) fn resume(
        &mut self,
        output: &Path,
        identity: Identity,
        is_fresh: bool,
    ) -> Result<(), CliError> {
        let on_event = &mut noting(self.reporter.as_mut());
        let earlier = EarlierSessions::beside(output, identity, is_fresh, on_event);
        self.earlier = earlier.map_err(|error| CliError::busy(&error))?;
        Ok(())
    }

    /// Returns the configuration of a search on this machine.
    pub(crate) fn config(&self, jobs: usize) -> SessionConfig {
        self.beginning.config(jobs, self.store.store.clone())
    }

    /// Opens the store of this session. `start` lacks the choices.
    pub(crate) fn open(&mut self, start: RunDescription<'_>) {
        let start = RunDescription {
            choices: &self.choices,
            ..start
        };
        let earlier = std::mem::take(&mut self.earlier);
        self.store = earlier.begin(&start, &mut noting(self.reporter.as_mut()));
    }

    /// Records and shows that a reduction or an isolation begins. `started` lacks the choices.
    pub(crate) fn start(&mut self, started: StartedEvent) {
        let choices = self.choices.clone();
        let started = StartedEvent { choices, ..started };
        self.record(&SessionEvent::Started(Box::new(started.clone())).to_json());
        self.reporter.started(started);
    }

    /// Records the first event, and shows it.
    pub(crate) fn record(&mut self, started: &Value) {
        if let Some(store) = &self.store.store {
            store.record_event("started", started.to_string());
        }
        self.reporter.record(started);
    }

    /// Records and shows the end.
    pub(crate) fn finish(&mut self, report: &dyn FinalReport) {
        if let Some(store) = &self.store.store {
            store.record_event("finished", report.json().to_string());
        }
        self.reporter.finish(report);
    }
}

/// Returns how a search of a file ends. `is_unchanged` says that nothing was found.
pub(crate) fn exit_of_search(
    flakiness: &Flakiness,
    stopped: Option<StopReason>,
    is_unchanged: bool,
) -> ExitKind {
    match stopped {
        _ if !flakiness.is_preserved() => ExitKind::Flaky,
        Some(StopReason::SmallEnough | StopReason::Plateau | StopReason::Borderline) => {
            ExitKind::Reduced
        }
        Some(StopReason::EnvironmentChanged) => ExitKind::CannotRun,
        Some(_) => ExitKind::Stopped,
        None if is_unchanged => ExitKind::AlreadyMinimal,
        None => ExitKind::Reduced,
    }
}
