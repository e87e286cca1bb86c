//! The priority of tasks: by weight, or by expected gain.

use super::expected_gain::{LearnedRates, OwnerState, QueryKind, TaskClass};
use super::tasks::Share;

/// The order in which a tree search takes its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// The heaviest task first, until it is finished.
    Weight,
    /// The task whose next query has the highest expected gain.
    ExpectedGain,
}

impl Priority {
    /// Returns whether tasks are keyed by the expected gain of their next query, which changes with
    /// every answer. Under [`Weight`](Self::Weight) a task keeps its key.
    pub(super) fn learns(self) -> bool {
        self == Self::ExpectedGain
    }

    /// Returns the class of a task whose next query deletes `size` tokens. By weight, all tasks are
    /// of one class.
    pub(super) fn class(self, kind: QueryKind, owner: OwnerState, size: usize) -> TaskClass {
        match self {
            Self::Weight => LearnedRates::class(QueryKind::All, OwnerState::Needed, 1),
            Self::ExpectedGain => LearnedRates::class(kind, owner, size),
        }
    }

    /// Returns the shares of its weight at which the tasks of a survivor are queued: for replacing
    /// the node, and for its parts.
    ///
    /// Replacing a node rarely works before its parts are reduced, so the replacement is queued
    /// later. But if nearly all of the node is one child, as in a chain of wrappers, deleting that
    /// child is nearly the deletion that has just failed: then the parts are queued later. The
    /// expected gain accounts for both by itself.
    pub(super) fn shares(self, is_wrapper: bool) -> (Share, Share) {
        match (self, is_wrapper) {
            (Self::ExpectedGain, _) => (Share::All, Share::All),
            (Self::Weight, true) => (Share::All, Share::Quarter),
            (Self::Weight, false) => (Share::Quarter, Share::All),
        }
    }
}
