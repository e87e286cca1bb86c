//! Reports in JSON, as linters and compilers print them for other programs: the message of their
//! first error.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;

use super::plain_output::{FailureLine, PlainOutput, PlainStream};

/// The members of a record that hold its message, the one that says most first.
const MESSAGES: [&str; 4] = ["message", "msg", "text", "description"];

/// The members of a record that say how severe it is.
const SEVERITIES: [&str; 4] = ["severity", "level", "kind", "type"];

/// A longer output is data.
const MAX_BYTES: usize = 4 << 20;

/// The depth of records in others that is looked at.
const MAX_DEPTH: usize = 12;

/// How severe a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Warning,
    Unknown,
    Error,
}

/// Returns the message of the first error of a report, with the name of its member: the first of
/// the most severe records. `None` where neither stream is JSON, or has lines of it.
pub(super) fn first_error<'a>(output: &PlainOutput<'a>) -> Option<FailureLine<'a>> {
    output.streams.iter().find_map(|stream| {
        let records = records(stream);
        let worst = records.iter().map(|(severity, _)| *severity).max()?;
        let (_, range) = records
            .into_iter()
            .find(|(severity, _)| *severity == worst)?;
        Some(stream.line(range))
    })
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
        let members: BTreeMap<Cow<'_, str>, &RawValue> =
            serde_json::from_str(value).unwrap_or_default();
        if let Some(range) = message(text, &members) {
            found.push((severity(&members), range));
        }
        for member in members.values() {
            collect(text, member.get(), depth - 1, found);
        }
    }
}

/// Returns where a record has its message: a text with a word. SARIF has it in a record of its own.
fn message(text: &str, members: &BTreeMap<Cow<'_, str>, &RawValue>) -> Option<Range<usize>> {
    let mut named = MESSAGES
        .iter()
        .filter_map(|name| Some((*name, members.get(*name)?)));
    named.find_map(|(name, value)| {
        let value = value.get();
        if value.starts_with('{') {
            let inner: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(value).ok()?;
            return message(text, &inner).filter(|_| !inner.contains_key("level"));
        }
        let is_text = value.starts_with('"') && value.contains(|it: char| it.is_alphabetic());
        // Both are parts of one text.
        let start = (value.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let from = text.get(..start)?.rfind(&format!("\"{name}\""))?;
        is_text.then_some(from..start + value.len())
    })
}

fn severity(members: &BTreeMap<Cow<'_, str>, &RawValue>) -> Severity {
    let stated = SEVERITIES.iter().filter_map(|name| members.get(*name));
    let stated = stated.map(|value| value.get().trim_matches('"').to_ascii_lowercase());
    let severity = stated.filter_map(|value| match &*value {
        "error" | "fatal" | "fatal error" | "critical" | "2" => Some(Severity::Error),
        "warning" | "warn" | "note" | "info" | "information" | "hint" | "help" | "style"
        | "suggestion" | "1" | "0" => Some(Severity::Warning),
        _ => None,
    });
    severity.max().unwrap_or(Severity::Unknown)
}
