//! Tasks of the best-first tree search: their keys and their states.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::expected_gain::{QueryKind, TaskClass};
use super::replacements::Replacement;
use crate::Subset;
use crate::tree::{ListId, NodeId, SlotId};

/// The key of a task in the heap. Within a class, tasks with more tokens come first, then those
/// further back in the input, then the order of [`TaskId`] decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskKey {
    pub(super) class: TaskClass,
    pub(super) weight: Reverse<usize>,
    pub(super) position: Reverse<usize>,
    pub(super) id: TaskId,
}

/// The identity of a task. No two tasks in the heap have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TaskId {
    /// Minimise the extras.
    Extras,
    /// Minimise a sibling list.
    List(ListId),
    /// Minimise the levels of the chain whose outermost node this is.
    Chain(NodeId),
    /// Delete a node without its separator.
    Separate(NodeId),
    /// Replace a node by one of its descendants. The second field is the slot that the replacement
    /// has to fit.
    Replace(NodeId, SlotId),
}

/// The progress of a task.
#[derive(Debug, Clone)]
pub(super) enum TaskState<S> {
    /// Nothing is computed yet.
    Fresh,
    /// A list search, whose elements are positions in the sibling list or levels of the chain.
    Minimising(S),
    /// The replacements that are left to test; the last one is next.
    Replacing(Vec<Replacement>),
}

/// The task that has the next query.
#[derive(Debug, Clone)]
pub(super) struct ReadyTask<S> {
    pub(super) key: TaskKey,
    pub(super) kind: QueryKind,
    /// The state of the task, advanced past all queries that need no test.
    pub(super) state: TaskState<S>,
    /// The tokens that the query deletes.
    pub(super) cuts: Cuts,
    /// The number of these tokens that are kept.
    pub(super) size: usize,
}

/// The ranges of tokens that a query deletes.
pub(super) type Cuts = Arc<[Range<usize>]>;

/// Returns whether a subset of a sibling list has no element.
pub(super) fn is_empty(elements: &Subset) -> bool {
    elements.first_in(0..elements.universe()).is_none()
}

/// The share of its weight at which a task is queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    All,
    Quarter,
}

impl Share {
    pub(super) fn apply(self, weight: usize) -> usize {
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
