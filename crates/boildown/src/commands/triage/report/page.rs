//! The report as a page for a browser.

use boildown_oracle::SourcePosition;
use boildown_session::triage::{GroupReport, InputReport, TriageOutcome};
use boildown_show::{
    TriageRecord, TriagedExampleRecord, TriagedGroupRecord, TriagedInputRecord, triage_page,
};

use super::content::{InputCounts, Report};
use crate::report::format::EscapedPath as _;

/// Returns the page.
pub(in crate::commands::triage) fn page(report: &Report<'_>) -> String {
    let found = report.found;
    let others = found.inputs.iter().filter(|input| input.group.is_none());
    let ending = match found.outcome {
        TriageOutcome::Finished => "Every reduction ran to its end.",
        TriageOutcome::TimeLimit => "The time limit was reached; the same command resumes.",
        TriageOutcome::Interrupted => "The triage was interrupted; the same command resumes.",
    };
    triage_page(&TriageRecord {
        folder: report.folder.escaped(),
        command: report.command.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ending: ending.to_owned(),
        files: report.inputs.files() as u64,
        distinct: found.inputs.len() as u64,
        counts: InputCounts::of(found).named().to_vec(),
        groups_before: found.groups_before as u64,
        tests: found.tests,
        groups: (report.groups())
            .map(|(_, group, file)| group_record(report, group, &file.escaped()))
            .collect(),
        others: others.map(input_record).collect(),
    })
}

fn group_record(report: &Report<'_>, group: &GroupReport, file: &str) -> TriagedGroupRecord {
    let key = group.key();
    let inputs = &report.found.inputs;
    TriagedGroupRecord {
        failure: key.to_string(),
        class: key.class().name().to_owned(),
        also: group.keys[1..].iter().map(ToString::to_string).collect(),
        position: group.position.as_ref().map(position),
        inputs: (group.members.iter())
            .map(|&member| input_record(&inputs[member]))
            .collect(),
        example: TriagedExampleRecord {
            file: file.to_owned(),
            text: group.example.to_vec(),
            bytes_before: inputs[group.original].bytes as u64,
            remarks: super::content::remarks(group),
            output: group.output.clone(),
        },
        reduce: report.reduction(group),
    }
}

fn position(position: &SourcePosition) -> String {
    let column = position
        .column
        .map_or_else(String::new, |column| format!(":{column}"));
    format!("{}:{}{column}", position.file, position.line)
}

fn input_record(input: &InputReport) -> TriagedInputRecord {
    let assessment = &input.assessment;
    let what = match &assessment.key {
        None => "does not fail".to_owned(),
        Some(key) if assessment.is_flaky() => {
            let (hits, runs) = (assessment.hits, assessment.runs);
            format!("{key}, in {hits} of {runs} runs")
        }
        Some(key) => key.to_string(),
    };
    TriagedInputRecord {
        files: input.files.iter().map(|file| file.escaped()).collect(),
        bytes: input.bytes as u64,
        what,
    }
}
