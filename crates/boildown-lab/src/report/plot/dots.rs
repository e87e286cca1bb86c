//! Dots in named rows.

use super::Axis;
use super::svg::{Anchor, Drawing, bold_width, width};
use crate::report::number;

/// One row for each thing measured, one dot in it for each series.
#[derive(Debug, Clone)]
pub(crate) struct Dots {
    pub(crate) x: Axis,
    /// The names of the series; no legend is drawn when there is only one.
    pub(crate) series: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// A number to compare with.
    pub(crate) reference: Option<f64>,
}

/// A row of dots.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// One for each series, in their order.
    pub(crate) values: Vec<Option<f64>>,
}

const WIDTH: f64 = 860.0;
const RIGHT: f64 = WIDTH - 24.0;
/// The height of a row: some for each series, whose dots stand below one another.
const ROW: f64 = 16.0;
const DOT: f64 = 5.0;
/// The height of a line of the legend.
const LEGEND: f64 = 22.0;

impl Dots {
    pub(crate) fn svg(&self) -> String {
        let names = self.rows.iter().map(|row| width(&row.name));
        let left = 16.0 + names.fold(0.0, f64::max);
        let legend = self.legend();
        let lines = legend.last().map_or(0.0, |(_, line)| line + 1.0);
        let top = 6.0 + LEGEND * lines;
        let row_height = ROW + DOT * self.series.len().max(1) as f64;
        let bottom = top + row_height * self.rows.len() as f64;
        let height = bottom + 46.0;
        let mut drawing = Drawing::new(WIDTH, height, &self.x.label);

        for (style, (name, (at, line))) in self.series.iter().zip(&legend).enumerate() {
            drawing.begin_group(style);
            drawing.mark(style, (at + 5.0, 10.0 + LEGEND * line), name);
            drawing.text(
                "label",
                (at + 15.0, 14.0 + LEGEND * line),
                Anchor::Start,
                name,
            );
            drawing.end_group();
        }
        let row_top = |index: usize| top + row_height * index as f64;
        for index in (0..self.rows.len()).step_by(2) {
            drawing.band((left, row_top(index)), (RIGHT, row_top(index + 1)));
        }
        let values = self.rows.iter().flat_map(|row| &row.values).flatten();
        let x = self
            .x
            .fit(values.copied().chain(self.reference), left + 8.0, RIGHT);
        let mut free = f64::NEG_INFINITY;
        for &tick in &x.ticks {
            let (at, label) = (x.place(tick), x.tick_label(tick));
            drawing.line("grid", (at, top), (at, bottom));
            if at - width(&label) / 2.0 > free {
                drawing.text("tick", (at, bottom + 18.0), Anchor::Middle, &label);
                free = at + width(&label) / 2.0 + 6.0;
            }
        }
        if let Some(reference) = self.reference.filter(|&value| self.x.shows(value)) {
            let at = x.place(reference);
            drawing.line("reference", (at, top), (at, bottom));
        }
        drawing.line("frame", (left, bottom), (RIGHT, bottom));
        drawing.text(
            "axis",
            (f64::midpoint(left, RIGHT), height - 8.0),
            Anchor::Middle,
            &self.x.label,
        );
        for (index, row) in self.rows.iter().enumerate() {
            let middle = row_top(index) + row_height / 2.0;
            drawing.text("name", (left - 8.0, middle + 4.0), Anchor::End, &row.name);
            for (style, value) in row.values.iter().enumerate() {
                let Some(value) = value.filter(|&value| self.x.shows(value)) else {
                    continue;
                };
                let name = self.series.get(style).map_or("", String::as_str);
                let decimals = if value >= 100.0 { 0 } else { 3 };
                let note = format!("{}, {name}: {}", row.name, number(value, decimals));
                // Equal values stay apart.
                let offset = DOT * (style as f64 - (row.values.len() - 1) as f64 / 2.0);
                drawing.begin_group(style);
                drawing.mark(style, (x.place(value), middle + offset), &note);
                drawing.end_group();
            }
        }
        drawing.finish()
    }

    /// Where each name of the legend stands: its pixel and its line.
    fn legend(&self) -> Vec<(f64, f64)> {
        if self.series.len() < 2 {
            return Vec::new();
        }
        let (mut at, mut line) = (0.0, 0.0);
        let place = |name: &String| {
            let room = bold_width(name) + 32.0;
            if at > 0.0 && at + room > WIDTH {
                (at, line) = (0.0, line + 1.0);
            }
            let place = (at, line);
            at += room;
            place
        };
        self.series.iter().map(place).collect()
    }
}
