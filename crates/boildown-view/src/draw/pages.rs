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
        Screen::History => super::history::draw(model, area, painter),
        Screen::Output => output(model, area, painter),
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

fn output(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let lines = model.output_lines();
    let size = count(lines.len() as u64, "line");
    let area = painter.heading(area, "output of the command on the best test case", &size);
    if lines.is_empty() {
        let note = match model.output {
            Some(_) => "it printed nothing, or what it prints does not matter and is not read",
            None => "the command did not run on it in this session yet",
        };
        one_note(note, area, painter);
    }
    for (row, line) in Row::of(area).zip(lines.iter().skip(model.first_line)) {
        painter.text(row, &String::from_utf8_lossy(line), Style::new());
    }
}

fn failures(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let at = match model.failures.len() {
        0 => String::new(),
        failures => format!("{} of {failures}", model.marked_failure + 1),
    };
    let area = painter.heading(area, "secondary failures", &at);
    if model.failures.is_empty() {
        let note = "none so far: no candidate failed in another way than the input";
        one_note(note, area, painter);
        return;
    }
    let palette = painter.palette;
    let note = match model.facts.can_switch {
        true => "Enter ends this reduction with its best result, and reduces the marked failure:",
        false => "the smallest candidate of each:",
    };
    one_note(note, area, painter);
    let mut rows = Row::of(area).skip(1);
    // The marked failure is the last one, if all before it do not fit.
    let fit = (usize::from(area.height).saturating_sub(1) / 2).max(1);
    let first = (model.marked_failure + 1).saturating_sub(fit);
    for (place, failure) in model.failures.iter().enumerate().skip(first) {
        let mark = match place == model.marked_failure {
            true => "▶",
            false => " ",
        };
        let runs = match failure.runs {
            0 => String::new(),
            runs => format!(" ({})", count(runs, "run")),
        };
        let size = match failure.bytes {
            0 => String::new(),
            bytes => format!("{} in ", count(bytes, "byte")),
        };
        let (Some(title), Some(place)) = (rows.next(), rows.next()) else {
            break;
        };
        let title_text = format!(" {mark} {}{runs}", failure.signature);
        painter.text(title, &title_text, palette.warning());
        let text = format!("     {size}{}", failure.file);
        painter.text(place, &text, Style::new());
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
    (
        "← →",
        "what each step changed; Enter ends here and continues from it",
    ),
    ("o", "what the command printed on the best test case"),
    (
        "f",
        "list candidates that failed in another way; Enter reduces one",
    ),
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
