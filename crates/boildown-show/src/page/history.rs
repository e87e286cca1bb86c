//! History of the size: curves, passes, the tree map, and the steps with their differences.

use std::fmt::Write as _;
use std::ops::Range;

use boildown_document::Language;
use minijinja::context;
use minijinja::value::Value;
use serde_json::{Value as Json, json};

use super::code::Colours;
use super::fates::{InputFates, sampled};
use super::template::{Cells, markup, render};
use crate::difference::{Segment, segments};
use crate::drawing::curve::{CurveAxis, SizeCurve};
use crate::drawing::tree_map::{self, LeafLook};
use crate::escape;
use crate::format::{count, duration, grouped, percent, real, removed};
use crate::model::{PartRecord, ReductionRecord};

/// The number of steps of the slider, at most.
const MAX_STEPS: usize = 400;

/// The size of all differences together, in bytes, about.
const MAX_DIFFERENCES: usize = 1200 << 10;

/// The size of one difference, in bytes, about.
const MAX_DIFFERENCE: usize = 24 << 10;

/// Bytes after the first change that have colours.
const COLOURED: usize = 16 << 10;

/// Bytes of unchanged text around a change.
const CONTEXT: usize = 160;

pub(super) fn curves(record: &ReductionRecord) -> Option<Value> {
    let is_one_session = record.sessions.len() == 1;
    let curve = |axis: CurveAxis| {
        let place = |test: u64, seconds: f64| match axis {
            CurveAxis::Tests => real(test),
            CurveAxis::Seconds => seconds,
        };
        let steps = record.steps.iter();
        let passes = record.passes.iter();
        let passes = passes.filter(|_| axis == CurveAxis::Tests || is_one_session);
        markup(
            SizeCurve {
                axis,
                points: steps
                    .map(|step| (place(step.test, step.seconds), step.bytes))
                    .collect(),
                end: place(record.tests(), record.seconds()),
                passes: passes
                    .map(|pass| (place(pass.test, pass.seconds), pass.name.as_str()))
                    .collect(),
            }
            .svg(),
        )
    };
    (record.steps.len() > 1).then(|| {
        render(
            "sizes.html",
            context! {
                over_tests => curve(CurveAxis::Tests),
                over_time => curve(CurveAxis::Seconds),
                is_one_session,
            },
        )
    })
}

pub(super) fn passes(record: &ReductionRecord) -> Option<Value> {
    let figures = record.pass_figures();
    let most = figures.iter().map(|pass| pass.tests).max()?;
    let rows = figures.iter().map(|pass| -> Cells {
        let tokens = pass.tokens.max(0).unsigned_abs();
        let per_test = (pass.tests > 0).then(|| real(tokens) / real(pass.tests));
        let width = real(pass.tests) / real(most.max(1)) * 100.0;
        let tests = grouped(pass.tests);
        vec![
            (&pass.name).into(),
            grouped(pass.times).into(),
            markup(format!(
                "{tests}<span class=bar style=\"--part:{width:.1}%\"></span>"
            )),
            grouped(pass.hits).into(),
            percent(real(pass.hits), real(pass.tests)).into(),
            removed(pass.tokens).into(),
            removed(pass.bytes).into(),
            per_test.map(|tokens| format!("{tokens:.2}")).into(),
        ]
    });
    let rows: Vec<Cells> = rows.collect();
    let assumptions = record.assumption_text();
    Some(render("passes.html", context! { rows, assumptions }))
}

pub(super) fn map(record: &ReductionRecord, fates: Option<&InputFates<'_>>) -> Option<Value> {
    let fates = fates.filter(|fates| !fates.input.is_empty() && record.steps.len() > 1)?;
    let parts = match record.parts.is_empty() {
        true => pieces(fates.input),
        false => record.parts.clone(),
    };
    let map = tree_map::svg(&parts, fates.input.len(), |ranges| {
        look(record, fates, ranges)
    });
    let limits = fates.limits();
    let legend = (0..)
        .zip(super::fates::CLASSES)
        .filter_map(|(number, class)| {
            let from = usize::checked_sub(number, 1).map(|at| limits[at]);
            let text = match (from, limits.get(number)) {
                (None, to) => format!("before test {}", grouped(*to?)),
                (Some(from), Some(to)) if from == *to => return None,
                (Some(from), Some(to)) => format!("tests {} to {}", grouped(from), grouped(to - 1)),
                (Some(from), None) => format!("from test {}", grouped(from)),
            };
            Some(vec![class.to_owned(), text])
        });
    Some(render(
        "map.html",
        context! {
            map => markup(map),
            stored => count(fates.steps.len() as u64, "result"),
            legend => legend.collect::<Vec<_>>(),
        },
    ))
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

pub(super) fn steps(record: &ReductionRecord) -> Option<Value> {
    if record.steps.len() < 2 {
        return None;
    }
    let numbered = record.steps.iter().enumerate();
    let (stored, others): (Vec<_>, Vec<_>) = numbered.partition(|(_, step)| step.text.is_some());
    let mut shown = sampled(&stored, MAX_STEPS / 2);
    if MAX_STEPS > shown.len() {
        shown.extend(sampled(&others, MAX_STEPS - shown.len()));
    }
    shown.sort_by_key(|(number, _)| *number);
    let language = record.language.as_deref().and_then(Language::named);
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
                let limit = left.min(MAX_DIFFERENCE);
                let difference = ShownDifference::new([old, text], limit, language).parts;
                let difference = Json::from(difference);
                left = left.saturating_sub(difference.to_string().len());
                value["from"] = from.into();
                value["diff"] = difference;
            }
            before = Some((*number, text));
        }
        data.push(value);
    }
    let all = record.steps.len();
    let [shown_steps, all_steps] = [shown.len(), all].map(|number| grouped(number as u64));
    let rows = sampled(&shown, 100)
        .into_iter()
        .map(|(number, step)| -> Cells {
            vec![
                number.into(),
                grouped(step.bytes).into(),
                step.tokens.map(grouped).into(),
                grouped(step.test).into(),
                duration(step.seconds).into(),
                record.pass_of(step.test).into(),
            ]
        });
    let note = format!(" {shown_steps} of {all_steps} steps are shown here.");
    Some(render(
        "steps.html",
        context! {
            note => (shown.len() < all).then_some(note),
            last => shown.len() - 1,
            rows => rows.collect::<Vec<Cells>>(),
            data => markup(escape::json_in_html(&Json::from(data).to_string())),
        },
    ))
}

/// The kinds of the parts of a difference, as the script of the page knows them.
const KEPT: usize = 0;
const REMOVED: usize = 1;
const ADDED: usize = 2;
const LEFT_OUT: usize = 3;

/// A difference as it is shown: parts with a kind, a text, and a class if the text has a colour.
struct ShownDifference<'a> {
    parts: Vec<Json>,
    /// The old and the new text, and the parts of them that have colours.
    texts: [&'a [u8]; 2],
    colours: [WindowColours; 2],
    /// Bytes that may still be shown.
    left: usize,
}

/// Colours of a part of a text, which is read as if it were a whole text: its tokens are mostly
/// the same.
struct WindowColours {
    bytes: Range<usize>,
    colours: Colours,
}

impl WindowColours {
    fn around(text: &[u8], at: usize, language: Option<&Language>) -> Self {
        let start = line_start(&text[..at], CONTEXT);
        let bytes = start..text.len().min(at + COLOURED);
        Self {
            colours: Colours::of(&text[bytes.clone()], language),
            bytes,
        }
    }
}

impl<'a> ShownDifference<'a> {
    fn new(texts: [&'a [u8]; 2], left: usize, language: Option<&Language>) -> Self {
        let [old, new] = texts;
        let segments = segments(old, new);
        let first = match segments.first() {
            Some(Segment::Kept(bytes, _)) => bytes.len(),
            _ => 0,
        };
        let colours = texts.map(|text| WindowColours::around(text, first, language));
        let mut shown = Self {
            parts: Vec::new(),
            texts,
            colours,
            left,
        };
        let last = segments.len().saturating_sub(1);
        for (index, segment) in segments.into_iter().enumerate() {
            if shown.left == 0 {
                shown.leave_out("the rest is not shown");
                break;
            }
            match segment {
                Segment::Kept(bytes, _) => {
                    let after = if index == 0 { 0 } else { CONTEXT };
                    let before = if index == last { 0 } else { CONTEXT };
                    let (limit, left) = (after + before + 80, " as before");
                    shown.push(KEPT, bytes, [limit, after, before], left);
                }
                Segment::Removed(bytes) => shown.push_changed(REMOVED, bytes),
                Segment::Added(bytes) => shown.push_changed(ADDED, bytes),
            }
        }
        shown
    }

    /// Pushes a changed text. The middle of a long one is left out.
    fn push_changed(&mut self, kind: usize, bytes: Range<usize>) {
        const LONG: usize = 3000;
        let most = LONG.min(self.left.max(200));
        self.push(kind, bytes, [most, most / 2, most / 3], ", not shown");
    }

    /// Pushes a text; of one that is longer than the first limit, only lines at its start and its
    /// end.
    fn push(&mut self, kind: usize, bytes: Range<usize>, limits: [usize; 3], left_out: &str) {
        let text = &self.texts[usize::from(kind == ADDED)][bytes.clone()];
        let [most, head, tail] = limits;
        if text.len() <= most {
            self.push_coloured(kind, bytes);
            return;
        }
        let head = bytes.start + line_end(text, head);
        let tail = head.max(bytes.start + line_start(text, tail));
        self.push_coloured(kind, bytes.start..head);
        self.leave_out(&(count((tail - head) as u64, "byte") + left_out));
        self.push_coloured(kind, tail..bytes.end);
    }

    fn push_coloured(&mut self, kind: usize, bytes: Range<usize>) {
        let is_new = usize::from(kind == ADDED);
        let (text, window) = (self.texts[is_new], &self.colours[is_new]);
        self.left = self.left.saturating_sub(bytes.len());
        let coloured = window.bytes.start.max(bytes.start)..window.bytes.end.min(bytes.end);
        let coloured = if coloured.is_empty() {
            bytes.end..bytes.end
        } else {
            coloured
        };
        let from = window.bytes.start;
        let inside = match coloured.is_empty() {
            true => Vec::new(),
            false => window
                .colours
                .parts(coloured.start - from..coloured.end - from),
        };
        let inside = inside.into_iter();
        let inside = inside.map(|(bytes, class)| (bytes.start + from..bytes.end + from, class));
        let parts = [(bytes.start..coloured.start, None)].into_iter();
        for (bytes, class) in parts.chain(inside).chain([(coloured.end..bytes.end, None)]) {
            if !bytes.is_empty() {
                let shown = escape::visible(&text[bytes]);
                self.parts.push(match class {
                    Some(class) => json!([kind, shown, class]),
                    None => json!([kind, shown]),
                });
            }
        }
    }

    fn leave_out(&mut self, what: &str) {
        self.parts.push(json!([LEFT_OUT, what]));
    }
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
