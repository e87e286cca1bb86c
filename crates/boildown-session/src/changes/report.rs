//! Report of a culprit search.

use boildown_changes::{ChangeUnit, Commit, Configuration, DiffStat};
use boildown_oracle::{Run, Verdict};
use boildown_show::{
    OutputDifferenceRecord, PartialCauseRecord, PartialStatementRecord, StopReason,
    WordChangeRecord,
};

use super::counts::CulpritCounts;
use super::outcome_rule::UnresolvedReason;

/// Number of units of each layer.
pub type LayerCounts = Vec<(ChangeUnit, usize)>;

/// The result of a culprit search.
#[derive(Debug, Clone)]
pub struct CulpritReport {
    /// The name of the state that the patch applies to.
    pub base: String,
    /// Whether that is the good state, as the user stated it.
    pub base_is_good: bool,
    /// The files of the base.
    pub before: Configuration,
    /// The files of the base with the culprit.
    pub after: Configuration,
    /// The number of lines that the culprit adds and deletes.
    pub stat: DiffStat,
    /// Number of units of each layer in the culprit, the coarsest layer first.
    pub layer_counts: LayerCounts,
    /// The smallest units that were left out one by one: lines, or statements. `None` if parts of
    /// the culprit make the difference alone.
    pub finest: Option<ChangeUnit>,
    /// Whether verdicts come from repeated runs, because the runs on the states disagree.
    pub is_flaky: bool,
    /// The commits that the culprit comes from, the oldest first. Empty without history.
    pub commits: Vec<Commit>,
    /// Whether the culprit undoes those commits: the good state has them, the bad one does not.
    pub undone: bool,
    /// The verdict on the base with the culprit, in a fresh tree.
    pub confirmed: Trial,
    /// The verdict on the good state with the culprit, if the patch applies to another state.
    pub on_good: Option<Trial>,
    /// The verdict on the bad state without the culprit. If that state cannot be judged, on the
    /// newest revision that was searched.
    pub repair: Trial,
    /// The name of the state that `repair` is about.
    pub repair_on: String,
    /// What that state is without.
    pub repair_scope: RepairScope,
    /// The words that the culprit changes, if it changes parts of lines.
    pub words: Vec<WordChangeRecord>,
    /// Statements of which the culprit has the first line and not all others. With all of them it
    /// makes the difference, too.
    pub partial_statements: Vec<PartialStatementRecord>,
    /// Other changes that make the difference, in the order in which they were found. They were
    /// looked for because the state was as before without the culprit.
    pub other_causes: Vec<OtherCause>,
    /// Changes that were found first, and are only a part of the cause.
    pub partial: Option<PartialCauseRecord>,
    /// The verdicts on the culprit without each of its hunks, if it has several.
    pub hunks: Vec<CulpritHunk>,
    /// The line of the failure on the bad state that the culprit alone lacks, with the one that it
    /// prints in its place: a commit after it changed the failure.
    pub unlike_bad: Option<OutputDifferenceRecord>,
    /// The number of tests, beside the others, of which all with the culprit failed and all without
    /// it succeeded. They were made because it changes only comments and blank lines.
    pub repeated: Option<u32>,
    /// The run of the culprit in the fresh tree.
    pub run: Option<Run>,
    /// The last run without a verdict, if there was one.
    pub last_unresolved: Option<Run>,
    /// Why the search was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// The cost of the search.
    pub counts: CulpritCounts,
    /// Number of times that files changed or removed by a command were written again.
    pub restored_files: u64,
}

impl CulpritReport {
    /// Returns whether the culprit made the difference in a fresh tree.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed.verdict == Verdict::Interesting
    }

    /// Returns whether the search learned nothing: no test had a verdict, and the culprit still
    /// has several hunks.
    pub fn nothing_was_judged(&self) -> bool {
        let hunks = (self.layer_counts.iter()).find(|(unit, _)| *unit == ChangeUnit::Hunks);
        self.counts.queries + self.counts.all_rejected() > 0
            && self.counts.all_unresolved() == self.counts.queries
            && hunks.is_some_and(|(_, count)| *count > 1)
    }
}

/// Changes that make the difference beside the culprit, and without it.
#[derive(Debug, Clone)]
pub struct OtherCause {
    /// The location of each of its hunks: the file, with the line if it has one.
    pub locations: Vec<String>,
    /// The files without it.
    pub before: Configuration,
    /// The files with it.
    pub after: Configuration,
    /// Whether it makes the difference on the good state, or on the last good one between the two.
    /// If not, only on a later state without the culprit.
    pub is_alone: bool,
    /// The commits that it comes from, if these are not those of the culprit.
    pub commits: Vec<Commit>,
}

/// The changes that a state is without, to see whether it is good then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairScope {
    /// The culprit and the other causes.
    Causes,
    /// The hunks that hold them.
    Hunks,
    /// The groups of hunks by new names that hold them.
    Names,
    /// The changes of the files that hold them.
    Files,
}

/// The verdict on some files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is `Unresolved`, if it is.
    pub reason: Option<UnresolvedReason>,
}

impl Trial {
    /// Returns the result of a trial without a verdict.
    pub(super) fn unresolved(reason: UnresolvedReason) -> Self {
        Self {
            verdict: Verdict::Unresolved,
            reason: Some(reason),
        }
    }
}

/// A hunk of the culprit.
#[derive(Debug, Clone)]
pub struct CulpritHunk {
    /// Its file, with the line if it has one.
    pub location: String,
    /// The verdict on the culprit without it.
    pub without: Trial,
}
