//! The events of a reduction or an isolation.

use std::fmt;

use boildown_oracle::Expectation;
use boildown_search::flaky::RunCounts;
use serde::{Deserialize, Serialize};

use super::assumptions::AssumptionsRecord;
use super::ending::{ChangedFormRecord, ClaimRecord, RefusedRecord, StopReason};

/// An event of a reduction or an isolation before its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SessionEvent {
    /// A note or a warning.
    Note {
        /// The text, which may have several lines.
        text: String,
    },
    /// The search begins: the property is known, and it holds on the input.
    Started(Box<StartedEvent>),
    /// The search began another pass.
    Pass {
        /// The name of the pass.
        name: String,
        /// Tests before it. Those of a pass are the difference to the next event of this kind, or
        /// to the end; its hits are the improvements until then.
        tests: u64,
        /// Runs before it.
        runs: u64,
    },
    /// There is a new best result; it is on disk already.
    Improved(ProgressEvent),
    /// The search is at work. Printed when there was no event of progress for five seconds.
    Progress(HeartbeatEvent),
}

/// The beginning of a reduction or an isolation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StartedEvent {
    /// The version of the schema of these events.
    pub schema: u32,
    /// The version of boildown.
    pub version: String,
    /// The command of boildown: `reduce` or `isolate`.
    pub task: String,
    /// The words of the command line, without the program.
    pub arguments: Vec<String>,
    /// Paths of the inputs: one of a reduction, the good and the bad one of an isolation.
    pub inputs: Vec<String>,
    /// Bytes of the input; of an isolation, of the bad one.
    pub bytes: usize,
    /// Path of the result; of an isolation, of the one that fails.
    pub output: String,
    /// The bytes of the paths of the inputs and of the result, in hexadecimal digits; only when one
    /// of them is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Vec<String>>,
    /// The language of the input; null when none is known.
    pub language: Option<String>,
    /// The command that is run on candidates.
    pub command: String,
    /// The directory in which boildown runs; null when its name is not UTF-8.
    pub directory: Option<String>,
    /// Directory of which each run gets a copy; null when a candidate lies alone in a directory.
    pub place: Option<String>,
    /// The property: all of these hold in a run on the input.
    pub property: Vec<ExpectationRecord>,
    /// The options in effect, stated or not.
    pub options: OptionsRecord,
    /// The choices that boildown made for the user.
    pub choices: Vec<ChoiceRecord>,
}

/// One condition of the property.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ExpectationRecord {
    /// What it is about.
    pub kind: ExpectationKind,
    /// The value as the option takes it: a status, a regular expression, a number of seconds; null
    /// for a test script.
    pub value: Option<String>,
}

/// What a condition of the property is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExpectationKind {
    /// The exit status.
    #[default]
    Exit,
    /// Standard output matches.
    Stdout,
    /// Standard error matches.
    Stderr,
    /// Standard error does not match.
    NotStderr,
    /// The run takes at least this long.
    Hangs,
    /// A quantity is large enough.
    Measure,
    /// A test script exits with 0.
    Test,
}

impl From<&Expectation> for ExpectationRecord {
    fn from(expectation: &Expectation) -> Self {
        let (kind, value) = match expectation {
            Expectation::Exit(spec) => (ExpectationKind::Exit, Some(spec.flag_value())),
            Expectation::Stdout(pattern) => (ExpectationKind::Stdout, Some(pattern.to_string())),
            Expectation::Stderr(pattern) => (ExpectationKind::Stderr, Some(pattern.to_string())),
            Expectation::NotStderr(pattern) => {
                (ExpectationKind::NotStderr, Some(pattern.to_string()))
            }
            Expectation::Hangs(time) => {
                (ExpectationKind::Hangs, Some(time.as_secs_f64().to_string()))
            }
            Expectation::Measure(measure) => (ExpectationKind::Measure, Some(measure.to_string())),
            Expectation::Test => (ExpectationKind::Test, None),
        };
        Self { kind, value }
    }
}

/// The options in effect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OptionsRecord {
    /// Tests that run at once.
    pub jobs: usize,
    /// Whether runs are in the sandbox.
    pub sandbox: bool,
    /// Seconds that a run may take at the start; null when it follows from the runs.
    pub timeout: Option<f64>,
    /// The smallest units.
    pub units: String,
    /// Whether each candidate is run until its rate is clear.
    pub flaky: bool,
    /// The most tests.
    pub max_tests: Option<u64>,
    /// The most seconds.
    pub max_time: Option<f64>,
}

/// A choice that boildown made for the user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChoiceRecord {
    /// The subject.
    pub about: String,
    /// What was chosen.
    pub chosen: String,
    /// Why.
    pub because: String,
    /// The options that change it.
    pub option: String,
}

/// One line: `language: C, by the name crash.c (see --language)`.
impl fmt::Display for ChoiceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            about,
            chosen,
            because,
            option,
        } = self;
        let comma = if because.is_empty() { "" } else { ", " };
        write!(f, "{about}: {chosen}{comma}{because} (see {option})")
    }
}

/// The state of a session that is at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HeartbeatEvent {
    /// The pass at work.
    pub pass: String,
    /// Whether the search is on its way to its next test: it reads the best result, or parses
    /// candidates.
    #[serde(rename = "planning")]
    pub is_planning: bool,
    /// Bytes of the best result.
    pub bytes: usize,
    /// Tokens of the best result; null while a pass works on lines or bytes.
    pub tokens: Option<usize>,
    /// Tests so far: verdicts that the search received.
    pub tests: u64,
    /// Runs so far: executions of the command.
    pub runs: u64,
    /// Seconds since the start of the search.
    pub seconds: f64,
    /// Seconds since the last improvement, or since the start.
    pub seconds_since_improved: f64,
}

/// The state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ProgressEvent {
    /// Bytes of the best result.
    pub bytes: usize,
    /// Tokens of the best result; null while a pass works on lines or bytes.
    pub tokens: Option<usize>,
    /// Tests so far: verdicts that the search received.
    pub tests: u64,
    /// Runs so far: executions of the command.
    pub runs: u64,
    /// Seconds since the start of the search.
    pub seconds: f64,
}

/// The last line of a reduction or an isolation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LastEvent<T> {
    /// The end, with the result.
    Finished(T),
}

/// The last event of a reduction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReductionFinished {
    /// Path of the result.
    pub output: String,
    /// The reduced command as a line for a shell; null if a file was reduced.
    pub command: Option<String>,
    /// Bytes of the input.
    pub bytes_before: usize,
    /// Bytes of the result.
    pub bytes_after: usize,
    /// Tokens of the input; null if it cannot be split into tokens.
    pub tokens_before: Option<usize>,
    /// Tokens of the result; null if it cannot be split into tokens.
    pub tokens_after: Option<usize>,
    /// Files of the input; null if it is a single file.
    pub files_before: Option<usize>,
    /// Files of the result; null if the input is a single file.
    pub files_after: Option<usize>,
    /// Tests: verdicts that the search received.
    #[serde(alias = "questions")]
    pub tests: u64,
    /// Runs: executions of the command.
    pub runs: u64,
    /// Tests that were answered from the store.
    pub recalled: u64,
    /// Tests without a verdict.
    pub unresolved: u64,
    /// Runs that timed out.
    pub timeouts: u64,
    /// Seconds since the start of the search.
    pub seconds: f64,
    /// Seconds of processor time of boildown itself, without the commands it ran.
    pub driver_cpu_seconds: f64,
    /// How often the property held, on the input and on the result.
    #[serde(alias = "trust")]
    pub repeatability: RepeatabilityRecord,
    /// Candidates that failed in another way than the input.
    #[serde(alias = "others")]
    pub other_failures: Vec<OtherFailureRecord>,
    /// Whether a final pass verified that the result is 1-minimal, without any restriction.
    pub one_minimal: bool,
    /// What that pass verified; null if it verified nothing.
    pub claim: Option<ClaimRecord>,
    /// The same in words.
    pub guarantee: Option<String>,
    /// Why the search stopped early; null if it finished.
    pub stopped: Option<StopReason>,
    /// An input of a few characters that has the property too, though it is no reduction; null if
    /// there is none. Bytes that are not printable ASCII are escaped as in `\r` and `\x00`.
    pub trivial: Option<String>,
    /// The step since which the failure has another form than on the input; null if it has not.
    pub changed_form: Option<ChangedFormRecord>,
    /// The words of the input that the result still has; null without `--redact`.
    pub remaining_words: Option<Vec<RemainingWordRecord>>,
    /// The checks of --valid, and their runs on candidates.
    pub checks: Vec<CheckRecord>,
    /// What was made small or large, beside the text; null if only the text was.
    pub objective: Option<ObjectiveRecord>,
    /// A candidate that is smaller than the result, and was refused because it also has an error
    /// that the input does not have; null if there is none.
    pub refused: Option<RefusedRecord>,
    /// How monotone and unambiguous the property was; null if no test says anything about it.
    pub assumptions: Option<AssumptionsRecord>,
}

/// A word of the input that a redacted result still has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RemainingWordRecord {
    /// The path of the file, if the result is a folder.
    pub file: Option<String>,
    /// The line of the file.
    pub line: usize,
    /// The word.
    pub word: String,
}

/// A check that every candidate has to pass.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CheckRecord {
    /// The option that it belongs to, such as `--valid`.
    pub option: String,
    /// What it is called.
    pub kind: String,
    /// The line for a shell, with the candidate as `$1`.
    pub line: String,
    /// Runs on candidates.
    pub runs: u64,
    /// Their seconds.
    pub seconds: f64,
    /// Candidates that it refused.
    pub refused: u64,
}

/// What a reduction made small or large, beside the text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ObjectiveRecord {
    /// `least` or `most`.
    pub wanted: String,
    /// The measures, as on the command line.
    pub measures: Vec<String>,
    /// Their values on the input at the end: microseconds, bytes, or millionths of a number. Empty
    /// if they were not measured again.
    pub before: Vec<i64>,
    /// The same of the result.
    pub after: Vec<i64>,
    /// Runs that measured.
    pub runs: u64,
    /// Their seconds.
    pub seconds: f64,
    /// Interesting candidates that were refused because a measure was worse.
    pub refused: u64,
}

/// Repeated runs of a reduction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RepeatabilityRecord {
    /// Whether the property is flaky.
    pub flaky: bool,
    /// Runs on the input.
    pub input: RateRecord,
    /// Runs on the result, after it was found; null if there were none.
    pub result: Option<RateRecord>,
    /// Whether the runs are consistent with an undiminished rate.
    pub is_kept: bool,
    /// Candidates on which the property held in one run and not in another.
    pub contradictions: u64,
}

/// How often a property held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RateRecord {
    /// Runs.
    pub runs: u64,
    /// Runs in which the property held.
    pub held: u64,
    /// Lower end of the confidence interval of the rate.
    pub low: f64,
    /// Upper end of the confidence interval of the rate.
    pub high: f64,
}

impl From<RunCounts> for RateRecord {
    fn from(counts: RunCounts) -> Self {
        let interval = counts.interval();
        Self {
            runs: counts.runs.into(),
            held: counts.hits.into(),
            low: interval.low,
            high: interval.high,
        }
    }
}

/// A failure of candidates that differs from that of the input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OtherFailureRecord {
    /// The failure; null if an earlier session found it.
    pub signature: Option<String>,
    /// Path of the smallest candidate with this failure.
    pub file: String,
    /// Bytes of that candidate.
    pub bytes: u64,
    /// Runs that failed in this way.
    pub runs: u64,
}

/// The last event of an isolation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IsolationFinished {
    /// Path of the file that passes.
    pub passing: String,
    /// Path of the file that fails.
    pub failing: String,
    /// The regions in which the two files differ.
    pub difference: Vec<DifferenceRecord>,
    /// Number of changes between the two files.
    pub changes: usize,
    /// The units of the changes: lines, tokens, or characters.
    pub units: String,
    /// Bytes that all changes between the two inputs delete and insert.
    pub bytes_before: usize,
    /// Bytes that the remaining changes delete and insert.
    pub bytes_after: usize,
    /// Tests: verdicts that the search received.
    pub tests: u64,
    /// Runs: executions of the command.
    pub runs: u64,
    /// Tests without a verdict.
    pub unresolved: u64,
    /// Runs that timed out.
    pub timeouts: u64,
    /// Seconds since the start of the search.
    pub seconds: f64,
    /// Seconds of processor time of boildown itself, without the commands it ran.
    pub driver_cpu_seconds: f64,
    /// Whether the search verified that the difference is 1-minimal, without any restriction.
    pub one_minimal: bool,
    /// What the search verified; null if it verified nothing.
    pub claim: Option<ClaimRecord>,
    /// Why the search stopped early; null if it finished.
    pub stopped: Option<StopReason>,
}

/// A region in which two files differ.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DifferenceRecord {
    /// Offset in bytes in the file that passes.
    pub passing_at: usize,
    /// Text of the file that passes.
    pub passing: String,
    /// Offset in bytes in the file that fails.
    pub failing_at: usize,
    /// Text of the file that fails.
    pub failing: String,
}
