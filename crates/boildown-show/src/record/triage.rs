//! The events and the report of a triage.

use serde::{Deserialize, Serialize};

/// A line that `boildown triage --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TriageLine {
    /// A note or a warning.
    Note {
        /// The text, which may have several lines.
        text: String,
    },
    /// The triage begins: the inputs are known.
    TriageStarted {
        /// The version of the schema of these events.
        schema: u32,
        /// The version of boildown.
        version: String,
        /// Files with inputs.
        files: usize,
        /// Different contents.
        distinct: usize,
        /// The layout of the folder.
        layout: String,
    },
    /// Inputs were run. Printed for about every hundredth part of them.
    Scanned {
        /// Inputs that were run.
        done: usize,
        /// All inputs.
        all: usize,
    },
    /// The inputs are grouped.
    Grouped {
        /// The number of groups.
        groups: usize,
    },
    /// The reduction of the example of a group begins, or continues.
    GroupStarted {
        /// The number of the group before merging, from 1.
        number: usize,
        /// The failure.
        failure: String,
        /// The size of the example in bytes.
        bytes: usize,
        /// Seconds after which another group has its turn; null without a limit.
        seconds: Option<f64>,
    },
    /// The reduction of the example of a group ended, for now or for good.
    GroupFinished {
        /// The number of the group before merging, from 1.
        number: usize,
        /// The failure.
        failure: String,
        /// The size of the input in bytes.
        bytes_before: usize,
        /// The size of the example in bytes.
        bytes: usize,
        /// Whether nothing is left to do.
        finished: bool,
    },
    /// The end, with the whole report.
    TriageFinished(Box<TriageSummary>),
}

/// The report of a triage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TriageSummary {
    /// The version of the schema of these events.
    pub schema: u32,
    /// The version of boildown.
    pub version: String,
    /// The folder of the inputs.
    pub folder: String,
    /// The layout of the folder: `afl`, `libFuzzer`, `honggfuzz` or `plain`.
    pub layout: String,
    /// The command that is run on an input.
    pub command: String,
    /// Numbers of inputs.
    pub counts: TriageCounts,
    /// Groups before some of them were merged.
    pub groups_before_merging: usize,
    /// The groups, the most severe first.
    pub groups: Vec<TriageGroup>,
    /// The inputs, each content once.
    pub inputs: Vec<TriagedInput>,
    /// Files that could not be read.
    pub unreadable: Vec<UnreadableFile>,
    /// How the triage ended: `finished`, `time` or `interrupted`.
    pub ending: String,
    /// Tests of all reductions.
    pub tests: u64,
    /// The exit code of boildown.
    pub exit_code: u8,
}

/// Numbers of inputs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TriageCounts {
    /// Files with inputs.
    pub files: usize,
    /// Different contents. The following numbers count each content once.
    pub distinct: usize,
    /// Inputs that crash.
    pub crash: usize,
    /// Inputs that run past the time limit.
    pub hang: usize,
    /// Inputs that exceed a limit on memory or processes.
    pub limit: usize,
    /// Inputs that end with an ordinary error.
    pub error: usize,
    /// Inputs that do not fail.
    pub passes: usize,
    /// Inputs that fail, and not in the same way in all runs.
    pub flaky: usize,
    /// Empty files, which are not run.
    pub empty: usize,
    /// Files that are no inputs by their names.
    pub left_out: usize,
}

impl TriageCounts {
    /// Returns the numbers with what the inputs do, for people.
    pub fn named(&self) -> [(u64, &'static str); 5] {
        [
            (self.crash, ["crashes", "crash"]),
            (self.hang, ["hangs", "hang"]),
            (self.limit, ["exceeds a limit", "exceed a limit"]),
            (self.error, ["ends with an error", "end with an error"]),
            (self.passes, ["does not fail", "do not fail"]),
        ]
        .map(|(number, [one, several])| (number as u64, if number == 1 { one } else { several }))
    }
}

/// Inputs that fail in the same way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TriageGroup {
    /// The number of the group, from 1.
    pub number: usize,
    /// The class of the failure: `crash`, `hang`, `limit` or `error`.
    pub class: String,
    /// Its kind: `memory`, `internal`, `assertion`, `signal`, `panic`, `exception`, `hang`, `limit`
    /// or `error`.
    pub kind: String,
    /// The message, with placeholders for what differs from run to run, and the function.
    pub failure: String,
    /// The failures of groups that were merged into this one.
    pub also: Vec<String>,
    /// A name of the failure that stays the same from run to run.
    pub fingerprint: String,
    /// The indices in `inputs` of the inputs that fail in this way, the best example first.
    pub inputs: Vec<usize>,
    /// The position in the source of the program; null when it is not known.
    pub position: Option<TriagePosition>,
    /// Options of `boildown reduce` that state the failure; null when there are none.
    pub options: Option<String>,
    /// The smallest input that fails in this way.
    pub example: TriageExample,
}

/// A position in the source of the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TriagePosition {
    /// The file, as the program printed it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; null when it was not printed.
    pub column: Option<u32>,
}

/// The example of a group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TriageExample {
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: usize,
    /// The input that it was reduced from: its index in `inputs`.
    pub input: usize,
    /// `reduced`, `stopped` (before the end of the reduction) or `unreduced`.
    pub state: String,
    /// Why it was not reduced; null when it was.
    pub reason: Option<String>,
    /// Runs of the example at the end in which it failed as it should.
    pub hits: u32,
    /// Runs of the example at the end.
    pub runs: u32,
    /// A name of its canonical form, which is the same for examples that differ in names and
    /// literals only; null when it did not fail.
    pub form: Option<String>,
    /// Its language; null when none is known.
    pub language: Option<String>,
}

/// An input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TriagedInput {
    /// The files with this content.
    pub files: Vec<String>,
    /// Its size.
    pub bytes: usize,
    /// The class of its failure: `crash`, `hang`, `limit` or `error`; null when it does not fail.
    pub class: Option<String>,
    /// Its failure; null when it does not fail.
    pub failure: Option<String>,
    /// Runs that failed in this way.
    pub hits: u32,
    /// Runs.
    pub runs: u32,
    /// The number of its group; null when it is in none.
    pub group: Option<usize>,
    /// The number of its group before groups were merged.
    pub group_before_merging: Option<usize>,
}

/// A file that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UnreadableFile {
    /// The file.
    pub file: String,
    /// Why.
    pub reason: String,
}
