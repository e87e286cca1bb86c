//! The record of a triage. Everything is as it was printed or read; the page escapes it.

/// A triage.
#[derive(Debug, Clone, Default)]
pub struct TriageRecord {
    /// The folder of the inputs.
    pub folder: String,
    /// The command that was run on them, as a line for the shell.
    pub command: String,
    /// The version of boildown.
    pub version: String,
    /// A sentence about how the triage ended.
    pub ending: String,
    /// Files with inputs.
    pub files: u64,
    /// Different contents.
    pub distinct: u64,
    /// Numbers of contents by what they do: `crash`, `do not fail`. Those that are 0 are left out.
    pub counts: Vec<(u64, String)>,
    /// The number of groups before some of them were merged.
    pub groups_before: u64,
    /// The tests of all reductions.
    pub tests: u64,
    /// The groups, the most severe first.
    pub groups: Vec<TriagedGroupRecord>,
    /// The inputs that are in no group.
    pub others: Vec<TriagedInputRecord>,
}

/// Inputs that fail in the same way.
#[derive(Debug, Clone, Default)]
pub struct TriagedGroupRecord {
    /// The failure.
    pub failure: String,
    /// The class of the failure, as a word.
    pub class: String,
    /// The failures of groups that were merged into this one.
    pub also: Vec<String>,
    /// File, line and column in the source of the program.
    pub position: Option<String>,
    /// The inputs, the best example first.
    pub inputs: Vec<TriagedInputRecord>,
    /// The smallest input that fails in this way.
    pub example: TriagedExampleRecord,
    /// A command that reduces an input of the group, or reduces the example further.
    pub reduce: Option<String>,
}

/// The example of a group.
#[derive(Debug, Clone, Default)]
pub struct TriagedExampleRecord {
    /// Its file.
    pub file: String,
    /// Its content.
    pub text: Vec<u8>,
    /// The size of the input that it was reduced from.
    pub bytes_before: u64,
    /// What is to be said about its reduction or its runs; empty when it was reduced to the end and
    /// fails in every run.
    pub remarks: Vec<String>,
    /// The last lines that a run on it printed.
    pub output: Vec<u8>,
}

/// An input.
#[derive(Debug, Clone, Default)]
pub struct TriagedInputRecord {
    /// The files with this content.
    pub files: Vec<String>,
    /// Its size.
    pub bytes: u64,
    /// What it does.
    pub what: String,
}
