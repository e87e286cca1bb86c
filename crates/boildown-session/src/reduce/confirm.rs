//! Confirmation: repeated runs of the best result, which show whether the property still holds.

use std::sync::Arc;
use std::time::Instant;

use boildown_oracle::{Interrupt, Oracle, OracleError};
use boildown_search::flaky::{RepeatPolicy, RunCounts};
use boildown_show::StopReason;
use boildown_store::RunStore;

use super::confirming_runs::ConfirmingRuns;
use super::environment::{EnvironmentCheck, Once, judge_each_once, judge_once};
use super::recalled_misses::RecalledMisses;
use super::sized_text::SizedText;
use crate::event::stopped_by;

/// Number of tests after which an improvement is confirmed.
const EVERY: u64 = 256;

/// The same for an improvement to at most half the size of the last confirmed result.
const EVERY_WHEN_HALVED: u64 = 64;

/// The number of runs in which the property did not hold after which it never does.
const RUNS: u32 = 3;

/// The fewest runs at the end that confirm a result that was run again before.
const FRESH_RUNS: u32 = 2;

/// Number of candidates cut short by a limit after which no more missed candidates are run again.
const CUT_SHORT_RUNS: u32 = 3;

/// Confirms results, and remembers the last one that was confirmed.
///
/// A reduction of a property that should hold always or never may still meet a candidate on which
/// it holds by chance. Everything found after it is then worthless. So the best result is run again
/// [several times](ConfirmingRuns): at the first improvement after 256 tests (after 64, if it is
/// at most half as large as the last confirmed result), and at the end, when something is claimed
/// about it. Repeated runs that it had before count. If the property does not hold in one of these
/// runs, the reduction reverts to the last confirmed result.
///
/// The property may also be lost because something around the command has changed: a tool was
/// removed, a disk is full. Then it does not hold on the input either.
pub(super) struct Confirmation<'a> {
    oracle: &'a dyn Oracle,
    /// Cancels the runs.
    interrupt: Interrupt,
    /// The most runs at the same time. Does not change what is found.
    jobs: usize,
    /// How many runs confirm a result; `None` if the property is known to be flaky.
    runs: Option<ConfirmingRuns>,
    /// Without one, nothing is known about the environment.
    environment: Option<EnvironmentCheck<'a>>,
    input: SizedText,
    last: ConfirmedText,
}

/// A text on which the property held in every run.
struct ConfirmedText {
    text: SizedText,
    /// Number of tests before its last confirmation was attempted.
    query: u64,
    /// The runs of this session that confirmed it: none for the input and for the result of an
    /// earlier session.
    counts: RunCounts,
}

/// What a repeated run of the best result shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recheck {
    /// Nothing speaks against the result.
    Holds,
    /// The property does not hold on the result in every run, but on the input.
    Lost,
    /// The property does not hold on the input any more.
    EnvironmentChanged,
}

/// What further runs of missed candidates show.
pub(super) enum RunAgain {
    /// The property holds on none of them.
    AllMissed,
    /// The property holds on this one.
    Hit(Arc<[u8]>),
    /// They were not all run.
    Stopped(StopReason),
}

impl<'a> Confirmation<'a> {
    /// Starts with the input as the last confirmed text.
    pub(super) fn new(
        input: SizedText,
        oracle: &'a dyn Oracle,
        interrupt: Interrupt,
        jobs: usize,
        runs: Option<ConfirmingRuns>,
        environment: Option<EnvironmentCheck<'a>>,
    ) -> Self {
        Self {
            oracle,
            interrupt,
            jobs: jobs.max(1),
            runs,
            environment,
            last: ConfirmedText {
                text: input.clone(),
                query: 0,
                counts: RunCounts::default(),
            },
            input,
        }
    }

    /// Returns whether a result of `bytes` bytes should be confirmed after `queries` tests.
    pub(super) fn is_due(&self, bytes: usize, queries: u64) -> bool {
        let since = queries - self.last.query;
        let is_halved = 2 * bytes <= self.last.text.size;
        self.runs.is_some() && (since >= EVERY || is_halved && since >= EVERY_WHEN_HALVED)
    }

    /// Runs a result several times, unless it is the last confirmed one.
    pub(super) fn confirm(
        &mut self,
        result: &SizedText,
        queries: u64,
    ) -> Result<Recheck, OracleError> {
        self.last.query = queries;
        if self.last.text.bytes == result.bytes {
            return Ok(Recheck::Holds);
        }
        let wanted = self.runs.map_or(RUNS, |runs| runs.in_between(queries));
        self.run(result, wanted.saturating_sub(self.repeated(result)).max(1))
    }

    /// Runs the final result, about which something is claimed: more often after more tests.
    pub(super) fn confirm_claim(
        &mut self,
        result: &SizedText,
        queries: u64,
    ) -> Result<Recheck, OracleError> {
        let Some(runs) = self.runs else {
            return self.recheck(result);
        };
        let wanted = runs.of_result(queries);
        let left = wanted.saturating_sub(self.repeated(result));
        self.run(result, left.max(FRESH_RUNS.min(wanted)))
    }

    /// Returns the number of missed candidates to run again before a result is called minimal.
    pub(super) fn misses_to_run_again(&self, queries: u64) -> usize {
        self.runs.map_or(0, |runs| runs.of_misses(queries) as usize)
    }

    /// Returns how often a result was run again, after the run that found it. When each candidate
    /// needs several runs, each confirmation takes as many again.
    fn repeated(&self, result: &SizedText) -> u32 {
        let check = (self.environment.as_ref()).filter(|it| it.policy == RepeatPolicy::once());
        let counts = check.map(|check| (check.runs_on)(&result.bytes));
        counts.map_or(0, |counts| counts.runs.saturating_sub(1))
    }

    /// Runs a result until the property holds on it `runs` times.
    ///
    /// A run that is interrupted, or cut short by a limit or a full disk, proves nothing against
    /// the result: the system may be loaded.
    fn run(&mut self, result: &SizedText, runs: u32) -> Result<Recheck, OracleError> {
        let mut counts = RunCounts::default();
        let mut jobs = self.jobs;
        while counts.runs < runs {
            let left = usize::try_from(runs - counts.runs).unwrap_or(jobs);
            let texts = vec![&*result.bytes; jobs.min(left)];
            for once in judge_each_once(self.oracle, &texts, &self.interrupt)? {
                match once {
                    Once::Hit => counts.count(true),
                    Once::Miss => return self.or_environment(Recheck::Lost),
                    // The others that ran may be the reason.
                    Once::CutShort if jobs > 1 => jobs = 1,
                    Once::CutShort => return self.or_environment(Recheck::Holds),
                    Once::Unknown => return Ok(Recheck::Holds),
                }
            }
        }
        self.last.text = result.clone();
        self.last.counts = counts;
        Ok(Recheck::Holds)
    }

    /// Returns whether the property holds on another text than the result, in every run.
    pub(super) fn holds_on(&self, text: &[u8]) -> Result<bool, OracleError> {
        for _ in 0..RUNS {
            if !matches!(judge_once(self.oracle, text, &self.interrupt)?, Once::Hit) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs the best result once, to see whether the environment is intact.
    ///
    /// If the property is flaky, it is run until the property holds on it, and never lost: the rate
    /// is compared at the end.
    pub(super) fn recheck(&self, best: &SizedText) -> Result<Recheck, OracleError> {
        if self.runs.is_none() {
            let environment = self.environment.as_ref();
            let holds =
                environment.map(|environment| environment.holds_on(&best.bytes, &self.interrupt));
            return match holds.transpose()? {
                Some(false) => self.or_environment(Recheck::Holds),
                _ => Ok(Recheck::Holds),
            };
        }
        match judge_once(self.oracle, &best.bytes, &self.interrupt)? {
            Once::Hit | Once::Unknown => Ok(Recheck::Holds),
            Once::Miss => self.or_environment(Recheck::Lost),
            Once::CutShort => self.or_environment(Recheck::Holds),
        }
    }

    fn or_environment(&self, otherwise: Recheck) -> Result<Recheck, OracleError> {
        Ok(match &self.environment {
            Some(environment) if !environment.holds(&self.interrupt)? => {
                Recheck::EnvironmentChanged
            }
            _ => otherwise,
        })
    }

    /// Runs candidates on which the property did not hold once more, until it holds on one of them.
    pub(super) fn run_again(
        &self,
        missed: &[Arc<[u8]>],
        deadline: Option<Instant>,
    ) -> Result<RunAgain, OracleError> {
        let mut cut_short = 0;
        for group in missed.chunks(self.jobs) {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(RunAgain::Stopped(StopReason::TimeLimit));
            }
            let texts: Vec<&[u8]> = group.iter().map(|candidate| &**candidate).collect();
            let results = judge_each_once(self.oracle, &texts, &self.interrupt)?;
            for (once, candidate) in results.into_iter().zip(group) {
                match once {
                    Once::Hit => return Ok(RunAgain::Hit(Arc::clone(candidate))),
                    Once::Miss => {}
                    Once::CutShort => cut_short += 1,
                    Once::Unknown if self.interrupt.is_triggered() => {
                        let why = stopped_by(&self.interrupt);
                        return Ok(RunAgain::Stopped(why));
                    }
                    Once::Unknown => return Ok(RunAgain::AllMissed),
                }
            }
            if cut_short >= CUT_SHORT_RUNS {
                break;
            }
        }
        Ok(RunAgain::AllMissed)
    }

    /// Returns whether the property holds on the text in none of a few runs.
    pub(super) fn never_holds_on(&self, text: &[u8]) -> Result<bool, OracleError> {
        for _ in 0..RUNS {
            if !matches!(judge_once(self.oracle, text, &self.interrupt)?, Once::Miss) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lists the misses with a stored verdict that a claim about this result rests on.
    pub(super) fn recalled_misses(&self, result: &SizedText, store: &RunStore) -> RecalledMisses {
        let start = self.environment.as_ref().and_then(|check| check.start);
        start.map_or_else(RecalledMisses::default, |start| {
            RecalledMisses::list(start(&result.bytes), result.size, store, &self.interrupt)
        })
    }

    /// Returns why runs are cancelled, if they are, so that nothing can be confirmed any more.
    pub(super) fn interruption(&self) -> Option<StopReason> {
        let is_triggered = self.interrupt.is_triggered();
        is_triggered.then(|| stopped_by(&self.interrupt))
    }

    /// Returns the input of the reduction.
    pub(super) fn input(&self) -> &SizedText {
        &self.input
    }

    /// Takes the result of earlier sessions as confirmed, until a run shows otherwise.
    pub(super) fn trust(&mut self, result: SizedText) {
        self.last.text = result;
        self.last.counts = RunCounts::default();
    }

    /// Returns the last text that this session confirmed, or the input.
    ///
    /// A result of an earlier session is run first.
    pub(super) fn last_confirmed(&mut self) -> Result<SizedText, OracleError> {
        if self.last.counts.runs == 0 {
            let earlier = std::mem::replace(&mut self.last.text, self.input.clone());
            if earlier.bytes != self.input.bytes {
                self.run(&earlier, RUNS)?;
            }
        }
        Ok(self.last.text.clone())
    }

    /// Returns the runs of this session that confirmed `result`, if it was confirmed.
    pub(super) fn counts_of(&self, result: &Arc<[u8]>) -> Option<RunCounts> {
        let is_confirmed = self.last.text.bytes == *result && self.last.counts.runs > 0;
        is_confirmed.then_some(self.last.counts)
    }
}
