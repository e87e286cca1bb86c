//! How often the property holds on one candidate.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use boildown_oracle::{Answer, Cancel, Oracle, OracleError};
use boildown_search::flaky::Tally;

/// What some runs of one candidate showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rate {
    /// The runs.
    pub tally: Tally,
    /// The longest of them.
    pub slowest: Duration,
}

impl Rate {
    /// Runs between two looks at what they showed. Not the number of jobs, which must not show in the result.
    const GROUP: u32 = 8;

    /// Counts an answer.
    pub fn count(&mut self, answer: &Answer) {
        self.tally.count(answer.verdict.is_interesting());
        let took = answer.run.as_ref().map_or(Duration::ZERO, |run| run.took);
        self.slowest = self.slowest.max(took);
    }

    /// Runs the candidate, some at once, until its rate is known well. What was counted before counts too.
    ///
    /// # Errors
    /// When a run could not be done.
    pub fn measure<C: ?Sized + Sync>(
        mut self,
        oracle: &dyn Oracle<C>,
        candidate: &C,
        jobs: usize,
        cancel: &Cancel,
    ) -> Result<Self, OracleError> {
        while !self.tally.is_known_well() {
            self = self.and(oracle, candidate, (Self::GROUP, jobs), cancel)?;
        }
        Ok(self)
    }

    /// Runs the candidate so many times more, at most so many at once.
    ///
    /// # Errors
    /// When a run could not be done.
    pub fn and<C: ?Sized + Sync>(
        mut self,
        oracle: &dyn Oracle<C>,
        candidate: &C,
        (runs, jobs): (u32, usize),
        cancel: &Cancel,
    ) -> Result<Self, OracleError> {
        let runs = runs as usize;
        let started = AtomicUsize::new(0);
        let answers = Mutex::new(Vec::with_capacity(runs));
        let work = || {
            while started.fetch_add(1, Ordering::Relaxed) < runs {
                let answer = oracle.judge(candidate, cancel);
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                answers.push(answer);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.clamp(1, runs.max(1)) {
                scope.spawn(work);
            }
            work();
        });
        for answer in answers.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.count(&answer?);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{FnOracle, Verdict};

    use super::*;

    /// Holds in so many of ten runs.
    fn of_ten(hits: usize) -> FnOracle<impl Fn(&[u8]) -> Verdict + Send + Sync> {
        let runs = AtomicUsize::new(0);
        FnOracle::new(move |_: &[u8]| {
            if runs.fetch_add(1, Ordering::Relaxed) % 10 < hits {
                Verdict::Interesting
            } else {
                Verdict::Unresolved
            }
        })
    }

    #[test]
    fn a_rate_is_measured_until_it_is_known_well() {
        let cancel = Cancel::new().unwrap();
        for (hits, of_all, runs) in [(6, 102, 168), (10, 104, 104), (1, 31, 304), (0, 0, 304)] {
            for jobs in [1, 3, 20] {
                let rate = Rate::default().measure(&of_ten(hits), &b"x"[..], jobs, &cancel);
                let expected = Tally { runs, hits: of_all };
                assert_eq!(rate.unwrap().tally, expected, "{hits} of 10, {jobs} jobs");
            }
        }
    }

    #[test]
    fn a_cancelled_measurement_is_an_error() {
        let cancel = Cancel::new().unwrap();
        cancel.cancel();
        let measured = Rate::default().measure(&of_ten(6), &b"x"[..], 2, &cancel);
        assert!(matches!(measured, Err(OracleError::Cancelled)));
    }
}
