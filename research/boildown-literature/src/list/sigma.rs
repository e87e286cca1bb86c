//! Sigma, the parameter of the probabilistic list algorithms.

use std::fmt;

use boildown_search::algorithms::ParsedName;

/// The initial probability that an element is needed, σ.
///
/// A small value makes large deletions first, which is cheap if few elements are needed. A large
/// value makes small deletions, which is cheap if many are.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Sigma(f64);

impl Sigma {
    /// One element in ten: the value of the evaluation in the ProbDD paper.
    pub const TENTH: Self = Self(0.1);
    /// One element in four: the value of the worked example in the ProbDD paper.
    pub const QUARTER: Self = Self(0.25);
    /// The smallest value that is accepted. At this value products of `1 − p` can still be
    /// distinguished from 1.
    const SMALLEST: f64 = 1.0 / (1_u64 << 30) as f64;

    /// Returns the parameter for a probability from 2⁻³⁰ up to but not including 1, and `None` for
    /// any other number.
    #[must_use]
    pub fn new(probability: f64) -> Option<Self> {
        (Self::SMALLEST..1.0)
            .contains(&probability)
            .then_some(Self(probability))
    }

    /// Returns the parameter closest to a share from 0 to 1.
    pub(super) fn clamped(share: f64) -> Self {
        const LARGEST: f64 = 0.99;
        Self(share.clamp(Self::SMALLEST, LARGEST))
    }

    /// Takes the parameter `sigma` out of a name.
    pub(super) fn parse(name: &mut ParsedName<'_>, default: Self) -> Result<Self, String> {
        name.value("sigma", default, |text| {
            let sigma = text.parse().ok().and_then(Self::new);
            sigma.ok_or_else(|| "a probability between 0 and 1".to_owned())
        })
    }

    /// Returns `sigma=…`, or `None` for the default.
    pub(super) fn non_default(self, default: Self) -> Option<String> {
        (self != default).then(|| format!("sigma={self}"))
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

/// The source of σ.
///
/// A σ far from the share of needed elements costs queries. The papers fix it for all lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SigmaEstimate {
    /// It is given, as in the papers.
    #[default]
    Fixed,
    /// The expected share of needed elements among those of this list that were asked about so
    /// far. The given σ counts as 1/2σ elements, half of one needed.
    Answers,
    /// The share of elements that were left of the lists before, where a schedule minimises one
    /// list after the other. The σ so far counts as twenty elements.
    Lists,
}

impl SigmaEstimate {
    /// The values of the parameter `estimate`.
    pub(super) const NAMES: [(&str, Self); 3] = [
        ("fixed", Self::Fixed),
        ("answers", Self::Answers),
        ("lists", Self::Lists),
    ];

    /// Returns σ for the next list, after one with a number of elements of which some are left.
    pub(crate) fn after_list(self, sigma: Sigma, elements: usize, left: usize) -> Sigma {
        const PRIOR: f64 = 20.0;
        match self {
            Self::Fixed | Self::Answers => sigma,
            Self::Lists => {
                let share = (left as f64 + PRIOR * sigma.0) / (elements as f64 + PRIOR);
                Sigma::clamped(share)
            }
        }
    }
}

/// Returns whether a deletion of `size` elements has at least the expected gain of the deletion
/// without the last element. That element is needed with probability `p`, and no other one is more
/// likely to be needed.
///
/// The expected gain of k elements is k·Π(1 − pⱼ). It does not fall from k − 1 to k elements if
/// k·(1 − pₖ) ≥ k − 1, that is, if k·pₖ ≤ 1. In this form no product has to be carried along. If
/// 1/p is an integer, the tie is never lost to rounding: the double nearest to 1/k, times k, rounds
/// to 1.
pub(crate) fn is_worth_adding(size: usize, p: f64) -> bool {
    size as f64 * p <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_probabilities_within_the_limits_are_accepted() {
        for probability in [0.0, -0.1, 1.0, 1.5, f64::NAN, f64::INFINITY, 1e-12] {
            assert_eq!(Sigma::new(probability), None, "{probability}");
        }
        assert_eq!(Sigma::new(0.1), Some(Sigma::TENTH));
        assert_eq!(Sigma::QUARTER.to_string(), "0.25");
    }

    #[test]
    fn the_share_that_is_left_of_lists_moves_sigma_towards_it() {
        let after = |sigma, left| SigmaEstimate::Lists.after_list(sigma, 20, left);
        assert_eq!(after(Sigma::TENTH, 2), Sigma::TENTH);
        assert_eq!(after(Sigma::TENTH, 18), Sigma(0.5));
        let mut sigma = Sigma::QUARTER;
        for _ in 0..100 {
            sigma = after(sigma, 0);
        }
        assert!((sigma.get() - Sigma::SMALLEST).abs() < 1e-12);
        assert_eq!(SigmaEstimate::Answers.after_list(sigma, 20, 20), sigma);
    }

    #[test]
    fn a_tie_adds_an_element_for_every_integer_reciprocal() {
        for size in 1..100_000_usize {
            let p = 1.0 / size as f64;
            assert!(is_worth_adding(size, p), "{size}");
            assert!(!is_worth_adding(size + 1, p), "{size}");
        }
    }
}
