//! The report of a triage: as a table, as JSON, as SARIF and as annotations.

mod events;
mod github;
mod reporter;
mod sarif;
mod summary;
mod table;

use std::path::Path;

use boildown_session::triage::{ExampleState, GroupReport, TriageOutcome, TriageReport};
use boildown_triage::FailureClass;
use serde_json::Value;

use self::summary::TriageSummaryJson;
use super::args::TriageArgs;
use super::inputs::{FolderInputs, candidate_name, dotted_extension};
use super::results::ResultFolder;
use crate::error::ExitKind;

#[cfg(test)]
pub(crate) use self::events::TriageLine;
pub(super) use self::reporter::{TriageReporter, reporter};

/// The end of a triage, to be written in some format.
pub(super) struct Report<'a> {
    folder: &'a Path,
    inputs: &'a FolderInputs,
    found: &'a TriageReport,
    /// The file names of the examples, in the order of the groups.
    names: Vec<String>,
    results: &'a ResultFolder,
    /// The command that runs an input, as a line for the shell.
    command: String,
    is_interrupted: bool,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        args: &'a TriageArgs,
        inputs: &'a FolderInputs,
        found: &'a TriageReport,
        results: &'a ResultFolder,
    ) -> Self {
        let name = candidate_name(args.name.as_deref(), inputs.extension.as_deref());
        let extension = name.map_or_else(|_| String::new(), |name| dotted_extension(&name));
        let mut names: Vec<String> = Vec::with_capacity(found.groups.len());
        for group in &found.groups {
            let stem = group.key().file_name();
            let numbered = (2..).map(|number| format!("{stem}-{number}"));
            let name = std::iter::once(stem.clone())
                .chain(numbered)
                .map(|stem| format!("{stem}{extension}"))
                .find(|name| !names.contains(name));
            names.push(name.expect("there are more names than groups"));
        }
        let words = match &args.test {
            Some(test) => vec![test.as_os_str()],
            None => args.command.iter().map(|word| word.as_os_str()).collect(),
        };
        let words: Vec<String> = words
            .into_iter()
            .map(boildown_oracle::shell::quote)
            .collect();
        Self {
            folder: &args.folder,
            inputs,
            found,
            names,
            results,
            command: words.join(" "),
            is_interrupted: found.outcome == TriageOutcome::Interrupted,
        }
    }

    /// Returns the name and the content of each example.
    pub(super) fn examples(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let contents = self.found.groups.iter().map(|group| &*group.example);
        self.names.iter().map(String::as_str).zip(contents)
    }

    /// Returns the groups with the files of their examples.
    fn groups(&self) -> impl Iterator<Item = (usize, &'a GroupReport, std::path::PathBuf)> {
        let groups = (1..).zip(&self.found.groups).zip(&self.names);
        groups.map(|((number, group), name)| (number, group, self.results.example(name)))
    }

    /// Returns the report as one JSON value.
    pub(super) fn json(&self) -> Value {
        let summary = TriageSummaryJson::of(self);
        serde_json::to_value(summary).expect("the report holds strings, numbers and lists only")
    }
}

/// Numbers of inputs, each of which counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct InputCounts {
    crash: usize,
    hang: usize,
    limit: usize,
    /// Those that end with an error message.
    error: usize,
    passes: usize,
    /// Those among all others that do not end in the same way in all runs.
    flaky: usize,
}

impl InputCounts {
    fn of(found: &TriageReport) -> Self {
        let mut counts = Self::default();
        for input in &found.inputs {
            let key = input.assessment.key.as_ref();
            let count = match key.map(boildown_triage::FailureKey::class) {
                Some(FailureClass::Crash) => &mut counts.crash,
                Some(FailureClass::Hang) => &mut counts.hang,
                Some(FailureClass::LimitExceeded) => &mut counts.limit,
                Some(FailureClass::Error) => &mut counts.error,
                None => &mut counts.passes,
            };
            *count += 1;
            counts.flaky += usize::from(input.assessment.is_flaky());
        }
        counts
    }
}

/// Returns how the command ends.
pub(super) fn exit_kind(found: &TriageReport) -> ExitKind {
    if found.groups.is_empty() {
        return ExitKind::NotInteresting;
    }
    match found.outcome {
        _ if !found.groups.iter().all(GroupReport::is_verified) => ExitKind::Flaky,
        TriageOutcome::Finished => ExitKind::Reduced,
        TriageOutcome::TimeLimit | TriageOutcome::Interrupted => ExitKind::Stopped,
    }
}

/// Returns the state of an example as a word for tools.
fn state_name(state: &ExampleState) -> &'static str {
    match state {
        ExampleState::Finished => "reduced",
        ExampleState::Stopped => "stopped",
        ExampleState::Unreduced { .. } => "unreduced",
    }
}

/// Returns a stable name of a text, for tools that compare reports.
fn fingerprint(text: &str) -> String {
    let bits = boildown_store::fingerprint_of(text.as_bytes()).bits();
    format!("{bits:032x}")
}
