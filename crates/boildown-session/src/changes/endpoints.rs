//! Check that the two states of a culprit search are good and bad.

use std::time::Duration;

use boildown_changes::{Configuration, Contents, State};
use boildown_oracle::{Deduction, Interrupt, Outcome, Property, Run, Signature, Verdict};
use boildown_store::BaselineRecording;

use super::error::SearchError;
use super::history_path::{HistoryPath, Revision, StateCache};
use super::outcome_rule::{OutcomeRule, SearchTarget};
use super::tree_oracle::TreeOracle;
use crate::event::Event;

/// The number of runs on each of the two states.
const RUNS: usize = 2;

/// Checks the two ends of a history path, and reports their runs.
pub(super) struct EndpointCheck<'a> {
    pub(super) path: &'a HistoryPath,
    pub(super) contents: &'a Contents,
    /// The runs of an earlier session.
    pub(super) recording: &'a BaselineRecording,
    pub(super) interrupt: &'a Interrupt,
    pub(super) on_event: &'a mut dyn FnMut(&Event),
    /// The rule that the user asked for.
    pub(super) rule: OutcomeRule,
    /// The failure that was reported last.
    pub(super) failure: Option<Property>,
    /// The last run on the state that fails.
    pub(super) failing_run: Option<Run>,
    /// The outcomes of the bad and of the good state that were reported last.
    pub(super) reported: [Option<Outcome>; 2],
}

/// One of the two states.
struct Endpoint<'a> {
    revision: &'a Revision,
    state: State,
    is_good: bool,
}

impl EndpointCheck<'_> {
    /// Checks both states, in two runs each. Reads the failure off the state that is bad, if the
    /// rule says so. Returns the duration of the longest run.
    pub(super) fn check(&mut self, trees: &mut TreeOracle) -> Result<Duration, SearchError> {
        let (path, contents) = (self.path, self.contents);
        // The sandbox of an earlier check may have caused another failure.
        trees.set_rule(self.rule.clone());
        let cache = StateCache::default();
        let (good, bad) = (path.good(), path.bad());
        let (good_state, bad_state) = (cache.read(good, contents)?, cache.read(bad, contents)?);
        if good_state == bad_state {
            return Err(SearchError::Same {
                good: good.name.clone(),
                bad: bad.name.clone(),
            });
        }
        // The bad one first: it shows whether the command runs at all.
        let checked = self.check_one(
            trees,
            Endpoint {
                revision: bad,
                state: bad_state,
                is_good: false,
            },
        );
        if let Err(SearchError::NotAsStated { answer, .. }) = &checked
            && answer.verdict == Verdict::Uninteresting
        {
            let first = Configuration::from(good_state.clone());
            let answer = trees.judge_recorded(&first, self.recording, self.interrupt)?;
            if answer.verdict == Verdict::Interesting {
                return Err(SearchError::Swapped {
                    good: good.name.clone(),
                    bad: bad.name.clone(),
                });
            }
        }
        let bad = checked?;
        let good = self.check_one(
            trees,
            Endpoint {
                revision: good,
                state: good_state,
                is_good: true,
            },
        )?;
        Ok(bad.max(good))
    }

    /// Checks one state. Returns the duration of its longest run.
    fn check_one(
        &mut self,
        trees: &mut TreeOracle,
        endpoint: Endpoint<'_>,
    ) -> Result<Duration, SearchError> {
        let (expected, wanted) = match endpoint.is_good {
            true => (Verdict::Uninteresting, "good"),
            false => (Verdict::Interesting, "bad"),
        };
        let fails = endpoint.is_good == (trees.runner().test().target == SearchTarget::Fix);
        let reads_failure = fails && self.rule == OutcomeRule::SameFailure;
        let mut deduction: Option<Deduction> = None;
        let mut failure = None;
        let configuration = Configuration::from(endpoint.state);
        let mut slowest = Duration::ZERO;
        for number in 0..RUNS {
            // Both runs may use one tree, as later runs do: an incremental build must not change
            // the verdict.
            let answer = trees.judge_recorded(&configuration, self.recording, self.interrupt)?;
            if answer.verdict != expected {
                let name = endpoint.revision.name.clone();
                if number > 0 {
                    return Err(SearchError::Flaky { name });
                }
                let answer = Box::new(answer);
                return Err(SearchError::NotAsStated {
                    name,
                    wanted,
                    answer,
                });
            }
            if let Some(run) = answer.run {
                if let Some(deduction) = &deduction {
                    failure = deduction.shared_with(&run);
                } else if reads_failure {
                    deduction = Deduction::of_run(&run);
                }
                slowest = slowest.max(run.took);
                if fails {
                    self.failing_run = Some(run.clone());
                }
                self.report(endpoint.is_good, run);
            }
        }
        if deduction.is_some() {
            let name = endpoint.revision.name.clone();
            let failure = failure.ok_or(SearchError::Flaky { name })?;
            if self.failure.as_ref() != Some(&failure) {
                (self.on_event)(&Event::FailureRead(failure.clone()));
                self.failure = Some(failure.clone());
            }
            let crashes =
                (self.failing_run.as_ref()).is_some_and(|run| Signature::of_run(run).is_some());
            let is_silent = !crashes && failure.expectations().len() == 1;
            trees.set_rule(match is_silent {
                true => OutcomeRule::SilentFailure(failure),
                false => OutcomeRule::Property(failure),
            });
        }
        Ok(slowest)
    }

    /// Reports a run, unless the last one on this state had the same outcome.
    fn report(&mut self, is_good: bool, run: Run) {
        let outcome = Some(run.outcome);
        let reported = &mut self.reported[usize::from(is_good)];
        if std::mem::replace(reported, outcome) != outcome {
            (self.on_event)(&Event::EndpointRun { is_good, run });
        }
    }
}
