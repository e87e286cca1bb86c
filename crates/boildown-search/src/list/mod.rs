//! Minimisers of lists: which elements are needed?

mod adaptive;
mod ddmin;
mod halving;
mod sweep;

use std::sync::Arc;

pub use adaptive::Adaptive;
pub use ddmin::{Ddmin, Subsets};
pub use halving::Halving;
pub use sweep::Sweep;

use crate::Subset;

/// What a list machine works on: the elements that are still there, and how much each weighs.
#[derive(Debug, Clone)]
pub struct List {
    /// The elements kept so far; known to be interesting.
    pub kept: Subset,
    /// The weight of each element of the original list (all of them, kept or not), at least 1 each. Empty when all weigh the same.
    pub weights: Arc<[u32]>,
}

impl List {
    /// Returns a list of `length` elements of equal weight.
    #[must_use]
    pub fn uniform(length: usize) -> Self {
        Self {
            kept: Subset::full(length),
            weights: Arc::new([]),
        }
    }

    /// Returns a list of elements with the given weights. A weight of 0 counts as 1: nothing is free.
    #[must_use]
    pub fn weighted(weights: impl IntoIterator<Item = u32>) -> Self {
        let weights: Arc<[u32]> = weights.into_iter().map(|weight| weight.max(1)).collect();
        Self {
            kept: Subset::full(weights.len()),
            weights,
        }
    }

    fn weight(&self, element: usize) -> u64 {
        self.weights
            .get(element)
            .map_or(1, |&weight| u64::from(weight))
    }
}

/// A minimiser of lists that a tree schedule can run on every sibling list.
pub trait Minimise: crate::Restart<Candidate = Subset> {
    /// Starts on a list. Whether the empty list is worth a question is the machine's business.
    fn on(list: List) -> Self;
}
