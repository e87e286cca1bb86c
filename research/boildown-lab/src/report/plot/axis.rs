//! Axes: the mapping from numbers to pixels, and the choice of ticks.

use super::svg::width;
use crate::report::number;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal distances for equal differences; always shows zero.
    Linear,
    /// Equal distances for equal factors.
    Log,
}

/// An axis before its range is known.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// The quantity that the axis shows, with its unit.
    pub(crate) label: String,
    pub(crate) scale: Scale,
    /// The ticks; chosen by the range when empty.
    ticks: Vec<f64>,
}

impl Axis {
    pub(crate) fn new(label: &str, scale: Scale) -> Self {
        Self {
            label: label.to_owned(),
            scale,
            ticks: Vec::new(),
        }
    }

    pub(crate) fn with_ticks(mut self, ticks: impl IntoIterator<Item = f64>) -> Self {
        self.ticks = ticks.into_iter().collect();
        self
    }

    /// Returns whether the axis can show a number.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == Scale::Linear || value > 0.0)
    }

    /// Chooses the range of the axis such that it shows these values, from pixel `start` to pixel
    /// `end`.
    pub(super) fn fit(
        &self,
        values: impl Iterator<Item = f64>,
        start: f64,
        end: f64,
    ) -> FittedAxis {
        let shown = values.filter(|&value| self.shows(value));
        let all: Vec<f64> = shown.chain(self.ticks.iter().copied()).collect();
        let low = all.iter().copied().fold(f64::INFINITY, f64::min);
        let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        let (from, to, ticks) = match self.scale {
            Scale::Linear => {
                let low = low.min(0.0);
                let high = if high > low { high } else { low + 1.0 };
                let step = nice_step((high - low) / 6.0);
                let from = (low / step).floor() * step;
                let to = (high / step).ceil() * step;
                (from, to, multiples(from, to, step))
            }
            Scale::Log => {
                // At least about a factor of two, with a margin so that no mark is on the frame.
                let middle = (low * high).sqrt();
                let (low, high) = (low.min(middle / 1.35), high.max(middle * 1.35));
                let margin = (high / low).powf(0.04);
                let (from, to) = (low / margin, high * margin);
                (from, to, log_ticks(from, to))
            }
        };
        FittedAxis {
            scale: self.scale,
            from,
            to,
            start,
            end,
            ticks: if self.ticks.is_empty() {
                ticks
            } else {
                self.ticks.clone()
            },
        }
    }
}

/// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `step`.
fn nice_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let candidates = [1.0, 2.0, 5.0].map(|factor| factor * power);
    (candidates.into_iter())
        .find(|nice| *nice >= step * 0.999)
        .unwrap_or(10.0 * power)
}

/// Returns the multiples of `step` in a range, at most 100 of them.
fn multiples(from: f64, to: f64, step: f64) -> Vec<f64> {
    let first = (from / step).ceil();
    (0..100)
        .map(|index| (first + f64::from(index)) * step)
        .take_while(|tick| *tick <= to + step / 1e6)
        .collect()
}

/// Returns ticks for a logarithmic axis: powers of ten, and for up to 3.5 decades also 2 and 5
/// times these. A range with fewer than three of them gets multiples of a step.
fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let decades = (to / from).log10();
    let factors: &[f64] = if decades > 3.5 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let mut ticks = Vec::new();
    let mut power = 10_f64.powf(from.log10().floor());
    while power <= to {
        ticks.extend(factors.iter().map(|factor| factor * power));
        power *= 10.0;
    }
    ticks.retain(|tick| (from..=to).contains(tick));
    if ticks.len() < 3 {
        return multiples(from, to, nice_step((to - from) / 6.0));
    }
    ticks
}

/// An axis with its range.
pub(super) struct FittedAxis {
    scale: Scale,
    from: f64,
    to: f64,
    start: f64,
    end: f64,
    pub(super) ticks: Vec<f64>,
}

impl FittedAxis {
    /// Returns the pixel of a number.
    pub(super) fn pixel(&self, value: f64) -> f64 {
        let fraction = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        self.start + fraction * (self.end - self.start)
    }

    /// Returns the pixel of a number, or the end of the axis beyond which it is.
    pub(super) fn clamped_pixel(&self, value: f64) -> f64 {
        match value < f64::INFINITY {
            true => self.pixel(value.max(self.from)).min(self.end),
            false => self.end,
        }
    }

    /// Returns the ticks of a horizontal axis, as pixels; those whose labels would overlap have
    /// none.
    pub(super) fn labelled_ticks(&self) -> impl Iterator<Item = (f64, Option<String>)> {
        let mut next_free = f64::NEG_INFINITY;
        self.ticks.iter().map(move |&tick| {
            let (x, label) = (self.pixel(tick), self.tick_label(tick));
            let half = width(&label) / 2.0;
            if x - half <= next_free {
                return (x, None);
            }
            next_free = x + half + 6.0;
            (x, Some(label))
        })
    }

    /// Returns the label of a tick, with as many decimals as the distances between ticks need.
    pub(super) fn tick_label(&self, tick: f64) -> String {
        let step = match self.scale {
            Scale::Linear => match self.ticks.as_slice() {
                [first, second, ..] => second - first,
                _ => 1.0,
            },
            Scale::Log => tick,
        };
        let decimals = (0_u8..6)
            .find(|&decimals| {
                let shifted = [step, tick].map(|value| value * 10_f64.powi(i32::from(decimals)));
                shifted
                    .iter()
                    .all(|value| (value - value.round()).abs() < 1e-6 * value.abs().max(1e-9))
            })
            .unwrap_or(6);
        number(tick, usize::from(decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = Axis::new("", scale).fit(values.iter().copied(), 0.0, 100.0);
        axis.ticks
            .iter()
            .map(|&tick| axis.tick_label(tick))
            .collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            labels(Scale::Linear, &[0.2, 1.1]),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]
        );
        assert_eq!(
            labels(Scale::Linear, &[0.0, 4800.0]),
            ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]
        );
        assert_eq!(
            labels(Scale::Log, &[3.0, 70_000.0]),
            ["10", "100", "1,000", "10,000", "100,000"]
        );
        assert_eq!(
            labels(Scale::Log, &[0.02, 0.4]),
            ["0.02", "0.05", "0.1", "0.2"]
        );
        assert_eq!(
            labels(Scale::Log, &[300.0, 420.0]),
            ["300", "350", "400", "450"]
        );
    }

    #[test]
    fn numbers_are_mapped_to_pixels() {
        let axis = Axis::new("", Scale::Linear).fit([0.0, 10.0].into_iter(), 0.0, 100.0);
        assert!((axis.pixel(5.0) - 50.0).abs() < 1e-9);
        let axis = Axis::new("", Scale::Log).fit([1.0, 100.0].into_iter(), 0.0, 100.0);
        assert!((axis.pixel(10.0) - 50.0).abs() < 1e-9);
        assert!(!Axis::new("", Scale::Log).shows(0.0));
    }
}
