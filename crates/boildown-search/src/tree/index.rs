//! Where each node of a tree stands, worked out once.

use std::ops::Range;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::{NodeId, Tree};
use crate::Subset;

/// A tree with what its schedules look up. Shared by all clones of a machine.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) tree: Arc<Tree>,
    /// The seat of each node; `None` when it is in no sibling list.
    seats: Vec<Option<Seat>>,
    extras: FixedBitSet,
}

/// A place in a sibling list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) list: usize,
    pub(super) position: usize,
}

impl Index {
    pub(super) fn new(tree: Arc<Tree>) -> Arc<Self> {
        let mut seats = vec![None; tree.nodes.len()];
        for (list, row) in tree.lists.iter().enumerate() {
            for (position, &node) in row.elements.iter().enumerate() {
                seats[node] = Some(Seat { list, position });
            }
        }
        let mut extras = FixedBitSet::with_capacity(tree.nodes.len());
        extras.extend(tree.extras.iter().copied());
        Arc::new(Self {
            tree,
            seats,
            extras,
        })
    }

    /// The node to start at, if there is one.
    pub(super) fn root(&self) -> Vec<NodeId> {
        (0..self.tree.nodes.len().min(1)).collect()
    }

    pub(super) fn seat(&self, node: NodeId) -> Option<Seat> {
        self.seats[node]
    }

    pub(super) fn is_extra(&self, node: NodeId) -> bool {
        self.extras.contains(node)
    }

    /// Whether a node can go without breaking the syntax.
    pub(super) fn is_nullable(&self, node: NodeId) -> bool {
        self.seats[node].is_some() || self.is_extra(node)
    }

    pub(super) fn has_children(&self, node: NodeId) -> bool {
        self.tree.nodes[node].end > node + 1
    }

    pub(super) fn atoms(&self, node: NodeId) -> Range<usize> {
        self.tree.nodes[node].atoms.clone()
    }

    /// The number of living atoms of a node.
    pub(super) fn weight(&self, kept: &Subset, node: NodeId) -> usize {
        kept.count_in(self.atoms(node))
    }

    /// A node and what is all there is of it: its descendants with the same living atoms, outermost first. The root is a chain of
    /// its own, since nobody asks whether it can go.
    pub(super) fn chain(&self, kept: &Subset, node: NodeId) -> impl Iterator<Item = NodeId> {
        let whole = self.weight(kept, node);
        std::iter::successors(Some(node), move |&above| {
            let mut children = self.tree.children(above);
            children.find(|&child| above > 0 && self.weight(kept, child) == whole)
        })
    }

    /// The innermost node of a chain: when the first cannot go, asking about the others is of no use.
    pub(super) fn core(&self, kept: &Subset, node: NodeId) -> NodeId {
        self.chain(kept, node).last().unwrap_or(node)
    }

    /// The last element of a list before a position that has a living atom.
    pub(super) fn living_before(&self, kept: &Subset, seat: Seat) -> Option<NodeId> {
        let elements = &self.tree.lists[seat.list].elements;
        let start = self.atoms(elements[0]).start;
        let mut end = self.atoms(elements[seat.position]).start;
        loop {
            let atom = kept.last_in(start..end)?;
            let next = elements.partition_point(|&element| self.atoms(element).start <= atom);
            let element = elements[next.checked_sub(1)?];
            // What lies between two elements is a separator that its element has left behind.
            if self.atoms(element).contains(&atom) {
                return Some(element);
            }
            end = self.atoms(element).end;
        }
    }

    /// The first element of a list after a position that has a living atom.
    pub(super) fn living_after(&self, kept: &Subset, seat: Seat) -> Option<NodeId> {
        let elements = &self.tree.lists[seat.list].elements;
        let end = self.atoms(elements[elements.len() - 1]).end;
        let mut start = self.atoms(elements[seat.position]).end;
        loop {
            let atom = kept.first_in(start..end)?;
            let next = elements.partition_point(|&element| self.atoms(element).end <= atom);
            let element = *elements.get(next)?;
            if self.atoms(element).contains(&atom) {
                return Some(element);
            }
            start = self.atoms(element).start;
        }
    }
}
