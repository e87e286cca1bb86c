//! Nodes that go together, and texts that take the place of others.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{NodeId, Tree};

use crate::rewrite::Edit;

/// What is to become of some nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    gone: BTreeSet<NodeId>,
    texts: BTreeMap<NodeId, Arc<[u8]>>,
}

/// The row that each node stands in, and its place there.
pub(crate) type Places = BTreeMap<NodeId, (usize, usize)>;

pub(crate) fn places(tree: &Tree) -> Places {
    let rows = tree.lists.iter().enumerate();
    rows.flat_map(|(row, list)| {
        let elements = list.elements.iter().enumerate();
        elements.map(move |(place, &element)| (element, (row, place)))
    })
    .collect()
}

impl Plan {
    /// Lets a node go, with its separator.
    pub(crate) fn delete(&mut self, node: NodeId) {
        self.gone.insert(node);
    }

    /// Puts a text in the place of a node.
    pub(crate) fn replace(&mut self, node: NodeId, text: &Arc<[u8]>) {
        self.texts.insert(node, Arc::clone(text));
    }

    /// The nodes that go, the outer of those within each other.
    fn outermost<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = NodeId> + 'a {
        let mut end = 0;
        self.gone.iter().copied().filter(move |&node| {
            let is_outer = node >= end;
            if is_outer {
                end = tree.nodes[node].end;
            }
            is_outer
        })
    }

    /// Returns whether a node goes, by itself or with one around it.
    pub(crate) fn deletes(&self, tree: &Tree, node: NodeId) -> bool {
        (self.gone.range(..=node)).any(|&gone| tree.nodes[gone].end > node)
    }

    /// Returns what is cut, separators included, in order and without overlaps.
    pub(crate) fn cuts(&self, tree: &Tree, places: &Places) -> Vec<Range<usize>> {
        let mut rows: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for node in self.outermost(tree) {
            match places.get(&node) {
                Some(&(row, place)) => {
                    rows.entry(row).or_default().insert(place);
                }
                None => cuts.push(tree.nodes[node].atoms.clone()),
            }
        }
        for (row, gone) in &rows {
            let row = tree.lists[*row].cuts(tree, |place| !gone.contains(&place));
            cuts.extend(row.filter(|cut| !cut.is_empty()));
        }
        cuts.sort_unstable_by_key(|cut| cut.start);
        cuts.dedup_by(|next, cut| {
            let meet = next.start <= cut.end;
            if meet {
                cut.end = cut.end.max(next.end);
            }
            meet
        });
        cuts
    }

    /// Returns the edits that do it. What is replaced within something that goes, goes.
    pub(crate) fn edits(&self, tree: &Tree, places: &Places) -> Vec<Edit> {
        let cuts = self.cuts(tree, places);
        let is_cut = |atoms: &Range<usize>| {
            let after = cuts.partition_point(|cut| cut.end <= atoms.start);
            cuts.get(after).is_some_and(|cut| cut.start < atoms.end)
        };
        let mut end = 0;
        let texts = (self.texts.iter())
            .map(|(&node, text)| (&tree.nodes[node].atoms, text))
            .filter(|(atoms, _)| !is_cut(atoms))
            .filter(|(atoms, _)| {
                // Outer nodes come first.
                let is_outer = atoms.start >= end;
                end = end.max(atoms.end);
                is_outer
            })
            .map(|(atoms, text)| Edit::new(atoms, Arc::clone(text)));
        let mut edits: Vec<Edit> = texts.collect();
        edits.extend(cuts.iter().map(|cut| Edit::new(cut, *b"")));
        edits
    }
}
