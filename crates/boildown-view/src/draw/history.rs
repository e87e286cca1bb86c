//! The slider over the results, and what a step changed.

use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::case::{changed_line, digits_of};
use super::painter::{Painter, Row};
use crate::model::ViewModel;
use crate::numbers::{count, grouped, precise};
use crate::step_history::{StepChanges, StepHistory, StepRow};

pub(super) fn draw(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let history = &model.history;
    let rows = history.rows();
    let Some(now) = rows.get(history.at()) else {
        let area = painter.heading(area, "history", "");
        note("no results are stored", area, painter);
        return;
    };
    let last = grouped((rows.len() - 1) as u64);
    let at = format!("result {} of {last}", grouped(history.at() as u64));
    let area = painter.heading(area, "history", &at);
    let before = history.at().checked_sub(1).map(|place| &rows[place]);
    let mut lines = Row::of(area);
    if let Some(row) = lines.next() {
        slider(history, row, painter);
    }
    if let Some(row) = lines.next() {
        painter.text(row, &facts(now, before), Style::new());
    }
    let used = area.height.min(2);
    let area = Rect::new(area.x, area.y + used, area.width, area.height - used);
    changes(model, area, painter);
}

/// Draws where the result is between the input and the last one.
fn slider(history: &StepHistory, row: Row, painter: &mut Painter<'_>) {
    let (dim, strong) = (painter.palette.dim(), painter.palette.strong());
    let width = usize::from(row.width).saturating_sub(4).max(1);
    let last = history.rows().len().saturating_sub(1).max(1);
    let place = history.at() * (width - 1) / last;
    let (before, after) = ("─".repeat(place), "─".repeat(width - 1 - place));
    painter.line(
        row,
        &[
            (" ├", dim),
            (&before, dim),
            ("●", strong),
            (&after, dim),
            ("┤", dim),
        ],
    );
}

/// Returns a line about a result.
fn facts(now: &StepRow, before: Option<&StepRow>) -> String {
    let size = count(now.bytes, "byte");
    let mut parts = Vec::new();
    parts.push(match before {
        None => format!("the input: {size}"),
        Some(before) => {
            let sign = if now.bytes <= before.bytes { '-' } else { '+' };
            let change = grouped(before.bytes.abs_diff(now.bytes));
            format!("{} → {size} ({sign}{change})", grouped(before.bytes))
        }
    });
    parts.extend(now.tokens.map(|tokens| count(tokens, "token")));
    if before.is_some() {
        if !now.pass.is_empty() {
            parts.push(format!("by {}", now.pass));
        }
        parts.push(format!("test {}", grouped(now.tests)));
        parts.push(precise(now.elapsed));
    }
    format!(" {}", parts.join("  "))
}

fn changes(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    let (history, first) = (&model.history, model.first_line);
    let at = match history.lines() {
        0 => String::new(),
        lines => format!("{} of {}", grouped(first as u64 + 1), grouped(lines as u64)),
    };
    let Some(before) = history.at().checked_sub(1) else {
        note("→ shows what the first step changed", area, painter);
        return;
    };
    let heading = format!("result {before} → result {}", history.at());
    let area = painter.heading(area, &heading, &at);
    let lines = match history.changes() {
        StepChanges::Unread => return,
        StepChanges::NotStored => {
            note("of one of the two only the size is stored", area, painter);
            return;
        }
        StepChanges::TooLarge => {
            let text = format!(
                "too much to show; `boildown history diff {before} {}` prints it",
                history.at()
            );
            note(&text, area, painter);
            return;
        }
        StepChanges::Lines(lines) => lines,
    };
    let digits = digits_of(lines);
    for (row, line) in Row::of(area).zip(lines.iter().skip(first)) {
        changed_line(line, digits, row, painter);
    }
}

fn note(text: &str, area: Rect, painter: &mut Painter<'_>) {
    if let Some(row) = Row::of(area).next() {
        painter.text(row, &format!(" {text}"), painter.palette.dim());
    }
}
