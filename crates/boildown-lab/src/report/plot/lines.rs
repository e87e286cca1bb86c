//! Curves over numbers, each with its name at its end.

use super::svg::{Anchor, Drawing, bold_width, width};
use super::{Axis, Series};
use crate::report::number;

/// Curves over a horizontal and a vertical axis.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    /// A number on the vertical axis to compare with.
    pub(crate) reference: Option<f64>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = HEIGHT - 46.0;
/// Between two names that would run into each other.
const SPACING: f64 = 15.0;

impl Lines {
    pub(crate) fn svg(&self) -> String {
        let title = format!("{} over {}", self.y.label, self.x.label);
        let mut drawing = Drawing::new(WIDTH, HEIGHT, &title);
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
            let at = y.place(tick);
            drawing.line("grid", (left, at), (right, at));
            drawing.text("tick", (left - 8.0, at + 4.0), Anchor::End, label);
        }
        let mut free = f64::NEG_INFINITY;
        for &tick in &x.ticks {
            let (at, label) = (x.place(tick), x.tick_label(tick));
            drawing.line("frame", (at, BOTTOM), (at, BOTTOM + 5.0));
            if at - width(&label) / 2.0 > free {
                drawing.text("tick", (at, BOTTOM + 19.0), Anchor::Middle, &label);
                free = at + width(&label) / 2.0 + 6.0;
            }
        }
        drawing.line("frame", (left, BOTTOM), (right, BOTTOM));
        if let Some(reference) = self.reference.filter(|&value| self.y.shows(value)) {
            let at = y.place(reference);
            drawing.line("reference", (left, at), (right, at));
        }
        drawing.text("axis", (0.0, 14.0), Anchor::Start, &self.y.label);
        drawing.text(
            "axis",
            (f64::midpoint(left, right), HEIGHT - 8.0),
            Anchor::Middle,
            &self.x.label,
        );

        let mut ends = Vec::new();
        for (index, series) in self.series.iter().enumerate() {
            let shown = (series.points.iter())
                .filter(|point| self.x.shows(point.0) && self.y.shows(point.1));
            let places: Vec<((f64, f64), (f64, f64))> = shown
                .map(|&point| (point, (x.place(point.0), y.place(point.1))))
                .collect();
            drawing.begin_group(series.style);
            let curve: Vec<(f64, f64)> = places.iter().map(|(_, place)| *place).collect();
            drawing.curve("curve", &curve);
            for ((at, value), place) in &places {
                let note = format!(
                    "{}: {} at {}",
                    series.name,
                    number(*value, decimals(*value)),
                    number(*at, decimals(*at))
                );
                drawing.mark(series.style, *place, &note);
            }
            drawing.end_group();
            if let Some((_, place)) = places.last() {
                ends.push((index, *place));
            }
        }
        self.name(&mut drawing, ends, right);
        drawing.finish()
    }

    /// Writes the names beside the ends of the curves, moved apart where they would run into each other.
    fn name(&self, drawing: &mut Drawing, mut ends: Vec<(usize, (f64, f64))>, right: f64) {
        ends.sort_by(|one, other| one.1.1.total_cmp(&other.1.1));
        let mut heights: Vec<f64> = ends.iter().map(|(_, place)| place.1).collect();
        spread(&mut heights);
        for ((index, place), height) in ends.into_iter().zip(heights) {
            let series = &self.series[index];
            drawing.begin_group(series.style);
            drawing.line("leader", (place.0 + 5.0, place.1), (right + 12.0, height));
            drawing.text(
                "label",
                (right + 16.0, height + 4.0),
                Anchor::Start,
                &series.name,
            );
            drawing.end_group();
        }
    }
}

/// How many decimals a number needs to be read.
fn decimals(value: f64) -> usize {
    if value.abs() >= 100.0 || value.fract().abs() < 1e-9 {
        0
    } else if value.abs() >= 1.0 {
        1
    } else {
        3
    }
}

/// Moves ascending heights apart, keeping each group of neighbours around where they want to be.
fn spread(heights: &mut [f64]) {
    // Groups of neighbours that touch: where the first one wants to stand so that the mean is right, and how many they are.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &height in &*heights {
        let (mut start, mut count) = (height, 1);
        while let Some(&(before, neighbours)) = groups.last()
            && before + SPACING * neighbours as f64 > start
        {
            groups.pop();
            let all = neighbours + count;
            let shift = start - SPACING * neighbours as f64;
            start = (before * neighbours as f64 + shift * count as f64) / all as f64;
            count = all;
        }
        groups.push((start, count));
    }
    let places = groups
        .into_iter()
        .flat_map(|(start, count)| (0..count).map(move |index| start + SPACING * index as f64));
    let bottom = BOTTOM + 20.0 - SPACING * heights.len().saturating_sub(1) as f64;
    let mut lowest = f64::NEG_INFINITY;
    for (index, (height, place)) in heights.iter_mut().zip(places).enumerate() {
        *height = place
            .min(bottom + SPACING * index as f64)
            .max(lowest + SPACING);
        lowest = *height;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_distance_and_stay_near_their_curves() {
        let mut heights = [100.0, 101.0, 102.0, 200.0];
        spread(&mut heights);
        let expected = [86.0, 101.0, 116.0, 200.0];
        let near = |(height, expected): (&f64, f64)| (height - expected).abs() < 1e-9;
        assert!(heights.iter().zip(expected).all(near), "{heights:?}");
        let mut many = [BOTTOM; 6];
        spread(&mut many);
        assert!(
            many.windows(2)
                .all(|pair| pair[1] - pair[0] >= SPACING - 1e-9)
        );
        assert!(many[5] <= BOTTOM + 20.0 + 1e-9);
    }
}
