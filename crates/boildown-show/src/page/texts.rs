//! The input and the result side by side.

use std::fmt::Write as _;
use std::ops::Range;

use boildown_document::Language;
use minijinja::context;
use minijinja::value::Value;

use super::code::Colours;
use super::fates::InputFates;
use super::template::{markup, render};
use crate::escape;
use crate::format::{count, grouped};
use crate::model::{ReductionRecord, StepRecord};

/// The number of bytes of the input that are shown, at most.
const MAX_INPUT: usize = 500 << 10;

/// The number of bytes of the result that are shown, at most.
const MAX_RESULT: usize = 256 << 10;

/// Removed lines that are shown before and after those that are folded.
const SHOWN_LINES: usize = 2;

/// From this number of lines on, what was removed is folded.
const FOLDED_LINES: usize = 8;

pub(super) fn side_by_side(record: &ReductionRecord, fates: Option<&InputFates<'_>>) -> Value {
    let Some(result) = &record.last().text else {
        return markup("<p>The texts are not stored: the input is a folder, or too large.</p>\n");
    };
    let language = record.language.as_deref().and_then(Language::named);
    let added = fates.map(InputFates::added).unwrap_or_default();
    render(
        "texts.html",
        context! {
            input => &record.input,
            before => fates.map(|fates| count(fates.input.len() as u64, "byte")),
            crossed_out => fates.map(|fates| markup(input(fates, language))),
            result => &record.result,
            after => count(result.len() as u64, "byte"),
            code => markup(with_added(result, &added, language)),
            has_added => !added.is_empty(),
        },
    )
}

/// Returns the result, with what is no part of the input marked.
fn with_added(result: &[u8], added: &[Range<usize>], language: Option<&Language>) -> String {
    let colours = Colours::of(result, language);
    let shown = result.len().min(MAX_RESULT);
    let mut html = String::new();
    let mut from = 0;
    for range in added.iter().filter(|range| range.end <= shown) {
        html += &colours.html(result, from..range.start);
        write!(html, "<ins>{}</ins>", colours.html(result, range.clone())).ok();
        from = range.end;
    }
    html += &colours.html(result, from..shown);
    html + &cut(result.len() - shown)
}

fn cut(bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        _ => format!(
            "<span class=fold>{} more, not shown</span>",
            count(bytes as u64, "byte")
        ),
    }
}

/// A stretch of the input that is kept, or that went.
struct Stretch<'a> {
    bytes: Range<usize>,
    /// The parts that went, each with its step. Empty when it is kept.
    gone: Vec<(Range<usize>, &'a StepRecord)>,
}

fn input(fates: &InputFates<'_>, language: Option<&Language>) -> String {
    let colours = Colours::of(fates.input, language);
    let mut html = String::new();
    let mut left = MAX_INPUT;
    let mut stretches: Vec<Stretch<'_>> = Vec::new();
    for (bytes, step) in fates.runs() {
        match (step, stretches.last_mut()) {
            (Some(step), Some(last)) if !last.gone.is_empty() => {
                last.bytes.end = bytes.end;
                last.gone.push((bytes, step));
            }
            (step, _) => stretches.push(Stretch {
                bytes: bytes.clone(),
                gone: step.map(|step| (bytes, step)).into_iter().collect(),
            }),
        }
    }
    for stretch in stretches {
        if left == 0 {
            return html + &cut(fates.input.len() - stretch.bytes.start);
        }
        if stretch.gone.is_empty() {
            let start = stretch.bytes.start;
            let shown = start..start + stretch.bytes.len().min(left);
            left -= shown.len();
            write!(html, "<b>{}</b>", colours.html(fates.input, shown)).ok();
        } else {
            html += &removed(fates, &stretch, &mut left);
        }
    }
    html
}

/// Returns what was removed, folded if it has many lines.
fn removed(fates: &InputFates<'_>, stretch: &Stretch<'_>, left: &mut usize) -> String {
    let bytes = &fates.input[stretch.bytes.clone()];
    let breaks: Vec<usize> = (bytes.iter().enumerate())
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| stretch.bytes.start + at + 1)
        .collect();
    let is_long = breaks.len() > FOLDED_LINES;
    let (head, tail) = match is_long {
        true => (breaks[SHOWN_LINES - 1], breaks[breaks.len() - SHOWN_LINES]),
        false => (stretch.bytes.end, stretch.bytes.end),
    };
    let mut html = crossed_out(fates, stretch, stretch.bytes.start..head, left);
    if !is_long {
        return html;
    }
    let lines = count((breaks.len() - 2 * SHOWN_LINES) as u64, "line");
    let size = grouped((tail - head) as u64);
    if tail - head <= *left {
        write!(
            html,
            "<details class=fold><summary>{lines} removed, {size} bytes</summary>{}</details>",
            crossed_out(fates, stretch, head..tail, left)
        )
        .ok();
    } else {
        writeln!(
            html,
            "<span class=fold>{lines} removed, {size} bytes; not shown</span>"
        )
        .ok();
    }
    html + &crossed_out(fates, stretch, tail..stretch.bytes.end, left)
}

fn crossed_out(
    fates: &InputFates<'_>,
    stretch: &Stretch<'_>,
    range: Range<usize>,
    left: &mut usize,
) -> String {
    let mut html = String::new();
    let mut last_class = "";
    for (bytes, step) in &stretch.gone {
        let bytes = bytes.start.max(range.start)..bytes.end.min(range.end);
        if bytes.is_empty() {
            continue;
        }
        let end = bytes.start + bytes.len().min(*left);
        *left -= end - bytes.start;
        let class = fates.class(step);
        if class != last_class {
            html += if last_class.is_empty() { "" } else { "</del>" };
            write!(html, "<del class={class}>").ok();
            last_class = class;
        }
        html += &escape::html(&fates.input[bytes.start..end]);
    }
    html + if last_class.is_empty() { "" } else { "</del>" }
}
