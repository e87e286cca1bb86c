//! Tests that a candidate with the property has to pass or to fail too.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::CommandLine;
use boildown_oracle::{Capture, Outcome, Property, Run, Verdict};

/// A test that a candidate with the property has to pass, or has to fail, too.
#[derive(Debug, Clone)]
pub struct ExtraTest {
    /// The command.
    pub command: CommandLine,
    /// How it has to end.
    pub expected: ExpectedEnd,
    /// The time limit of a run.
    pub timeout: Duration,
    /// Counts its runs on candidates.
    pub tally: Arc<TestTally>,
}

/// The runs of an extra test on candidates.
#[derive(Debug, Default)]
pub struct TestTally(Mutex<TestEffort>);

/// How often an extra test ran, and what it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestEffort {
    /// Runs.
    pub runs: u64,
    /// Candidates that it refused.
    pub refused: u64,
    /// The time of the runs.
    pub time: Duration,
}

impl TestTally {
    /// Returns the runs so far.
    #[must_use]
    pub fn effort(&self) -> TestEffort {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record(&self, took: Duration, verdict: Verdict) {
        let mut effort = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        effort.runs += 1;
        effort.refused += u64::from(!verdict.is_interesting());
        effort.time += took;
    }
}

/// How an extra test has to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedEnd {
    /// With this property, such as exit code 0.
    Holds(Property),
    /// Without it, but within the limits.
    HoldsNot(Property),
}

impl ExpectedEnd {
    /// Returns the verdict on a run. Exit code 125 is unresolved, as of any test.
    #[must_use]
    pub fn verdict(&self, run: &Run) -> Verdict {
        match self {
            Self::Holds(property) => property.verdict(run),
            Self::HoldsNot(property) => match property.verdict(run) {
                Verdict::Interesting => Verdict::Uninteresting,
                Verdict::Uninteresting => match run.outcome {
                    Outcome::Exited(_) | Outcome::Signalled(_) => Verdict::Interesting,
                    Outcome::TimedOut | Outcome::Exceeded(_) => Verdict::Uninteresting,
                },
                Verdict::Unresolved => Verdict::Unresolved,
            },
        }
    }

    /// Returns which output decides.
    pub(crate) fn capture(&self) -> Capture {
        match self {
            Self::Holds(property) | Self::HoldsNot(property) => property.capture(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_must_fail_may_fail_in_any_way_but_at_a_limit() {
        let verdict = |expected: fn(Property) -> ExpectedEnd, outcome| {
            expected(Property::test()).verdict(&Run::ended(outcome, ""))
        };
        use Outcome::{Exited, Signalled, TimedOut};
        use Verdict::{Interesting, Uninteresting, Unresolved};
        for (outcome, success, failure) in [
            (Exited(0), Interesting, Uninteresting),
            (Exited(1), Uninteresting, Interesting),
            (Exited(125), Unresolved, Unresolved),
            (Signalled(11), Uninteresting, Interesting),
            (TimedOut, Uninteresting, Uninteresting),
        ] {
            assert_eq!(verdict(ExpectedEnd::Holds, outcome), success, "{outcome}");
            assert_eq!(
                verdict(ExpectedEnd::HoldsNot, outcome),
                failure,
                "{outcome}"
            );
        }
    }
}
