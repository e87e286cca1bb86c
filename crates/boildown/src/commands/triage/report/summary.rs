//! The report of a triage as JSON: `--format json`, `triage.json`, and the last event of `--json`.

use boildown_session::triage::{ExampleState, GroupReport, InputReport, TriageOutcome};
use boildown_show::{
    SCHEMA, TriageExample, TriageGroup, TriagePosition, TriageSummary, TriagedInput,
    UnreadableFile, version,
};

use super::content::{Report, exit_kind, fingerprint, state_name};
use crate::report::format::EscapedPath as _;

/// Returns the record of the report.
pub(in crate::commands::triage) fn summary(report: &Report<'_>) -> TriageSummary {
    let (inputs, found) = (report.inputs, report.found);
    let groups = report.groups().map(|(number, group, file)| {
        let file = file.escaped();
        group_of(number, group, file)
    });
    let unreadable = inputs
        .unreadable
        .iter()
        .map(|(file, reason)| UnreadableFile {
            file: file.escaped(),
            reason: reason.clone(),
        });
    let ending = match found.outcome {
        TriageOutcome::Finished => "finished",
        TriageOutcome::TimeLimit => "time",
        TriageOutcome::Interrupted => "interrupted",
    };
    TriageSummary {
        schema: SCHEMA,
        version: version(),
        folder: report.folder.escaped(),
        layout: inputs.layout.name().to_owned(),
        command: report.command.line.clone(),
        counts: report.counts(),
        groups_before_merging: found.groups_before,
        groups: groups.collect(),
        inputs: found.inputs.iter().map(input_of).collect(),
        unreadable: unreadable.collect(),
        ending: ending.to_owned(),
        tests: found.tests,
        exit_code: exit_kind(found) as u8,
    }
}

fn group_of(number: usize, group: &GroupReport, file: String) -> TriageGroup {
    let key = group.key();
    let position = group.position.as_ref();
    TriageGroup {
        number,
        class: key.class().name().to_owned(),
        kind: key.kind_name().to_owned(),
        failure: key.to_string(),
        also: group.keys[1..].iter().map(ToString::to_string).collect(),
        fingerprint: fingerprint(&key.to_string()),
        inputs: group.members.clone(),
        position: position.map(|position| TriagePosition {
            file: position.file.clone(),
            line: position.line,
            column: position.column,
        }),
        options: group.flags.clone(),
        example: TriageExample {
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

fn input_of(input: &InputReport) -> TriagedInput {
    let assessment = &input.assessment;
    let key = assessment.key.as_ref();
    TriagedInput {
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
