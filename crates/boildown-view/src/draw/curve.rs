//! The size over time, on a logarithmic scale, in braille dots.

use ratatui_core::layout::Rect;

use super::painter::{Painter, Row};
use crate::model::ViewModel;
use crate::numbers::{clock, short};

/// Columns of the labels beside the curve.
const LABELS: u16 = 7;

/// Dots of a cell, by row and column.
const DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

pub(super) fn draw(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    if area.height < 3 || area.width <= LABELS + 2 {
        return;
    }
    let time = clock(model.now.elapsed);
    let area = painter.heading(area, "size over time (log)", &time);
    let (most, least) = bounds(model);
    let dim = painter.palette.dim();
    let last = usize::from(area.height) - 1;
    for (place, row) in Row::of(area).enumerate() {
        let label = match place {
            0 => short(most),
            place if place == last && least + 1 < most => short(least),
            _ => String::new(),
        };
        let row = Row {
            width: LABELS,
            ..row
        };
        painter.text(row, &format!("{label:>5} │"), dim);
    }
    let plot = Rect::new(area.x + LABELS, area.y, area.width - LABELS, area.height);
    plot_dots(model, plot, [most, least], painter);
}

fn bounds(model: &ViewModel) -> (u64, u64) {
    let sizes = model.curve.points().iter().map(|point| point.bytes);
    let most = sizes.clone().max().unwrap_or(1).max(2);
    let least = sizes.min().unwrap_or(1).clamp(1, most - 1);
    (most, least)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes and times become dots"
)]
fn plot_dots(model: &ViewModel, area: Rect, [most, least]: [u64; 2], painter: &mut Painter<'_>) {
    let (columns, rows) = (usize::from(area.width) * 2, usize::from(area.height) * 4);
    let logarithm = |bytes: u64| (bytes.max(1) as f64).ln();
    let (top, bottom) = (logarithm(most), logarithm(least));
    let dot_of = |bytes: u64| {
        let share = (top - logarithm(bytes)) / (top - bottom);
        ((share * (rows - 1) as f64).round().max(0.0) as usize).min(rows - 1)
    };
    let mut cells = vec![0_u32; usize::from(area.width) * usize::from(area.height)];
    let mut before = None;
    for column in 0..columns {
        let at = model
            .now
            .elapsed
            .mul_f64(column as f64 / (columns - 1) as f64);
        let Some(dot) = model.curve.at(at).map(dot_of) else {
            continue;
        };
        let from = before.replace(dot).unwrap_or(dot);
        for dot in from.min(dot)..=from.max(dot) {
            let cell = dot / 4 * usize::from(area.width) + column / 2;
            cells[cell] |= DOTS[dot % 4][column % 2];
        }
    }
    let style = painter.palette.curve();
    for (row, cells) in Row::of(area).zip(cells.chunks(usize::from(area.width))) {
        let braille = |dots: &u32| char::from_u32(0x2800 + dots).unwrap_or(' ');
        let line: String = (cells.iter())
            .map(|dots| if *dots == 0 { ' ' } else { braille(dots) })
            .collect();
        painter.text(row, &line, style);
    }
}
