//! The assessment of an input: the failure that several runs of it show.

use std::collections::BTreeMap;

use super::{FailureClass, FailureKey};

/// How often an input is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunPlan {
    /// Runs of every input; at least one.
    pub first: usize,
    /// Runs of an input whose first runs differ.
    pub if_flaky: usize,
}

impl Default for RunPlan {
    fn default() -> Self {
        Self {
            first: 2,
            if_flaky: 12,
        }
    }
}

impl RunPlan {
    /// Returns whether an input with these results has to be run again. A result is the key of the
    /// failure, or `None` when the run did not fail.
    ///
    /// An input that hangs is run once: another run would take as long, and show nothing new.
    pub fn wants_more(&self, results: &[Option<FailureKey>]) -> bool {
        let Some(first) = results.first() else {
            return true;
        };
        let is_mixed = results.iter().any(|result| result != first);
        if is_mixed {
            return results.len() < self.if_flaky;
        }
        let hangs = first
            .as_ref()
            .is_some_and(|key| key.class() == FailureClass::Hang);
        !hangs && results.len() < self.first
    }
}

/// What the runs of an input show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// The most frequent failure; of equally frequent ones, the most severe. `None` when no run
    /// failed.
    pub key: Option<FailureKey>,
    /// The runs that failed in this way.
    pub hits: u32,
    /// All runs.
    pub runs: u32,
}

impl Assessment {
    /// Returns what these results show.
    #[must_use]
    pub fn of_results(results: &[Option<FailureKey>]) -> Self {
        let mut counts: BTreeMap<&FailureKey, u32> = BTreeMap::new();
        for key in results.iter().flatten() {
            *counts.entry(key).or_default() += 1;
        }
        // Of equal counts, `max_by_key` returns the last.
        let most = counts.iter().rev().max_by_key(|(_, count)| **count);
        Self {
            key: most.map(|(key, _)| (*key).clone()),
            hits: most.map_or(0, |(_, count)| *count),
            runs: u32::try_from(results.len()).unwrap_or(u32::MAX),
        }
    }

    /// Returns whether the input failed in some runs, and not in the same way in all of them.
    pub fn is_flaky(&self) -> bool {
        self.hits > 0 && self.hits < self.runs
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{Outcome, Run};

    use super::*;

    fn key(outcome: Outcome) -> Option<FailureKey> {
        let run = Run::ended(outcome, "");
        Some(FailureKey::of_run(&run, "in.c".as_ref(), 0))
    }

    const PLAN: RunPlan = RunPlan {
        first: 2,
        if_flaky: 5,
    };

    #[test]
    fn an_input_is_run_more_often_when_its_runs_differ() {
        let crash = || key(Outcome::Signalled(11));
        assert!(PLAN.wants_more(&[]));
        assert!(PLAN.wants_more(&[crash()]));
        assert!(!PLAN.wants_more(&[crash(), crash()]));
        assert!(PLAN.wants_more(&[None, crash()]));
        assert!(PLAN.wants_more(&[None, crash(), None, None]));
        assert!(!PLAN.wants_more(&[None, crash(), None, None, None]));
        assert!(!PLAN.wants_more(&[None, None]));
    }

    #[test]
    fn an_input_that_hangs_is_run_once() {
        assert!(!PLAN.wants_more(&[key(Outcome::TimedOut)]));
        assert!(PLAN.wants_more(&[key(Outcome::TimedOut), None]));
    }

    #[test]
    fn the_most_frequent_failure_counts_and_the_severest_of_equals() {
        let (crash, error) = (key(Outcome::Signalled(11)), key(Outcome::Exited(1)));
        let of = |results: &[&Option<FailureKey>]| {
            let results: Vec<_> = results.iter().copied().cloned().collect();
            Assessment::of_results(&results)
        };
        let twice = of(&[&crash, &error, &error, &None]);
        assert_eq!((&twice.key, twice.hits, twice.runs), (&error, 2, 4));
        assert!(twice.is_flaky());
        assert_eq!(of(&[&error, &crash]).key, crash);
        let steady = of(&[&crash, &crash]);
        assert!(!steady.is_flaky());
        let passes = of(&[&None, &None]);
        assert_eq!((&passes.key, passes.is_flaky()), (&None, false));
    }
}
