//! The text of a bug report.

use std::fmt::Write as _;

use crate::format::{grouped, percent, real};
use crate::markdown::{code, fenced, form_change, inline};
use crate::model::ReductionRecord;

/// What the text of a bug report says beyond the record.
#[derive(Debug, Clone, Default)]
pub struct BugText {
    /// The line of its output that names the failure.
    pub line: Option<String>,
    /// How a run on the result ended.
    pub outcome: String,
    /// Whether that run was made for this report. If not, its outcome and output are those that the
    /// reduction recorded.
    pub is_verified: bool,
    /// What that run printed.
    pub output: Vec<u8>,
    /// The names of variables of the environment that the command mentions.
    pub variables: Vec<String>,
    /// The names of further files in the folder.
    pub enclosed: Vec<String>,
    /// The name of the test case, and its text, if it differs from the result.
    pub case: Option<(String, Vec<u8>)>,
    /// The files of the test case, if it is a folder.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Bytes of the files of a folder that the text shows.
const MAX_SHOWN: usize = 16 << 10;

/// The longest title, in characters.
const MAX_TITLE: usize = 120;

/// Returns the text to paste into an issue tracker.
pub fn readme(record: &ReductionRecord, bug: &BugText) -> String {
    let command = record.command.as_deref().unwrap_or("the command");
    let was = if bug.outcome.starts_with("killed") {
        "was "
    } else {
        ""
    };
    let changed_to = record.form_change.as_ref().map(|change| &change.form.after);
    let title = match bug.line.as_ref().or(changed_to) {
        Some(line) => line.chars().take(MAX_TITLE).collect(),
        None => format!("{} {}", program(command), bug.outcome),
    };
    let mut text = format!(
        "# {}\n\n{}## What happens\n\n{} {was}{}:\n\n",
        inline(&title),
        form_change(record),
        code(command),
        inline(&bug.outcome)
    );
    text += &fenced(&bug.output, None);
    if !bug.is_verified {
        text += "\nNot verified: nothing was run for this report. This is what the reduction recorded.\n";
    }
    text += "\n## The test case\n\n";
    text += &test_case(record, bug);
    let (upper, noun) = match bug.files.is_empty() {
        true => ("FILE", "file"),
        false => ("FOLDER", "folder"),
    };
    writeln!(
        text,
        "\n## To reproduce\n\n`sh reproduce.sh` runs the command on the test case. `sh interesting.sh {upper}` exits with 0 \
         when a {noun} shows this failure, for bisections and other reducers:\n"
    )
    .ok();
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

fn test_case(record: &ReductionRecord, bug: &BugText) -> String {
    if bug.files.is_empty() {
        let result = record.last().text.as_deref().unwrap_or_default();
        let (name, result) = match &bug.case {
            Some((name, text)) => (name.as_str(), text.as_slice()),
            None => (record.input.as_str(), result),
        };
        let mut text = one_file(name, result, record.language.as_deref());
        if bug.case.is_some() && !bug.enclosed.is_empty() {
            text += "\n`$here` is the folder of this report.\n";
        }
        return text;
    }
    let (mut text, mut shown) = (String::new(), 0);
    for (name, content) in &bug.files {
        shown += content.len();
        if shown > MAX_SHOWN {
            let size = grouped(content.len() as u64);
            writeln!(text, "{}, {size} bytes, is enclosed.\n", code(name)).ok();
        } else {
            text += &one_file(name, content, None);
            text += "\n";
        }
    }
    text
}

fn one_file(name: &str, content: &[u8], language: Option<&str>) -> String {
    let mut text = format!("{}:\n\n{}", code(name), fenced(content, language));
    if std::str::from_utf8(content).is_err() || content.contains(&0) {
        text +=
            "\nBytes that cannot be shown are written as `\\x00`; the file itself is enclosed.\n";
    }
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
        grouped(first.bytes),
        grouped(last.bytes),
        grouped(record.tests())
    );
    if let Some(verified) = record.verified() {
        text += " ";
        text += &inline(&verified);
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
