//! Reasons why the result is not smaller: for each unit that is left, the nearest candidate without
//! it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::table::table;
use crate::escape;
use crate::format::{count, grouped};
use crate::model::{ReductionRecord, RemainingReason, RemainingRecord, RemainingUnit};

/// The number of rows of the table, at most.
const MAX_ROWS: usize = 300;

pub(super) fn section(record: &ReductionRecord) -> String {
    let (Some(remaining), Some(text)) = (&record.remaining, &record.last().text) else {
        return String::new();
    };
    if remaining.units.is_empty() {
        return String::new();
    }
    let classes = outcome_classes(remaining);
    let mut html = intro(remaining);
    html += "<ul class=legend>";
    for (reason, (class, number)) in ordered(&classes) {
        write!(
            html,
            "<li><span class=\"swatch {class}\"></span>{}: {}</li>",
            escape::text(reason),
            grouped(*number)
        )
        .ok();
    }
    html += "</ul>\n<div class=\"code units\" id=units tabindex=0>";
    let mut from = 0;
    for (number, unit) in remaining.units.iter().enumerate() {
        if unit.bytes.start < from || unit.bytes.end > text.len() {
            continue;
        }
        html += &escape::html(&text[from..unit.bytes.start]);
        let class = classes
            .get(&reason_text(unit))
            .map_or("o5", |(class, _)| class);
        write!(
            html,
            "<span class={class} data-u={number}>{}</span>",
            escape::html(&text[unit.bytes.clone()])
        )
        .ok();
        from = unit.bytes.end;
    }
    let rest = &text[from..];
    html += &escape::html(&rest[..rest.len().min(4096)]);
    html += "</div>\n<div id=unit-about class=about aria-live=polite hidden></div>\n";
    html + &details(remaining, text)
}

fn intro(remaining: &RemainingRecord) -> String {
    let mut html = format!(
        "<p>For each {} that is left: how the candidate ended that lacks it and as little else as possible, \
         if one is in the run store. A part that was not tested alone may still have been tested with others, or skipped.",
        remaining.unit
    );
    if remaining.left_out > 0 {
        let left_out = count(remaining.left_out as u64, remaining.unit);
        write!(html, " {left_out} more are left out here.").ok();
    }
    html + "</p>\n"
}

/// Returns a few words about the reason for which a unit is left.
pub(crate) fn reason_text(unit: &RemainingUnit) -> String {
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

type OutcomeClasses = BTreeMap<String, (&'static str, u64)>;

/// Returns a class for each reason; the rare ones share the last.
fn outcome_classes(remaining: &RemainingRecord) -> OutcomeClasses {
    let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
    for unit in &remaining.units {
        *numbers.entry(reason_text(unit)).or_default() += 1;
    }
    let mut sorted: Vec<(String, u64)> = numbers.into_iter().collect();
    sorted.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let classes = ["o0", "o1", "o2", "o3", "o4"]
        .into_iter()
        .chain(std::iter::repeat("o5"));
    let classed = sorted.into_iter().zip(classes);
    classed
        .map(|((reason, number), class)| (reason, (class, number)))
        .collect()
}

fn ordered(classes: &OutcomeClasses) -> Vec<(&String, &(&'static str, u64))> {
    let mut ordered: Vec<_> = classes.iter().collect();
    ordered.sort_by_key(|(_, (_, number))| std::cmp::Reverse(*number));
    ordered.truncate(12);
    ordered
}

/// Returns the table. Neighbours with the same reason and output are one row.
fn details(remaining: &RemainingRecord, text: &[u8]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
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
        let bytes = text
            .get(unit.bytes.start..last.bytes.end)
            .unwrap_or_default();
        let (removed, output) = match &unit.reason {
            RemainingReason::Tested(tested) => {
                let removed = text.get(tested.removed.clone()).unwrap_or_default();
                let output = match &tested.output {
                    Some(output) => format!("<pre>{}</pre>", escape::html(output)),
                    None => "<span class=none>not stored</span>".to_owned(),
                };
                (code(removed), output)
            }
            RemainingReason::DoesNotParse | RemainingReason::NotTested => Default::default(),
        };
        rows.push(vec![
            format!(
                "<span data-from={first} data-to={end}>{}</span>",
                code(bytes)
            ),
            escape::text(&reason_text(unit)),
            removed,
            output,
        ]);
    }
    let heading = [
        "what is left",
        "without it",
        "the candidate lacked",
        "and ended with",
    ];
    let mut html = "<details class=all><summary>The same as a table</summary>\n".to_owned();
    html += &table("reasons", &heading, &rows);
    if left_out > 0 {
        writeln!(
            html,
            "<p>{} more are left out.</p>",
            count(left_out as u64, remaining.unit)
        )
        .ok();
    }
    html + "</details>\n"
}

/// Returns a text as code, its middle left out if it is long.
fn code(bytes: &[u8]) -> String {
    const LONG: usize = 160;
    if bytes.len() <= LONG {
        return format!("<code>{}</code>", escape::html(bytes));
    }
    format!(
        "<code>{} … {}</code>",
        escape::html(&bytes[..LONG / 2]),
        escape::html(&bytes[bytes.len() - LONG / 3..])
    )
}
