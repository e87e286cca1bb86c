//! Check of the two inputs before an isolation: one must pass and the other fail, in every run.

use std::time::Duration;

use boildown_oracle::{Answer, Oracle as _, OracleError, RepeatedOracle, Verdict};
use boildown_search::flaky::{RepeatPolicy, RunCounts};

use crate::baseline::{Baseline, BaselineCheck, MeasureRate};
use crate::repeated_test::RunStats;

/// One of the two inputs of an isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The input that passes.
    Passing,
    /// The input that fails.
    Failing,
}

/// Why there is nothing to isolate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BothSidesError {
    /// The passing input failed, or the failing input passed, in some of the runs.
    #[error("the runs on one of the inputs differ")]
    Flaky {
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

/// The number of runs on each input, including the run that is known already.
const RUNS: u32 = 3;

impl BaselineCheck<'_> {
    /// Checks that `passing` passes in every run and that `failing` fails. If `failing` fails in
    /// some runs only, its rate is measured.
    ///
    /// Assumes that each input was run once before, with the expected result. Returns the runs on
    /// `failing` after that one, and the longest of all runs.
    ///
    /// # Errors
    /// [`BothSidesError`] says which input did not behave as expected.
    pub fn check_both_sides(
        &self,
        passing: &[u8],
        failing: &[u8],
    ) -> Result<Baseline, BothSidesError> {
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
                RepeatPolicy::for_rate(stats.counts).ok_or(BothSidesError::Flaky {
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
            return Err(BothSidesError::Flaky { side, held, runs });
        }
        Ok(Baseline {
            stats,
            repeat_policy,
        })
    }
}
