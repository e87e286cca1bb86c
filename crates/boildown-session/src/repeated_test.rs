//! Repeated runs of one candidate, which measure how often the property holds on it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use boildown_driver::start_up_to;
use boildown_oracle::{Answer, Interrupt, Oracle, OracleError};
use boildown_search::flaky::RunCounts;

/// The results of some runs of one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunStats {
    /// The runs, and those in which the property held.
    pub counts: RunCounts,
    /// The longest of the runs.
    pub slowest: Duration,
}

impl RunStats {
    /// Adds an answer.
    pub fn count(&mut self, answer: &Answer) {
        self.counts.count(answer.verdict.is_interesting());
        let took = answer.run.as_ref().map_or(Duration::ZERO, |run| run.took);
        self.slowest = self.slowest.max(took);
    }
}

/// A candidate that is run several times.
pub struct RepeatedTest<'a, C: ?Sized = [u8]> {
    /// Runs the candidate.
    pub oracle: &'a dyn Oracle<C>,
    /// The candidate.
    pub candidate: &'a C,
    /// The most runs at the same time; 0 means 1. Does not change the result.
    pub jobs: usize,
    /// Cancels the runs.
    pub interrupt: &'a Interrupt,
}

impl<C: ?Sized> std::fmt::Debug for RepeatedTest<'_, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RepeatedTest")
            .field("jobs", &self.jobs)
            .finish_non_exhaustive()
    }
}

impl<C: ?Sized + Sync> RepeatedTest<'_, C> {
    /// Runs between two checks whether the rate is known well enough. A constant, because the
    /// number of jobs must not influence the result.
    const GROUP: u32 = 8;

    /// Runs the candidate until its rate is known well ([`RunCounts::is_known_well`]). `stats`
    /// holds the runs so far, which count.
    ///
    /// # Errors
    /// When a run could not be done.
    pub fn measure_rate(&self, mut stats: RunStats) -> Result<RunStats, OracleError> {
        while !stats.counts.is_known_well() {
            self.run(Self::GROUP, &mut stats)?;
        }
        Ok(stats)
    }

    /// Runs the candidate `runs` times and adds the answers to `stats`.
    ///
    /// # Errors
    /// When a run could not be done.
    pub fn run(&self, runs: u32, stats: &mut RunStats) -> Result<(), OracleError> {
        let runs = runs as usize;
        let started = AtomicUsize::new(0);
        let answers = Mutex::new(Vec::with_capacity(runs));
        let work = || {
            while started.fetch_add(1, Ordering::Relaxed) < runs {
                let answer = self.oracle.judge(self.candidate, self.interrupt);
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                answers.push(answer);
            }
        };
        std::thread::scope(|scope| {
            start_up_to(scope, self.jobs.clamp(1, runs.max(1)) - 1, work);
            work();
        });
        for answer in answers.into_inner().unwrap_or_else(PoisonError::into_inner) {
            stats.count(&answer?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{FnOracle, Verdict};

    use super::*;

    /// Returns an oracle on which the property holds in `hits` of ten runs.
    fn holds_in_ten(hits: usize) -> FnOracle<impl Fn(&[u8]) -> Verdict + Send + Sync> {
        let runs = AtomicUsize::new(0);
        FnOracle::new(move |_: &[u8]| {
            if runs.fetch_add(1, Ordering::Relaxed) % 10 < hits {
                Verdict::Interesting
            } else {
                Verdict::Unresolved
            }
        })
    }

    fn measure(hits: usize, jobs: usize, interrupt: &Interrupt) -> Result<RunStats, OracleError> {
        let test = RepeatedTest {
            oracle: &holds_in_ten(hits),
            candidate: &b"x"[..],
            jobs,
            interrupt,
        };
        test.measure_rate(RunStats::default())
    }

    #[test]
    fn a_rate_is_measured_until_it_is_known_well() {
        let interrupt = Interrupt::new().unwrap();
        for (hits, all_hits, runs) in [(6, 16, 24), (10, 24, 24), (1, 11, 104), (0, 0, 104)] {
            for jobs in [1, 3, 20] {
                let stats = measure(hits, jobs, &interrupt).unwrap();
                let expected = RunCounts {
                    runs,
                    hits: all_hits,
                };
                assert_eq!(stats.counts, expected, "{hits} of 10, {jobs} jobs");
            }
        }
    }

    #[test]
    fn a_cancelled_measurement_is_an_error() {
        let interrupt = Interrupt::new().unwrap();
        interrupt.trigger();
        let measured = measure(6, 2, &interrupt);
        assert!(matches!(measured, Err(OracleError::Interrupted)));
    }
}
