//! The lines with the numbers, and the keys.

use ratatui_core::layout::Rect;

use super::painter::{Painter, Row};
use crate::model::{Screen, ViewModel};
use crate::numbers::{clock, count, grouped, precise, rate};

pub(super) fn title(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let Some(row) = Row::of(area).next() else {
        return;
    };
    let (bar, facts) = (painter.palette.bar(), &model.facts);
    painter.fill(area, bar);
    let state = match (model.is_ending, model.is_paused) {
        (true, _) => "ending",
        (false, true) => "PAUSED",
        (false, false) => "running",
    };
    let state = format!(" {state}  {} ", clock(model.now.elapsed));
    let row = painter.at_end(row, &state, bar);
    let language = facts.language.as_deref().unwrap_or("");
    let names = format!(" boildown  {} → {}  {language}", facts.input, facts.output);
    painter.text(row, &names, bar);
}

pub(super) fn numbers(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let mut rows = Row::of(area);
    let (now, strong) = (&model.now, painter.palette.strong());
    let plain = ratatui_core::style::Style::new();
    if let Some(row) = rows.next() {
        let before = grouped(model.facts.bytes);
        let size = count(now.bytes, "byte");
        let mut rest = format!("  {}", removed(model));
        if let Some(tokens) = now.tokens {
            rest += &format!("  {}", count(tokens, "token"));
        }
        rest += &format!("  {}", count(now.tests, "test"));
        if row.width >= 90 {
            rest += &format!(" ({}", count(now.runs, "run"));
            if now.recalled > 0 {
                rest += &format!(", {} recalled", grouped(now.recalled));
            }
            rest += ")";
        }
        painter.line(
            row,
            &[
                (&format!(" {before} → "), plain),
                (&size, strong),
                (&rest, plain),
            ],
        );
    }
    if let Some(row) = rows.next() {
        let mut parts = Vec::new();
        if let Some(per_second) = model.rate() {
            parts.push(format!("{} tests/s", rate(per_second)));
        }
        parts.push(format!("last success {} ago", precise(now.since_improved)));
        parts.push(left(model));
        painter.text(row, &format!(" {}", parts.join("  ")), plain);
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn removed(model: &ViewModel) -> String {
    let before = (model.facts.bytes as f64).max(1.0);
    let percent = 100.0 * (1.0 - model.now.bytes as f64 / before);
    // A result is never shown as nothing.
    let percent = (percent * 10.0).floor() / 10.0;
    format!("{percent:.1}% removed")
}

/// Returns what is known about the time to the end.
fn left(model: &ViewModel) -> String {
    match (model.now.tests_left, model.time_left()) {
        (Some(tests), Some(time)) => format!(
            "about {} left unless more is removed ({})",
            clock(time),
            count(tests, "test")
        ),
        (Some(tests), None) => {
            format!("about {} left unless more is removed", count(tests, "test"))
        }
        (None, _) => match model.curve.last_halving() {
            Some(time) => format!("time left unknown (halved in {})", precise(time)),
            None => "time left unknown".to_owned(),
        },
    }
}

pub(super) fn status(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let Some(mut row) = Row::of(area).next() else {
        return;
    };
    let (dim, warning) = (painter.palette.dim(), painter.palette.warning());
    if model.secondary_failures() > 0 {
        let number = count(model.secondary_failures() as u64, "secondary failure");
        row = painter.at_end(row, &format!("{number} (f) "), warning);
    }
    let (text, style) = match (&model.activity, model.last_note()) {
        _ if model.is_paused => (
            "paused: runs that began are finished, no new one begins; p continues".to_owned(),
            warning,
        ),
        (Some(activity), _) => (format!("{activity} …"), dim),
        (None, _) if model.is_planning => ("planning the next test …".to_owned(), dim),
        (None, Some(note)) => (note.to_owned(), warning),
        (None, None) => (format!("preserving: {}", model.facts.property), dim),
    };
    painter.text(row, &format!(" {text}"), style);
}

pub(super) fn keys(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let Some(row) = Row::of(area).next() else {
        return;
    };
    let bar = painter.palette.bar();
    painter.fill(area, bar);
    let pause = if model.is_paused {
        "p continue"
    } else {
        "p pause"
    };
    let mut keys = match model.screen {
        Screen::Main => vec![
            "q quit with the best",
            "s skip pass",
            pause,
            "d diff",
            "o output",
            "← steps",
            "f failures",
            "c copy",
            "? help",
        ],
        Screen::History => vec![
            "q quit with the best",
            "Esc back",
            "←→ step",
            "↑↓ scroll",
            if model.can_restart() {
                "Enter continue from it"
            } else {
                pause
            },
            "? help",
        ],
        Screen::Failures if model.facts.can_switch && !model.failures.is_empty() => vec![
            "q quit with the best",
            "Esc back",
            "↑↓ mark",
            "Enter reduce it",
            pause,
            "? help",
        ],
        Screen::Diff | Screen::Output | Screen::Failures | Screen::Help => vec![
            "q quit with the best",
            "Esc back",
            "↑↓ scroll",
            pause,
            "? help",
        ],
    };
    // The help has all of them.
    for first in ["c copy", "o output", "← steps"] {
        if 1 + keys.join("  ").chars().count() > usize::from(row.width) {
            keys.retain(|key| *key != first);
        }
    }
    painter.text(row, &format!(" {}", keys.join("  ")), bar);
}
