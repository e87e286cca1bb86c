//! Expected gain: the tokens that a query would delete, times its odds, which are learned.

use std::sync::Arc;

use crate::odds::{Hit, Rates};
use crate::tree::NodeId;

/// The kinds of queries whose hit rates are learned apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QueryKind {
    /// Delete extras.
    Extras,
    /// Delete all remaining elements of a list.
    All,
    /// Like `All`, when a deletion of nearly the same tokens has missed before: a body after its
    /// function.
    Nearly,
    /// Delete several elements of a list.
    Several,
    /// Delete one element of a list.
    One,
    /// Delete a node without its separator.
    Separate,
    /// Replace a node by a descendant.
    Replace,
    /// Replace a node that holds little beside one child, or delete levels of a chain.
    Unwrap,
}

const KINDS: usize = 8;

/// The odds of each kind before anything is learned.
const GUESSES: [f64; KINDS] = [0.9, 0.3, 0.1, 0.3, 0.3, 0.05, 0.05, 0.2];

/// The state of the node that owns a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OwnerState {
    /// Deleting it from its own sibling list missed.
    Needed,
    /// It may still be deleted whole, and the list with it.
    Open,
}

/// The class of tasks whose next queries have the same odds. Under
/// [`Priority::Weight`](super::priority::Priority::Weight) all tasks are of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskClass {
    pub(super) kind: QueryKind,
    pub(super) owner: OwnerState,
    /// The size class of the deletion.
    pub(super) size: usize,
}

/// An event that added the tasks for the inside of a node. Each counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OpenedBy {
    /// Its whole sibling list could not be deleted. The node may still be deleted alone.
    Early(NodeId),
    /// The node alone could not be deleted from its sibling list.
    Survivor(NodeId),
}

/// Hit rates by kind and size of query, learned by a tree search. The next search on the same input
/// can start with them.
#[derive(Debug, Clone)]
pub struct LearnedRates(Arc<Rates<KINDS>>);

impl Default for LearnedRates {
    fn default() -> Self {
        Self(Arc::new(Rates::new(GUESSES)))
    }
}

impl LearnedRates {
    /// Returns the odds of a query that deletes `size` tokens.
    pub(super) fn odds(&self, kind: QueryKind, size: usize) -> f64 {
        self.0.odds(kind as usize, Rates::<KINDS>::class(size))
    }

    /// Records one answer.
    pub(super) fn learn(&mut self, kind: QueryKind, size: usize, hit: Hit) {
        Arc::make_mut(&mut self.0).learn(kind as usize, Rates::<KINDS>::class(size), hit);
    }

    /// Returns the class of a query that deletes `size` tokens.
    pub(super) fn class(kind: QueryKind, owner: OwnerState, size: usize) -> TaskClass {
        TaskClass {
            kind,
            owner,
            size: Rates::<KINDS>::class(size),
        }
    }

    /// Returns the expected gain of a query of this class that deletes `tokens` tokens.
    pub(super) fn expected_gain(&self, class: TaskClass, tokens: usize) -> f64 {
        let gain = self.0.odds(class.kind as usize, class.size) * tokens as f64;
        match class.owner {
            OwnerState::Needed => gain,
            // If the owner is deleted whole later, the query was wasted. Testing the owner first
            // costs one query at most and may save many, hence the fourth power of the probability
            // that it stays.
            OwnerState::Open => {
                let stays = 1.0 - self.0.odds(QueryKind::One as usize, class.size);
                gain * (stays * stays) * (stays * stays)
            }
        }
    }
}
