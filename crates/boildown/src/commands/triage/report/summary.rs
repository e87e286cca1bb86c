//! The report of a triage as JSON: `--format json`, `triage.json`, and the last event of `--json`.

use boildown_session::triage::{ExampleState, GroupReport, InputReport, TriageOutcome};
use serde::Serialize;
use serde_json::Value;

use super::content::{InputCounts, Report, exit_kind, fingerprint, state_name};
use crate::report::format::EscapedPath as _;
use crate::report::json_events::SCHEMA;

/// The report of a triage.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TriageSummaryJson {
    /// The version of the schema of these events.
    schema: u32,
    /// The version of boildown.
    version: String,
    /// The folder of the inputs.
    folder: String,
    /// The layout of the folder: `afl`, `libFuzzer`, `honggfuzz` or `plain`.
    layout: String,
    /// The command that is run on an input.
    command: String,
    /// Numbers of inputs.
    counts: InputCountsJson,
    /// Groups before some of them were merged.
    groups_before_merging: usize,
    /// The groups, the most severe first.
    groups: Vec<TriageGroupJson>,
    /// The inputs, each content once.
    inputs: Vec<TriagedInputJson>,
    /// Files that could not be read.
    unreadable: Vec<UnreadableJson>,
    /// How the triage ended: `finished`, `time` or `interrupted`.
    ending: String,
    /// Tests of all reductions.
    questions: u64,
    /// The exit code of boildown.
    exit_code: u8,
}

/// Numbers of inputs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct InputCountsJson {
    /// Files with inputs.
    files: usize,
    /// Different contents. The following numbers count each content once.
    distinct: usize,
    /// Inputs that crash.
    crash: usize,
    /// Inputs that run past the time limit.
    hang: usize,
    /// Inputs that exceed a limit on memory or processes.
    limit: usize,
    /// Inputs that end with an ordinary error message.
    error: usize,
    /// Inputs that do not fail.
    passes: usize,
    /// Inputs that fail, and not in the same way in all runs.
    flaky: usize,
    /// Empty files, which are not run.
    empty: usize,
    /// Files that are no inputs by their names.
    left_out: usize,
}

/// Inputs that fail in the same way.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TriageGroupJson {
    /// The number of the group, from 1.
    number: usize,
    /// The class of the failure: `crash`, `hang`, `limit` or `error`.
    class: String,
    /// Its kind: `memory`, `internal`, `assertion`, `signal`, `panic`, `exception`, `hang`, `limit`
    /// or `error`.
    kind: String,
    /// The message, with placeholders for what differs from run to run, and the function.
    failure: String,
    /// The failures of groups that were merged into this one.
    also: Vec<String>,
    /// A name of the failure that stays the same from run to run.
    fingerprint: String,
    /// The indices in `inputs` of the inputs that fail in this way, the best example first.
    inputs: Vec<usize>,
    /// The position in the source of the program; null when it is not known.
    position: Option<PositionJson>,
    /// Options of `boildown reduce` that state the failure; null when there are none.
    options: Option<String>,
    /// The smallest input that fails in this way.
    example: ExampleJson,
}

/// A position in the source of the program.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PositionJson {
    /// The file, as the program printed it.
    file: String,
    /// The line, from 1.
    line: u32,
    /// The column, from 1; null when it was not printed.
    column: Option<u32>,
}

/// The example of a group.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExampleJson {
    /// The file.
    file: String,
    /// Its size.
    bytes: usize,
    /// The input that it was reduced from: its index in `inputs`.
    input: usize,
    /// `reduced`, `stopped` (before the end of the reduction) or `unreduced`.
    state: String,
    /// Why it was not reduced; null when it was.
    reason: Option<String>,
    /// Runs of the example at the end in which it failed as it should.
    hits: u32,
    /// Runs of the example at the end.
    runs: u32,
    /// A name of its canonical form, which is the same for examples that differ in names and
    /// literals only; null when it did not fail.
    form: Option<String>,
    /// Its language; null when none is known.
    language: Option<String>,
}

/// An input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TriagedInputJson {
    /// The files with this content.
    files: Vec<String>,
    /// Its size.
    bytes: usize,
    /// The class of its failure: `crash`, `hang`, `limit` or `error`; null when it does not fail.
    class: Option<String>,
    /// Its failure; null when it does not fail.
    failure: Option<String>,
    /// Runs that failed in this way.
    hits: u32,
    /// Runs.
    runs: u32,
    /// The number of its group; null when it is in none.
    group: Option<usize>,
    /// The number of its group before groups were merged.
    group_before_merging: Option<usize>,
}

/// A file that could not be read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UnreadableJson {
    /// The file.
    file: String,
    /// Why.
    reason: String,
}

/// Returns the report as one JSON value.
pub(in crate::commands::triage) fn json(report: &Report<'_>) -> Value {
    let summary = TriageSummaryJson::of(report);
    serde_json::to_value(summary).expect("the report holds strings, numbers and lists only")
}

impl TriageSummaryJson {
    pub(super) fn of(report: &Report<'_>) -> Self {
        let (inputs, found) = (report.inputs, report.found);
        let counts = InputCounts::of(found);
        let groups = report.groups().map(|(number, group, file)| {
            let file = file.escaped();
            TriageGroupJson::of(number, group, file)
        });
        let unreadable = inputs
            .unreadable
            .iter()
            .map(|(file, reason)| UnreadableJson {
                file: file.escaped(),
                reason: reason.clone(),
            });
        let ending = match found.outcome {
            TriageOutcome::Finished => "finished",
            TriageOutcome::TimeLimit => "time",
            TriageOutcome::Interrupted => "interrupted",
        };
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            folder: report.folder.escaped(),
            layout: inputs.layout.name().to_owned(),
            command: report.command.clone(),
            counts: InputCountsJson {
                files: inputs.files(),
                distinct: found.inputs.len(),
                crash: counts.crash,
                hang: counts.hang,
                limit: counts.limit,
                error: counts.error,
                passes: counts.passes,
                flaky: counts.flaky,
                empty: inputs.empty,
                left_out: inputs.left_out,
            },
            groups_before_merging: found.groups_before,
            groups: groups.collect(),
            inputs: found.inputs.iter().map(TriagedInputJson::of).collect(),
            unreadable: unreadable.collect(),
            ending: ending.to_owned(),
            questions: found.tests,
            exit_code: exit_kind(found) as u8,
        }
    }
}

impl TriageGroupJson {
    fn of(number: usize, group: &GroupReport, file: String) -> Self {
        let key = group.key();
        let position = group.position.as_ref();
        Self {
            number,
            class: key.class().name().to_owned(),
            kind: key.kind_name().to_owned(),
            failure: key.to_string(),
            also: group.keys[1..].iter().map(ToString::to_string).collect(),
            fingerprint: fingerprint(&key.to_string()),
            inputs: group.members.clone(),
            position: position.map(|position| PositionJson {
                file: position.file.clone(),
                line: position.line,
                column: position.column,
            }),
            options: group.flags.clone(),
            example: ExampleJson {
                file,
                bytes: group.example.len(),
                input: group.original,
                state: state_name(&group.state).to_owned(),
                reason: match &group.state {
                    ExampleState::Unreduced { why } => Some(why.clone()),
                    ExampleState::Finished | ExampleState::Stopped => None,
                },
                hits: group.verified.hits,
                runs: group.verified.runs,
                form: group.form.as_deref().map(fingerprint),
                language: group.language.map(ToOwned::to_owned),
            },
        }
    }
}

impl TriagedInputJson {
    fn of(input: &InputReport) -> Self {
        let assessment = &input.assessment;
        let key = assessment.key.as_ref();
        Self {
            files: input.files.iter().map(|file| file.escaped()).collect(),
            bytes: input.bytes,
            class: key.map(|key| key.class().name().to_owned()),
            failure: key.map(ToString::to_string),
            hits: assessment.hits,
            runs: assessment.runs,
            group: input.group.map(|group| group + 1),
            group_before_merging: input.first_group.map(|group| group + 1),
        }
    }
}
