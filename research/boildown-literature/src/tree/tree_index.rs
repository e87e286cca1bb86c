//! An index of a tree: the position of each node in its sibling list, and chains.

use std::ops::Range;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use boildown_search::Subset;
use boildown_search::tree::{IdVec, ListId, NodeId, Tree};

/// A tree with what its algorithms look up. All clones of a search share it.
#[derive(Debug)]
pub(super) struct TreeIndex {
    pub(super) tree: Arc<Tree>,
    /// The position of each node; `None` if it is in no sibling list.
    list_positions: IdVec<NodeId, Option<ListPosition>>,
    extras: FixedBitSet,
}

/// A position in a sibling list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListPosition {
    pub(super) list: ListId,
    pub(super) position: usize,
}

impl TreeIndex {
    pub(super) fn new(tree: Arc<Tree>) -> Arc<Self> {
        let mut list_positions = IdVec::filled(None, tree.nodes.len());
        for (list, sibling_list) in tree.lists.enumerate() {
            for (position, &node) in tree.elements(sibling_list).iter().enumerate() {
                list_positions[node] = Some(ListPosition { list, position });
            }
        }
        let mut extras = FixedBitSet::with_capacity(tree.nodes.len());
        extras.extend(tree.extras.iter().map(|extra| extra.index()));
        Arc::new(Self {
            tree,
            list_positions,
            extras,
        })
    }

    /// Returns the root, or nothing for an empty tree.
    pub(super) fn root(&self) -> Vec<NodeId> {
        self.tree.nodes.ids().take(1).collect()
    }

    pub(super) fn list_position(&self, node: NodeId) -> Option<ListPosition> {
        self.list_positions[node]
    }

    pub(super) fn is_extra(&self, node: NodeId) -> bool {
        self.extras.contains(node.index())
    }

    /// Returns whether a node can be deleted without breaking the syntax.
    pub(super) fn is_nullable(&self, node: NodeId) -> bool {
        self.list_positions[node].is_some() || self.is_extra(node)
    }

    pub(super) fn has_children(&self, node: NodeId) -> bool {
        self.tree.nodes[node].end > node.next()
    }

    pub(super) fn tokens(&self, node: NodeId) -> Range<usize> {
        self.tree.nodes[node].tokens()
    }

    /// Returns the number of kept tokens of a node.
    pub(super) fn weight(&self, kept: &Subset, node: NodeId) -> usize {
        kept.count_in(self.tokens(node))
    }

    /// Returns a chain: a node and its descendants with the same kept tokens, outermost first. The
    /// root is a chain of its own, since no algorithm deletes it.
    pub(super) fn chain(&self, kept: &Subset, node: NodeId) -> impl Iterator<Item = NodeId> {
        let whole = self.weight(kept, node);
        std::iter::successors(Some(node), move |&above| {
            let mut children = self.tree.children(above);
            children.find(|&child| above > NodeId::ROOT && self.weight(kept, child) == whole)
        })
    }

    /// Returns the innermost node of a chain. If the outermost one cannot be deleted, the others
    /// cannot either: they have the same tokens.
    pub(super) fn innermost(&self, kept: &Subset, node: NodeId) -> NodeId {
        self.chain(kept, node).last().unwrap_or(node)
    }

    /// Returns the last element before a position of a sibling list that has a kept token.
    pub(super) fn kept_before(&self, kept: &Subset, list_position: ListPosition) -> Option<NodeId> {
        let elements = self.tree.elements(&self.tree.lists[list_position.list]);
        let start = self.tokens(elements[0]).start;
        let mut end = self.tokens(elements[list_position.position]).start;
        loop {
            let token = kept.last_in(start..end)?;
            let next = elements.partition_point(|&element| self.tokens(element).start <= token);
            let element = elements[next.checked_sub(1)?];
            // A token between two elements is a separator that was kept when its element was
            // deleted.
            if self.tokens(element).contains(&token) {
                return Some(element);
            }
            end = self.tokens(element).end;
        }
    }

    /// Returns the first element after a position of a sibling list that has a kept token.
    pub(super) fn kept_after(&self, kept: &Subset, list_position: ListPosition) -> Option<NodeId> {
        let elements = self.tree.elements(&self.tree.lists[list_position.list]);
        let end = self.tokens(elements[elements.len() - 1]).end;
        let mut start = self.tokens(elements[list_position.position]).end;
        loop {
            let token = kept.first_in(start..end)?;
            let next = elements.partition_point(|&element| self.tokens(element).end <= token);
            let element = *elements.get(next)?;
            if self.tokens(element).contains(&token) {
                return Some(element);
            }
            start = self.tokens(element).start;
        }
    }
}
