//! The curve of the size over time or over tests, with a logarithmic scale.

use std::fmt::Write as _;

use super::at;
use crate::escape;
use crate::format::{duration, grouped, real};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 628.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 206.0;

/// The number of points above which a curve is sampled. The plot is narrower than that.
const MAX_POINTS: usize = 1200;

/// What the horizontal axis shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CurveAxis {
    Tests,
    Seconds,
}

/// A curve of sizes.
#[derive(Debug)]
pub(crate) struct SizeCurve<'a> {
    pub(crate) axis: CurveAxis,
    /// Tests or seconds, and the size in bytes from there on.
    pub(crate) points: Vec<(f64, u64)>,
    /// Where the axis ends.
    pub(crate) end: f64,
    /// Where passes begin on the axis, and their names.
    pub(crate) passes: Vec<(f64, &'a str)>,
}

/// The vertical axis: the smallest and the largest size, as decimal logarithms.
#[derive(Debug, Clone, Copy)]
struct LogScale {
    low: f64,
    high: f64,
}

impl LogScale {
    fn y(self, bytes: f64) -> f64 {
        let part = (bytes.max(1.0).log10() - self.low) / (self.high - self.low);
        BOTTOM - (BOTTOM - TOP) * part.clamp(0.0, 1.0)
    }
}

impl SizeCurve<'_> {
    /// Returns the drawing.
    pub(crate) fn svg(&self) -> String {
        let label = match self.axis {
            CurveAxis::Tests => "Size in bytes over tests",
            CurveAxis::Seconds => "Size in bytes over time",
        };
        let mut svg = format!(
            "<svg class=curve viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{label}: {}\">\n",
            escape::text(&self.summary())
        );
        self.draw_passes(&mut svg);
        self.draw_sizes(&mut svg);
        self.draw_axis(&mut svg);
        writeln!(svg, "<path class=line d=\"{}\"/>", self.path()).ok();
        svg + "</svg>\n"
    }

    fn summary(&self) -> String {
        let sizes = self.points.first().zip(self.points.last());
        sizes.map_or_else(String::new, |(first, last)| {
            format!("from {} to {}", first.1, last.1)
        })
    }

    fn x(&self, value: f64) -> f64 {
        let part = if self.end > 0.0 {
            value / self.end
        } else {
            0.0
        };
        LEFT + (RIGHT - LEFT) * part.clamp(0.0, 1.0)
    }

    /// Returns the range of the sizes.
    fn scale(&self) -> LogScale {
        let sizes = || self.points.iter().map(|(_, bytes)| real((*bytes).max(1)));
        let low = sizes().fold(f64::MAX, f64::min).log10();
        let high = sizes().fold(1.0, f64::max).log10();
        LogScale {
            low: low.min(high),
            high: high.max(low + 0.1),
        }
    }

    fn draw_passes(&self, svg: &mut String) {
        for (index, (start, name)) in self.passes.iter().enumerate() {
            let end = (self.passes.get(index + 1)).map_or(self.end, |(next, _)| *next);
            let (from, to) = (self.x(*start), self.x(end));
            let width = to - from;
            if width < 0.3 {
                continue;
            }
            let shade = if index.is_multiple_of(2) {
                "even"
            } else {
                "odd"
            };
            let name = escape::text(name);
            write!(
                svg,
                "<g class=pass><title>{name}</title><rect class=\"band {shade}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                at(from),
                at(TOP),
                at(width),
                at(BOTTOM - TOP)
            )
            .ok();
            if width > 6.2 * real(name.len() as u64) {
                let middle = at(from + width / 2.0);
                write!(
                    svg,
                    "<text class=name x=\"{middle}\" y=\"{}\" text-anchor=middle>{name}</text>",
                    at(TOP + 13.0)
                )
                .ok();
            }
            svg.push_str("</g>\n");
        }
    }

    fn draw_sizes(&self, svg: &mut String) {
        let scale = self.scale();
        let LogScale { low, high } = scale;
        let is_narrow = high - low < 1.3;
        // Both ends have their sizes, and what is between them round ones.
        let ends = [self.points.first(), self.points.last()].map(|point| point.map(|(_, y)| *y));
        let ends: Vec<u64> = ends.into_iter().flatten().collect();
        let mut used: Vec<f64> = Vec::new();
        for bytes in &ends {
            let y = scale.y(real(*bytes));
            if used.iter().all(|other| (other - y).abs() >= 14.0) {
                used.push(y);
                size_line(svg, y, *bytes);
            }
        }
        for exponent in 0..12 {
            for digit in [1.0, 2.0, 5.0] {
                let bytes = digit * 10_f64.powi(exponent);
                let is_seen = (low - 1e-9..=high + 1e-9).contains(&bytes.log10());
                if !is_seen || digit > 1.0 && !is_narrow {
                    continue;
                }
                let y = scale.y(bytes);
                if used.iter().any(|other| (other - y).abs() < 14.0) {
                    continue;
                }
                used.push(y);
                size_line(svg, y, crate::format::whole(bytes));
            }
        }
    }

    fn draw_axis(&self, svg: &mut String) {
        for part in 0..5_u32 {
            let value = self.end * f64::from(part) / 4.0;
            let shown = match self.axis {
                CurveAxis::Tests => grouped(crate::format::whole(value.round())),
                CurveAxis::Seconds => duration(value),
            };
            let (x, anchor) = (
                self.x(value),
                ["start", "middle", "middle", "middle", "end"],
            );
            writeln!(
                svg,
                "<line class=tick x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{BOTTOM}\" y2=\"{}\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor={}>{shown}</text>",
                BOTTOM + 4.0,
                BOTTOM + 18.0,
                anchor[part as usize]
            )
            .ok();
        }
        let title = match self.axis {
            CurveAxis::Tests => "tests",
            CurveAxis::Seconds => "time",
        };
        writeln!(
            svg,
            "<line class=axis x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{BOTTOM}\" y2=\"{BOTTOM}\"/><text class=title x=\"{}\" y=\"{}\" text-anchor=middle>{title}</text>",
            at(f64::midpoint(LEFT, RIGHT)),
            at(HEIGHT - 8.0)
        )
        .ok();
    }

    /// Returns the curve as stairs, of the points that can be told apart.
    fn path(&self) -> String {
        let mut path = String::new();
        let scale = self.scale();
        let mut last = (f64::MIN, f64::MIN);
        let points = self.points.len();
        for (index, (value, bytes)) in self.points.iter().enumerate() {
            let (x, y) = (self.x(*value), scale.y(real(*bytes)));
            let is_near = (x - last.0).abs() < 0.5 && index + 1 < points;
            if index == 0 {
                write!(path, "M{} {}", at(x), at(y)).ok();
            } else if points > MAX_POINTS && is_near {
                continue;
            } else {
                write!(path, "H{}V{}", at(x), at(y)).ok();
            }
            last = (x, y);
        }
        write!(path, "H{}", at(RIGHT)).ok();
        path
    }
}

/// Draws the line of a size, with the size before it.
fn size_line(svg: &mut String, y: f64, bytes: u64) {
    writeln!(
        svg,
        "<line class=grid x1=\"{}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=end>{}</text>",
        at(LEFT),
        at(RIGHT),
        at(LEFT - 6.0),
        y + 4.0,
        grouped(bytes)
    )
    .ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_of_many_steps_is_sampled_and_keeps_its_ends() {
        let many: Vec<(f64, u64)> = (0..100_000_u32)
            .map(|step| (f64::from(step), u64::from(200_000 - step)))
            .collect();
        let curve = SizeCurve {
            axis: CurveAxis::Tests,
            points: many,
            end: 100_000.0,
            passes: vec![(0.0, "a<b"), (50_000.0, "tree")],
        };
        let svg = curve.svg();
        assert!(svg.len() < 40_000, "{}", svg.len());
        assert!(svg.contains("a&lt;b"));
        assert!(svg.contains("from 200000 to 100001"));
    }

    #[test]
    fn a_curve_between_round_sizes_has_the_sizes_of_its_ends() {
        let curve = SizeCurve {
            axis: CurveAxis::Tests,
            points: vec![(0.0, 1_746_904), (18.0, 1_355_351)],
            end: 18.0,
            passes: Vec::new(),
        };
        let svg = curve.svg();
        for bytes in [1_746_904, 1_355_351] {
            let label = format!(">{}</text>", grouped(bytes));
            assert!(svg.contains(&label), "{label} in {svg}");
        }
    }

    #[test]
    fn a_curve_of_one_point_is_a_line() {
        let curve = SizeCurve {
            axis: CurveAxis::Seconds,
            points: vec![(0.0, 0)],
            end: 0.0,
            passes: Vec::new(),
        };
        assert!(!curve.svg().contains("NaN"));
    }
}
