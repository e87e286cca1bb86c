//! Check that the two states of a culprit search are good and bad.

use std::time::Duration;

use boildown_changes::{Configuration, Contents, State};
use boildown_oracle::{Deduction, Interrupt, Outcome, Property, Run, Verdict};
use boildown_search::flaky::RunCounts;
use boildown_store::BaselineRecording;

use super::end_rates::EndRates;
use super::error::SearchError;
use super::history_path::{HistoryPath, Revision, StateCache};
use super::outcome_rule::{OutcomeRule, SearchTarget};
use super::tree_oracle::{TreeAnswer, TreeOracle};
use crate::event::Event;

/// The number of runs on the good state, if they agree.
const RUNS: u32 = 2;

/// The number of runs on the bad state, if they agree: two failures in a row are no rare chance for
/// a state that fails in most runs.
const RUNS_ON_BAD: u32 = 3;

/// The number of runs on the bad state before it is said to be good.
const RUNS_TO_FAIL: u32 = 5;

/// The number of runs on each of the two states, if runs disagree; also the number of bad ones from
/// which their rate is known well enough.
const FEWEST_RUNS: u32 = 20;

/// Runs on the bad state of a resumed session, at most, that show whether it still is bad.
const RUNS_TO_SEE: u32 = 3;

/// The most runs on a state that is bad in few of them.
const MOST_RUNS: u32 = 100;

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
    /// Whether runs on a state disagree, or the user says that they do.
    pub(super) is_flaky: bool,
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

/// The runs on one of the two states.
#[derive(Debug, Default)]
struct CheckedEnd {
    /// The runs, and those in which the state was as the second one is said to be.
    hits: RunCounts,
    slowest: Duration,
}

impl CheckedEnd {
    fn count(&mut self, answer: &TreeAnswer) {
        self.hits.count(answer.verdict == Verdict::Interesting);
        let took = answer.run.as_ref().map_or(Duration::ZERO, |run| run.took);
        self.slowest = self.slowest.max(took);
    }
}

/// The failure that the first runs on a state show.
#[derive(Debug, Default)]
struct ReadFailure {
    deduction: Option<Deduction>,
    /// What the first run shares with the second one.
    shared: Option<Property>,
}

impl ReadFailure {
    fn read(&mut self, run: &Run) {
        match &self.deduction {
            None => self.deduction = Deduction::of_run(run),
            Some(deduction) if self.shared.is_none() => self.shared = deduction.shared_with(run),
            Some(_) => {}
        }
    }
}

impl EndpointCheck<'_> {
    /// Checks both states, in a few runs each. Reads the failure off the state that is bad, if the
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
        let mut bad_end = checked?;
        let good_endpoint = Endpoint {
            revision: good,
            state: good_state,
            is_good: true,
        };
        let good_end = self.check_one(trees, good_endpoint)?;
        let mut rates = None;
        if self.is_flaky {
            if bad_end.hits.runs < FEWEST_RUNS {
                let state = cache.read(bad, contents)?;
                self.measure(trees, &state.into(), &mut bad_end)?;
            }
            let measured = EndRates {
                bad: bad_end.hits,
                good: good_end.hits,
            };
            if measured.policy().is_none() {
                let name = bad.name.clone();
                return Err(SearchError::Flaky { name });
            }
            (self.on_event)(&Event::RatesMeasured(measured));
            rates = Some(measured);
        }
        trees.set_rates(rates);
        if self.recording.is_replay() {
            self.check_still_bad(trees, &cache.read(bad, contents)?.into())?;
        }
        Ok(bad_end.slowest.max(good_end.slowest))
    }

    /// Checks that the bad state, which was bad in earlier sessions, still is.
    fn check_still_bad(
        &self,
        trees: &TreeOracle,
        configuration: &Configuration,
    ) -> Result<(), SearchError> {
        let most = match self.is_flaky {
            true => MOST_RUNS,
            false => RUNS_TO_SEE,
        };
        let mut last = None;
        for _ in 0..most {
            let answer = trees.judge_now(configuration, self.interrupt)?;
            if answer.verdict == Verdict::Interesting {
                return Ok(());
            }
            last = Some(answer);
        }
        Err(SearchError::NotAsStated {
            name: self.path.bad().name.clone(),
            wanted: "bad any more",
            answer: Box::new(last.expect("it was run")),
        })
    }

    /// Checks one state. If its runs disagree, measures how often it is bad.
    fn check_one(
        &mut self,
        trees: &mut TreeOracle,
        endpoint: Endpoint<'_>,
    ) -> Result<CheckedEnd, SearchError> {
        let (expected, wanted) = match endpoint.is_good {
            true => (Verdict::Uninteresting, "good"),
            false => (Verdict::Interesting, "bad"),
        };
        let fails = endpoint.is_good == (trees.runner().test().target == SearchTarget::Fix);
        let reads_failure = fails && self.rule == OutcomeRule::SameFailure;
        let mut failure = ReadFailure::default();
        let mut end = CheckedEnd::default();
        let configuration = Configuration::from(endpoint.state);
        let enough = match endpoint.is_good {
            true => RUNS,
            false => RUNS_ON_BAD,
        };
        let mut as_expected = 0;
        let mut first_other = None;
        // Both runs may use one tree, as later runs do: an incremental build must not change the
        // verdict. A state that is not as stated is run again, before anything else is blamed.
        for number in 0..FEWEST_RUNS {
            let answer = trees.judge_recorded(&configuration, self.recording, self.interrupt)?;
            end.count(&answer);
            if answer.verdict == expected {
                as_expected += 1;
                if let Some(run) = answer.run {
                    if reads_failure {
                        failure.read(&run);
                    }
                    if fails {
                        self.failing_run = Some(run.clone());
                    }
                    self.report(endpoint.is_good, run);
                }
            } else if first_other.is_none() {
                first_other = Some(answer);
            }
            let is_steady = as_expected == 0 || first_other.is_none();
            let may_fail = first_other.as_ref().is_some_and(|answer| {
                answer.verdict == Verdict::Uninteresting && !endpoint.is_good
            });
            let enough = match as_expected {
                // A failure in a third of the runs is no state that works.
                0 if may_fail => RUNS_TO_FAIL,
                0 => RUNS,
                _ => enough,
            };
            if number + 1 >= enough && is_steady && !self.is_flaky {
                break;
            }
            self.is_flaky |= !is_steady;
        }
        let name = || endpoint.revision.name.clone();
        if as_expected == 0
            && let Some(answer) = first_other
        {
            return Err(SearchError::NotAsStated {
                name: name(),
                wanted,
                answer: Box::new(answer),
            });
        }
        if self.is_flaky && !endpoint.is_good {
            self.measure(trees, &configuration, &mut end)?;
        }
        if failure.deduction.is_some() {
            let failure = failure.shared.ok_or(SearchError::Flaky { name: name() })?;
            if self.failure.as_ref() != Some(&failure) {
                (self.on_event)(&Event::FailureRead(failure.clone()));
                self.failure = Some(failure.clone());
            }
            let rule = OutcomeRule::of_failure(failure, self.failing_run.as_ref());
            trees.set_rule(rule);
        }
        Ok(end)
    }

    /// Runs a state until it is known how often it is bad.
    fn measure(
        &mut self,
        trees: &TreeOracle,
        configuration: &Configuration,
        end: &mut CheckedEnd,
    ) -> Result<(), SearchError> {
        while end.hits.runs < FEWEST_RUNS
            || end.hits.hits < FEWEST_RUNS && end.hits.runs < MOST_RUNS
        {
            end.count(&trees.judge_recorded(configuration, self.recording, self.interrupt)?);
        }
        Ok(())
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
