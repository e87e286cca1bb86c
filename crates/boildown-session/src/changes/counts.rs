//! The cost of a culprit search.

use std::collections::BTreeMap;
use std::time::Duration;

use boildown_show::SpentRecord;

use super::outcome_rule::UnresolvedReason;

/// The cost of a culprit search so far, over all of its phases.
#[derive(Debug, Clone, Default)]
pub struct CulpritCounts {
    /// Tests: candidates whose files were put to the command, in this session or in an earlier one.
    /// Candidates that were rejected without a run, and those that make files that this session
    /// has run before, are none.
    pub queries: u64,
    /// Runs of the command, including runs of guessed candidates and of the final checks.
    pub runs: u64,
    /// Trees whose verdict an earlier session had recorded.
    pub recalled: u64,
    /// Tests without a verdict, by reason.
    pub unresolved: BTreeMap<UnresolvedReason, u64>,
    /// Candidates that were rejected without a run, by reason.
    pub rejected: BTreeMap<UnresolvedReason, u64>,
    /// Time since the search began.
    pub elapsed: Duration,
}

impl CulpritCounts {
    /// Returns the number of tests without a verdict.
    pub fn all_unresolved(&self) -> u64 {
        self.unresolved.values().sum()
    }

    /// Returns it as the record has it.
    pub fn record(&self) -> SpentRecord {
        let by_reason = |numbers: &BTreeMap<UnresolvedReason, u64>| {
            let each = numbers.iter();
            each.map(|(reason, number)| (reason.words().to_owned(), *number))
                .collect()
        };
        SpentRecord {
            tests: self.queries,
            runs: self.runs,
            recalled: self.recalled,
            unresolved: self.all_unresolved(),
            unresolved_by_reason: by_reason(&self.unresolved),
            not_run: self.all_rejected(),
            not_run_by_reason: by_reason(&self.rejected),
            seconds: self.elapsed.as_secs_f64(),
        }
    }

    /// Returns the number of candidates that were rejected without a run.
    pub fn all_rejected(&self) -> u64 {
        self.rejected.values().sum()
    }
}
