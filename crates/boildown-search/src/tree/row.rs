//! A row of nodes that are minimised as one list, and what deleting some of them means in atoms.

use std::ops::Range;
use std::sync::Arc;

use super::index::Index;
use super::{NodeId, Nodes};
use crate::Subset;
use crate::list::List;

/// Living nodes, none below another, from one sibling list or from many. A list machine works on their positions.
///
/// What its candidates mean in atoms is a function of the candidate alone, and a smaller candidate never has an atom more.
#[derive(Debug)]
pub(super) struct Row {
    index: Arc<Index>,
    nodes: Vec<NodeId>,
    /// The living atoms of each node at the start: at least 1.
    weights: Vec<u32>,
    /// In order of their starts; together they cover the row.
    segments: Vec<Segment>,
}

/// Neighbours in the row that are neighbours in the tree too: no other living sibling stands between them.
#[derive(Debug)]
struct Segment {
    /// Its first position in the row. It ends where the next segment starts.
    start: usize,
    before: Before,
}

/// What stands before a segment, and so what becomes of the separators.
#[derive(Debug)]
enum Before {
    /// The segment is one node that is in no sibling list, and has no separator.
    Loose,
    /// A sibling that stays; its last atom is before this one.
    Sibling(usize),
    /// No living sibling. The list starts at `from`; when all of the segment goes, it goes up to `until`.
    Nothing { from: usize, until: usize },
}

impl Row {
    fn new(index: &Arc<Index>) -> Self {
        Self {
            index: Arc::clone(index),
            nodes: Vec::new(),
            weights: Vec::new(),
            segments: Vec::new(),
        }
    }

    /// The living children of some nodes, those in no list after those in lists; and the living children that take no part.
    pub(super) fn below(
        index: &Arc<Index>,
        kept: &Subset,
        parents: &[NodeId],
        which: Nodes,
    ) -> (Self, Vec<NodeId>) {
        let tree = &index.tree;
        let mut row = Self::new(index);
        let mut aside = Vec::new();
        for &parent in parents {
            for list in tree.nodes[parent].lists.clone() {
                row.push_list(kept, list);
            }
            for child in tree.children(parent) {
                if index.seat(child).is_some() || index.weight(kept, child) == 0 {
                    continue;
                }
                if which == Nodes::All || index.is_nullable(child) {
                    row.push_loose(kept, child);
                } else {
                    aside.push(child);
                }
            }
        }
        (row, aside)
    }

    /// The living elements of a sibling list.
    pub(super) fn list(index: &Arc<Index>, kept: &Subset, list: usize) -> Self {
        let mut row = Self::new(index);
        row.push_list(kept, list);
        row
    }

    /// The living ones of some nodes: one node, or several elements of the same list in order. Their siblings stay.
    pub(super) fn of(index: &Arc<Index>, kept: &Subset, nodes: &[NodeId]) -> Self {
        let mut row = Self::new(index);
        for &node in nodes {
            if index.weight(kept, node) == 0 {
                continue;
            }
            let Some(seat) = index.seat(node) else {
                row.push_loose(kept, node);
                continue;
            };
            let sibling = index.living_before(kept, seat);
            match sibling {
                Some(sibling) if row.nodes.last() == Some(&sibling) => {}
                Some(sibling) => row.begin(Before::Sibling(index.atoms(sibling).end)),
                None => row.begin(row.front(seat.list)),
            }
            row.push(kept, node);
            let next = index.living_after(kept, seat);
            let reach = next.map_or(index.tree.lists[seat.list].end, |next| {
                index.atoms(next).start
            });
            if let Some(segment) = row.segments.last_mut()
                && let Before::Nothing { until, .. } = &mut segment.before
            {
                // As far as the segment goes by now.
                *until = reach;
            }
        }
        row
    }

    fn front(&self, list: usize) -> Before {
        let list = &self.index.tree.lists[list];
        Before::Nothing {
            from: self.index.atoms(list.elements[0]).start,
            until: list.end,
        }
    }

    fn begin(&mut self, before: Before) {
        let start = self.nodes.len();
        self.segments.push(Segment { start, before });
    }

    fn push(&mut self, kept: &Subset, node: NodeId) {
        let weight = self.index.weight(kept, node);
        self.nodes.push(node);
        self.weights.push(u32::try_from(weight).unwrap_or(u32::MAX));
    }

    fn push_loose(&mut self, kept: &Subset, node: NodeId) {
        self.begin(Before::Loose);
        self.push(kept, node);
    }

    fn push_list(&mut self, kept: &Subset, list: usize) {
        let index = Arc::clone(&self.index);
        let mut living = (index.tree.lists[list].elements.iter().copied())
            .filter(|&element| index.weight(kept, element) > 0)
            .peekable();
        if living.peek().is_some() {
            self.begin(self.front(list));
        }
        for element in living {
            self.push(kept, element);
        }
    }

    pub(super) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The number of living atoms of a node.
    pub(super) fn weight(&self, kept: &Subset, node: NodeId) -> usize {
        self.index.weight(kept, node)
    }

    /// The list that a machine is to work on.
    pub(super) fn items(&self) -> List {
        List::weighted(self.weights.iter().copied())
    }

    /// The cuts in atoms that lead from the nodes of `from` to those of `to`, a part of them.
    pub(super) fn cuts(&self, from: &Subset, to: &Subset) -> Vec<Range<usize>> {
        let mut cuts = Vec::new();
        for gone in from.cuts_to(to) {
            let gone = gone.start..gone.end.min(self.nodes.len());
            let first = self
                .segments
                .partition_point(|segment| segment.start <= gone.start)
                .saturating_sub(1);
            let mut at = gone.start;
            for segment in first..self.segments.len() {
                if at >= gone.end {
                    break;
                }
                let end = self.end(segment).min(gone.end);
                cuts.push(self.cut(segment, at..end, to));
                at = end;
            }
        }
        cuts
    }

    fn end(&self, segment: usize) -> usize {
        let next = self.segments.get(segment + 1);
        next.map_or(self.nodes.len(), |next| next.start)
    }

    /// The atoms that go with neighbours of one segment, none of which stays: their own, and the separators that nobody needs.
    fn cut(&self, segment: usize, gone: Range<usize>, stays: &Subset) -> Range<usize> {
        let atoms = |position: usize| self.index.atoms(self.nodes[position]);
        let Segment { start, ref before } = self.segments[segment];
        let before = match *before {
            Before::Loose => return atoms(gone.start),
            Before::Sibling(end) => end,
            Before::Nothing { from, until } => match stays.first_in(start..self.end(segment)) {
                None => return from..until,
                Some(first) if first >= gone.end => return from..atoms(first).start,
                Some(_) => from,
            },
        };
        let start = if gone.start > start {
            atoms(gone.start - 1).end
        } else {
            before
        };
        start..atoms(gone.end - 1).end
    }
}
