//! Synthetic list problems, made from a seed.
//!
//! A [`Shape`] is a kind of problem with its parameters; [`Shape::problem`] makes a [`ListProblem`]
//! from a seed and a number.

mod oracle;
mod shape;

use std::sync::Arc;

use boildown_search::list::List;
use boildown_search::{Subset, Verdict};

pub use oracle::{ListOracle, NeededElements};
pub use shape::Shape;
pub(crate) use shape::WeightedList;

/// A list to be minimised, with its oracle.
#[derive(Debug, Clone)]
pub struct ListProblem {
    /// Number of elements.
    pub length: usize,
    /// The weight of each element, at least 1. Empty when all weights are equal.
    pub weights: Arc<[u32]>,
    /// The oracle. The whole list is interesting.
    pub oracle: ListOracle,
    /// The information in the choice of the needed elements, in bits, where elements are chosen
    /// independently. No search for all of them asks fewer questions in the mean over the kind of
    /// list (Shannon's source coding theorem). `None` for other kinds.
    pub bits: Option<f64>,
}

/// Returns the entropy of a choice between two, one of which has this probability: the information
/// in its outcome, in bits.
pub(crate) fn entropy(probability: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
    term(probability) + term(1.0 - probability)
}

impl ListProblem {
    /// Returns the whole list, on which a search starts.
    #[must_use]
    pub fn list(&self) -> List {
        List {
            kept: Subset::full(self.length),
            weights: Arc::clone(&self.weights),
        }
    }

    /// Returns the verdict on a subset. It depends on the kept elements only.
    #[must_use]
    pub fn judge(&self, kept: &Subset) -> Verdict {
        self.oracle.judge(kept)
    }
}
