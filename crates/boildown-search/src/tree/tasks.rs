//! What stands in the heap of our own schedule.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::NodeId;
use super::promise::{Class, Kind};
use super::replacements::Replacement;
use crate::{Fate, Subset};

/// What comes first among tasks of a class: more atoms, then further back, then the order of [`What`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) class: Class,
    pub(super) weight: Reverse<usize>,
    pub(super) position: Reverse<usize>,
    pub(super) what: What,
}

/// Names a task: no two tasks of a heap are equal in this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Minimise the extras.
    Extras,
    /// Minimise this list.
    List(usize),
    /// Minimise the levels of the spine that begins at this node.
    Spine(NodeId),
    /// Delete a node, but not its separator.
    Separate(NodeId),
    /// Replace a node that stands in a place of this kind by something below it.
    Replace(NodeId, usize),
}

/// How far a task has come.
#[derive(Debug, Clone)]
pub(super) enum Task<M> {
    Fresh,
    /// The machine's elements are positions in the row of siblings, or in the spine.
    Minimising(M),
    /// What may take the node's place; the last one is next.
    Replacing(Vec<Replacement>),
}

/// A task that has a question, or several that do not depend on each other.
#[derive(Debug, Clone)]
pub(super) struct Ready<M> {
    pub(super) key: Key,
    pub(super) kind: Kind,
    /// Its state, past all questions that need no asking.
    pub(super) task: Task<M>,
    /// What it asks, in the order of its machine; the first is a question.
    pub(super) asks: Vec<Ask>,
}

/// What a machine in a task wants to know.
#[derive(Debug, Clone)]
pub(super) enum Ask {
    /// Whether these can be cut, which leaves so much of the row when it is a row that the task minimises.
    Cuts(Cuts, Option<Subset>),
    /// Something that needs no question.
    Known(Fate),
}

/// What one question deletes.
pub(super) type Cuts = Arc<[Range<usize>]>;

pub(super) fn is_empty(row: &Subset) -> bool {
    row.first_in(0..row.universe()).is_none()
}

/// How much of its weight a task counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    Quarter,
}

impl Part {
    pub(super) fn of(self, weight: usize) -> usize {
        match self {
            Self::All => weight,
            Self::Quarter => weight / 4,
        }
    }
}

/// Whether a node has a separator beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separated {
    Yes,
    No,
}
