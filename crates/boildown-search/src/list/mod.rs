//! Minimisers of lists: which elements are needed?

mod adaptive;
mod algorithm;
mod beliefs;
mod bisection;
mod cdd;
mod coarsen;
mod ddmin;
mod frontier;
mod halving;
mod known_misses;
mod n_minimal;
mod naive;
mod probdd;
mod sigma;
mod sweep;
#[cfg(test)]
pub(crate) mod testing;
mod wddmin;
mod weighed;
mod wprobdd;

use std::num::NonZeroUsize;
use std::sync::Arc;

pub use adaptive::Adaptive;
pub use algorithm::{Algorithm, Machine};
pub use beliefs::Ties;
pub use bisection::Bisection;
pub use cdd::Cdd;
pub use coarsen::ActiveCoarsen;
pub use ddmin::{Ddmin, DdminOptions, Resume, Subsets};
pub use halving::{Halving, Order};
pub use known_misses::KnownMisses;
pub use n_minimal::NMinimal;
pub use naive::Naive;
pub use probdd::ProbDd;
pub use sigma::Sigma;
pub use sweep::Sweep;
pub use wddmin::Wddmin;
pub use wprobdd::WProbDd;

use crate::{Epochs, Restart, Subset, Wide};

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

    pub(crate) fn weight(&self, element: usize) -> u64 {
        self.weights
            .get(element)
            .map_or(1, |&weight| u64::from(weight))
    }
}

/// The end of a list that a machine begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The first elements go first.
    Forwards,
    /// The last elements go first: they tend to use the earlier ones.
    Backwards,
}

impl Direction {
    /// The place to begin at among so many.
    fn first(self, length: usize) -> usize {
        match self {
            Self::Forwards => 0,
            Self::Backwards => length.saturating_sub(1),
        }
    }

    /// The place so many steps from `at`, round and round.
    fn step(self, at: usize, steps: usize, length: usize) -> usize {
        match self {
            Self::Forwards => (at + steps) % length,
            Self::Backwards => (at + length - steps % length) % length,
        }
    }
}

/// An algorithm over lists, with its parameters: what a tree schedule runs on every list of siblings.
///
/// Every constructor such as [`Halving::on`] is one.
pub trait Minimise: Clone {
    /// The machine that does it.
    type Machine: Wide + Restart<Candidate = Subset>;

    /// Starts on a list. Whether the empty list is worth a question is the machine's business.
    fn on(&self, list: List) -> Self::Machine;
}

impl<F, M> Minimise for F
where
    F: Fn(List) -> M + Clone,
    M: Wide + Restart<Candidate = Subset>,
{
    type Machine = M;

    fn on(&self, list: List) -> M {
        self(list)
    }
}

/// An algorithm whose machines ask about several deletions at once, wherever they can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InEpochs<A> {
    /// The algorithm.
    pub algorithm: A,
    /// How many at once.
    pub width: NonZeroUsize,
}

impl<A> InEpochs<A> {
    /// One question at a time: the machines ask what they ask alone.
    pub fn of_one(algorithm: A) -> Self {
        Self {
            algorithm,
            width: NonZeroUsize::MIN,
        }
    }
}

impl<A: Minimise> Minimise for InEpochs<A> {
    type Machine = Epochs<A::Machine>;

    fn on(&self, list: List) -> Self::Machine {
        Epochs::new(self.algorithm.on(list), self.width)
    }
}
