//! Numbers of runs that confirm a result.

use std::time::Duration;

/// How many runs confirm a result: more after more tests, because more is at stake, and fewer when
/// a run is slow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConfirmingRuns {
    /// The most runs for each purpose, if they are stated.
    pub most: Option<u32>,
    /// The duration of the slowest run on the input.
    pub slowest: Duration,
}

/// The time that the runs at the end may take, when they are not one for fifty tests anyway.
const TIME: Duration = Duration::from_secs(30);

/// The number of runs that confirm a result from which the reduction continues.
const IN_BETWEEN: u64 = 3;

impl ConfirmingRuns {
    /// Returns the number of runs that confirm a result from which the reduction continues: 3.
    pub fn in_between(&self, queries: u64) -> u32 {
        self.limited(IN_BETWEEN.min(self.affordable(queries) / 3))
    }

    /// Returns the number of runs that confirm a result about which something is claimed: one for
    /// 32 tests, from 256 tests on 8, from 400 on one for 50, at least 3 and at most 32. When a
    /// run takes minutes, at least 2.
    pub fn of_result(&self, queries: u64) -> u32 {
        let wanted = by_tests(queries).clamp(3, 32);
        self.limited(wanted.min((self.affordable(queries) / 3).max(2)))
    }

    /// Returns the number of missed candidates to run again before a result is called minimal: one
    /// for 32 tests, from 256 tests on 8, from 400 on one for 50, at least 2.
    pub fn of_misses(&self, queries: u64) -> u32 {
        let wanted = by_tests(queries).max(2);
        self.limited(wanted.min(2 * self.affordable(queries) / 3))
    }

    /// Returns how many runs at the end take little time in comparison with all tests, or at all.
    fn affordable(&self, queries: u64) -> u64 {
        let in_time = TIME.as_micros() / self.slowest.as_micros().max(1);
        (queries / 50).max(in_time.try_into().unwrap_or(u64::MAX / 2))
    }

    fn limited(&self, runs: u64) -> u32 {
        let runs = u32::try_from(runs).unwrap_or(u32::MAX).max(1);
        runs.min(self.most.unwrap_or(u32::MAX)).max(1)
    }
}

fn by_tests(queries: u64) -> u64 {
    (queries / 32).min(8).max(queries / 50)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: [u64; 7] = [0, 100, 160, 256, 400, 1000, 5000];

    fn taking(seconds: u64) -> ConfirmingRuns {
        ConfirmingRuns {
            most: None,
            slowest: Duration::from_secs(seconds),
        }
    }

    #[test]
    fn longer_searches_confirm_their_result_more_often() {
        let runs = ConfirmingRuns::default();
        let of_result = TESTS.map(|tests| runs.of_result(tests));
        assert_eq!(of_result, [3, 3, 5, 8, 8, 20, 32]);
        let of_misses = TESTS.map(|tests| runs.of_misses(tests));
        assert_eq!(of_misses, [2, 3, 5, 8, 8, 20, 100]);
        assert_eq!(TESTS.map(|tests| runs.in_between(tests)), [3; 7]);
    }

    #[test]
    fn slow_runs_are_repeated_less_often() {
        let of_result = |seconds| TESTS.map(|tests| taking(seconds).of_result(tests));
        assert_eq!(of_result(1), [3, 3, 5, 8, 8, 10, 32]);
        assert_eq!(of_result(5), [2, 2, 2, 2, 2, 6, 32]);
        assert_eq!(of_result(60), [2, 2, 2, 2, 2, 6, 32]);
        let of_misses = |seconds| TESTS.map(|tests| taking(seconds).of_misses(tests));
        assert_eq!(of_misses(60), [1, 1, 2, 3, 5, 13, 66]);
        assert_eq!(taking(60).in_between(256), 1);
    }

    #[test]
    fn a_stated_number_of_runs_is_not_exceeded() {
        let runs = ConfirmingRuns {
            most: Some(2),
            ..ConfirmingRuns::default()
        };
        assert_eq!(TESTS.map(|tests| runs.of_result(tests)), [2; 7]);
        assert_eq!(TESTS.map(|tests| runs.of_misses(tests)), [2; 7]);
        assert_eq!(runs.in_between(256), 2);
    }
}
