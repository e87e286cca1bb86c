//! What a question promises: how much it would delete, times the odds that learning gave it.

use std::sync::Arc;

use super::NodeId;
use crate::odds::{Hit, Rates};

/// Which task of our own schedule comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The heaviest, and all of it before the next.
    Heaviest,
    /// The one whose next question promises most.
    Promising,
}

/// Kinds of questions that differ in how often they hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Delete extras.
    Extras,
    /// Delete all that is left of a list.
    All,
    /// The same, when that is nearly what could not go before: a body with its function.
    Nearly,
    /// Delete several elements of a list.
    Several,
    /// Delete one element of a list.
    One,
    /// Delete a node, but not its separator.
    Separate,
    /// Replace a node by something below it.
    Replace,
    /// Replace a node that is little but a wrapper of something below it.
    Unwrap,
}

const KINDS: usize = 8;

/// How often each kind is expected to hit before anything is known.
const GUESSES: [f64; KINDS] = [0.9, 0.3, 0.1, 0.3, 0.3, 0.05, 0.05, 0.2];

/// What is known of the node that a list belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// Its own list could not do without it.
    Needed,
    /// It may still go as a whole, and the list with it.
    Open,
}

/// Tasks whose next questions have the same odds. Under [`Order::Heaviest`] all tasks are of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    pub(super) kind: Kind,
    pub(super) standing: Standing,
    /// The size class of what the question deletes.
    pub(super) size: usize,
}

/// What brought tasks for the inside of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Opened {
    /// Everything in its list together could not go; it may still go alone.
    Early(NodeId),
    /// Its list could not do without it.
    Survivor(NodeId),
}

/// How often questions of which kind and size have hit: what a search learned that another one on what is left can use.
#[derive(Debug, Clone)]
pub struct Experience(Arc<Rates<KINDS>>);

impl Default for Experience {
    fn default() -> Self {
        Self(Arc::new(Rates::new(GUESSES)))
    }
}

impl Experience {
    pub(super) fn odds(&self, kind: Kind, size: usize) -> f64 {
        self.0.odds(kind as usize, Rates::<KINDS>::class(size))
    }

    pub(super) fn learn(&mut self, kind: Kind, size: usize, hit: Hit) {
        Arc::make_mut(&mut self.0).learn(kind as usize, Rates::<KINDS>::class(size), hit);
    }

    /// Returns the class of a question that deletes so many atoms.
    pub(super) fn class(kind: Kind, standing: Standing, size: usize) -> Class {
        Class {
            kind,
            standing,
            size: Rates::<KINDS>::class(size),
        }
    }

    /// Returns what a question of a class promises for so many atoms.
    pub(super) fn promise(&self, class: Class, atoms: usize) -> f64 {
        let promise = self.0.odds(class.kind as usize, class.size) * atoms as f64;
        match class.standing {
            Standing::Needed => promise,
            // When the node goes as a whole, the question was for nothing. A node that is asked about first costs one question at most,
            // and may save many: to the fourth power.
            Standing::Open => {
                let stays = 1.0 - self.0.odds(Kind::One as usize, class.size);
                promise * (stays * stays) * (stays * stays)
            }
        }
    }
}
