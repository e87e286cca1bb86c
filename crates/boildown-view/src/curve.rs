//! The size of the best result over time, in bounded memory.

use std::time::Duration;

/// The size of the best result from some time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CurvePoint {
    pub(crate) elapsed: Duration,
    pub(crate) bytes: u64,
}

/// The size of the best result over time.
#[derive(Debug, Clone, Default)]
pub(crate) struct SizeCurve {
    points: Vec<CurvePoint>,
}

/// Number of points from which on every second one is dropped.
const MAX_POINTS: usize = 1024;

impl SizeCurve {
    /// Adds a size. The first and the last one are always kept.
    pub(crate) fn add(&mut self, point: CurvePoint) {
        self.points.push(point);
        if self.points.len() > MAX_POINTS {
            let last = self.points.len() - 1;
            let mut place = 0..;
            self.points.retain(|_| {
                place
                    .next()
                    .is_some_and(|place| place % 2 == 0 || place == last)
            });
        }
    }

    pub(crate) fn points(&self) -> &[CurvePoint] {
        &self.points
    }

    /// Returns the size at a time.
    pub(crate) fn at(&self, elapsed: Duration) -> Option<u64> {
        let after = self
            .points
            .partition_point(|point| point.elapsed <= elapsed);
        self.points
            .get(after.checked_sub(1)?)
            .map(|point| point.bytes)
    }

    /// Returns how long the last halving of the size took.
    pub(crate) fn last_halving(&self) -> Option<Duration> {
        let last = self.points.last()?;
        let before = self
            .points
            .iter()
            .rev()
            .find(|point| point.bytes >= 2 * last.bytes)?;
        Some(last.elapsed.saturating_sub(before.elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: impl IntoIterator<Item = (u64, u64)>) -> SizeCurve {
        let mut curve = SizeCurve::default();
        for (seconds, bytes) in points {
            let elapsed = Duration::from_secs(seconds);
            curve.add(CurvePoint { elapsed, bytes });
        }
        curve
    }

    #[test]
    fn memory_is_bounded_and_both_ends_stay() {
        let curve = curve((0..100_000).map(|second| (second, 100_000 - second)));
        assert!(curve.points().len() <= MAX_POINTS);
        assert_eq!(curve.points().first().unwrap().bytes, 100_000);
        assert_eq!(curve.points().last().unwrap().bytes, 1);
    }

    #[test]
    fn a_size_holds_until_the_next_one() {
        let curve = curve([(0, 100), (10, 60), (30, 25)]);
        let at = |seconds| curve.at(Duration::from_secs(seconds));
        assert_eq!(
            [at(0), at(9), at(10), at(99)],
            [Some(100), Some(100), Some(60), Some(25)]
        );
        assert_eq!(curve.last_halving(), Some(Duration::from_secs(20)));
        assert_eq!(SizeCurve::default().at(Duration::ZERO), None);
    }
}
