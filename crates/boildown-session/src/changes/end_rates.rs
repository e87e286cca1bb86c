//! Rates at which the two ends of a culprit search are bad, when they are in some runs only.

use boildown_search::flaky::{RepeatPolicy, RunCounts};

/// How often each of the two states was as the second state is said to be. Measured when runs on
/// one of them disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndRates {
    /// Runs on the second state, which is bad.
    pub bad: RunCounts,
    /// Runs on the first state, which is good.
    pub good: RunCounts,
}

impl EndRates {
    /// Returns the policy that tells a state as bad as the second one from others; `None` if the
    /// second one is bad too rarely, or the first one nearly as often.
    pub(super) fn policy(&self) -> Option<RepeatPolicy> {
        let policy = RepeatPolicy::for_rate(self.bad)?;
        let lower = policy.clearly_lower()?;
        (self.good.rate() <= lower).then_some(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_told_apart_if_one_is_bad_clearly_more_often() {
        let rates = |bad, good| EndRates {
            bad: RunCounts {
                runs: 40,
                hits: bad,
            },
            good: RunCounts {
                runs: 40,
                hits: good,
            },
        };
        assert!(rates(40, 0).policy().is_some());
        assert!(rates(20, 2).policy().is_some());
        assert!(rates(40, 10).policy().is_some());
        assert!(rates(20, 16).policy().is_none());
        assert!(rates(1, 0).policy().is_none());
    }
}
