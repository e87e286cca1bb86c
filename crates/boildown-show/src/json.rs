//! The report as JSON, from whose types `docs/reference/report.schema.json` is generated.
//!
//! Names of fields and their values are an interface: they may be added to, but not renamed.

use serde::Serialize;

use crate::escape;
use crate::model::{
    FormChange, PassFigures, ReductionRecord, RemainingReason, RemainingRecord, RemainingUnit,
    SessionRecord, StepRecord, ToolRecord, VerdictRecord,
};
use crate::record::{
    AssumptionsRecord, ChoiceRecord, ClaimRecord, OtherFailureRecord, RepeatabilityRecord, SCHEMA,
};

/// A report about a reduction.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "Report of boildown report --format json"))]
struct ReportJson<'a> {
    /// The version of the schema.
    schema: u32,
    /// The base name of the input.
    input: &'a str,
    /// The base name of the result.
    result: &'a str,
    /// The language of the input; null when none is known.
    language: Option<&'a str>,
    /// The property in words, a line for each expectation.
    property: &'a str,
    /// The property as options.
    flags: &'a str,
    /// The command that was run on candidates; null when it is not recorded.
    command: Option<&'a str>,
    /// The command line of boildown; null when it is not recorded.
    command_line: Option<&'a str>,
    /// Whether a final pass verified that the result is 1-minimal, without any restriction; null
    /// when that is not recorded.
    one_minimal: Option<bool>,
    /// What that pass verified; null when it verified nothing, or it is not recorded.
    claim: Option<&'a ClaimRecord>,
    /// The same in words.
    guarantee: Option<&'a str>,
    /// The text of the result; null when it is not stored, or not UTF-8.
    text: Option<&'a str>,
    /// The bytes of the result in hexadecimal digits, when they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_hex: Option<String>,
    /// The sessions that worked on the run, in order.
    sessions: &'a [SessionRecord],
    /// The results on the way, the input first.
    steps: &'a [StepRecord],
    /// The passes, those of one name together.
    passes: Vec<PassFigures>,
    /// The verdicts, by outcome.
    verdicts: &'a [VerdictRecord],
    /// What is left of the input, and why; null when that cannot be listed.
    remaining: Option<RemainingJson>,
    /// How often the property held; null when that is not recorded.
    repeatability: Option<&'a RepeatabilityRecord>,
    /// How monotone and unambiguous the property was; null when that is not recorded.
    assumptions: Option<AssumptionsRecord>,
    /// The step since which the failure has another form than on the input; null if it has not.
    changed_form: Option<&'a FormChange>,
    /// Candidates that failed in another way than the input.
    other_failures: &'a [OtherFailureRecord],
    /// The programs and files that the command consists of or mentions.
    tools: &'a [ToolRecord],
    /// What boildown chose for the user.
    choices: &'a [ChoiceRecord],
}

/// What is left of the input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RemainingJson {
    /// What the units are: `token` or `byte`.
    unit: &'static str,
    /// The units, in order.
    units: Vec<UnitJson>,
    /// The number of units that are left out because there are too many.
    left_out: usize,
}

/// A unit of the result.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UnitJson {
    /// The offset of its first byte in the result.
    start: usize,
    /// The offset after its last byte.
    end: usize,
    /// Why it is left: `tested`, `does not parse` or `not tested`.
    reason: &'static str,
    /// How the run of the nearest candidate without it ended; null when none was tested.
    outcome: Option<String>,
    /// The offsets of the bytes that the candidate lacks; null when none was tested.
    removed: Option<[usize; 2]>,
    /// The last lines that it printed, made visible; null when they are not stored.
    output: Option<String>,
}

/// Returns the report as JSON.
///
/// # Panics
/// Never: the types hold texts and numbers only.
pub fn json(record: &ReductionRecord) -> String {
    let report = report(record);
    let json = serde_json::to_string_pretty(&report).expect("reports hold texts and numbers only");
    escape::visible_json(&json) + "\n"
}

fn report(record: &ReductionRecord) -> ReportJson<'_> {
    let text = record.last().text.as_deref();
    let utf8 = text.and_then(|text| std::str::from_utf8(text).ok());
    ReportJson {
        schema: SCHEMA,
        input: &record.input,
        result: &record.result,
        language: record.language.as_deref(),
        property: &record.property,
        flags: &record.flags,
        command: record.command.as_deref(),
        command_line: record.command_line.as_deref(),
        one_minimal: record.one_minimal,
        claim: record.claim.as_ref(),
        guarantee: record.guarantee.as_deref(),
        text: utf8,
        text_hex: text.filter(|_| utf8.is_none()).map(hex),
        sessions: &record.sessions,
        steps: &record.steps,
        passes: record.pass_figures(),
        verdicts: &record.verdicts,
        remaining: record.remaining.as_ref().map(remaining),
        repeatability: record.repeatability.as_ref(),
        assumptions: record.assumptions,
        changed_form: record.form_change.as_ref(),
        other_failures: &record.other_failures,
        tools: &record.tools,
        choices: &record.choices,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn remaining(remaining: &RemainingRecord) -> RemainingJson {
    RemainingJson {
        unit: remaining.unit,
        units: remaining.units.iter().map(unit).collect(),
        left_out: remaining.left_out,
    }
}

fn unit(unit: &RemainingUnit) -> UnitJson {
    let tested = match &unit.reason {
        RemainingReason::Tested(tested) => Some(tested),
        RemainingReason::DoesNotParse | RemainingReason::NotTested => None,
    };
    UnitJson {
        start: unit.bytes.start,
        end: unit.bytes.end,
        reason: match &unit.reason {
            RemainingReason::Tested(_) => "tested",
            RemainingReason::DoesNotParse => "does not parse",
            RemainingReason::NotTested => "not tested",
        },
        outcome: tested.map(|tested| tested.outcome.clone()),
        removed: tested.map(|tested| [tested.removed.start, tested.removed.end]),
        output: tested.and_then(|tested| tested.output.as_deref().map(escape::visible)),
    }
}

#[cfg(test)]
mod tests {
    use super::ReportJson;

    #[test]
    fn the_schema_in_the_documentation_is_up_to_date() {
        crate::record::tests::check_schema::<ReportJson<'static>>("report.schema.json");
    }
}
