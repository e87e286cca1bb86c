//! Trees: which nodes are needed?

mod hdd;
mod hddr;
mod heaviest;
mod hoist;
mod index;
mod pardis;
mod parts;
mod perses;
mod promise;
mod replacements;
mod row;
mod run;
mod schedule;
mod tasks;

use std::ops::Range;

pub use hdd::{Hdd, Nodes};
pub use hddr::{Append, Hddr, Order, Pop};
pub use heaviest::TreeSearch;
pub use hoist::HoistingHdd;
pub use pardis::{Pardis, Siblings};
pub use perses::Perses;
pub use promise::Experience;
pub use schedule::{Schedule, ScheduleMachine};

/// The index of a node in preorder.
pub type NodeId = usize;

/// A tree over a row of atoms, the smallest removable units (the tokens of a text, say). It knows no language: what may stand
/// where is written in its slots.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// All nodes in preorder; the first is the root.
    pub nodes: Vec<Node>,
    /// Rows of siblings; those of one owner lie side by side.
    pub lists: Vec<SiblingList>,
    /// Nodes that may stand anywhere, such as comments, in order. They are in no sibling list.
    pub extras: Vec<NodeId>,
    /// For each kind of place, the kinds of nodes that fit there.
    pub slots: Vec<Slot>,
}

/// One node.
#[derive(Debug, Clone)]
pub struct Node {
    /// The atoms below it, as indices into the row.
    pub atoms: Range<usize>,
    /// The index after its last descendant.
    pub end: NodeId,
    /// What it is: a number that slots speak of.
    pub kind: u16,
    /// The kind of place it stands in: an index into [`Tree::slots`].
    pub slot: usize,
    /// The sibling lists it owns: a range of [`Tree::lists`].
    pub lists: Range<usize>,
}

/// A row of siblings, and what stands between them.
#[derive(Debug, Clone)]
pub struct SiblingList {
    /// At least one node, in order; they do not overlap.
    pub elements: Vec<NodeId>,
    /// Where a separator after the last element ends; the end of the last element when there is none.
    pub end: usize,
    /// What the atoms between two elements are.
    pub gaps: Gaps,
}

/// What the atoms between the elements of a row are. [`TreeSearch`] asks accordingly; the other schedules take them for separators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gaps {
    /// Separators, as in `a, b, c`: there is one between any two elements that are kept.
    #[default]
    Separators,
    /// Ends of the elements before them, as in `struct a {}; void b() {}`: they are kept and go with these.
    Ends,
}

/// What fits into a kind of place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The kinds that fit, ascending.
    pub kinds: Vec<u16>,
    /// Whether several nodes may stand there in a row.
    pub many: bool,
}

impl Slot {
    /// Returns whether a node of this kind fits.
    #[must_use]
    pub fn accepts(&self, kind: u16) -> bool {
        self.kinds.binary_search(&kind).is_ok()
    }
}

impl Tree {
    /// Returns the children of a node, in order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[node].end;
        let before_end = move |child: NodeId| (child < end).then_some(child);
        std::iter::successors(before_end(node + 1), move |&child| {
            before_end(self.nodes[child].end)
        })
    }

    /// Returns every range of atoms that is one unit of the tree: each node, alone and together with the separator on
    /// either side.
    #[must_use]
    pub fn units(&self) -> Vec<Range<usize>> {
        let mut units: Vec<Range<usize>> = self
            .nodes
            .iter()
            .skip(1)
            .map(|node| node.atoms.clone())
            .collect();
        for list in &self.lists {
            for (position, &element) in list.elements.iter().enumerate() {
                let atoms = &self.nodes[element].atoms;
                if let Some(&before) = position
                    .checked_sub(1)
                    .and_then(|before| list.elements.get(before))
                {
                    units.push(self.nodes[before].atoms.end..atoms.end);
                }
                let next = list
                    .elements
                    .get(position + 1)
                    .map_or(list.end, |&next| self.nodes[next].atoms.start);
                units.push(atoms.start..next);
            }
        }
        units.retain(|unit| !unit.is_empty());
        units
    }
}

impl SiblingList {
    /// Returns the cuts that leave exactly the elements for which `kept` holds: every kept element but the first keeps the
    /// separator right before it, a separator after the last one stays, and all others go with their elements. What ends elements
    /// goes with them.
    pub fn cuts<'a>(
        &'a self,
        tree: &'a Tree,
        kept: impl Fn(usize) -> bool + 'a,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let atoms = |position: usize| &tree.nodes[self.elements[position]].atoms;
        let count = self.elements.len();
        let first = match self.gaps {
            Gaps::Separators => (0..count).find(|&position| kept(position)),
            Gaps::Ends => Some(0),
        };
        let front = match first {
            Some(position) => atoms(0).start..atoms(position).start,
            None => atoms(0).start..self.end,
        };
        let rest = match self.gaps {
            Gaps::Separators => first.map_or(count, |position| position + 1),
            Gaps::Ends => 0,
        };
        let cut = move |position: usize| match self.gaps {
            Gaps::Separators => atoms(position - 1).end..atoms(position).end,
            Gaps::Ends if position + 1 < count => atoms(position).start..atoms(position + 1).start,
            Gaps::Ends => atoms(position).start..self.end,
        };
        std::iter::once(front).chain(
            (rest..count)
                .filter(move |&position| !kept(position))
                .map(cut),
        )
    }
}
