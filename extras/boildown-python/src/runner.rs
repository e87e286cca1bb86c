//! Runs of searches: in the calling thread with one job, by the driver with more.

use std::time::{Duration, Instant};

use boildown_driver::{Config, Drive, Step, StopReason};
use boildown_search::{Fingerprinted, Planner, Search, Told, Verdict};
use pyo3::prelude::*;

use crate::errors::exception;
use crate::events::{End, Summary, Test};
use crate::forms::Form;
use crate::judge::Judge;
use crate::settings::Settings;

/// How often signals are looked for while a search computes its next query.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// What events say about a search.
pub(crate) struct Look<S> {
    /// Returns the size of the best candidate.
    pub(crate) best: fn(&S) -> usize,
    /// Returns the pass, or the units, that the search works on.
    pub(crate) pass: fn(&S) -> Option<&'static str>,
}

/// A search that has ended, early or not.
pub(crate) struct Ended<S> {
    pub(crate) search: S,
    /// How it ended; or what the test, a consumer of events or a signal handler raised, if that
    /// ended the search.
    pub(crate) result: PyResult<Summary>,
}

/// Runs a search to its end, or until a limit, a stop or an exception.
///
/// The interpreter is released while the search computes. `calls` is the number of calls of the
/// test before.
pub(crate) fn run<S, F>(
    py: Python<'_>,
    search: S,
    judge: &Judge<'_, F>,
    settings: &Settings,
    look: &Look<S>,
    calls: u64,
) -> Ended<S>
where
    S: Search<Candidate: Fingerprinted + Send> + Send,
    F: Form<S::Candidate>,
{
    let watch = Watch {
        input: (look.best)(&search),
        settings,
        look,
        judge,
        calls,
        started: Instant::now(),
    };
    py.detach(|| match settings.jobs {
        0 | 1 => watch.run_here(search),
        _ => watch.run_in_parallel(search),
    })
}

struct Watch<'a, S, F> {
    /// The size of the input.
    input: usize,
    settings: &'a Settings,
    look: &'a Look<S>,
    judge: &'a Judge<'a, F>,
    calls: u64,
    started: Instant,
}

impl<S, F> Watch<'_, S, F>
where
    S: Search<Candidate: Fingerprinted + Send> + Send,
    F: Form<S::Candidate>,
{
    fn run_here(&self, search: S) -> Ended<S> {
        let mut planner = Planner::stepwise(search);
        let mut tests = 0;
        let result = self.ask_until_the_end(&mut planner, &mut tests);
        let result =
            result.and_then(|stopped| self.report_end(planner.search(), stopped, tests, tests));
        Ended {
            search: planner.search().clone(),
            result,
        }
    }

    fn ask_until_the_end(
        &self,
        planner: &mut Planner<S>,
        tests: &mut u64,
    ) -> PyResult<Option<StopReason>> {
        let mut looked_for_signals = self.started;
        loop {
            if !planner.is_settled() {
                planner.settle();
                if looked_for_signals.elapsed() >= SIGNAL_INTERVAL {
                    looked_for_signals = Instant::now();
                    Python::attach(|py| py.check_signals())?;
                    if let stopped @ Some(_) = self.stop_reason(0) {
                        return Ok(stopped);
                    }
                }
                continue;
            }
            if planner.is_finished() {
                return Ok(None);
            }
            if let stopped @ Some(_) = self.stop_reason(*tests) {
                return Ok(stopped);
            }
            let Some(ticket) = planner.next() else {
                continue;
            };
            let verdict = Python::attach(|py| {
                py.check_signals()?;
                self.judge.verdict(py, &ticket.candidate)
            })?;
            planner.answer(ticket.id, verdict);
            while let Some(told) = planner.advance() {
                *tests += 1;
                self.report_test(&told, planner.search(), *tests)?;
            }
        }
    }

    fn stop_reason(&self, tests: u64) -> Option<StopReason> {
        let budget = self.settings.budget;
        if (self.settings.stop.as_ref()).is_some_and(|stop| stop.is_triggered()) {
            Some(StopReason::Interrupted)
        } else if (budget.time).is_some_and(|most| self.started.elapsed() >= most) {
            Some(StopReason::TimeLimit)
        } else if (budget.queries).is_some_and(|most| tests >= most) {
            Some(StopReason::QueryLimit)
        } else {
            None
        }
    }

    fn run_in_parallel(&self, search: S) -> Ended<S> {
        let config = Config {
            jobs: self.settings.jobs,
            budget: self.settings.budget,
            interrupt: self.settings.stop.clone(),
            ..Config::default()
        };
        std::thread::scope(|scope| {
            let mut drive = Drive::start(scope, search, self.judge, &config);
            let result = self.step_until_the_end(&mut drive);
            let spent = drive.spent();
            let search = drive.search().clone();
            if !matches!(result, Ok(None)) {
                self.cancel();
            }
            drop(drive);
            let result = result
                .and_then(|stopped| self.report_end(&search, stopped, spent.queries, spent.runs));
            Ended { search, result }
        })
    }

    fn step_until_the_end(&self, drive: &mut Drive<S>) -> PyResult<Option<StopReason>> {
        loop {
            match drive.step().map_err(exception)? {
                Step::Told(told) => {
                    self.report_test(&told, drive.search(), drive.spent().queries)?;
                }
                Step::Prepared | Step::Tick => {}
                Step::Finished => return Ok(None),
                Step::Stopped(reason) => return Ok(Some(reason)),
            }
            Python::attach(|py| py.check_signals())?;
        }
    }

    /// Makes running tests end soon. The search has ended: what it raises has no consequence.
    fn cancel(&self) {
        if let Some(cancel) = &self.settings.cancel {
            Python::attach(|py| {
                if let Err(raised) = cancel.call0(py) {
                    raised.write_unraisable(py, Some(cancel.bind(py)));
                }
            });
        }
    }

    fn report_test(&self, told: &Told<S::Candidate>, search: &S, tests: u64) -> PyResult<()> {
        let Some(on_event) = &self.settings.on_event else {
            return Ok(());
        };
        let test = Test {
            verdict: told.verdict,
            input: self.input,
            size: self.judge.form.size(&told.candidate),
            best: match told.verdict {
                Verdict::Interesting => self.judge.form.size(&told.candidate),
                Verdict::Uninteresting | Verdict::Unresolved => (self.look.best)(search),
            },
            tests,
            elapsed: self.started.elapsed().as_secs_f64(),
            pass: (self.look.pass)(search),
        };
        Python::attach(|py| test.report(py, on_event))
    }

    fn report_end(
        &self,
        search: &S,
        stopped: Option<StopReason>,
        tests: u64,
        runs: u64,
    ) -> PyResult<Summary> {
        let summary = Summary {
            stopped: stopped.map(|reason| match reason {
                StopReason::Interrupted => "stop",
                StopReason::QueryLimit => "tests",
                StopReason::TimeLimit => "time",
            }),
            tests,
            runs: runs + self.calls,
        };
        if let Some(on_event) = &self.settings.on_event {
            let end = End {
                summary,
                best: (self.look.best)(search),
                elapsed: self.started.elapsed().as_secs_f64(),
            };
            Python::attach(|py| end.report(py, on_event))?;
        }
        Ok(summary)
    }
}
