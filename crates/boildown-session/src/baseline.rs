//! Check of the inputs before a session. In a reduction, the property must hold on the input, and
//! not on the empty one; in an isolation, one input must pass and the other fail, in every run.

use std::time::Duration;

use boildown_oracle::{
    Answer, Interrupt, Oracle, OracleError, Outcome, RepeatedOracle, Run, Verdict,
};
use boildown_search::flaky::{RepeatPolicy, RunCounts};

use crate::repeated_test::{RepeatedTest, RunStats};

/// The results of the runs on the input.
#[derive(Debug, Clone, Copy)]
pub struct Baseline {
    /// The runs on the input; in an isolation, on the input that fails.
    pub stats: RunStats,
    /// The policy for repeated runs of a candidate.
    pub repeat_policy: RepeatPolicy,
}

/// The condition under which the rate of the property is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureRate {
    /// If the first few runs differ. If the property holds in all of them, it is taken to hold
    /// always.
    IfMixed,
    /// In any case.
    Always,
}

impl MeasureRate {
    /// Returns when to measure the rate of a failure, which may be stated to be flaky.
    pub(crate) fn stated(is_flaky: bool) -> Self {
        match is_flaky {
            true => Self::Always,
            false => Self::IfMixed,
        }
    }
}

/// A check of the inputs before a session.
#[derive(Clone, Copy)]
pub struct BaselineCheck<'a> {
    /// Runs the inputs.
    pub oracle: &'a dyn Oracle,
    /// The condition under which the rate of the property is measured.
    pub measure_rate: MeasureRate,
    /// Whether candidates on which the property holds far more often are rejected too.
    pub rejects_more_often: bool,
    /// The most runs at the same time. Does not change the result.
    pub jobs: usize,
    /// Cancels the runs.
    pub interrupt: &'a Interrupt,
}

impl std::fmt::Debug for BaselineCheck<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BaselineCheck")
            .field("measure_rate", &self.measure_rate)
            .field("jobs", &self.jobs)
            .finish_non_exhaustive()
    }
}

/// One of the two inputs of an isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The input that passes.
    Passing,
    /// The input that fails.
    Failing,
}

/// Why a search from the inputs would make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The property does not hold on the input.
    #[error("the property does not hold on the input")]
    NotInteresting {
        /// The outcome of the first run, if a command was run.
        run: Option<Box<Run>>,
    },
    /// The property held on the input in earlier sessions, and does not hold now.
    #[error("the property does not hold on the input any more")]
    HoldsNoMore {
        /// The last run.
        run: Box<Run>,
    },
    /// The property held on the input so rarely that candidates could not be told apart.
    #[error("the property held on the input in {} of {} runs, which is too rarely", .counts.hits, .counts.runs)]
    TooRare {
        /// The runs.
        counts: RunCounts,
    },
    /// The property holds on the empty input.
    #[error("the property holds on the empty input")]
    HoldsOnEmpty,
    /// Without a failure, the command nearly runs as long as one that hangs.
    #[error("the command runs for {took:.1?} on the empty input, and a run of {hang:?} is a hang")]
    NearlyHangsOnEmpty {
        /// The time of the run on the empty input.
        took: Duration,
        /// From this time on, a run hangs.
        hang: Duration,
    },
    /// The passing input failed, or the failing input passed, in some of the runs.
    #[error("the runs on one of the inputs differ")]
    SideIsFlaky {
        /// The input whose runs differ.
        side: Side,
        /// Runs that ended as they should.
        held: u32,
        /// All runs.
        runs: u32,
    },
    /// The oracle could not answer.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// The number of runs on an input, with one that is known already.
const RUNS: u32 = 3;

/// The number of runs on the input before it is believed that the property never holds on it: at a
/// rate of 40 %, it holds in none of them in one of 160 cases.
const RUNS_WITHOUT_HIT: u32 = 10;

/// The duration of runs that are repeated so often.
const QUICK: Duration = Duration::from_secs(2);

impl BaselineCheck<'_> {
    /// Checks that the property holds on the input. If it holds in some runs only, its rate is
    /// measured.
    ///
    /// `first` is an answer on the input that is known already; it counts as the first run. In
    /// `repeated` further runs elsewhere, the property held too: each of them stands for one here.
    ///
    /// # Errors
    /// [`BaselineError`] says which check failed.
    pub fn check_input(
        &self,
        input: &[u8],
        first: Option<Answer>,
        repeated: usize,
    ) -> Result<Baseline, BaselineError> {
        let mut stats = RunStats::default();
        let first = match first {
            Some(answer) => answer,
            None => self.oracle.judge(input, self.interrupt)?,
        };
        stats.count(&first);
        let timed_out = (first.run.as_ref()).is_some_and(|run| run.outcome == Outcome::TimedOut);
        // Two more timeouts would take long and show nothing new.
        let is_clear =
            timed_out && stats.counts.hits == 0 && self.measure_rate == MeasureRate::IfMixed;
        if !is_clear {
            let repeated = u32::try_from(repeated).unwrap_or(RUNS);
            let more = (RUNS - 1).saturating_sub(repeated).max(1);
            self.repeat(input).run(more, &mut stats)?;
            if stats.counts.hits == 0 && stats.slowest <= QUICK {
                self.repeat(input)
                    .run(RUNS_WITHOUT_HIT - RUNS, &mut stats)?;
            }
        }
        let is_flaky = stats.counts.is_mixed() || self.measure_rate == MeasureRate::Always;
        if is_flaky {
            stats = self.repeat(input).measure_rate(stats)?;
        }
        let counts = stats.counts;
        if counts.hits == 0 {
            let run = first.run.map(Box::new);
            return Err(BaselineError::NotInteresting { run });
        }
        let repeat_policy = if is_flaky {
            let policy = RepeatPolicy::for_rate(counts).ok_or(BaselineError::TooRare { counts })?;
            match self.rejects_more_often {
                true => policy.with_ceiling(counts),
                false => policy,
            }
        } else {
            RepeatPolicy::once()
        };
        Ok(Baseline {
            stats,
            repeat_policy,
        })
    }

    /// Checks that the property does not hold on the empty input. If it is that a run takes as long
    /// as `hang`, that one has to end in three quarters of the time: others may take longer. What
    /// the input needs only moments for should limit the time of this run too: without its text, a
    /// command may wait forever.
    ///
    /// # Errors
    /// [`BaselineError::HoldsOnEmpty`], [`BaselineError::NearlyHangsOnEmpty`], and
    /// [`BaselineError::Oracle`].
    pub fn check_empty(
        &self,
        repeat_policy: RepeatPolicy,
        hang: Option<Duration>,
    ) -> Result<(), BaselineError> {
        let repeating = RepeatedOracle::new(self.oracle, repeat_policy);
        let Answer { verdict, run } = repeating.judge(b"", self.interrupt)?;
        match (hang, run.map(|run| run.took)) {
            _ if verdict == Verdict::Interesting => Err(BaselineError::HoldsOnEmpty),
            (Some(hang), Some(took)) if took > hang / 4 * 3 => {
                Err(BaselineError::NearlyHangsOnEmpty { took, hang })
            }
            _ => Ok(()),
        }
    }

    /// Checks that `passing` passes in every run and that `failing` fails. If `failing` fails in
    /// some runs only, its rate is measured.
    ///
    /// Assumes that each input was run once before, with the expected result. Returns the runs on
    /// `failing` after that one, and the longest of all runs.
    ///
    /// # Errors
    /// [`BaselineError`] says which input did not behave as expected.
    pub fn check_both_sides(
        &self,
        passing: &[u8],
        failing: &[u8],
    ) -> Result<Baseline, BaselineError> {
        let mut stats = RunStats::default();
        let test = self.repeat(failing);
        for _ in 1..RUNS {
            test.run(1, &mut stats)?;
        }
        let repeat_policy =
            if stats.counts.misses() == 0 && self.measure_rate == MeasureRate::IfMixed {
                RepeatPolicy::once()
            } else {
                stats = test.measure_rate(stats)?;
                let RunCounts { hits, runs } = stats.counts;
                RepeatPolicy::for_rate(stats.counts).ok_or(BaselineError::SideIsFlaky {
                    side: Side::Failing,
                    held: hits,
                    runs,
                })?
            };
        let mut held = 1;
        for _ in 1..RUNS {
            // Run as often as a candidate, so that a failure as rare as that of `failing` shows.
            let repeating = RepeatedOracle::new(self.oracle, repeat_policy);
            let Answer { verdict, run } = repeating.judge(passing, self.interrupt)?;
            held += u32::from(verdict == Verdict::Uninteresting);
            let took = run.map_or(Duration::ZERO, |run| run.took);
            stats.slowest = stats.slowest.max(took);
        }
        if held < RUNS {
            let (side, runs) = (Side::Passing, RUNS);
            return Err(BaselineError::SideIsFlaky { side, held, runs });
        }
        Ok(Baseline {
            stats,
            repeat_policy,
        })
    }

    /// Returns a test of `input` that can be repeated.
    pub(crate) fn repeat<'b>(&'b self, input: &'b [u8]) -> RepeatedTest<'b> {
        RepeatedTest {
            oracle: self.oracle,
            candidate: input,
            jobs: self.jobs,
            interrupt: self.interrupt,
        }
    }
}

/// Returns the time limit of a run when the longest run on the input took `slowest`.
///
/// Ten times that, but at least two seconds, because load slows short runs most, and at most five
/// minutes.
pub fn default_time_limit(slowest: Duration) -> Duration {
    (slowest * 10).clamp(Duration::from_secs(2), Duration::from_secs(300))
}
