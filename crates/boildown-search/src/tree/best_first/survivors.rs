//! Tasks for survivors: nodes that could not be deleted from their sibling list.

use std::sync::Arc;

use super::expected_gain::{OpenedBy, OwnerState, QueryKind};
use super::replacements::Replacements;
use super::search::TreeSearch;
use super::tasks::{Separated, Share, TaskId, TaskState, is_empty};
use crate::list::ListAlgorithm;
use crate::tree::{NodeId, SlotId};
use crate::{Search as _, Subset};

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Adds the tasks for a survivor: delete it without its separator, minimise its chain, replace
    /// it, minimise its sibling lists.
    fn push_survivor(&mut self, node: NodeId, separated: Separated) {
        let tree = Arc::clone(&self.tree);
        let slot = tree.nodes[node].slot;
        let node = self.core(node);
        let start = tree.nodes[node].tokens().start;
        let weight = self.weight(node);
        if weight == 0 {
            return;
        }
        if separated == Separated::Yes {
            let id = TaskId::Separate(node);
            self.push(QueryKind::Separate, OwnerState::Needed, id, weight, start);
        }
        let (whole, parts) = self.priority.shares(self.is_wrapper(node));
        self.push_chain(node, slot, whole);
        self.push_replace(node, slot, whole);
        self.push_lists(node, OwnerState::Needed, weight, parts);
    }

    /// Returns whether one child holds more than four fifths of a node's tokens.
    fn is_wrapper(&self, node: NodeId) -> bool {
        let weight = self.weight(node);
        let mut children = self.tree.children(node);
        children.any(|child| 5 * self.weight(child) > 4 * weight)
    }

    /// Returns the core of a node: the innermost descendant with the same kept tokens. It differs
    /// from the node after a replacement, for instance.
    pub(super) fn core(&self, node: NodeId) -> NodeId {
        let whole = self.weight(node);
        let same = |&outer: &NodeId| {
            let mut children = self.tree.children(outer);
            children.find(|&child| self.weight(child) == whole)
        };
        std::iter::successors(Some(node), same)
            .last()
            .unwrap_or(node)
    }

    /// Adds the task that replaces a node by something that fits `slot`.
    pub(super) fn push_replace(&mut self, node: NodeId, slot: SlotId, share: Share) {
        let start = self.tree.nodes[node].tokens().start;
        let weight = self.weight(node);
        if weight > 1 {
            let kind = if self.is_wrapper(node) {
                QueryKind::Unwrap
            } else {
                QueryKind::Replace
            };
            let id = TaskId::Replace(node, slot);
            self.push(kind, OwnerState::Needed, id, share.apply(weight), start);
        }
    }

    /// Adds the tasks that follow from a finished one: those for the survivors of a list.
    pub(super) fn finish_task(&mut self, id: TaskId, state: &TaskState<A::Search>) {
        let (TaskState::Minimising(search), TaskId::List(_) | TaskId::Extras) = (state, id) else {
            return;
        };
        for element in search.best().iter() {
            self.push_surviving_element(id, element);
        }
    }

    /// Adds the tasks for an element of a sibling list that cannot be deleted.
    fn push_surviving_element(&mut self, id: TaskId, element: usize) {
        let tree = Arc::clone(&self.tree);
        let siblings = self.siblings(id);
        let tokens = |element: usize| tree.nodes[siblings[element]].tokens();
        // Only tokens between two siblings count as separators here.
        let gap_before = element > 0 && tokens(element - 1).end < tokens(element).start;
        let gap_after =
            element + 1 < siblings.len() && tokens(element).end < tokens(element + 1).start;
        let separated = match id {
            TaskId::List(_) if gap_before || gap_after => Separated::Yes,
            _ => Separated::No,
        };
        let node = siblings[element];
        if self.priority.learns() {
            if self.opened.contains(&OpenedBy::Survivor(node)) {
                return;
            }
            self.opened.insert_mut(OpenedBy::Survivor(node));
        }
        self.push_survivor(node, separated);
    }

    /// Adds the tasks that follow from a miss of a list search, before the list is finished.
    ///
    /// If all remaining elements together cannot be deleted, their own sibling lists become tasks,
    /// as those of nodes that may still be deleted whole. If a single element cannot be deleted, it
    /// is a survivor. `before` is the list before the query, `candidate` what it would have left,
    /// and `size` the number of tokens it would have deleted.
    pub(super) fn push_after_miss(
        &mut self,
        id: TaskId,
        before: &Subset,
        candidate: &Subset,
        size: usize,
    ) {
        if let TaskId::Chain(_) = id {
            return;
        }
        let lost = before.lost_in(candidate);
        if is_empty(candidate) {
            for &element in &lost {
                let node = self.siblings(id)[element];
                if !self.opened.contains(&OpenedBy::Early(node)) {
                    self.opened.insert_mut(OpenedBy::Early(node));
                    self.push_lists(self.core(node), OwnerState::Open, size, Share::All);
                }
            }
        }
        if let [element] = *lost {
            self.push_surviving_element(id, element);
        }
    }

    /// Returns a view of what is left of the tree, to look for replacements.
    pub(super) fn replacements(&self) -> Replacements<'_> {
        Replacements {
            tree: &self.tree,
            kept: &self.kept,
        }
    }
}
