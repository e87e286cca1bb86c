//! Flakiness: how often the property held on the input, and on the result when it was tested again.

use boildown_oracle::{Interrupt, Oracle, OracleError};
use boildown_search::flaky::{RepeatPolicy, RunCounts};

use crate::{Baseline, RepeatedTest, RunStats};

/// The results of repeated runs on the same bytes.
#[derive(Debug, Clone, Copy)]
pub struct Flakiness {
    /// How often each candidate is run.
    pub policy: RepeatPolicy,
    /// Runs on the input.
    pub input: RunCounts,
    /// Runs on the result, after it was found; `None` when there were none.
    pub result: Option<RunCounts>,
    /// Candidates on which the property held in one run and did not in another.
    pub contradictions: u64,
}

impl Flakiness {
    /// Returns what the baseline shows, before the search.
    #[must_use]
    pub fn new(baseline: &Baseline) -> Self {
        Self {
            policy: baseline.repeat_policy,
            input: baseline.stats.counts,
            result: None,
            contradictions: 0,
        }
    }

    /// Measures how often the property holds on the result. An interruption leaves it unmeasured.
    ///
    /// # Errors
    /// When a run could not be done.
    pub fn measure_result(
        &mut self,
        oracle: &dyn Oracle,
        result: &[u8],
        jobs: usize,
        interrupt: &Interrupt,
    ) -> Result<(), OracleError> {
        let test = RepeatedTest {
            oracle,
            candidate: result,
            jobs,
            interrupt,
        };
        match test.measure_rate(RunStats::default()) {
            Ok(stats) => self.result = Some(stats.counts),
            Err(OracleError::Interrupted) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Returns whether the property held in each run on the input, so that one run per candidate is
    /// enough.
    pub fn is_steady(&self) -> bool {
        self.policy == RepeatPolicy::once()
    }

    /// Returns whether the property clearly holds on the result more often than on the input, so
    /// that the result may fail for another reason.
    pub fn holds_more_often(&self) -> bool {
        let exceeds = |result: RunCounts| result.interval().low > self.input.interval().high;
        !self.is_steady() && self.result.is_some_and(exceeds)
    }

    /// Returns whether the runs are consistent with the property holding on the result as often as
    /// on the input.
    pub fn is_preserved(&self) -> bool {
        self.result.is_none_or(|result| {
            if self.is_steady() {
                result.misses() == 0
            } else {
                result.interval().high >= self.input.interval().low
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flakiness(policy: RepeatPolicy, input: (u32, u32), result: (u32, u32)) -> Flakiness {
        let counts = |(hits, runs)| RunCounts { runs, hits };
        Flakiness {
            policy,
            input: counts(input),
            result: Some(counts(result)),
            contradictions: 0,
        }
    }

    #[test]
    fn a_rate_is_preserved_unless_it_is_clearly_lower() {
        let flaky = RepeatPolicy::for_rate(RunCounts { runs: 66, hits: 40 }).unwrap();
        assert!(flakiness(flaky, (40, 66), (30, 60)).is_preserved());
        assert!(flakiness(flaky, (40, 66), (40, 40)).is_preserved());
        assert!(!flakiness(flaky, (40, 66), (40, 160)).is_preserved());
        assert!(flakiness(flaky, (40, 66), (40, 40)).holds_more_often());
        assert!(!flakiness(flaky, (40, 66), (30, 40)).holds_more_often());
        assert!(flakiness(RepeatPolicy::once(), (3, 3), (2, 2)).is_preserved());
        assert!(!flakiness(RepeatPolicy::once(), (3, 3), (1, 2)).is_preserved());
    }
}
