//! List algorithms that the default reductions run, and the trait for all list algorithms.
//!
//! [`Halving`] deletes large chunks first, [`GroupTesting`] runs with even odds, [`Adaptive`] runs
//! of growing length, [`Clusters`] small groups of neighbours, and [`Sweep`] tries every single
//! element, which proves 1-minimality. [`usual`](crate::usual()) is the sequence for lists of which
//! nothing is known. The algorithms of the literature, such as ddmin, are in the crate
//! `boildown-literature`.
//!
//! # Example
//! ```
//! use boildown_search::list::{Halving, List};
//! use boildown_search::{Search as _, Verdict, run};
//!
//! // The heavy element is tried early: chunks are split where their weight halves.
//! let list = List::weighted([1, 1, 50, 1]);
//! let search = run(Halving::on(list), |kept| match kept.contains(1) {
//!     true => Verdict::Interesting,
//!     false => Verdict::Uninteresting,
//! });
//! assert_eq!(search.best().iter().collect::<Vec<_>>(), [1]);
//! ```

mod adaptive;
mod clusters;
mod cumulative_weights;
mod group_testing;
mod halving;
mod needed_share;
mod pending_chunks;
mod reordering;
mod sweep;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::sync::Arc;

pub use adaptive::Adaptive;
pub use clusters::Clusters;
pub use cumulative_weights::CumulativeWeights;
pub use group_testing::GroupTesting;
pub use halving::{Halving, HalvingOptions};
pub use pending_chunks::HalvingOrder;
pub use reordering::Reordering;
pub use sweep::Sweep;

use crate::{ListSearch, Subset};

/// The input of a list algorithm: the elements that are left, and their weights.
#[derive(Debug, Clone)]
pub struct List {
    /// The elements that are left. This subset is known to be interesting.
    pub kept: Subset,
    /// The weight, at least 1, of each element of the original list, whether it is left or not.
    /// Empty if all elements have the same weight.
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

    /// Returns a list of elements with the given weights. A weight of 0 counts as 1.
    #[must_use]
    pub fn weighted(weights: impl IntoIterator<Item = u32>) -> Self {
        let weights: Arc<[u32]> = weights.into_iter().map(|weight| weight.max(1)).collect();
        Self {
            kept: Subset::full(weights.len()),
            weights,
        }
    }

    /// Returns the weight of an element of the original list.
    #[must_use]
    pub fn weight(&self, element: usize) -> u64 {
        self.weights
            .get(element)
            .map_or(1, |&weight| u64::from(weight))
    }
}

/// The end of a list at which a search starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Elements are deleted from the front.
    Forwards,
    /// Elements are deleted from the back: later elements tend to use the earlier ones.
    Backwards,
}

impl Direction {
    /// The values of the parameter `direction`.
    pub const NAMES: [(&str, Self); 2] =
        [("backwards", Self::Backwards), ("forwards", Self::Forwards)];

    /// Returns the index at which a search through `length` chunks starts.
    #[must_use]
    pub fn first(self, length: usize) -> usize {
        match self {
            Self::Forwards => 0,
            Self::Backwards => length.saturating_sub(1),
        }
    }

    /// Returns the index that is `steps` steps after `index`, cyclically.
    #[must_use]
    pub fn step(self, index: usize, steps: usize, length: usize) -> usize {
        match self {
            Self::Forwards => (index + steps) % length,
            Self::Backwards => (index + length - steps % length) % length,
        }
    }
}

/// A list algorithm with its parameters. A tree schedule runs it on every sibling list.
///
/// Every constructor from a [`List`], such as [`Halving::on`], implements it, and so does any
/// closure.
pub trait ListAlgorithm: Clone {
    /// The search that it starts.
    type Search: ListSearch;

    /// Starts on a list. The search decides whether it asks about the empty list.
    fn on(&self, list: List) -> Self::Search;

    /// Learns, for the lists that follow, from a list that is minimised and what is left of it.
    /// Called by some schedules of the literature, such as HDD. Does nothing by default.
    fn learn(&mut self, _list: &List, _left: &Subset) {}
}

impl<F, S> ListAlgorithm for F
where
    F: Fn(List) -> S + Clone,
    S: ListSearch,
{
    type Search = S;

    fn on(&self, list: List) -> S {
        self(list)
    }
}
