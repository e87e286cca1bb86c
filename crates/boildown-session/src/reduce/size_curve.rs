//! The size of the result over the tests of a search, and whether it is still falling.

/// The fewest tests over which a curve counts as flat.
const FEWEST: u64 = 30;

/// The sizes of a result, each from a test on.
#[derive(Debug)]
pub(super) struct SizeCurve(Vec<(u64, usize)>);

impl SizeCurve {
    pub(super) fn starting_at(size: usize) -> Self {
        Self(vec![(0, size)])
    }

    /// Records the size after a test that made the result smaller.
    pub(super) fn fall_to(&mut self, size: usize, tests: u64) {
        self.0.push((tests, size));
    }

    /// Returns whether the last third of the tests, at least 30, removed less than a hundredth of
    /// what there was before them. No curve is flat before its first fall.
    ///
    /// Depends on the number of tests and on the sizes only, so that it is the same with any
    /// number of jobs.
    pub(super) fn is_flat(&self, tests: u64) -> bool {
        self.has_lost_less(tests, FEWEST.max(tests / 3), 100)
    }

    /// Returns whether the last eight tests removed less than a twentieth.
    pub(super) fn is_flat_at_limit(&self, tests: u64) -> bool {
        self.has_lost_less(tests, 8, 20)
    }

    /// Returns whether the last tests, `span` of them, removed less than one of `parts` parts.
    fn has_lost_less(&self, tests: u64, span: u64, parts: usize) -> bool {
        let Some(from) = tests.checked_sub(span) else {
            return false;
        };
        let before = (self.0.iter().rev()).find_map(|&(at, size)| (at <= from).then_some(size));
        let now = self.0.last().filter(|(at, _)| *at > 0);
        let sizes = before.zip(now);
        sizes.is_some_and(|(before, (_, now))| parts * before.saturating_sub(*now) < before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_flat_once_a_third_of_the_tests_removed_less_than_a_hundredth() {
        let mut curve = SizeCurve::starting_at(10_000);
        assert!(!curve.is_flat(100), "nothing was removed yet");
        curve.fall_to(1000, 10);
        assert!(!curve.is_flat(39));
        assert!(curve.is_flat(40));
        curve.fall_to(991, 150);
        assert!(curve.is_flat(151), "nine of a thousand");
        curve.fall_to(990, 160);
        assert!(!curve.is_flat(161));
        assert!(!curve.is_flat(223) && curve.is_flat(224));
        assert!(!curve.is_flat_at_limit(17) && curve.is_flat_at_limit(18));
    }
}
