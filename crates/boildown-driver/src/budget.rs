//! Limits that stop a search before it has finished, and what a search has spent.

use std::time::Duration;

/// Limits of a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Stop after this number of tests (verdicts that the search received).
    pub queries: Option<u64>,
    /// Stop after this time. The only limit that makes the result depend on the clock.
    pub time: Option<Duration>,
}

/// The cost of a search so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Tests: verdicts that the search received.
    pub queries: u64,
    /// Runs of the oracle, including runs of guessed candidates that the search never asked about.
    pub runs: u64,
    /// Candidates, guessed ones included, whose verdict an earlier session had recorded.
    pub recalled: u64,
    /// Tests whose verdict was `Unresolved`.
    pub unresolved: u64,
    /// Runs that reached the time limit, unless a hang is what the property asks for.
    pub timeouts: u64,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// Why a driver stopped before the search finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The interrupt handle was triggered.
    Interrupted,
    /// The limit on tests is reached.
    QueryLimit,
    /// The limit on time is reached.
    TimeLimit,
}

impl Budget {
    /// Returns what is left of the budget after `spent`.
    #[must_use]
    pub fn without(self, spent: &Spent) -> Self {
        Self {
            queries: (self.queries).map(|most| most.saturating_sub(spent.queries)),
            time: (self.time).map(|most| most.saturating_sub(spent.elapsed)),
        }
    }

    /// Returns the limit that is reached, if one is.
    pub(crate) fn exceeded(&self, spent: &Spent) -> Option<StopReason> {
        if (self.time).is_some_and(|most| spent.elapsed >= most) {
            Some(StopReason::TimeLimit)
        } else if (self.queries).is_some_and(|most| spent.queries >= most) {
            Some(StopReason::QueryLimit)
        } else {
            None
        }
    }
}

impl Spent {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            runs: self.runs + other.runs,
            recalled: self.recalled + other.recalled,
            unresolved: self.unresolved + other.unresolved,
            timeouts: self.timeouts + other.timeouts,
            elapsed: self.elapsed + other.elapsed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_that_is_reached_stops_the_search() {
        let budget = Budget {
            queries: Some(10),
            time: Some(Duration::from_secs(5)),
        };
        let spent = |queries, seconds| Spent {
            queries,
            elapsed: Duration::from_secs(seconds),
            ..Spent::default()
        };
        assert_eq!(budget.exceeded(&spent(9, 4)), None);
        assert_eq!(budget.exceeded(&spent(10, 4)), Some(StopReason::QueryLimit));
        assert_eq!(budget.exceeded(&spent(9, 5)), Some(StopReason::TimeLimit));
        let unlimited = Budget::default();
        assert_eq!(unlimited.exceeded(&spent(u64::MAX, u64::MAX)), None);
    }
}
