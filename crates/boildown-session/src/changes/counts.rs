//! The cost of a culprit search.

use std::collections::BTreeMap;
use std::time::Duration;

use super::outcome_rule::UnresolvedReason;

/// The cost of a culprit search so far, over all of its phases.
#[derive(Debug, Clone, Default)]
pub struct CulpritCounts {
    /// Tests that were answered.
    pub queries: u64,
    /// Runs of the command, including runs of guessed candidates and of the final checks.
    pub runs: u64,
    /// Trees whose verdict an earlier session had recorded.
    pub recalled: u64,
    /// Tests without a verdict, by reason.
    pub unresolved: BTreeMap<UnresolvedReason, u64>,
    /// Time since the search began.
    pub elapsed: Duration,
}

impl CulpritCounts {
    /// Returns the number of tests without a verdict.
    #[must_use]
    pub fn all_unresolved(&self) -> u64 {
        self.unresolved.values().sum()
    }
}
