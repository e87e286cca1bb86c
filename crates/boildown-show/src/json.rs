//! The report as JSON, from whose types `docs/reference/report.schema.json` is generated.
//!
//! Names of fields and their values are an interface: they may be added to, but not renamed.

use serde::Serialize;

use crate::escape;
use crate::model::{
    ReductionRecord, RemainingReason, RemainingRecord, RemainingUnit, RepeatabilityRecord,
};

/// The version of the schema. It is raised when a field changes its meaning or disappears; new
/// fields do not raise it.
const SCHEMA: u32 = 1;

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
    claim: Option<ReportClaimJson<'a>>,
    /// The same in words.
    guarantee: Option<&'a str>,
    /// The text of the result; null when it is not stored, or not UTF-8.
    text: Option<&'a str>,
    /// The bytes of the result in hexadecimal digits, when they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_hex: Option<String>,
    /// The sessions that worked on the run, in order.
    sessions: Vec<SessionJson<'a>>,
    /// The results on the way, the input first.
    steps: Vec<StepJson>,
    /// The passes, those of one name together.
    passes: Vec<PassJson>,
    /// The verdicts, by outcome.
    verdicts: Vec<VerdictsJson<'a>>,
    /// What is left of the input, and why; null when that cannot be listed.
    remaining: Option<RemainingJson>,
    /// How often the property held; null when that is not recorded.
    repeatability: Option<RepeatabilityJson>,
    /// Candidates that failed in another way than the input.
    others: Vec<OtherJson<'a>>,
    /// The programs and files that the command consists of or mentions.
    tools: Vec<ToolJson<'a>>,
    /// What boildown chose for the user.
    choices: Vec<ChosenJson<'a>>,
}

/// What a search verified of its result.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReportClaimJson<'a> {
    /// The units of which none can be removed alone.
    units: &'a str,
    /// What limits the claim; null if it holds for every unit, in every run.
    restriction: Option<&'a str>,
}

/// A session.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SessionJson<'a> {
    /// The version of boildown.
    version: &'a str,
    /// When it began, in seconds since 1970.
    started: u64,
    /// Why it ended, such as `finished`; null if it is still running, or was killed.
    ending: Option<&'a str>,
    /// Its duration; null if it did not end.
    seconds: Option<f64>,
    /// Tests: verdicts that the search received.
    tests: u64,
    /// Runs: executions of the command.
    runs: u64,
    /// Tests that were answered from the store.
    recalled: u64,
    /// Seconds that the recorded runs took, added up.
    run_seconds: f64,
    /// Tests that ran at once, at most; null when that is not recorded.
    jobs: Option<u64>,
    /// Seconds of processor time of boildown itself; null when that is not recorded.
    driver_cpu_seconds: Option<f64>,
}

/// A result on the way.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepJson {
    /// Tests before it was found.
    test: u64,
    /// Its size.
    bytes: u64,
    /// Its tokens; null if they were not counted.
    tokens: Option<u64>,
    /// Seconds since the first session began, without the time between sessions.
    seconds: f64,
    /// Whether its text is stored, so that `boildown history` prints it.
    stored: bool,
}

/// The passes of one name.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PassJson {
    /// The name.
    name: String,
    /// How often they ran.
    times: u64,
    /// Tests.
    tests: u64,
    /// Tests that made the result smaller.
    hits: u64,
    /// Tokens that they removed, as far as they were counted.
    tokens: i64,
    /// Bytes that they removed.
    bytes: i64,
}

/// Verdicts with the same outcome.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VerdictsJson<'a> {
    /// The verdict: `interesting`, `uninteresting` or `unresolved`.
    verdict: &'a str,
    /// How the runs ended, such as `exited with 1`.
    outcome: &'a str,
    /// Their number.
    count: u64,
    /// Seconds that they took, added up.
    seconds: f64,
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

/// How often the property held.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RepeatabilityJson {
    /// Runs on the input.
    input: RateJson,
    /// Runs on the result; null if there were none.
    result: Option<RateJson>,
    /// Candidates on which the property held in one run and not in another.
    contradictions: u64,
}

/// How often the property held on one text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RateJson {
    /// Runs.
    runs: u64,
    /// Runs in which it held.
    held: u64,
    /// Lower end of the confidence interval of the rate.
    low: f64,
    /// Upper end of the confidence interval of the rate.
    high: f64,
}

/// A failure of candidates that differs from that of the input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OtherJson<'a> {
    /// The failure; null if an earlier session found it.
    signature: Option<&'a str>,
    /// Path of the smallest candidate.
    file: &'a str,
    /// Bytes of that candidate.
    bytes: u64,
    /// Runs that failed in this way.
    runs: u64,
}

/// A program or file that the command consists of or mentions.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ToolJson<'a> {
    /// Its path.
    path: &'a str,
    /// What the store identifies it by: a hash, or size and time.
    recorded: &'a str,
    /// The first line that it prints about its version; null when it was not asked.
    version: Option<&'a str>,
    /// The BLAKE3 hash of its content; null when it is not what it was when the run began.
    hash: Option<&'a str>,
    /// Whether it is another one now; null when that is not known.
    changed: Option<bool>,
}

/// A choice that boildown made.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChosenJson<'a> {
    /// The subject.
    about: &'a str,
    /// What was chosen.
    chosen: &'a str,
    /// Why.
    because: &'a str,
    /// The option that changes it.
    option: &'a str,
}

/// Returns the report as JSON.
///
/// # Panics
/// Never: the types hold texts and numbers only.
#[must_use]
pub fn json(record: &ReductionRecord) -> String {
    let report = report(record);
    serde_json::to_string_pretty(&report).expect("reports hold texts and numbers only") + "\n"
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
        claim: record.claim.as_ref().map(|claim| ReportClaimJson {
            units: &claim.units,
            restriction: claim.restriction.as_deref(),
        }),
        guarantee: record.guarantee.as_deref(),
        text: utf8,
        text_hex: text.filter(|_| utf8.is_none()).map(hex),
        sessions: sessions(record),
        steps: steps(record),
        passes: passes(record),
        verdicts: verdicts(record),
        remaining: record.remaining.as_ref().map(remaining),
        repeatability: record.repeatability.as_ref().map(repeatability),
        others: others(record),
        tools: tools(record),
        choices: choices(record),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sessions(record: &ReductionRecord) -> Vec<SessionJson<'_>> {
    let sessions = record.sessions.iter().map(|session| SessionJson {
        version: &session.version,
        started: session.started,
        ending: session.ending.as_deref(),
        seconds: session.seconds,
        tests: session.tests,
        runs: session.runs,
        recalled: session.recalled,
        run_seconds: session.run_seconds,
        jobs: session.jobs,
        driver_cpu_seconds: session.own_seconds,
    });
    sessions.collect()
}

fn steps(record: &ReductionRecord) -> Vec<StepJson> {
    let steps = record.steps.iter().map(|step| StepJson {
        test: step.test,
        bytes: step.bytes,
        tokens: step.tokens,
        seconds: step.seconds,
        stored: step.text.is_some(),
    });
    steps.collect()
}

fn passes(record: &ReductionRecord) -> Vec<PassJson> {
    let passes = record.pass_figures().into_iter().map(|pass| PassJson {
        name: pass.name,
        times: pass.times,
        tests: pass.tests,
        hits: pass.hits,
        tokens: pass.tokens,
        bytes: pass.bytes,
    });
    passes.collect()
}

fn verdicts(record: &ReductionRecord) -> Vec<VerdictsJson<'_>> {
    let verdicts = record.verdicts.iter().map(|verdicts| VerdictsJson {
        verdict: verdicts.verdict,
        outcome: &verdicts.outcome,
        count: verdicts.count,
        seconds: verdicts.seconds,
    });
    verdicts.collect()
}

fn others(record: &ReductionRecord) -> Vec<OtherJson<'_>> {
    let others = record.other_failures.iter().map(|other| OtherJson {
        signature: other.signature.as_deref(),
        file: &other.file,
        bytes: other.bytes,
        runs: other.runs,
    });
    others.collect()
}

fn tools(record: &ReductionRecord) -> Vec<ToolJson<'_>> {
    let tools = record.tools.iter().map(|tool| ToolJson {
        path: &tool.path,
        recorded: &tool.recorded,
        version: tool.version.as_deref(),
        hash: tool.hash.as_deref(),
        changed: tool.has_changed,
    });
    tools.collect()
}

fn choices(record: &ReductionRecord) -> Vec<ChosenJson<'_>> {
    let choices = record.choices.iter().map(|choice| ChosenJson {
        about: &choice.about,
        chosen: &choice.chosen,
        because: &choice.because,
        option: &choice.option,
    });
    choices.collect()
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

fn repeatability(record: &RepeatabilityRecord) -> RepeatabilityJson {
    let rate = |rate: &crate::RateRecord| RateJson {
        runs: rate.runs,
        held: rate.held,
        low: rate.low,
        high: rate.high,
    };
    RepeatabilityJson {
        input: rate(&record.input),
        result: record.result.as_ref().map(rate),
        contradictions: record.contradictions,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the schema is a file")]
    fn the_schema_in_the_documentation_is_up_to_date() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/report.schema.json");
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let schema = settings
            .into_generator()
            .into_root_schema_for::<ReportJson<'static>>();
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &schema).unwrap();
        }
        let stored = std::fs::read(&path).unwrap_or_default();
        assert!(
            stored == schema.as_bytes(),
            "the schema differs from the types: run this test with UPDATE=1"
        );
    }
}
