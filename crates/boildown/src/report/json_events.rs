//! The events of `--json`, from which `docs/reference/events.schema.json` is generated.
//!
//! Names of fields and their values are an interface: they may be added to, but not renamed. The
//! fields of an event are printed in alphabetical order.

use std::collections::BTreeMap;

use boildown_oracle::{Expectation, Verdict};
use boildown_search::flaky::RunCounts;
use boildown_session::Progress;
use boildown_session::prepare::Flakiness;
use boildown_store::Choice;
use serde::Serialize;
use serde_json::Value;

use super::endings::{ClaimJson, StoppedJson};
use super::failure_forms::{ChangedFormJson, RefusedJson};

/// An event as JSON.
pub(crate) trait JsonValue: Serialize {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("events hold strings, numbers and lists only")
    }
}

impl<T: Serialize> JsonValue for T {}

/// The version of the schema. It is raised when a field changes its meaning or disappears; new
/// fields and new events do not raise it.
pub(crate) const SCHEMA: u32 = 1;

/// An event of a reduction or an isolation before its end.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum SessionEvent {
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
        questions: u64,
        /// Runs before it.
        runs: u64,
    },
    /// There is a new best result; it is on disk already.
    Improved(ProgressEvent),
    /// The search is at work. Printed when there was no event of progress for five seconds.
    Progress(HeartbeatEvent),
}

/// The beginning of a reduction or an isolation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct StartedEvent {
    /// The version of the schema of these events.
    pub(crate) schema: u32,
    /// The version of boildown.
    pub(crate) version: String,
    /// The command of boildown: `reduce` or `isolate`.
    pub(crate) task: String,
    /// The words of the command line, without the program.
    pub(crate) arguments: Vec<String>,
    /// Paths of the inputs: one of a reduction, the good and the bad one of an isolation.
    pub(crate) inputs: Vec<String>,
    /// Bytes of the input; of an isolation, of the bad one.
    pub(crate) bytes: usize,
    /// Path of the result; of an isolation, of the one that fails.
    pub(crate) output: String,
    /// The bytes of the paths of the inputs and of the result, in hexadecimal digits; only when one
    /// of them is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<Vec<String>>,
    /// The language of the input; null when none is known.
    pub(crate) language: Option<String>,
    /// The command that is run on candidates.
    pub(crate) command: String,
    /// Directory of which each run gets a copy; null when a candidate lies alone in a directory.
    pub(crate) place: Option<String>,
    /// The property: all of these hold in a run on the input.
    pub(crate) property: Vec<ExpectationJson>,
    /// The options in effect, stated or not.
    pub(crate) options: OptionsJson,
    /// The choices that boildown made for the user.
    pub(crate) choices: Vec<ChoiceJson>,
}

/// One condition of the property.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ExpectationJson {
    /// What it is about.
    kind: ExpectationKind,
    /// The value as the option takes it: a status, a regular expression, a number of seconds; null
    /// for a test script.
    value: Option<String>,
}

/// What a condition of the property is about.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum ExpectationKind {
    /// The exit status.
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

impl From<&Expectation> for ExpectationJson {
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
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OptionsJson {
    /// Tests that run at once.
    pub(crate) jobs: usize,
    /// Whether runs are in the sandbox.
    pub(crate) sandbox: bool,
    /// Seconds that a run may take at the start; null when it follows from the runs.
    pub(crate) timeout: Option<f64>,
    /// The smallest units.
    pub(crate) units: String,
    /// Whether each candidate is run until its rate is clear.
    pub(crate) flaky: bool,
    /// The most tests.
    pub(crate) max_tests: Option<u64>,
    /// The most seconds.
    pub(crate) max_time: Option<f64>,
}

/// A choice that boildown made for the user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ChoiceJson {
    /// The subject.
    about: String,
    /// What was chosen.
    chosen: String,
    /// Why.
    because: String,
    /// The options that change it.
    option: String,
}

impl From<&Choice> for ChoiceJson {
    fn from(choice: &Choice) -> Self {
        let Choice {
            about,
            chosen,
            because,
            option,
        } = choice.clone();
        Self {
            about,
            chosen,
            because,
            option,
        }
    }
}

/// The state of a session that is at work.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct HeartbeatEvent {
    /// The pass at work.
    pub(crate) pass: String,
    /// Whether the search is on its way to its next test: it reads the best result, or parses
    /// candidates.
    #[serde(rename = "planning")]
    pub(crate) is_planning: bool,
    /// Bytes of the best result.
    pub(crate) bytes: usize,
    /// Tokens of the best result; null while a pass works on lines or bytes.
    pub(crate) tokens: Option<usize>,
    /// Tests so far: verdicts that the search received.
    pub(crate) questions: u64,
    /// Runs so far: executions of the command.
    pub(crate) runs: u64,
    /// Seconds since the start of the search.
    pub(crate) seconds: f64,
    /// Seconds since the last improvement, or since the start.
    pub(crate) seconds_since_improved: f64,
}

/// The last line of a command that ends with an error.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum FailureEvent {
    /// The command ended with an error.
    Error {
        /// The version of the schema of these events.
        schema: u32,
        /// What failed, and why.
        message: String,
        /// What to do.
        hints: Vec<String>,
        /// The exit code.
        exit_code: u8,
    },
}

/// The state of a session.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ProgressEvent {
    /// Bytes of the best result.
    bytes: usize,
    /// Tokens of the best result; null while a pass works on lines or bytes.
    tokens: Option<usize>,
    /// Tests so far: verdicts that the search received.
    questions: u64,
    /// Runs so far: executions of the command.
    runs: u64,
    /// Seconds since the start of the search.
    seconds: f64,
}

impl From<&Progress> for ProgressEvent {
    fn from(progress: &Progress) -> Self {
        Self {
            bytes: progress.bytes,
            tokens: progress.tokens,
            questions: progress.spent.queries,
            runs: progress.spent.runs,
            seconds: progress.spent.elapsed.as_secs_f64(),
        }
    }
}

/// The last line of a reduction or an isolation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum LastEvent<T> {
    /// The end, with the result.
    Finished(T),
}

/// The last event of a reduction.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ReductionFinished {
    /// Path of the result.
    pub(crate) output: String,
    /// The reduced command as a line for a shell; null if a file was reduced.
    pub(crate) command: Option<String>,
    /// Bytes of the input.
    pub(crate) bytes_before: usize,
    /// Bytes of the result.
    pub(crate) bytes_after: usize,
    /// Tokens of the input; null if it cannot be split into tokens.
    pub(crate) tokens_before: Option<usize>,
    /// Tokens of the result; null if it cannot be split into tokens.
    pub(crate) tokens_after: Option<usize>,
    /// Files of the input; null if it is a single file.
    pub(crate) files_before: Option<usize>,
    /// Files of the result; null if the input is a single file.
    pub(crate) files_after: Option<usize>,
    /// Tests: verdicts that the search received.
    pub(crate) questions: u64,
    /// Runs: executions of the command.
    pub(crate) runs: u64,
    /// Tests that were answered from the store.
    pub(crate) recalled: u64,
    /// Tests without a verdict.
    pub(crate) unresolved: u64,
    /// Runs that timed out.
    pub(crate) timeouts: u64,
    /// Seconds since the start of the search.
    pub(crate) seconds: f64,
    /// Seconds of processor time of boildown itself, without the commands it ran.
    pub(crate) driver_cpu_seconds: f64,
    /// How often the property held, on the input and on the result.
    pub(crate) trust: TrustJson,
    /// Candidates that failed in another way than the input.
    pub(crate) others: Vec<OtherFailureJson>,
    /// Whether a final pass verified that the result is 1-minimal, without any restriction.
    pub(crate) one_minimal: bool,
    /// What that pass verified; null if it verified nothing.
    pub(crate) claim: Option<ClaimJson>,
    /// The same in words.
    pub(crate) guarantee: Option<String>,
    /// Why the search stopped early; null if it finished.
    pub(crate) stopped: Option<StoppedJson>,
    /// An input of a few characters that has the property too, though it is no reduction; null if
    /// there is none. Bytes that are not printable ASCII are escaped as in `\r` and `\x00`.
    pub(crate) trivial: Option<String>,
    /// The step since which the failure has another form than on the input; null if it has not.
    pub(crate) changed_form: Option<ChangedFormJson>,
    /// A candidate that is smaller than the result, and was refused because it also has an error
    /// that the input does not have; null if there is none.
    pub(crate) refused: Option<RefusedJson>,
}

/// Repeated runs of a reduction.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TrustJson {
    /// Whether the property is flaky.
    flaky: bool,
    /// Runs on the input.
    input: RateJson,
    /// Runs on the result, after it was found; null if there were none.
    result: Option<RateJson>,
    /// Whether the runs are consistent with an undiminished rate.
    is_kept: bool,
    /// Candidates on which the property held in one run and not in another.
    contradictions: u64,
}

impl From<&Flakiness> for TrustJson {
    fn from(flakiness: &Flakiness) -> Self {
        Self {
            flaky: !flakiness.is_steady(),
            input: flakiness.input.into(),
            result: flakiness.result.map(RateJson::from),
            is_kept: flakiness.is_preserved(),
            contradictions: flakiness.contradictions,
        }
    }
}

/// How often a property held.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RateJson {
    /// Runs.
    runs: u32,
    /// Runs in which the property held.
    held: u32,
    /// Lower end of the confidence interval of the rate.
    low: f64,
    /// Upper end of the confidence interval of the rate.
    high: f64,
}

impl From<RunCounts> for RateJson {
    fn from(counts: RunCounts) -> Self {
        let interval = counts.interval();
        Self {
            runs: counts.runs,
            held: counts.hits,
            low: interval.low,
            high: interval.high,
        }
    }
}

/// A failure of candidates that differs from that of the input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OtherFailureJson {
    /// The failure; null if an earlier session found it.
    pub(crate) signature: Option<String>,
    /// Path of the smallest candidate with this failure.
    pub(crate) file: String,
    /// Bytes of that candidate.
    pub(crate) bytes: u64,
    /// Runs that failed in this way.
    pub(crate) runs: u64,
}

/// The last event of an isolation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct IsolationFinished {
    /// Path of the file that passes.
    pub(crate) passing: String,
    /// Path of the file that fails.
    pub(crate) failing: String,
    /// The regions in which the two files differ.
    pub(crate) difference: Vec<DifferenceJson>,
    /// Number of changes between the two files.
    pub(crate) changes: usize,
    /// The units of the changes: lines, tokens, or characters.
    pub(crate) units: String,
    /// Bytes that all changes between the two inputs delete and insert.
    pub(crate) bytes_before: usize,
    /// Bytes that the remaining changes delete and insert.
    pub(crate) bytes_after: usize,
    /// Tests: verdicts that the search received.
    pub(crate) questions: u64,
    /// Runs: executions of the command.
    pub(crate) runs: u64,
    /// Tests without a verdict.
    pub(crate) unresolved: u64,
    /// Runs that timed out.
    pub(crate) timeouts: u64,
    /// Seconds since the start of the search.
    pub(crate) seconds: f64,
    /// Seconds of processor time of boildown itself, without the commands it ran.
    pub(crate) driver_cpu_seconds: f64,
    /// Whether the search verified that the difference is 1-minimal, without any restriction.
    pub(crate) one_minimal: bool,
    /// What the search verified; null if it verified nothing.
    pub(crate) claim: Option<ClaimJson>,
    /// Why the search stopped early; null if it finished.
    pub(crate) stopped: Option<StoppedJson>,
}

/// A region in which two files differ.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DifferenceJson {
    /// Offset in bytes in the file that passes.
    pub(crate) passing_at: usize,
    /// Text of the file that passes.
    pub(crate) passing: String,
    /// Offset in bytes in the file that fails.
    pub(crate) failing_at: usize,
    /// Text of the file that fails.
    pub(crate) failing: String,
}

/// An event of a culprit search.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum CulpritEvent {
    /// A note or a warning.
    Note {
        /// The text, which may have several lines.
        text: String,
    },
    /// One of the two states was tested.
    Baseline {
        /// Which state.
        state: StateJson,
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
        spent: SpentJson,
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
        commits: Vec<CommitJson>,
        /// What it took so far.
        spent: SpentJson,
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
        spent: SpentJson,
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
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateJson {
    /// The good state, or the broken one with `--fix`.
    First,
    /// The bad state, or the fixed one with `--fix`.
    Second,
}

/// The result of a culprit search.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CulpritFinished {
    /// The first state, as the user named it.
    pub(crate) good: String,
    /// The second state, as the user named it.
    pub(crate) bad: String,
    /// The command.
    pub(crate) command: String,
    /// Path of the patch.
    pub(crate) output: String,
    /// The patch.
    pub(crate) patch: String,
    /// Name of the state to which the patch applies.
    pub(crate) base: String,
    /// Whether the base is the first state.
    pub(crate) base_is_good: bool,
    /// Number of units of each kind in the patch.
    pub(crate) counts: BTreeMap<String, usize>,
    /// Lines that the patch adds.
    pub(crate) lines_added: usize,
    /// Lines that the patch deletes.
    pub(crate) lines_deleted: usize,
    /// Commits from which the patch comes.
    pub(crate) commits: Vec<CommitJson>,
    /// Whether the patch undoes these commits.
    pub(crate) undone: bool,
    /// A test of the patch in a fresh copy of the base.
    pub(crate) confirmed: TrialJson,
    /// A test of the patch on the first state, if that is not the base.
    pub(crate) on_good: Option<TrialJson>,
    /// A test of the second state without the patch.
    pub(crate) repair: TrialJson,
    /// Name of the state that `repair` is about: the second state, or the newest one between the
    /// two that could be judged.
    pub(crate) repair_on: String,
    /// What that state was without: the causes, or the larger units that hold them.
    pub(crate) repair_without: String,
    /// Other changes that make the difference alone. They were looked for because the first bad
    /// state was as before without the patch.
    pub(crate) other_causes: Vec<OtherCauseJson>,
    /// A part of the patch that fails in another way than the second state.
    pub(crate) fails_otherwise: Option<PartialCauseJson>,
    /// The difference between the failure of the patch alone and that of the second state.
    pub(crate) unlike_bad: Option<OutputDifferenceJson>,
    /// Tests of the patch without each of its parts.
    pub(crate) parts: Vec<PartJson>,
    /// Whether the patch shows the failure of the second state; null if that cannot be compared.
    pub(crate) same_failure: Option<bool>,
    /// How often files that the command had changed were restored.
    pub(crate) files_restored: u64,
    /// What it took.
    pub(crate) spent: SpentJson,
    /// Whether the search finished, so that the patch is 1-minimal, without any restriction.
    pub(crate) one_minimal: bool,
    /// What the search verified; null if it verified nothing.
    pub(crate) claim: Option<ClaimJson>,
    /// Why the search stopped early; null if it finished.
    pub(crate) stopped: Option<StoppedJson>,
}

/// A commit.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CommitJson {
    /// The full hash.
    pub(crate) id: String,
    /// The date of the commit.
    pub(crate) date: String,
    /// The name of the author.
    pub(crate) author: String,
    /// The first line of the message.
    pub(crate) title: String,
}

/// Changes that make the difference beside the patch.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OtherCauseJson {
    /// The location of each hunk.
    pub(crate) places: Vec<String>,
    /// The changes as a patch, on the last good state between the two.
    pub(crate) patch: String,
}

/// Changes that fail as well, but in another way.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PartialCauseJson {
    /// The location of each hunk.
    pub(crate) places: Vec<String>,
    /// The difference in what they print.
    pub(crate) difference: OutputDifferenceJson,
}

/// A difference between the outputs of two failures.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OutputDifferenceJson {
    /// The line that is wanted.
    pub(crate) wanted: String,
    /// The line in its place, if there is one.
    pub(crate) printed: Option<String>,
}

/// What a culprit search took.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SpentJson {
    /// Tests: candidates whose files were put to the command.
    pub(crate) questions: u64,
    /// Runs: executions of the command.
    pub(crate) runs: u64,
    /// Tests that were answered from the store.
    pub(crate) recalled: u64,
    /// Tests without a verdict.
    pub(crate) unresolved: u64,
    /// Tests without a verdict, by reason.
    pub(crate) unresolved_by_reason: BTreeMap<String, u64>,
    /// Candidates that were rejected without a run. They are no tests.
    pub(crate) not_run: u64,
    /// The same, by reason.
    pub(crate) not_run_by_reason: BTreeMap<String, u64>,
    /// Seconds since the start of the search.
    pub(crate) seconds: f64,
}

/// A verdict, and why there is none.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TrialJson {
    /// The verdict.
    pub(crate) verdict: VerdictJson,
    /// Why it is unresolved.
    pub(crate) reason: Option<String>,
}

/// A part of a patch.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PartJson {
    /// The file and lines of the part.
    pub(crate) place: String,
    /// The verdict on the patch without this part.
    pub(crate) without: VerdictJson,
}

/// A verdict.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum VerdictJson {
    /// The property holds.
    Interesting,
    /// The property does not hold.
    Uninteresting,
    /// There is no verdict.
    Unresolved,
}

impl From<Verdict> for VerdictJson {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Interesting => Self::Interesting,
            Verdict::Uninteresting => Self::Uninteresting,
            Verdict::Unresolved => Self::Unresolved,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use schemars::JsonSchema;

    use super::*;

    /// A line that `boildown reduce --json` prints.
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum ReduceLine {
        Event(SessionEvent),
        Last(Box<LastEvent<ReductionFinished>>),
    }

    /// A line that `boildown isolate --json` prints.
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum IsolateLine {
        Event(SessionEvent),
        Last(LastEvent<IsolationFinished>),
    }

    /// A line of `--json`; each command has its own events.
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[schemars(title = "Events of boildown --json")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Line {
        Reduce(ReduceLine),
        Isolate(IsolateLine),
        Changes(CulpritEvent),
        Triage(crate::commands::triage::report::TriageLine),
        Failure(FailureEvent),
    }

    #[test]
    fn the_schema_in_the_documentation_is_up_to_date() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/events.schema.json");
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Line>();
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &schema).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            stored == schema,
            "the schema differs from the event types: run this test with UPDATE=1"
        );
    }
}
