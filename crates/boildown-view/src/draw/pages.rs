//! The differences to the input, the secondary failures, and the help.

use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::case::{changed_line, digits_of};
use super::painter::{Painter, Row};
use crate::model::{Screen, ViewModel};
use crate::numbers::{count, grouped};

pub(super) fn draw(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    match model.screen {
        Screen::Main => {}
        Screen::Diff => diff(model, area, painter),
        Screen::Failures => failures(model, area, painter),
        Screen::Help => help(area, painter),
    }
}

fn diff(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let lines = &model.input_diff;
    let at = format!(
        "{} of {}",
        grouped(model.first_line as u64 + 1),
        grouped(lines.len() as u64)
    );
    let area = painter.heading(area, "input → best test case", &at);
    if lines.is_empty() {
        one_note("nothing was removed yet", area, painter);
        return;
    }
    let digits = digits_of(lines);
    for (row, line) in Row::of(area).zip(lines.iter().skip(model.first_line)) {
        changed_line(line, digits, row, painter);
    }
}

fn failures(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let area = painter.heading(area, "secondary failures", "");
    if model.failures.is_empty() {
        let note = "none so far: no candidate failed in another way than the input";
        one_note(note, area, painter);
        return;
    }
    let palette = painter.palette;
    let lines = model.failures.iter().flat_map(|failure| {
        let size = format!("    {} in {}", count(failure.bytes, "byte"), failure.file);
        let runs = count(failure.runs, "run");
        [
            (format!("{} ({runs})", failure.signature), palette.warning()),
            (size, Style::new()),
        ]
    });
    let lines: Vec<_> = lines.skip(model.first_line).collect();
    for (row, (text, style)) in Row::of(area).zip(lines) {
        painter.text(row, &text, style);
    }
}

fn one_note(note: &str, area: Rect, painter: &mut Painter<'_>) {
    if let Some(row) = Row::of(area).next() {
        painter.text(row, note, painter.palette.dim());
    }
}

const HELP: &[(&str, &str)] = &[
    (
        "q",
        "end now: the file holds the best result; the same command resumes",
    ),
    (
        "s",
        "skip the rest of the pass: 1-minimality may then stay unverified",
    ),
    ("p", "pause: no new run begins; limits on time go on"),
    ("d", "compare the input with the best test case"),
    ("f", "list candidates that failed in another way"),
    (
        "c",
        "copy the command that fails; it is printed at the end, too",
    ),
    ("↑ ↓", "scroll; also j, k, PageUp, PageDown, Home and End"),
    ("Esc", "back; the main screen follows the last change again"),
    ("Ctrl-L", "draw everything again"),
    ("", ""),
    (
        "passes",
        "what each pass has removed; the one at work is first",
    ),
    (
        "last step",
        "lines that the last success removed (-) or wrote anew (+)",
    ),
    ("workers", "candidates that run now, and what they lack"),
];

fn help(area: Rect, painter: &mut Painter<'_>) {
    let area = painter.heading(area, "help", "");
    let strong = painter.palette.strong();
    for (row, (key, text)) in Row::of(area).zip(HELP) {
        painter.line(
            row,
            &[(&format!(" {key:<10} "), strong), (text, Style::new())],
        );
    }
}
