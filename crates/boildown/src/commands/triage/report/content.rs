//! The content of the report of a triage, for all formats.

use std::ffi::OsString;
use std::path::Path;

use boildown_oracle::shell::quote;
use boildown_session::triage::{ExampleState, GroupReport, TriageOutcome, TriageReport};
use boildown_show::TriageCounts;
use boildown_triage::FailureClass;

use crate::commands::triage::args::TriageFormat;
use crate::commands::triage::inputs::FolderInputs;
use crate::commands::triage::results::ResultFolder;
use crate::error::ExitKind;

/// The end of a triage, to be written in some format.
pub(in crate::commands::triage) struct Report<'a> {
    pub(super) folder: &'a Path,
    pub(super) inputs: &'a FolderInputs,
    pub(super) found: &'a TriageReport,
    /// The file names of the examples, in the order of the groups.
    names: Vec<String>,
    pub(super) results: &'a ResultFolder,
    pub(super) command: &'a ShownCommand,
    pub(super) is_interrupted: bool,
    /// The format on standard output.
    pub(super) format: TriageFormat,
}

/// What the user is shown of a command, as lines for the shell.
pub(in crate::commands::triage) struct ShownCommand {
    /// The command that runs an input.
    pub(super) line: String,
    /// The same with `{}` for the file.
    run: String,
    /// `boildown reduce` with what stands before and after the file and its options; `None` when
    /// the test is a script that states the failure of no group.
    reduce: Option<[String; 2]>,
}

impl ShownCommand {
    pub(in crate::commands::triage) fn new(
        script: Option<&Path>,
        words: &[OsString],
        is_fed: bool,
    ) -> Self {
        let words: Vec<String> = match script {
            Some(script) => vec![quote(script)],
            None => words.iter().map(quote).collect(),
        };
        let line = words.join(" ");
        let [fed, option] = match is_fed {
            true => [" <{}", " --stdin"],
            false => ["", ""],
        };
        let after = format!("{option} -- {line}");
        Self {
            run: line.replace("'{}'", "{}") + fed,
            reduce: script
                .is_none()
                .then(|| ["boildown reduce ".to_owned(), after]),
            line,
        }
    }
}

impl<'a> Report<'a> {
    pub(in crate::commands::triage) fn new(
        folder: &'a Path,
        extension: &str,
        inputs: &'a FolderInputs,
        found: &'a TriageReport,
        results: &'a ResultFolder,
        (command, format): (&'a ShownCommand, TriageFormat),
    ) -> Self {
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
        Self {
            folder,
            inputs,
            found,
            names,
            results,
            command,
            is_interrupted: found.outcome == TriageOutcome::Interrupted,
            format,
        }
    }

    /// Returns the name and the content of each example.
    pub(in crate::commands::triage) fn examples(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let contents = self.found.groups.iter().map(|group| &*group.example);
        self.names.iter().map(String::as_str).zip(contents)
    }

    /// Returns the command that runs an example, as a line for the shell.
    pub(super) fn run_of(&self, example: &Path) -> String {
        let (example, run) = (quote(example), &self.command.run);
        match run.contains("{}") {
            true => run.replace("{}", &example),
            // A test gets it as its argument, as all tests do.
            false if self.command.reduce.is_none() => format!("{run} {example}"),
            false => run.clone(),
        }
    }

    /// Returns a command that reduces the input of a group from which its example was made.
    pub(super) fn reduction(&self, group: &GroupReport) -> Option<String> {
        let [before, after] = self.command.reduce.as_ref()?;
        let file = self.found.inputs[group.original].files.first()?;
        let file = quote(file.as_os_str());
        let flags = group.flags.as_ref()?;
        Some(format!("{before}{file} {flags}{after}"))
    }

    /// Returns the numbers of files, and of inputs, each of which counts once.
    pub(super) fn counts(&self) -> TriageCounts {
        let (inputs, found) = (self.inputs, self.found);
        let mut counts = TriageCounts {
            files: inputs.files(),
            distinct: found.inputs.len(),
            empty: inputs.empty,
            left_out: inputs.left_out,
            ..TriageCounts::default()
        };
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

    /// Returns the groups with the files of their examples.
    pub(super) fn groups(
        &self,
    ) -> impl Iterator<Item = (usize, &'a GroupReport, std::path::PathBuf)> {
        let groups = (1..).zip(&self.found.groups).zip(&self.names);
        groups.map(|((number, group), name)| (number, group, self.results.example(name)))
    }
}

/// Returns what people have to know of an example beside its failure.
pub(super) fn remarks(group: &GroupReport) -> Vec<String> {
    let mut remarks = Vec::new();
    match &group.state {
        ExampleState::Finished => {}
        ExampleState::Stopped => remarks.push("not finished".to_owned()),
        ExampleState::Unreduced { why } => remarks.push(format!("not reduced: {why}")),
    }
    if group.verified.is_mixed() {
        remarks.push(format!(
            "fails in {} of {} runs",
            group.verified.hits, group.verified.runs
        ));
    } else if !group.is_verified() {
        remarks.push("did not fail again".to_owned());
    }
    remarks
}

/// Returns how the command ends.
pub(in crate::commands::triage) fn exit_kind(found: &TriageReport) -> ExitKind {
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
pub(super) fn state_name(state: &ExampleState) -> &'static str {
    match state {
        ExampleState::Finished => "reduced",
        ExampleState::Stopped => "stopped",
        ExampleState::Unreduced { .. } => "unreduced",
    }
}

/// Returns a stable name of a text, for tools that compare reports.
pub(super) fn fingerprint(text: &str) -> String {
    let bits = boildown_store::fingerprint_of(text.as_bytes()).bits();
    format!("{bits:032x}")
}
