//! The one parameter of the probabilistic minimisers.

use std::fmt;

/// The probability with which any element is expected to be needed, before anything was asked: σ.
///
/// Small: large deletions first, cheap when little is needed. Large: small deletions, cheap when much is needed.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Sigma(f64);

impl Sigma {
    /// One element in ten: what the ProbDD paper evaluates.
    pub const TENTH: Self = Self(0.1);
    /// One element in four: the worked example of the ProbDD paper.
    pub const QUARTER: Self = Self(0.25);
    /// The least that is accepted. Well above it, products of `1 − p` are still told from 1.
    const LEAST: f64 = 1.0 / (1_u64 << 30) as f64;

    /// Returns the parameter for a probability from 2⁻³⁰ up to but not including 1, and `None` for any other number.
    #[must_use]
    pub fn new(probability: f64) -> Option<Self> {
        (Self::LEAST..1.0)
            .contains(&probability)
            .then_some(Self(probability))
    }

    /// Returns the probability.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Sigma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether a deletion that is worth most with `size - 1` elements is worth at least as much with one more, needed with
/// probability `p` and no less likely needed than the others.
///
/// The expected gain of k elements is k·Π(1 − pⱼ). It does not fall from k − 1 to k when k·(1 − pₖ) ≥ k − 1, that is when k·pₖ ≤ 1.
/// In this form no product has to be carried along, and where 1/p is an integer the tie is never lost to rounding: the double
/// nearest to 1/k, times k, rounds to 1.
pub(super) fn is_worth_adding(size: usize, p: f64) -> bool {
    size as f64 * p <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_proper_probabilities_are_accepted() {
        for probability in [0.0, -0.1, 1.0, 1.5, f64::NAN, f64::INFINITY, 1e-12] {
            assert_eq!(Sigma::new(probability), None, "{probability}");
        }
        assert_eq!(Sigma::new(0.1), Some(Sigma::TENTH));
        assert_eq!(Sigma::QUARTER.to_string(), "0.25");
    }

    #[test]
    fn ties_extend_for_every_integer_odds() {
        for size in 1..100_000_usize {
            let p = 1.0 / size as f64;
            assert!(is_worth_adding(size, p), "{size}");
            assert!(!is_worth_adding(size + 1, p), "{size}");
        }
    }
}
