//! The heap of the best-first tree search: adding tasks, taking the first one.

use std::cmp::Reverse;
use std::sync::Arc;

use super::expected_gain::{OwnerState, QueryKind};
use super::search::TreeSearch;
use super::tasks::{Share, TaskId, TaskKey, TaskState, is_empty};
use crate::Search as _;
use crate::list::ListAlgorithm;
use crate::tree::{NodeId, SlotId};

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Adds a task that is not started. `weight` is the number of tokens it is queued at, and
    /// `position` the start of its span of tokens.
    pub(super) fn push(
        &mut self,
        kind: QueryKind,
        owner: OwnerState,
        id: TaskId,
        weight: usize,
        position: usize,
    ) {
        if self.priority.learns() && weight < self.smallest {
            return;
        }
        let key = TaskKey {
            class: self.priority.class(kind, owner, weight),
            weight: Reverse(weight),
            position: Reverse(position),
            id,
        };
        self.add(key, TaskState::Fresh);
    }

    /// Adds a task in any state under its key.
    pub(super) fn add(&mut self, key: TaskKey, task: TaskState<A::Search>) {
        if let TaskId::List(list) = key.id
            && self.priority.learns()
        {
            self.list_keys.insert_mut(list, key);
        }
        self.tasks.insert_mut(key, task);
    }

    /// Adds the tasks for the sibling lists of a node, at a share of their weight. A list whose
    /// task is in the heap already is put back under the new state of its owner. `failed` is the
    /// size of the deletion that missed before.
    pub(super) fn push_lists(
        &mut self,
        node: NodeId,
        owner: OwnerState,
        failed: usize,
        share: Share,
    ) {
        let tree = Arc::clone(&self.tree);
        for list in tree.nodes[node].lists.clone() {
            let siblings = &tree.lists[list];
            let siblings = tree.elements(siblings);
            let (Some(&first), Some(&last)) = (siblings.first(), siblings.last()) else {
                continue;
            };
            let (start, end) = (
                tree.nodes[first].tokens().start,
                tree.nodes[last].tokens().end,
            );
            let weight = self.kept.count_in(start..end);
            let kind = if weight / 4 > failed / 5 {
                QueryKind::Nearly
            } else {
                QueryKind::All
            };
            match self.list_keys.get(&list).copied() {
                None => {
                    let weight = share.apply(weight);
                    self.push(kind, owner, TaskId::List(list), weight, start);
                }
                Some(mut key) => {
                    if let Some(task) = self.tasks.get(&key).cloned() {
                        self.tasks.remove_mut(&key);
                        key.class.owner = owner;
                        self.add(key, task);
                    }
                }
            }
        }
    }

    /// Returns the key of the task that comes first.
    ///
    /// Keys order tasks within a class. Classes are compared by the current odds: of the first task
    /// of every class, the one with the highest expected gain comes first.
    pub(super) fn first_task(&self) -> Option<TaskKey> {
        let mut best: Option<(f64, TaskKey)> = None;
        let mut next = self.tasks.first().map(|(key, _)| *key);
        while let Some(first) = next {
            let gain = self
                .learned_rates
                .expected_gain(first.class, first.weight.0);
            if best.is_none_or(|(highest, _)| gain.total_cmp(&highest).is_gt()) {
                best = Some((gain, first));
            }
            // The last key that the class can have.
            let end = TaskKey {
                weight: Reverse(0),
                position: Reverse(0),
                id: TaskId::Replace(NodeId::MAX, SlotId::MAX),
                ..first
            };
            next = self.tasks.range(end..).next().map(|(key, _)| *key);
        }
        best.map(|(_, key)| key)
    }

    /// Returns the kind of a task's next query.
    pub(super) fn query_kind(&self, key: &TaskKey, task: &TaskState<A::Search>) -> QueryKind {
        let TaskState::Minimising(search) = task else {
            return match key.id {
                TaskId::Separate(_) => QueryKind::Separate,
                TaskId::Replace(..) if key.class.kind == QueryKind::Unwrap => QueryKind::Unwrap,
                _ => QueryKind::Replace,
            };
        };
        match key.id {
            TaskId::Extras => return QueryKind::Extras,
            TaskId::Chain(_) => return QueryKind::Unwrap,
            _ => {}
        }
        let Some(query) = search.ask() else {
            return QueryKind::All;
        };
        let left = query.candidate;
        match search.best().lost_in(&left).len() {
            _ if is_empty(&left) && key.class.kind == QueryKind::Nearly => QueryKind::Nearly,
            _ if is_empty(&left) => QueryKind::All,
            1 => QueryKind::One,
            _ => QueryKind::Several,
        }
    }
}
