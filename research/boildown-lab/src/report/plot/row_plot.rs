//! Row plots: dots or boxes in named rows.

use super::axis::FittedAxis;
use super::svg::{SvgDrawing, TextAnchor, bold_width, point, width};
use super::{Axis, Plot};
use crate::report::number;

/// A plot with a row for each object measured, with a mark for each series.
#[derive(Debug, Clone)]
pub(crate) struct RowPlot<M> {
    pub(crate) x: Axis,
    /// The names of the series; no legend is drawn when there is only one.
    pub(crate) series: Vec<String>,
    pub(crate) rows: Vec<PlotRow<M>>,
    /// A number at which a dashed line is drawn.
    pub(crate) reference: Option<f64>,
}

/// A row of a plot.
#[derive(Debug, Clone)]
pub(crate) struct PlotRow<M> {
    pub(crate) name: String,
    /// A mark for each series, in their order; `None` for one that is left out.
    pub(crate) values: Vec<Option<M>>,
}

/// What a row shows of a series: a dot at a number, or a box.
pub(crate) trait PlotMark {
    /// Height that a row has for each series, so that equal values do not overlap.
    const HEIGHT: f64;

    /// Returns the numbers that the axis has to show.
    fn numbers(&self) -> Vec<f64>;

    /// Draws the mark at a height; `name` says what it is of.
    fn draw(&self, drawing: &mut SvgDrawing, place: &MarkPlace<'_>, name: &str);
}

/// The place of a mark.
pub(crate) struct MarkPlace<'a> {
    x: &'a FittedAxis,
    y: f64,
    style: usize,
}

impl PlotMark for f64 {
    const HEIGHT: Self = 5.0;

    fn numbers(&self) -> Vec<Self> {
        vec![*self]
    }

    fn draw(&self, drawing: &mut SvgDrawing, place: &MarkPlace<'_>, name: &str) {
        let note = format!("{name}: {}", noted(*self));
        drawing.mark(place.style, point(place.x.pixel(*self), place.y), &note);
    }
}

/// The smallest of some numbers, their quartiles, and the largest. Some numbers are known as bounds
/// only, so that these may be too: from 0, or to infinity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoxSummary {
    pub(crate) at_least: [f64; 5],
    pub(crate) at_most: [f64; 5],
}

impl PlotMark for BoxSummary {
    const HEIGHT: f64 = 10.0;

    fn numbers(&self) -> Vec<f64> {
        [self.at_least, self.at_most].concat()
    }

    fn draw(&self, drawing: &mut SvgDrawing, place: &MarkPlace<'_>, name: &str) {
        let [lowest, from, median, ..] = self.at_least;
        let [.., at_most, to, highest] = self.at_most;
        let at = |number| point(place.x.clamped_pixel(number), place.y);
        drawing.line("leader", at(lowest), at(highest));
        let shown = match median < at_most {
            true => format!("between {} and {}", noted(median), noted(at_most)),
            false => noted(median),
        };
        let half = format!("{} to {}", noted(from), noted(to));
        let note = format!("{name}: median {shown}, middle half {half}");
        let (start, end) = (at(from), at(to));
        let (start, end) = (point(start.x, start.y - 3.5), point(end.x, end.y + 3.5));
        drawing.rectangle("curve", start, end, &note);
        if median >= at_most {
            drawing.mark(place.style, at(median), &note);
        }
    }
}

/// Returns a number as notes show it.
fn noted(value: f64) -> String {
    match value.is_finite() {
        true => number(value, if value >= 100.0 { 0 } else { 3 }),
        false => "∞".to_owned(),
    }
}

const WIDTH: f64 = 860.0;
const RIGHT: f64 = WIDTH - 24.0;
/// Height of a row without its marks.
const ROW_HEIGHT: f64 = 16.0;
/// Height of a line of the legend.
const LEGEND_HEIGHT: f64 = 22.0;

impl<M: PlotMark> Plot for RowPlot<M> {
    fn svg(&self) -> String {
        let names = self.rows.iter().map(|row| width(&row.name));
        let left = 16.0 + names.fold(0.0, f64::max);
        let legend = self.legend_positions();
        let lines = legend.last().map_or(0.0, |(_, line)| line + 1.0);
        let top = 6.0 + LEGEND_HEIGHT * lines;
        let row_height = ROW_HEIGHT + M::HEIGHT * self.series.len().max(1) as f64;
        let bottom = top + row_height * self.rows.len() as f64;
        let height = bottom + 46.0;
        let mut drawing = SvgDrawing::new(WIDTH, height, &self.x.label);

        self.draw_legend(&mut drawing, &legend);
        let row_top = |index: usize| top + row_height * index as f64;
        for index in (0..self.rows.len()).step_by(2) {
            let ends = [(left, index), (RIGHT, index + 1)].map(|(x, row)| point(x, row_top(row)));
            drawing.rectangle("band", ends[0], ends[1], "");
        }
        let marks = self.rows.iter().flat_map(|row| &row.values).flatten();
        let values = marks.flat_map(PlotMark::numbers).chain(self.reference);
        let x = self.x.fit(values, left + 8.0, RIGHT);
        for (tick_x, label) in x.labelled_ticks() {
            drawing.line("grid", point(tick_x, top), point(tick_x, bottom));
            if let Some(label) = label {
                let below = point(tick_x, bottom + 18.0);
                drawing.text("tick", below, TextAnchor::Middle, &label);
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
            for (style, mark) in row.values.iter().enumerate() {
                let is_shown = |mark: &&M| mark.numbers().iter().any(|&it| self.x.shows(it));
                let Some(mark) = mark.as_ref().filter(is_shown) else {
                    continue;
                };
                let offset = M::HEIGHT * (style as f64 - (row.values.len() - 1) as f64 / 2.0);
                let place = MarkPlace {
                    x: &x,
                    y: middle + offset,
                    style,
                };
                let name = self.series.get(style).map_or("", String::as_str);
                drawing.begin_group(style);
                mark.draw(&mut drawing, &place, &format!("{}, {name}", row.name));
                drawing.end_group();
            }
        }
        drawing.finish()
    }
}

impl<M: PlotMark> RowPlot<M> {
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
