//! The runs of the workers.

use ratatui_core::layout::Rect;

use super::painter::{Painter, Row};
use crate::event::WorkerRow;
use crate::model::ViewModel;
use crate::numbers::{count, precise};

pub(super) fn draw(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    if area.height < 2 {
        return;
    }
    let workers = &model.workers;
    let busy = workers
        .iter()
        .filter(|worker| worker.running.is_some())
        .count();
    let busy = format!("{busy} of {} busy", workers.len());
    let area = painter.heading(area, "workers", &busy);
    for (place, (row, worker)) in Row::of(area).zip(workers).enumerate() {
        let number = format!("{:>3}  ", place + 1);
        let row = painter.text(row, &number, painter.palette.dim());
        painter.text(row, &what(worker), ratatui_core::style::Style::new());
    }
}

/// Bytes of the missing part that are shown.
const MAX_PART: usize = 200;

/// Returns what a worker runs.
fn what(worker: &WorkerRow) -> String {
    let Some(running) = worker.running else {
        return "waits for a candidate".to_owned();
    };
    let mut text = format!("{:>5}  {}", precise(running), count(worker.bytes, "byte"));
    let base = &worker.base;
    let lacks = worker.lacks.as_ref();
    if let Some(lacks) = lacks.filter(|lacks| lacks.end <= base.len()) {
        let line = |at: usize| 1 + base[..at].iter().filter(|byte| **byte == b'\n').count();
        let (from, to) = (
            line(lacks.start),
            line(lacks.end.saturating_sub(1).max(lacks.start)),
        );
        text += &match from == to {
            true => format!("  without, in line {from}: "),
            false => format!("  without, in lines {from}-{to}: "),
        };
        let part = &base[lacks.start..lacks.end.min(lacks.start + MAX_PART)];
        let part = String::from_utf8_lossy(part);
        let words: Vec<&str> = part.split_whitespace().collect();
        text += &match words.is_empty() {
            true => "white space".to_owned(),
            false => words.join(" "),
        };
    }
    text
}
