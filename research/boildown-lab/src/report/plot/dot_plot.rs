//! Dot plots: dots in named rows.

use super::Axis;
use super::svg::{SvgDrawing, TextAnchor, bold_width, point, width};
use crate::report::number;

/// A dot plot: a row for each object measured, with a dot for each series.
#[derive(Debug, Clone)]
pub(crate) struct DotPlot {
    pub(crate) x: Axis,
    /// The names of the series; no legend is drawn when there is only one.
    pub(crate) series: Vec<String>,
    pub(crate) rows: Vec<DotPlotRow>,
    /// A number at which a dashed line is drawn.
    pub(crate) reference: Option<f64>,
}

/// A row of a dot plot.
#[derive(Debug, Clone)]
pub(crate) struct DotPlotRow {
    pub(crate) name: String,
    /// A value for each series, in their order; `None` for a dot that is left out.
    pub(crate) values: Vec<Option<f64>>,
}

const WIDTH: f64 = 860.0;
const RIGHT: f64 = WIDTH - 24.0;
/// Height of a row without its dots.
const ROW_HEIGHT: f64 = 16.0;
/// Height that a row has in addition for each series, so that equal values do not overlap.
const DOT_HEIGHT: f64 = 5.0;
/// Height of a line of the legend.
const LEGEND_HEIGHT: f64 = 22.0;

impl DotPlot {
    pub(crate) fn svg(&self) -> String {
        let names = self.rows.iter().map(|row| width(&row.name));
        let left = 16.0 + names.fold(0.0, f64::max);
        let legend = self.legend_positions();
        let lines = legend.last().map_or(0.0, |(_, line)| line + 1.0);
        let top = 6.0 + LEGEND_HEIGHT * lines;
        let row_height = ROW_HEIGHT + DOT_HEIGHT * self.series.len().max(1) as f64;
        let bottom = top + row_height * self.rows.len() as f64;
        let height = bottom + 46.0;
        let mut drawing = SvgDrawing::new(WIDTH, height, &self.x.label);

        self.draw_legend(&mut drawing, &legend);
        let row_top = |index: usize| top + row_height * index as f64;
        for index in (0..self.rows.len()).step_by(2) {
            drawing.band(
                point(left, row_top(index)),
                point(RIGHT, row_top(index + 1)),
            );
        }
        let values = self.rows.iter().flat_map(|row| &row.values).flatten();
        let x = self
            .x
            .fit(values.copied().chain(self.reference), left + 8.0, RIGHT);
        let mut next_free_x = f64::NEG_INFINITY;
        for &tick in &x.ticks {
            let (tick_x, label) = (x.pixel(tick), x.tick_label(tick));
            drawing.line("grid", point(tick_x, top), point(tick_x, bottom));
            if tick_x - width(&label) / 2.0 > next_free_x {
                drawing.text(
                    "tick",
                    point(tick_x, bottom + 18.0),
                    TextAnchor::Middle,
                    &label,
                );
                next_free_x = tick_x + width(&label) / 2.0 + 6.0;
            }
        }
        if let Some(reference) = self.reference.filter(|&value| self.x.shows(value)) {
            let reference_x = x.pixel(reference);
            drawing.line(
                "reference",
                point(reference_x, top),
                point(reference_x, bottom),
            );
        }
        drawing.line("frame", point(left, bottom), point(RIGHT, bottom));
        drawing.text(
            "axis",
            point(f64::midpoint(left, RIGHT), height - 8.0),
            TextAnchor::Middle,
            &self.x.label,
        );
        for (index, row) in self.rows.iter().enumerate() {
            let middle = row_top(index) + row_height / 2.0;
            drawing.text(
                "name",
                point(left - 8.0, middle + 4.0),
                TextAnchor::End,
                &row.name,
            );
            for (style, value) in row.values.iter().enumerate() {
                let Some(value) = value.filter(|&value| self.x.shows(value)) else {
                    continue;
                };
                let name = self.series.get(style).map_or("", String::as_str);
                let decimals = if value >= 100.0 { 0 } else { 3 };
                let note = format!("{}, {name}: {}", row.name, number(value, decimals));
                let offset = DOT_HEIGHT * (style as f64 - (row.values.len() - 1) as f64 / 2.0);
                drawing.begin_group(style);
                drawing.mark(style, point(x.pixel(value), middle + offset), &note);
                drawing.end_group();
            }
        }
        drawing.finish()
    }

    /// Draws a mark and a name for each series.
    fn draw_legend(&self, drawing: &mut SvgDrawing, positions: &[(f64, f64)]) {
        for (style, (name, (x, line))) in self.series.iter().zip(positions).enumerate() {
            drawing.begin_group(style);
            drawing.mark(style, point(x + 5.0, 10.0 + LEGEND_HEIGHT * line), name);
            drawing.text(
                "label",
                point(x + 15.0, 14.0 + LEGEND_HEIGHT * line),
                TextAnchor::Start,
                name,
            );
            drawing.end_group();
        }
    }

    /// Returns the position of each name in the legend: its x coordinate and its line. Empty when
    /// there is only one series.
    fn legend_positions(&self) -> Vec<(f64, f64)> {
        if self.series.len() < 2 {
            return Vec::new();
        }
        let (mut x, mut line) = (0.0, 0.0);
        let position = |name: &String| {
            let entry_width = bold_width(name) + 32.0;
            if x > 0.0 && x + entry_width > WIDTH {
                (x, line) = (0.0, line + 1.0);
            }
            let position = (x, line);
            x += entry_width;
            position
        };
        self.series.iter().map(position).collect()
    }
}
