//! Reports in JSON, as linters and compilers print them for other programs: the message that names
//! the failure.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;

use super::plain_output::{FailureLine, PlainOutput, PlainStream, line_end, line_start};

/// The members of a record that hold its message. SARIF has it as the text of a record.
const MESSAGES: [&str; 2] = ["message", "msg"];

/// The members of a record that say how severe it is.
const SEVERITIES: [&str; 4] = ["severity", "level", "kind", "type"];

/// A longer output is data.
const MAX_BYTES: usize = 4 << 20;

/// The depth of records in others that is looked at.
const MAX_DEPTH: usize = 12;

/// The members of a record.
type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// How severe a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Warning,
    Unknown,
    Error,
}

/// Returns the message of the first error in reports, with the name of its member. Where no record
/// says how severe it is, and no other line is an error (`is_said`), that of the first record.
/// `None` where no stream is JSON, or has lines of it.
pub(super) fn message<'a>(output: &PlainOutput<'a>, is_said: bool) -> Option<FailureLine<'a>> {
    let of_stream = |stream: &PlainStream<'a>| {
        let text = stream.text();
        let whole = |at| &text[line_start(text, at)..line_end(text, at)];
        let found = records(stream).into_iter();
        let telling = found.filter(|(_, range)| !output.is_common(whole(range.start)));
        let lines = telling.map(|(severity, range)| (severity, stream.line(range)));
        lines.collect::<Vec<_>>()
    };
    let records: Vec<_> = output.streams.iter().flat_map(of_stream).collect();
    let first = |severity| records.iter().find(|(other, _)| *other == severity);
    let unknown = || first(Severity::Unknown).filter(|_| !is_said);
    let (_, line) = first(Severity::Error).or_else(unknown)?;
    Some(*line)
}

/// Returns the severity of each record of a report, and where its message is.
fn records(stream: &PlainStream<'_>) -> Vec<(Severity, Range<usize>)> {
    let mut found = Vec::new();
    let Ok(text) = std::str::from_utf8(stream.text()) else {
        return found;
    };
    let is_json = |part: &&str| part.starts_with(['{', '[']) && part.ends_with(['}', ']']);
    if text.len() > MAX_BYTES || !text.lines().any(|line| line.starts_with(['{', '['])) {
        return found;
    }
    let parse = |part| serde_json::from_str::<&RawValue>(part).ok();
    let whole = Some(text.trim()).filter(is_json).and_then(parse);
    let lines = || text.lines().filter(is_json).filter_map(parse);
    let values = whole.map_or_else(|| lines().collect(), |whole| vec![whole]);
    for value in values {
        collect(text, value.get(), MAX_DEPTH, &mut found);
    }
    found.sort_by_key(|(_, range)| range.start);
    found
}

/// Adds the records in a value of the text.
fn collect(text: &str, value: &str, depth: usize, found: &mut Vec<(Severity, Range<usize>)>) {
    if depth == 0 {
        return;
    }
    if value.starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
        for element in elements {
            collect(text, element.get(), depth - 1, found);
        }
    } else if value.starts_with('{') {
        let members: Members<'_> = serde_json::from_str(value).unwrap_or_default();
        if let Some(range) = message_in(text, &members) {
            found.push((severity(&members), range));
        }
        for member in members.values() {
            collect(text, member.get(), depth - 1, found);
        }
    }
}

/// Returns where a record has its message, which has a word.
fn message_in(text: &str, members: &Members<'_>) -> Option<Range<usize>> {
    MESSAGES.iter().find_map(|name| {
        let value = members.get(*name)?.get();
        if value.starts_with('{') {
            let inner: Members<'_> = serde_json::from_str(value).ok()?;
            return member(text, "text", inner.get("text")?.get());
        }
        member(text, name, value)
    })
}

/// Returns the part of the text that is a member with this name and value, if that is a text with a
/// word.
fn member(text: &str, name: &str, value: &str) -> Option<Range<usize>> {
    // Both are parts of one text.
    let start = (value.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let before = text.get(..start)?.trim_end().strip_suffix(':')?.trim_end();
    let before = before
        .strip_suffix('"')?
        .strip_suffix(name)?
        .strip_suffix('"')?;
    let is_text = value.starts_with('"') && value.contains(|it: char| it.is_alphabetic());
    is_text.then_some(before.len()..start + value.len())
}

/// Returns how severe a record says it is. Numbers mean something else in each format: only those
/// beside a `ruleId` are known.
fn severity(members: &Members<'_>) -> Severity {
    let is_eslint = members.contains_key("ruleId");
    let stated = SEVERITIES.iter().filter_map(|name| members.get(*name));
    let stated = stated.map(|value| value.get().trim_matches('"').to_ascii_lowercase());
    let severity = stated.filter_map(|value| match &*value {
        "2" if is_eslint => Some(Severity::Error),
        "error" | "fatal" | "fatal error" | "critical" => Some(Severity::Error),
        "warning" | "warn" | "note" | "notice" | "info" | "information" | "hint" | "help"
        | "style" | "suggestion" | "debug" | "trace" | "verbose" | "convention" | "refactor" => {
            Some(Severity::Warning)
        }
        number if number.starts_with(|it: char| it.is_ascii_digit()) => Some(Severity::Warning),
        _ => None,
    });
    severity.max().unwrap_or(Severity::Unknown)
}
