//! Reasons why the result is not smaller: for each unit that is left, the nearest candidate without
//! it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minijinja::context;
use minijinja::value::Value;

use super::template::{Cells, markup, render};
use crate::escape;
use crate::format::{count, grouped};
use crate::model::{ReductionRecord, RemainingReason, RemainingRecord, RemainingUnit};

/// The number of rows of the table, at most.
const MAX_ROWS: usize = 300;

/// The number of reasons that are listed, at most.
const MAX_REASONS: usize = 12;

pub(super) fn section(record: &ReductionRecord) -> Option<Value> {
    let (remaining, text) = (record.remaining.as_ref()?, record.last().text.as_ref()?);
    if remaining.units.is_empty() {
        return None;
    }
    let reasons = Reason::all(remaining);
    let mut units = String::new();
    let mut from = 0;
    for (number, unit) in remaining.units.iter().enumerate() {
        if unit.bytes.start < from || unit.bytes.end > text.len() {
            continue;
        }
        let name = grouped_reason(unit);
        let reason = reasons.iter().find(|reason| reason.text == name);
        write!(
            units,
            "{}<span class={} data-u={number}>{}</span>",
            escape::html(&text[from..unit.bytes.start]),
            reason.map_or("o5", |reason| reason.class),
            escape::html(&text[unit.bytes.clone()])
        )
        .ok();
        from = unit.bytes.end;
    }
    let rest = &text[from..];
    units += &escape::html(&rest[..rest.len().min(4096)]);
    let (rows, more_rows) = rows(remaining, text);
    let number = |number: u64| (number > 0).then(|| count(number, remaining.unit));
    let shown = reasons.iter().take(MAX_REASONS).map(|reason| {
        context! {
            class => reason.class,
            text => &reason.text,
            number => grouped(reason.units),
        }
    });
    Some(render(
        "remaining.html",
        context! {
            unit => remaining.unit,
            left_out => number(remaining.left_out as u64),
            reasons => shown.collect::<Value>(),
            units => markup(units),
            rows,
            more_rows => number(more_rows as u64),
        },
    ))
}

/// Returns a few words about the reason for which a unit is left.
fn reason_text(unit: &RemainingUnit) -> String {
    match &unit.reason {
        RemainingReason::Tested(tested) if tested.is_interesting => {
            "fails without it too: the search stopped before it was removed".to_owned()
        }
        RemainingReason::Tested(tested) if tested.is_unresolved => {
            format!("{}, no verdict", tested.outcome)
        }
        RemainingReason::Tested(tested) => tested.outcome.clone(),
        RemainingReason::DoesNotParse => "not tested: it would not parse without it".to_owned(),
        RemainingReason::NotTested => "not tested".to_owned(),
    }
}

/// Returns the reason with the message of the candidate, if it printed one.
fn grouped_reason(unit: &RemainingUnit) -> String {
    let reason = reason_text(unit);
    let message = match &unit.reason {
        RemainingReason::Tested(tested) => tested.output.as_deref().and_then(message),
        RemainingReason::DoesNotParse | RemainingReason::NotTested => None,
    };
    match message {
        Some(message) => format!("{reason}: {message}"),
        None => reason,
    }
}

/// Returns the first error that an output names, or its last line, without what differs from
/// candidate to candidate: places in files, numbers, and what is quoted.
fn message(output: &[u8]) -> Option<String> {
    const LONGEST: usize = 100;
    let text = escape::visible(output);
    // Lines of the input that a compiler quotes begin with their number and a bar.
    let is_quoted = |line: &str| {
        let line = line.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit());
        line.starts_with('|')
    };
    let is_message = |line: &&str| line.contains(char::is_alphabetic) && !is_quoted(line);
    let lines = || text.lines().filter(is_message);
    let is_error = |line: &str| {
        let line = line.to_ascii_lowercase();
        ["error: ", "error["].iter().any(|mark| line.contains(mark))
    };
    let line = lines()
        .find(|line| is_error(line))
        .or_else(|| lines().next_back())?;
    // `in.c:3:1: error`: the place goes.
    let place = line.split_once(": ").filter(|(place, _)| {
        place.ends_with(|letter: char| letter.is_ascii_digit()) && !place.contains(' ')
    });
    let line = place.map_or(line, |(_, rest)| rest).trim();
    let mut general = String::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let closing = match letter {
            // An apostrophe inside a word opens nothing.
            '\'' if general.ends_with(char::is_alphanumeric) => None,
            '\'' | '"' => Some(letter),
            '`' => Some(if line.contains('\'') { '\'' } else { '`' }),
            '\u{2018}' => Some('\u{2019}'),
            '\u{201c}' => Some('\u{201d}'),
            _ => None,
        };
        match closing {
            Some(closing) if letters.clone().any(|letter| letter == closing) => {
                general.extend([letter, '…', closing]);
                letters
                    .by_ref()
                    .take_while(|letter| *letter != closing)
                    .last();
            }
            // Part of a name, such as `E0308`, or of a character that cannot be shown.
            _ if general.ends_with(|before: char| before.is_alphanumeric() || before == '\\') => {
                general.push(letter);
            }
            _ if letter.is_ascii_digit() => {
                general.push('N');
                while letters.next_if(char::is_ascii_alphanumeric).is_some() {}
            }
            _ => general.push(letter),
        }
    }
    if general.chars().count() > LONGEST {
        general = general.chars().take(LONGEST).chain(['…']).collect();
    }
    Some(general)
}

/// A reason for which units are left.
struct Reason {
    text: String,
    /// The class of its colour; the rare ones share the last.
    class: &'static str,
    units: u64,
}

impl Reason {
    /// Returns the reasons of all units, the most frequent first.
    fn all(remaining: &RemainingRecord) -> Vec<Self> {
        let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
        for unit in &remaining.units {
            *numbers.entry(grouped_reason(unit)).or_default() += 1;
        }
        let mut sorted: Vec<(String, u64)> = numbers.into_iter().collect();
        sorted.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        let classes = ["o0", "o1", "o2", "o3", "o4"].into_iter();
        let classes = classes.chain(std::iter::repeat("o5"));
        let reasons = sorted.into_iter().zip(classes);
        let reason = |((text, units), class)| Self { text, class, units };
        reasons.map(reason).collect()
    }
}

/// Returns the rows of the table, and the number of units without one. Neighbours with the same
/// reason and output are one row.
fn rows(remaining: &RemainingRecord, text: &[u8]) -> (Vec<Cells>, usize) {
    let mut rows: Vec<Cells> = Vec::new();
    let mut units = remaining.units.iter().enumerate().peekable();
    let mut left_out = 0;
    while let Some((first, unit)) = units.next() {
        let mut last = unit;
        let mut end = first;
        while let Some((number, next)) = units.next_if(|(_, next)| next.reason == unit.reason) {
            (end, last) = (number, next);
        }
        if rows.len() == MAX_ROWS {
            left_out += end - first + 1;
            continue;
        }
        let bytes = unit.bytes.start..last.bytes.end;
        let bytes = text.get(bytes).unwrap_or_default();
        let (removed, output) = match &unit.reason {
            RemainingReason::Tested(tested) => {
                let removed = text.get(tested.removed.clone()).unwrap_or_default();
                let output = match &tested.output {
                    Some(output) => format!("<pre>{}</pre>", escape::html(output)),
                    None => "<span class=none>not stored</span>".to_owned(),
                };
                (excerpt(removed), output)
            }
            RemainingReason::DoesNotParse | RemainingReason::NotTested => Default::default(),
        };
        let left = excerpt(bytes);
        rows.push(vec![
            markup(format!(
                "<span data-from={first} data-to={end}>{left}</span>"
            )),
            reason_text(unit).into(),
            markup(removed),
            markup(output),
        ]);
    }
    (rows, left_out)
}

/// Returns a text as code, its middle left out if it is long.
fn excerpt(bytes: &[u8]) -> String {
    const LONG: usize = 160;
    let (head, tail) = match bytes.len() <= LONG {
        true => (bytes, String::new()),
        false => {
            let tail = escape::html(&bytes[bytes.len() - LONG / 3..]);
            (&bytes[..LONG / 2], format!(" … {tail}"))
        }
    };
    format!("<code>{}{tail}</code>", escape::html(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_grouped_without_places_numbers_and_names() {
        for (output, general) in [
            (
                "in.c: In function 'f':\nin.c:3:12: error: 'x12' undeclared\n  3 | x\n1 error generated.\n",
                "error: '…' undeclared",
            ),
            (
                "Traceback:\n  File \"a.py\", line 3\nKeyError: 'b'\n",
                "KeyError: '…'",
            ),
            (
                "error[E0308]: mismatched types\n",
                "error[E0308]: mismatched types",
            ),
            (
                "it doesn't parse at 0x7ff1\n\n---\n",
                "it doesn't parse at N",
            ),
            ("cannot find `foo' here", "cannot find `…' here"),
        ] {
            assert_eq!(message(output.as_bytes()).as_deref(), Some(general));
        }
        assert_eq!(message(b"  3 | int x;\n    | ^\n"), None);
    }
}
