//! The events of a culprit search.

use std::collections::BTreeMap;

use boildown_oracle::Verdict;
use serde::{Deserialize, Serialize};

use super::ending::{ClaimRecord, StopReason};

/// An event of a culprit search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CulpritEvent {
    /// A note or a warning.
    Note {
        /// The text, which may have several lines.
        text: String,
    },
    /// One of the two states was tested.
    Baseline {
        /// Which state.
        state: TestedState,
        /// How the command ended.
        outcome: String,
    },
    /// The search begins: the two states are good and bad as stated.
    Started {
        /// The version of the schema of these events.
        schema: u32,
        /// The version of boildown.
        version: String,
        /// The command of boildown: `changes`.
        task: String,
        /// The words of the command line, without the program.
        arguments: Vec<String>,
        /// The first state, as it was named.
        good: String,
        /// The second state, as it was named.
        bad: String,
        /// The command that tells them apart.
        command: String,
        /// Path of the patch.
        output: String,
    },
    /// The search is at work. Printed when there was no event for five seconds.
    Progress {
        /// What it took so far.
        spent: SpentRecord,
    },
    /// The history between the two states is known.
    History {
        /// Steps of the history.
        steps: usize,
    },
    /// The search in the history ended.
    Narrowed {
        /// Name of the last state that passes.
        passing: String,
        /// Name of the first state that fails.
        failing: String,
        /// Commits between the two.
        commits: Vec<CommitRecord>,
        /// What it took so far.
        spent: SpentRecord,
    },
    /// The search among units of one kind ended.
    Level {
        /// The units: files, hunks, or lines, for example.
        layer: String,
        /// Number of units at the start.
        before: usize,
        /// Number of units that are left.
        left: usize,
        /// What it took so far.
        spent: SpentRecord,
    },
    /// The culprit needs an older change, too.
    Older {
        /// Name of the last state that passes.
        passing: String,
        /// Name of the first state that fails.
        failing: String,
    },
    /// The search ended.
    Finished(Box<CulpritFinished>),
}

/// One of the two states of a culprit search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestedState {
    /// The good state, or the broken one with `--fix`.
    First,
    /// The bad state, or the fixed one with `--fix`.
    Second,
}

/// The result of a culprit search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CulpritFinished {
    /// The first state, as the user named it.
    pub good: String,
    /// The second state, as the user named it.
    pub bad: String,
    /// The command.
    pub command: String,
    /// Path of the patch.
    pub output: String,
    /// The patch.
    pub patch: String,
    /// Name of the state to which the patch applies.
    pub base: String,
    /// Whether the base is the first state.
    pub base_is_good: bool,
    /// Number of units of each kind in the patch.
    pub counts: BTreeMap<String, usize>,
    /// Lines that the patch adds.
    pub lines_added: usize,
    /// Lines that the patch deletes.
    pub lines_deleted: usize,
    /// Commits from which the patch comes.
    pub commits: Vec<CommitRecord>,
    /// Whether the patch undoes these commits.
    pub undone: bool,
    /// A test of the patch in a fresh copy of the base.
    pub confirmed: TrialRecord,
    /// A test of the patch on the first state, if that is not the base.
    pub on_good: Option<TrialRecord>,
    /// A test of the second state without the patch.
    pub repair: TrialRecord,
    /// Name of the state that `repair` is about: the second state, or the newest one between the
    /// two that could be judged.
    pub repair_on: String,
    /// What that state was without: the causes, or the larger units that hold them.
    pub repair_without: String,
    /// The words that the patch changes, if it changes parts of lines.
    pub words: Vec<WordChangeRecord>,
    /// Statements of which the patch has the first line and not all others. With all of them it
    /// makes the difference, too.
    pub partial_statements: Vec<PartialStatementRecord>,
    /// Other changes that make the difference. They were looked for because the first bad state, or
    /// the second state, was as before without the patch.
    pub other_causes: Vec<OtherCauseRecord>,
    /// Changes that were found first and are only a part of the cause.
    pub fails_otherwise: Option<PartialCauseRecord>,
    /// The difference between the failure of the patch alone and that of the second state.
    pub unlike_bad: Option<OutputDifferenceRecord>,
    /// Tests of the patch without each of its parts.
    pub parts: Vec<PatchPartRecord>,
    /// Whether the patch shows the failure of the second state; null if that cannot be compared.
    pub same_failure: Option<bool>,
    /// How often files that the command had changed were restored.
    pub files_restored: u64,
    /// What it took.
    pub spent: SpentRecord,
    /// Whether the search finished, so that the patch is 1-minimal, without any restriction.
    pub one_minimal: bool,
    /// What the search verified; null if it verified nothing.
    pub claim: Option<ClaimRecord>,
    /// Why the search stopped early; null if it finished.
    pub stopped: Option<StopReason>,
}

/// A commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CommitRecord {
    /// The full hash.
    pub id: String,
    /// The date of the commit.
    pub date: String,
    /// The name of the author.
    pub author: String,
    /// The first line of the message.
    pub title: String,
}

/// Changes that make the difference beside the patch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OtherCauseRecord {
    /// The location of each hunk.
    pub places: Vec<String>,
    /// The changes as a patch, on the last good state between the two.
    pub patch: String,
    /// Whether they make the difference alone on the first state. If not, on the last good state
    /// between the two, or on a later one without the patch.
    pub alone: bool,
    /// Commits from which they come, if these are other ones than those of the patch.
    pub commits: Vec<CommitRecord>,
}

/// Words that the patch changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WordChangeRecord {
    /// The file, the line and the character of the line.
    pub place: String,
    /// What is deleted.
    pub deleted: String,
    /// What is inserted.
    pub inserted: String,
    /// The text of the line before it, cut to a few words.
    pub before: String,
    /// The text of the line after it, cut to a few words.
    pub after: String,
}

/// A statement of which the patch has the first line and not all others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PartialStatementRecord {
    /// The file and the line.
    pub place: String,
    /// The first line.
    pub head: String,
    /// The number of changed lines that the patch does not have.
    pub left_out: usize,
}

/// Changes that fail as well, and are only a part of the cause.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PartialCauseRecord {
    /// The location of each hunk.
    pub places: Vec<String>,
    /// The difference in what they print; null if they fail as the second state does, and all other
    /// changes as well.
    pub difference: Option<OutputDifferenceRecord>,
}

/// A difference between the outputs of two failures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OutputDifferenceRecord {
    /// The line that is wanted.
    pub wanted: String,
    /// The line in its place, if there is one.
    pub printed: Option<String>,
}

/// What a culprit search took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SpentRecord {
    /// Tests: candidates whose files were put to the command.
    pub tests: u64,
    /// Runs: executions of the command.
    pub runs: u64,
    /// Tests that were answered from the store.
    pub recalled: u64,
    /// Tests without a verdict.
    pub unresolved: u64,
    /// Tests without a verdict, by reason.
    pub unresolved_by_reason: BTreeMap<String, u64>,
    /// Candidates that were rejected without a run. They are no tests.
    pub not_run: u64,
    /// The same, by reason.
    pub not_run_by_reason: BTreeMap<String, u64>,
    /// Seconds since the start of the search.
    pub seconds: f64,
}

/// A verdict, and why there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TrialRecord {
    /// The verdict.
    pub verdict: VerdictName,
    /// Why it is unresolved.
    pub reason: Option<String>,
}

/// A part of a patch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PatchPartRecord {
    /// The file and lines of the part.
    pub place: String,
    /// The verdict on the patch without this part.
    pub without: VerdictName,
}

/// A verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// The property holds.
    Interesting,
    /// The property does not hold.
    Uninteresting,
    /// There is no verdict.
    #[default]
    Unresolved,
}

impl VerdictName {
    /// Returns the name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interesting => "interesting",
            Self::Uninteresting => "uninteresting",
            Self::Unresolved => "unresolved",
        }
    }
}

impl From<Verdict> for VerdictName {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Interesting => Self::Interesting,
            Verdict::Uninteresting => Self::Uninteresting,
            Verdict::Unresolved => Self::Unresolved,
        }
    }
}
