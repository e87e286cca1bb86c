//! Loop that all sessions share: it steps the driver, reports events, and watches the run store.

use std::sync::Arc;

use boildown_driver::{Drive, Spent, Step};
use boildown_oracle::{OracleError, Verdict};
use boildown_search::{Fingerprinted, Search, Told};
use boildown_show::StopReason;
use boildown_store::RunStore;

use crate::event::{Event, stop_of_drive};

/// The differences between a reduction, an isolation and a culprit search.
///
/// [`run`] calls, for every step of the driver, [`before_step`](Self::before_step); then
/// [`known`](Self::known) for each candidate that the driver is about to run; and then
/// [`after_verdict`](Self::after_verdict) or [`tick`](Self::tick).
pub(crate) trait Task<S: Search> {
    /// Prepares the next step: may change the search and report a pass. A reason stops the session.
    fn before_step(
        &mut self,
        drive: &mut Drive<S>,
        reporter: &mut Reporter<'_>,
    ) -> Option<StopReason>;

    /// Returns the verdict on a candidate that need not be run.
    fn known(&self, _: &S::Candidate) -> Option<Verdict> {
        None
    }

    /// Uses a verdict that the search received: writes an improvement, reports it. A reason stops
    /// the session.
    fn after_verdict(
        &mut self,
        told: &Told<S::Candidate>,
        drive: &Drive<S>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<StopReason>, OracleError>;

    /// Returns the event that shows the progress while nothing happens.
    fn tick(&self, drive: &Drive<S>) -> Event;
}

/// Runs a session until its search finishes (`None`) or stops.
///
/// # Errors
/// [`OracleError`] when the oracle could not answer, or the task could not write a result.
pub(crate) fn run<S: Search<Candidate: Fingerprinted + Send>>(
    drive: &mut Drive<S>,
    task: &mut impl Task<S>,
    reporter: &mut Reporter<'_>,
) -> Result<Option<StopReason>, OracleError> {
    loop {
        reporter.report_store_failure();
        if let Some(stopped) = task.before_step(drive, reporter) {
            return Ok(Some(stopped));
        }
        match drive.step_knowing(&mut |candidate| task.known(candidate))? {
            Step::Told(told) => {
                if let Some(stopped) = task.after_verdict(&told, drive, reporter)? {
                    return Ok(Some(stopped));
                }
            }
            Step::Prepared => {}
            Step::Tick => reporter.report(&task.tick(drive)),
            Step::Finished => return Ok(None),
            Step::Stopped(reason) => return Ok(Some(stop_of_drive(reason))),
        }
    }
}

/// Reports the events of one session.
pub(crate) struct Reporter<'a> {
    on_event: &'a mut dyn FnMut(&Event),
    store: Option<&'a RunStore>,
    /// Whether a failure of the store was reported.
    store_failed: bool,
    /// The pass that was reported last.
    pass: Option<&'static str>,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(on_event: &'a mut dyn FnMut(&Event), store: Option<&'a RunStore>) -> Self {
        Self {
            on_event,
            store,
            store_failed: false,
            pass: None,
        }
    }

    pub(crate) fn report(&mut self, event: &Event) {
        (self.on_event)(event);
    }

    /// Reports the pass if it is not the one that was reported last, and returns its name then.
    pub(crate) fn report_pass(
        &mut self,
        pass: Option<&'static str>,
        spent: Spent,
    ) -> Option<&'static str> {
        let started = pass.filter(|_| pass != self.pass);
        if let Some(name) = started {
            self.report(&Event::PassStarted { name, spent });
        }
        self.pass = pass;
        started
    }

    /// Reports that the store failed. Once only: one defect may show when reading and when writing.
    pub(crate) fn report_store_failure(&mut self) {
        if let Some(error) = self.store.and_then(RunStore::take_error)
            && !std::mem::replace(&mut self.store_failed, true)
        {
            let error = Arc::new(error);
            self.report(&Event::StoreFailed { error });
        }
    }

    /// Returns whether the store has recorded everything so far.
    pub(crate) fn is_resumable(&self) -> bool {
        self.store.is_some() && !self.store_failed
    }
}
