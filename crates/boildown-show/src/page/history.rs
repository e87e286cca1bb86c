//! History of the size: curves, passes, the tree map, and the steps with their differences.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::{Value, json};

use super::fates::{InputFates, sampled};
use super::table::table;
use crate::difference::{Segment, segments};
use crate::drawing::curve::{CurveAxis, SizeCurve};
use crate::drawing::tree_map::{self, LeafLook};
use crate::escape;
use crate::format::{count, duration, grouped, percent, real, removed};
use crate::model::{PartRecord, ReductionRecord, StepRecord};

/// The number of steps of the slider, at most.
const MAX_STEPS: usize = 400;

/// The size of all differences together, in bytes, about.
const MAX_DIFFERENCES: usize = 1200 << 10;

/// The size of one difference, in bytes, about.
const MAX_DIFFERENCE: usize = 24 << 10;

/// Bytes of unchanged text around a change.
const CONTEXT: usize = 160;

pub(super) fn curves(record: &ReductionRecord) -> String {
    if record.steps.len() < 2 {
        return String::new();
    }
    let passes = (record.passes.iter()).map(|pass| (real(pass.test), pass.name.as_str()));
    let over_tests = SizeCurve {
        axis: CurveAxis::Tests,
        points: record
            .steps
            .iter()
            .map(|step| (real(step.test), step.bytes))
            .collect(),
        end: real(record.tests()),
        passes: passes.collect(),
    };
    let is_one_session = record.sessions.len() == 1;
    let passes = (record.passes.iter()).filter(|_| is_one_session);
    let over_time = SizeCurve {
        axis: CurveAxis::Seconds,
        points: record
            .steps
            .iter()
            .map(|step| (step.seconds, step.bytes))
            .collect(),
        end: record.seconds(),
        passes: passes
            .map(|pass| (pass.seconds, pass.name.as_str()))
            .collect(),
    };
    format!(
        "<div class=curves>\n<figure>{}<figcaption>Bytes over tests, on a logarithmic scale. The shades are the passes.</figcaption></figure>\n\
         <figure>{}<figcaption>Bytes over time{}.</figcaption></figure>\n</div>\n",
        over_tests.svg(),
        over_time.svg(),
        if is_one_session {
            ""
        } else {
            ", without the time between sessions"
        }
    )
}

pub(super) fn passes(record: &ReductionRecord) -> String {
    let figures = record.pass_figures();
    if figures.is_empty() {
        return String::new();
    }
    let most = figures.iter().map(|pass| pass.tests).max().unwrap_or(0);
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|pass| {
            let per_test = match pass.tests {
                0 => String::new(),
                tests => format!(
                    "{:.2}",
                    pass.tokens.max(0).unsigned_abs() as f64 / real(tests)
                ),
            };
            vec![
                escape::text(&pass.name),
                grouped(pass.times),
                format!("{}{}", grouped(pass.tests), bar(pass.tests, most)),
                grouped(pass.hits),
                percent(real(pass.hits), real(pass.tests)),
                removed(pass.tokens),
                removed(pass.bytes),
                per_test,
            ]
        })
        .collect();
    let heading = [
        "pass",
        "times",
        "tests",
        "hits",
        "hit rate",
        "tokens removed",
        "bytes removed",
        "tokens per test",
    ];
    format!(
        "<p>A test is a candidate whose verdict the search needed; a hit is one that made the result smaller. \
         Passes of one name are added up.</p>\n{}",
        table("numbers", &heading, &rows)
    )
}

/// Returns a bar for a cell of a table.
fn bar(part: u64, most: u64) -> String {
    let width = if most == 0 {
        0.0
    } else {
        real(part) / real(most) * 100.0
    };
    format!("<span class=bar style=\"--part:{width:.1}%\"></span>")
}

pub(super) fn map(record: &ReductionRecord, fates: Option<&InputFates<'_>>) -> String {
    let Some(fates) = fates.filter(|fates| !fates.input.is_empty() && record.steps.len() > 1)
    else {
        return String::new();
    };
    let look = |ranges: &[Range<usize>]| look(record, fates, ranges);
    let parts = match record.parts.is_empty() {
        true => pieces(fates.input),
        false => record.parts.clone(),
    };
    let svg = tree_map::svg(&parts, fates.input.len(), look);
    let limits = fates.limits();
    let mut legend = "<ul class=legend>".to_owned();
    for (number, class) in super::fates::CLASSES.iter().enumerate() {
        let text = match (
            number.checked_sub(1).map(|at| limits[at]),
            limits.get(number),
        ) {
            (None, Some(to)) => format!("before test {}", grouped(*to)),
            (Some(from), Some(to)) if from == *to => continue,
            (Some(from), Some(to)) => format!("tests {} to {}", grouped(from), grouped(to - 1)),
            (Some(from), None) => format!("from test {}", grouped(from)),
            (None, None) => continue,
        };
        write!(
            legend,
            "<li><span class=\"swatch {class}\"></span>{text}</li>"
        )
        .ok();
    }
    legend += "<li><span class=\"swatch kept\"></span>still there</li></ul>";
    let stored = count(fates.steps.len() as u64, "result");
    format!(
        "<figure>{svg}<figcaption>Each rectangle is a part of the input, as large as its bytes; parts lie in the parts that hold them. \
         The colour says when it went, as far as the {stored} whose texts are stored show it. Point at a part to read what it is.{legend}</figcaption></figure>\n"
    )
}

fn look(record: &ReductionRecord, fates: &InputFates<'_>, ranges: &[Range<usize>]) -> LeafLook {
    let size: usize = ranges.iter().map(ExactSizeIterator::len).sum();
    let (kept, step) = fates.summary(ranges);
    let first = ranges.first().map_or(0, |range| range.start);
    let line = fates.input[..first]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1;
    let start: Vec<u8> = ranges
        .iter()
        .flat_map(|range| &fates.input[range.clone()])
        .copied()
        .skip_while(u8::is_ascii_whitespace)
        .take_while(|byte| *byte != b'\n')
        .take(70)
        .collect();
    let mut title = format!(
        "line {line}: {}\n{}",
        escape::visible(&start),
        count(size as u64, "byte")
    );
    if kept > 0 {
        write!(title, ", {} still there", grouped(kept as u64)).ok();
    }
    if let Some(step) = step {
        write!(title, "\nwent until test {}", grouped(step.test)).ok();
        if let Some(pass) = record.pass_of(step.test) {
            write!(title, ", pass {pass}").ok();
        }
    }
    LeafLook {
        class: step.map_or("stays", |step| fates.class(step)),
        kept: real(kept as u64) / real(size.max(1) as u64),
        title,
    }
}

/// Returns the lines of an input as parts; pieces of equal size when there are too many or too few.
fn pieces(input: &[u8]) -> Vec<PartRecord> {
    let mut from = 0;
    let lines: Vec<PartRecord> = input
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            from += line.len();
            PartRecord {
                bytes: from - line.len()..from,
            }
        })
        .collect();
    if (8..400).contains(&lines.len()) {
        return lines;
    }
    let size = input.len().div_ceil(256);
    let starts = (0..input.len()).step_by(size);
    starts
        .map(|start| PartRecord {
            bytes: start..(start + size).min(input.len()),
        })
        .collect()
}

pub(super) fn steps(record: &ReductionRecord) -> String {
    if record.steps.len() < 2 {
        return String::new();
    }
    let numbered: Vec<(usize, &StepRecord)> = record.steps.iter().enumerate().collect();
    let stored: Vec<_> = numbered
        .iter()
        .copied()
        .filter(|(_, step)| step.text.is_some())
        .collect();
    let others: Vec<_> = numbered
        .iter()
        .copied()
        .filter(|(_, step)| step.text.is_none())
        .collect();
    let mut shown = sampled(&stored, MAX_STEPS / 2);
    if MAX_STEPS > shown.len() {
        shown.extend(sampled(&others, MAX_STEPS - shown.len()));
    }
    shown.sort_by_key(|(number, _)| *number);
    let mut left = MAX_DIFFERENCES;
    let mut before: Option<(usize, &[u8])> = None;
    let mut data = Vec::new();
    for (number, step) in &shown {
        let mut value = json!({
            "n": number,
            "test": step.test,
            "bytes": step.bytes,
            "tokens": step.tokens,
            "time": duration(step.seconds),
            "pass": record.pass_of(step.test),
        });
        if let Some(text) = step.text.as_deref() {
            if let Some((from, old)) = before {
                let difference = difference(old, text, left.min(MAX_DIFFERENCE));
                left = left.saturating_sub(difference.to_string().len());
                value["from"] = from.into();
                value["diff"] = difference;
            }
            before = Some((*number, text));
        }
        data.push(value);
    }
    let all = record.steps.len();
    let note = match shown.len() == all {
        true => String::new(),
        false => format!(
            " {} of {} steps are shown here.",
            grouped(shown.len() as u64),
            grouped(all as u64)
        ),
    };
    format!(
        "<p>Every result on the way, the input first. Differences are those to the last result before whose text is stored.{note} \
         <code>boildown history</code> prints and restores them.</p>\n\
         <div class=stepper hidden>\n<div class=controls><button type=button id=step-back aria-label=\"Previous step\">←</button>\
         <input type=range id=step min=0 max={} value={} step=1 aria-label=Step><button type=button id=step-on aria-label=\"Next step\">→</button></div>\n\
         <p id=step-about aria-live=polite></p>\n<div class=code id=step-diff tabindex=0></div>\n</div>\n\
         <details class=all><summary>The steps as a table</summary>\n{}</details>\n\
         <script type=\"application/json\" id=step-data>{}</script>\n",
        shown.len() - 1,
        shown.len() - 1,
        step_table(record, &sampled(&shown, 100)),
        escape::json_in_html(&Value::from(data).to_string())
    )
}

fn step_table(record: &ReductionRecord, steps: &[(usize, &StepRecord)]) -> String {
    let rows: Vec<Vec<String>> = steps
        .iter()
        .map(|(number, step)| {
            vec![
                number.to_string(),
                grouped(step.bytes),
                step.tokens.map_or_else(String::new, grouped),
                grouped(step.test),
                duration(step.seconds),
                escape::text(record.pass_of(step.test).unwrap_or("")),
            ]
        })
        .collect();
    table(
        "numbers",
        &["step", "bytes", "tokens", "tests", "time", "pass"],
        &rows,
    )
}

/// Returns a difference as pairs of a kind and a text: 0 is in both, 1 was removed, 2 was added, 3
/// stands for a text that is left out.
fn difference(old: &[u8], new: &[u8], mut left: usize) -> Value {
    let mut pairs: Vec<Value> = Vec::new();
    let mut push = |kind: u8, text: String| pairs.push(json!([kind, text]));
    let segments = segments(old, new);
    let last = segments.len().saturating_sub(1);
    for (index, segment) in segments.iter().enumerate() {
        if left == 0 {
            push(3, "the rest is not shown".to_owned());
            break;
        }
        match segment {
            Segment::Kept(bytes, _) => {
                let text = &old[bytes.clone()];
                let after = if index == 0 { 0 } else { CONTEXT };
                let before = if index == last { 0 } else { CONTEXT };
                if text.len() <= after + before + 80 {
                    push(0, escape::visible(text));
                    left = left.saturating_sub(text.len());
                    continue;
                }
                let (head, tail) = (line_end(text, after), line_start(text, before));
                if head > 0 {
                    push(0, escape::visible(&text[..head]));
                }
                push(3, count((tail - head) as u64, "byte") + " as before");
                if tail < text.len() {
                    push(0, escape::visible(&text[tail..]));
                }
                left = left.saturating_sub(head + text.len() - tail);
            }
            Segment::Removed(bytes) => push_changed(1, &old[bytes.clone()], &mut left, &mut push),
            Segment::Added(bytes) => push_changed(2, &new[bytes.clone()], &mut left, &mut push),
        }
    }
    Value::from(pairs)
}

/// Pushes a changed text. The middle of a long one is left out.
fn push_changed(kind: u8, text: &[u8], left: &mut usize, push: &mut impl FnMut(u8, String)) {
    const LONG: usize = 3000;
    let most = LONG.min((*left).max(200));
    if text.len() <= most {
        push(kind, escape::visible(text));
    } else {
        let (head, tail) = (line_end(text, most / 2), line_start(text, most / 3));
        push(kind, escape::visible(&text[..head]));
        push(
            3,
            count((tail.max(head) - head) as u64, "byte") + ", not shown",
        );
        push(kind, escape::visible(&text[tail.max(head)..]));
    }
    *left = left.saturating_sub(text.len().min(most));
}

/// Returns the end of the line near this many bytes from the start.
fn line_end(text: &[u8], bytes: usize) -> usize {
    let within = &text[..bytes.min(text.len())];
    let end = within.iter().rposition(|byte| *byte == b'\n');
    end.map_or(within.len(), |end| end + 1)
}

/// Returns the start of the line near this many bytes from the end.
fn line_start(text: &[u8], bytes: usize) -> usize {
    let from = text.len() - bytes.min(text.len());
    let start = text[from..].iter().position(|byte| *byte == b'\n');
    start.map_or(from, |start| from + start + 1)
}
