//! The text of a bug report.

use std::fmt::Write as _;

use crate::format::{percent, real, with_commas};
use crate::markdown::{code, fenced, inline};
use crate::model::ReductionRecord;

/// What the text of a bug report says beyond the record.
#[derive(Debug, Clone, Default)]
pub struct BugText {
    /// How a run on the result ended.
    pub outcome: String,
    /// What that run printed.
    pub output: Vec<u8>,
    /// The names of variables of the environment that the command mentions.
    pub variables: Vec<String>,
    /// The names of further files in the folder.
    pub enclosed: Vec<String>,
}

/// Returns the text to paste into an issue tracker.
#[must_use]
pub fn readme(record: &ReductionRecord, bug: &BugText) -> String {
    let command = record.command.as_deref().unwrap_or("the command");
    let mut text = format!(
        "# {} {}\n\n## What happens\n\n{} {}:\n\n",
        inline(program(command)),
        inline(&bug.outcome),
        code(command),
        inline(&bug.outcome)
    );
    text += &fenced(&bug.output, None);
    text += "\n## The test case\n\n";
    let result = record.last().text.as_deref().unwrap_or_default();
    writeln!(text, "{}:\n", code(&record.input)).ok();
    text += &fenced(result, record.language.as_deref());
    if std::str::from_utf8(result).is_err() || result.contains(&0) {
        text +=
            "\nBytes that cannot be shown are written as `\\x00`; the file itself is enclosed.\n";
    }
    text += "\n## To reproduce\n\n`sh reproduce.sh` runs the command on the test case. `sh interesting.sh FILE` exits with 0 \
             when a file shows this failure, for bisections and other reducers:\n\n";
    for line in record.property.lines() {
        writeln!(text, "- {}", code(line)).ok();
    }
    if !bug.enclosed.is_empty() {
        let names: Vec<String> = bug.enclosed.iter().map(|name| code(name)).collect();
        writeln!(
            text,
            "\nFurther files of the command: {}.",
            names.join(", ")
        )
        .ok();
    }
    if !bug.variables.is_empty() {
        let names: Vec<String> = bug.variables.iter().map(|name| code(name)).collect();
        writeln!(text, "\nThe command mentions these variables of the environment; their values are left out: {}.", names.join(", ")).ok();
    }
    text += &versions(record);
    text += &reduction(record);
    text
}

fn program(command: &str) -> &str {
    let program = command.split(' ').next().unwrap_or(command);
    program.rsplit('/').next().unwrap_or(program)
}

fn versions(record: &ReductionRecord) -> String {
    let mut text = String::new();
    for tool in &record.tools {
        if let Some(version) = &tool.version {
            let name = tool.path.rsplit('/').next().unwrap_or(&tool.path);
            writeln!(text, "- {}: {}", code(name), inline(version)).ok();
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("\n## Versions\n\n{text}"),
    }
}

fn reduction(record: &ReductionRecord) -> String {
    let (first, last) = (record.first(), record.last());
    let version = record
        .sessions
        .last()
        .map_or("", |session| session.version.as_str());
    let removed = percent(real(first.bytes) - real(last.bytes), real(first.bytes));
    let mut text = format!(
        "\n## How it was reduced\n\nBy boildown {}, from {} to {} bytes ({removed} removed) in {} tests.",
        inline(version),
        with_commas(first.bytes),
        with_commas(last.bytes),
        with_commas(record.tests())
    );
    if record.one_minimal == Some(true) {
        text += " Removing any single remaining token or byte makes the failure disappear.";
    }
    if let Some(repeatability) = &record.repeatability {
        let rate = repeatability
            .result
            .as_ref()
            .unwrap_or(&repeatability.input);
        write!(
            text,
            " The failure showed in {} of {} runs.",
            rate.held, rate.runs
        )
        .ok();
    }
    text + "\n"
}
