//! Runs in programs that were started before, as the options ask for them.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use boildown_exec::{HarnessKind, LocalOracle, Runner, WarmExecutor, WarmStatus};
use boildown_oracle::Interrupt;

use crate::error::CliError;
use crate::report::reporter::Reporter;

/// The warm runs of a session.
#[derive(Debug, Default)]
pub(crate) struct WarmRuns {
    /// What runs candidates; `None` for a fresh process for each of them.
    pub(crate) kind: Option<HarnessKind>,
    executor: OnceLock<Arc<WarmExecutor>>,
}

impl WarmRuns {
    /// Tries a harness on the input, and lets the oracle use it. A note says how long runs take, or
    /// why there are no warm runs.
    pub(crate) fn start(
        &self,
        oracle: &mut LocalOracle,
        input: &Arc<[u8]>,
        is_steady: bool,
        interrupt: &Interrupt,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        let Some(kind) = &self.kind else {
            return Ok(());
        };
        let runner = oracle.runner().clone();
        if let Some(reason) = obstacle(&runner, is_steady) {
            reporter.note(&format!("warm runs are off: {reason}"));
            return Ok(());
        }
        reporter.working("starting the program for warm runs", "");
        let fail = CliError::before("the search");
        let runner = runner.with_timeout(oracle.time_limit());
        let warm = WarmExecutor::new(kind, &runner, Arc::clone(input)).map_err(fail)?;
        let times = warm.try_out(&runner, interrupt).map_err(fail)?;
        if let Some([warm_time, fresh_time]) = times {
            reporter.note(&times_note(warm_time, fresh_time));
            let warm = self.executor.get_or_init(|| Arc::new(warm));
            *oracle = oracle.clone().with_executor(Arc::clone(warm) as _);
            return Ok(());
        }
        warm.take_notes()
            .iter()
            .for_each(|note| reporter.note(note));
        Ok(())
    }

    /// Returns what is known about warm runs, if there are any.
    pub(crate) fn status(&self) -> Option<Arc<WarmStatus>> {
        self.executor.get().map(|warm| Arc::clone(warm.status()))
    }

    /// Reports what happened to harnesses.
    pub(crate) fn report(&self, reporter: &mut dyn Reporter) {
        for note in self
            .executor
            .get()
            .iter()
            .flat_map(|warm| warm.take_notes())
        {
            reporter.note(&note);
        }
    }
}

/// Returns why the runs of this runner cannot be warm.
fn obstacle(runner: &Runner, is_steady: bool) -> Option<&'static str> {
    if runner.project.is_some() {
        return Some("candidates are run in copies of a project");
    }
    if runner.command.differs_by_candidate() {
        return Some("the command differs from candidate to candidate");
    }
    (!is_steady).then_some("the failure is flaky, and forked processes share what varies")
}

fn times_note(warm: Duration, fresh: Duration) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    format!(
        "warm runs: a run on the input takes {:.0} ms, and {:.0} ms in a fresh process",
        milliseconds(warm),
        milliseconds(fresh)
    )
}
