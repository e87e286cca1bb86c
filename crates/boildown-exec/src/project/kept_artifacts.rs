//! The decision whether copies keep what runs have built.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::written_tree::Leftovers;

/// Whether copies keep build artefacts between runs, and what showed that they are right.
///
/// A candidate that is interesting in such a copy is run again in a clean one, and only that run
/// counts. If the runs differ too often, what the build keeps misleads it, and nothing is kept any
/// more.
#[derive(Debug, Default)]
pub(super) struct KeptArtifacts(Mutex<KeptState>);

#[derive(Debug, Default)]
struct KeptState {
    is_on: bool,
    counts: CleanRuns,
}

/// Runs in clean trees, after runs in trees with kept build artefacts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CleanRuns {
    /// Candidates that were interesting in a tree with artefacts.
    pub hits: u64,
    /// Those of them that were not in a clean one.
    pub false_hits: u64,
    /// Candidates that were not interesting, and were run again.
    pub misses: u64,
    /// Those of them that were interesting in a clean tree.
    pub false_misses: u64,
    /// Whether artefacts are not kept any more, because the runs differed too often.
    pub gave_up: bool,
}

/// Nothing is kept any more after this many differing runs, if they are one in this many of those
/// that were compared.
const DIFFERING: u64 = 3;
const ONE_IN: u64 = 5;

/// One miss in this many is run again in a clean tree.
const MISSES_RUN_AGAIN: u64 = 32;

impl KeptArtifacts {
    fn lock(&self) -> MutexGuard<'_, KeptState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self) {
        self.lock().is_on = true;
    }

    pub(super) fn leftovers(&self) -> Leftovers {
        match self.lock().is_on {
            true => Leftovers::Kept,
            false => Leftovers::Removed,
        }
    }

    pub(super) fn counts(&self) -> CleanRuns {
        self.lock().counts
    }

    /// Records the verdicts on a candidate in a tree with artefacts and in a clean one.
    pub(super) fn record(&self, was_hit: bool, is_hit: bool) {
        let mut state = self.lock();
        let counts = &mut state.counts;
        match was_hit {
            true => counts.hits += 1,
            false => counts.misses += 1,
        }
        match (was_hit, is_hit) {
            (true, false) => counts.false_hits += 1,
            (false, true) => counts.false_misses += 1,
            _ => {}
        }
        let differing = counts.false_hits + counts.false_misses;
        if differing >= DIFFERING && differing * ONE_IN >= counts.hits + counts.misses {
            counts.gave_up = true;
            state.is_on = false;
        }
    }
}

/// Returns whether a miss in a tree with artefacts is run again in a clean one, by its candidate:
/// the choice does not depend on the order of the runs.
pub(super) fn is_run_again(candidate: &[u8]) -> bool {
    let digest = blake3::hash(candidate);
    let [first, second, ..] = *digest.as_bytes();
    u64::from(u16::from_le_bytes([first, second])).is_multiple_of(MISSES_RUN_AGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artefacts_are_kept_until_too_many_runs_differ() {
        let kept = KeptArtifacts::default();
        assert_eq!(kept.leftovers(), Leftovers::Removed);
        kept.begin();
        for _ in 0..12 {
            kept.record(true, true);
        }
        kept.record(true, false);
        kept.record(false, true);
        assert_eq!(kept.leftovers(), Leftovers::Kept);
        kept.record(true, false);
        assert_eq!(kept.leftovers(), Leftovers::Removed);
        let expected = CleanRuns {
            hits: 14,
            false_hits: 2,
            misses: 1,
            false_misses: 1,
            gave_up: true,
        };
        assert_eq!(kept.counts(), expected);
    }

    #[test]
    fn few_misses_are_run_again() {
        let again = (0..3200_u32).filter(|number| is_run_again(&number.to_le_bytes()));
        assert!((50..200).contains(&again.count()));
    }
}
