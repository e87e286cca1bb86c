//! The report for people: a summary line, a table of the groups, and what is left to do.

use std::fmt::Write as _;

use boildown_session::triage::{GroupReport, TriageOutcome};

use super::content::{Report, remarks};
use crate::report::format::EscapedPath as _;
use crate::report::format::{count, grouped};

/// Returns the summary, the table and the notes.
pub(super) fn text(report: &Report<'_>) -> String {
    let mut text = summary(report);
    let rows: Vec<[String; 5]> = std::iter::once(["", "inputs", "bytes", "failure", "example"])
        .map(|row| row.map(ToOwned::to_owned))
        .chain(report.groups().map(|(number, group, file)| {
            let name = file.file_name().unwrap_or_default();
            row(number, group, &name.escaped())
        }))
        .collect();
    if rows.len() > 1 {
        text.push('\n');
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths = [0, 1, 2, 3].map(width);
        for [number, inputs, bytes, failure, example] in &rows {
            let line = format!(
                "{number:>0$}  {inputs:>1$}  {bytes:>2$}  {failure:<3$}  {example}",
                widths[0], widths[1], widths[2], widths[3]
            );
            writeln!(text, "{}", line.trim_end()).ok();
        }
        text.push('\n');
    }
    for note in notes(report) {
        writeln!(text, "{note}").ok();
    }
    text
}

fn summary(report: &Report<'_>) -> String {
    let found = report.found;
    let counts = report.counts();
    let mut parts = Vec::new();
    for (number, what) in counts.named() {
        if number > 0 {
            parts.push(format!("{} {what}", grouped(number)));
        }
    }
    let flaky = match counts.flaky {
        0 => String::new(),
        flaky => format!("; of those that fail, {} in some runs only", grouped(flaky)),
    };
    let files = report.inputs.files();
    let distinct = found.inputs.len();
    let same = match files == distinct {
        true => String::new(),
        false => format!(" ({} different ones)", grouped(distinct)),
    };
    let mut text = format!(
        "{} in {}{same}: {}{flaky}\n",
        count(files, "input"),
        report.folder.escaped(),
        parts.join(", ")
    );
    let groups = found.groups.len();
    if groups > 0 {
        let merged = match found.groups_before - groups {
            0 => String::new(),
            _ => format!(
                "; {} before those with equal reduced examples were merged",
                grouped(found.groups_before)
            ),
        };
        writeln!(text, "{}{merged}", count(groups, "group")).ok();
    }
    text
}

fn row(number: usize, group: &GroupReport, example: &str) -> [String; 5] {
    let mut failure = group.key().to_string();
    if let Some(position) = &group.position {
        let name = position.file.rsplit('/').next().unwrap_or(&position.file);
        write!(failure, " ({name}:{})", position.line).ok();
    }
    if group.keys.len() > 1 {
        write!(failure, " and {} more", group.keys.len() - 1).ok();
    }
    let failure: String = match failure.chars().count() > 78 {
        true => failure.chars().take(77).chain(['…']).collect(),
        false => failure,
    };
    let marks = remarks(group);
    let marks = match marks.is_empty() {
        true => String::new(),
        false => format!("  ({})", marks.join(", ")),
    };
    [
        number.to_string(),
        grouped(group.members.len()),
        grouped(group.example.len()),
        failure.replace('\n', " "),
        format!("{example}{marks}"),
    ]
}

fn notes(report: &Report<'_>) -> Vec<String> {
    let found = report.found;
    let mut notes = Vec::new();
    let groups = &found.groups;
    if !groups.is_empty() {
        let verified = groups.iter().filter(|group| group.is_verified()).count();
        let examples = report.results.example("");
        notes.push(format!(
            "examples: {} ({} of {} failed when they were run again)",
            examples.escaped(),
            grouped(verified),
            grouped(groups.len())
        ));
        let page = report.results.page();
        notes.push(format!("page with the examples: {}", page.escaped()));
    }
    let counts = report.counts();
    let has_errors = (found.inputs.iter()).any(|input| {
        let key = input.assessment.key.as_ref();
        key.is_some() && input.group.is_none()
    });
    if has_errors {
        notes.push(format!(
            "{} with an error and not by a crash: --errors groups them, too",
            match counts.error {
                1 => "1 input ends".to_owned(),
                number => format!("{} inputs end", grouped(number)),
            }
        ));
    }
    match found.outcome {
        TriageOutcome::Finished => {}
        TriageOutcome::TimeLimit => {
            notes.push("time limit reached: the same command resumes".to_owned());
        }
        TriageOutcome::Interrupted => {
            notes.push("interrupted: the same command resumes".to_owned());
        }
    }
    notes
}
