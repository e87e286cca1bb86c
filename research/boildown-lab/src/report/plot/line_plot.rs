//! Line plots: curves over numbers, each with its name at its end.

use super::axis::FittedAxis;
use super::svg::{PixelPoint, SvgDrawing, TextAnchor, bold_width, point, width};
use super::{Axis, LineSeries, Plot};
use crate::report::number;

/// A line plot with a horizontal and a vertical axis.
#[derive(Debug, Clone)]
pub(crate) struct LinePlot {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<LineSeries>,
    /// A number on the vertical axis at which a dashed line is drawn.
    pub(crate) reference: Option<f64>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = HEIGHT - 46.0;
/// Least vertical distance between two names.
const NAME_SPACING: f64 = 15.0;

impl Plot for LinePlot {
    fn svg(&self) -> String {
        let title = format!("{} over {}", self.y.label, self.x.label);
        let mut drawing = SvgDrawing::new(WIDTH, HEIGHT, &title);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let names = self.series.iter().map(|series| bold_width(&series.name));
        let right = WIDTH - 24.0 - names.fold(0.0, f64::max);
        let y = self.y.fit(
            points().map(|point| point.1).chain(self.reference),
            BOTTOM,
            TOP,
        );
        let labels: Vec<String> = y.ticks.iter().map(|&tick| y.tick_label(tick)).collect();
        let left = 16.0 + labels.iter().map(|label| width(label)).fold(0.0, f64::max);
        let x = self.x.fit(points().map(|point| point.0), left, right);

        for (&tick, label) in y.ticks.iter().zip(&labels) {
            let tick_y = y.pixel(tick);
            drawing.line("grid", point(left, tick_y), point(right, tick_y));
            drawing.text(
                "tick",
                point(left - 8.0, tick_y + 4.0),
                TextAnchor::End,
                label,
            );
        }
        for (tick_x, label) in x.labelled_ticks() {
            drawing.line("frame", point(tick_x, BOTTOM), point(tick_x, BOTTOM + 5.0));
            if let Some(label) = label {
                let below = point(tick_x, BOTTOM + 19.0);
                drawing.text("tick", below, TextAnchor::Middle, &label);
            }
        }
        drawing.line("frame", point(left, BOTTOM), point(right, BOTTOM));
        if let Some(reference) = self.reference.filter(|&value| self.y.shows(value)) {
            let reference_y = y.pixel(reference);
            drawing.line(
                "reference",
                point(left, reference_y),
                point(right, reference_y),
            );
        }
        drawing.text("axis", point(0.0, 14.0), TextAnchor::Start, &self.y.label);
        drawing.text(
            "axis",
            point(f64::midpoint(left, right), HEIGHT - 8.0),
            TextAnchor::Middle,
            &self.x.label,
        );

        let ends = self.draw_curves(&mut drawing, &x, &y);
        draw_names(&mut drawing, ends, right);
        drawing.finish()
    }
}

impl LinePlot {
    /// Draws the curves with a mark at each point. Returns the ends of the curves that have points.
    fn draw_curves(
        &self,
        drawing: &mut SvgDrawing,
        x: &FittedAxis,
        y: &FittedAxis,
    ) -> Vec<CurveEnd<'_>> {
        let mut ends = Vec::new();
        for series in &self.series {
            let shown = (series.points.iter())
                .filter(|point| self.x.shows(point.0) && self.y.shows(point.1));
            let marks: Vec<((f64, f64), PixelPoint)> = shown
                .map(|&(at, value)| ((at, value), point(x.pixel(at), y.pixel(value))))
                .collect();
            drawing.begin_group(series.style);
            let curve: Vec<PixelPoint> = marks.iter().map(|(_, position)| *position).collect();
            drawing.curve("curve", &curve);
            for ((at, value), position) in &marks {
                let note = format!(
                    "{}: {} at {}",
                    series.name,
                    number(*value, decimals(*value)),
                    number(*at, decimals(*at))
                );
                drawing.mark(series.style, *position, &note);
            }
            drawing.end_group();
            if let Some((_, position)) = marks.last() {
                let end = *position;
                ends.push(CurveEnd { series, end });
            }
        }
        ends
    }
}

/// The last point of a curve, beside which its name is written.
struct CurveEnd<'a> {
    series: &'a LineSeries,
    end: PixelPoint,
}

/// Writes the names of the curves beside their ends, moved apart where they would overlap.
fn draw_names(drawing: &mut SvgDrawing, mut ends: Vec<CurveEnd<'_>>, right: f64) {
    ends.sort_by(|one, other| one.end.y.total_cmp(&other.end.y));
    let mut heights: Vec<f64> = ends.iter().map(|curve| curve.end.y).collect();
    spread(&mut heights);
    for (CurveEnd { series, end }, height) in ends.into_iter().zip(heights) {
        drawing.begin_group(series.style);
        drawing.line(
            "leader",
            point(end.x + 5.0, end.y),
            point(right + 12.0, height),
        );
        drawing.text(
            "label",
            point(right + 16.0, height + 4.0),
            TextAnchor::Start,
            &series.name,
        );
        drawing.end_group();
    }
}

/// Returns a number of decimals that suits a number.
fn decimals(value: f64) -> usize {
    if value.abs() >= 100.0 || value.fract().abs() < 1e-9 {
        0
    } else if value.abs() >= 1.0 {
        1
    } else {
        3
    }
}

/// Moves ascending heights apart, so that neighbours have at least [`NAME_SPACING`] between them.
///
/// Heights that are too close form a group. Its members get equal distances, and its mean position
/// is the mean of their original heights. Example: with a spacing of 15, the heights 100, 101, 102
/// and 200 become 86, 101, 116 and 200.
fn spread(heights: &mut [f64]) {
    // For each group, the height of its first member, and the number of members.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &height in &*heights {
        let (mut start, mut count) = (height, 1);
        while let Some(&(before, neighbours)) = groups.last()
            && before + NAME_SPACING * neighbours as f64 > start
        {
            groups.pop();
            let all = neighbours + count;
            let shift = start - NAME_SPACING * neighbours as f64;
            start = (before * neighbours as f64 + shift * count as f64) / all as f64;
            count = all;
        }
        groups.push((start, count));
    }
    let places = groups.into_iter().flat_map(|(start, count)| {
        (0..count).map(move |index| start + NAME_SPACING * index as f64)
    });
    let bottom = BOTTOM + 20.0 - NAME_SPACING * heights.len().saturating_sub(1) as f64;
    let mut lowest = f64::NEG_INFINITY;
    for (index, (height, place)) in heights.iter_mut().zip(places).enumerate() {
        *height = place
            .min(bottom + NAME_SPACING * index as f64)
            .max(lowest + NAME_SPACING);
        lowest = *height;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_overlap_and_stay_near_their_curves() {
        let mut heights = [100.0, 101.0, 102.0, 200.0];
        spread(&mut heights);
        let expected = [86.0, 101.0, 116.0, 200.0];
        let near = |(height, expected): (&f64, f64)| (height - expected).abs() < 1e-9;
        assert!(heights.iter().zip(expected).all(near), "{heights:?}");
        let mut many = [BOTTOM; 6];
        spread(&mut many);
        assert!(
            many.windows(2)
                .all(|pair| pair[1] - pair[0] >= NAME_SPACING - 1e-9)
        );
        assert!(many[5] <= BOTTOM + 20.0 + 1e-9);
    }
}
