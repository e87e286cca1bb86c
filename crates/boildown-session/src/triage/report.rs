//! The report of a triage, and the events on the way to it.

use std::path::PathBuf;
use std::sync::Arc;

use boildown_oracle::SourcePosition;
use boildown_search::flaky::RunCounts;
use boildown_show::TriageLine;
use boildown_triage::{Assessment, FailureKey};

use crate::prepare::Loosening;

/// Whether groups are merged whose reduced examples have the same canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeRule {
    /// They are merged.
    ByForm,
    /// Every failure stays a group of its own.
    Never,
}

/// Something that happened in a triage.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum TriageEvent {
    /// An event that the record has too. Of inputs that were run, it has about every hundredth.
    Recorded(TriageLine),
    /// The example of the group that is reduced became smaller.
    Smaller {
        /// Its size in bytes.
        bytes: usize,
    },
    /// Time passed during a reduction.
    Tick {
        /// Tests so far, of this slice.
        tests: u64,
    },
    /// The sandbox changed the failure of the smallest input, and is looser from now on.
    Loosened(Loosening),
    /// The examples are run again.
    Verifying,
    /// Something that the user should know.
    Note(String),
}

/// What a triage found.
#[derive(Debug, Clone)]
pub struct TriageReport {
    /// The inputs, in the order in which they were given.
    pub inputs: Vec<InputReport>,
    /// The groups, the most severe first.
    pub groups: Vec<GroupReport>,
    /// The number of groups before some of them were merged.
    pub groups_before: usize,
    /// How the triage ended.
    pub outcome: TriageOutcome,
    /// The tests of all reductions.
    pub tests: u64,
}

/// How a triage ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriageOutcome {
    /// All reductions ran to their ends.
    Finished,
    /// The limit on time was reached.
    TimeLimit,
    /// The user stopped it.
    Interrupted,
}

/// What is known of an input.
#[derive(Debug, Clone)]
pub struct InputReport {
    /// The files with this content; at least one.
    pub files: Vec<PathBuf>,
    /// Its size.
    pub bytes: usize,
    /// What its runs showed.
    pub assessment: Assessment,
    /// The index of its group before groups were merged. `None` when the input is in none.
    pub first_group: Option<usize>,
    /// The index of its group.
    pub group: Option<usize>,
}

/// Inputs that fail in the same way.
#[derive(Debug, Clone)]
pub struct GroupReport {
    /// The failure; more than one if groups were merged, that of the example first.
    pub keys: Vec<FailureKey>,
    /// The indices of the inputs, the best example first.
    pub members: Vec<usize>,
    /// The index of the input that was reduced.
    pub original: usize,
    /// The smallest input that is known to fail in this way.
    pub example: Arc<[u8]>,
    /// How far the example is reduced.
    pub state: ExampleState,
    /// The runs of the example at the end, and those that failed in this way.
    pub verified: RunCounts,
    /// The last bytes that a run on the example printed while it failed in this way: standard
    /// error, or else standard output.
    pub output: Vec<u8>,
    /// The position in the source of the program, if a run on the example printed it.
    pub position: Option<SourcePosition>,
    /// Options of `boildown reduce` that state the failure of the example.
    pub flags: Option<String>,
    /// The canonical form of the example.
    pub form: Option<String>,
    /// The name of the language of the example.
    pub language: Option<&'static str>,
}

impl GroupReport {
    /// Returns the failure of the example.
    pub fn key(&self) -> &FailureKey {
        &self.keys[0]
    }

    /// Returns whether the example failed in this way when it was run at the end.
    pub fn is_verified(&self) -> bool {
        self.verified.hits > 0
    }
}

/// How far an example is reduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleState {
    /// The reduction ran to its end.
    Finished,
    /// The reduction was stopped before its end.
    Stopped,
    /// It was not reduced.
    Unreduced {
        /// Why, as a clause.
        why: String,
    },
}
