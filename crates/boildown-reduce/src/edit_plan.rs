//! Plans: deletions and replacements of nodes that are made together.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::Document;
use boildown_search::tree::{ListId, NodeId, Tree};

use crate::edit::Edit;

/// Nodes to delete, and nodes to replace.
#[derive(Debug, Clone, Default)]
pub(crate) struct EditPlan {
    deleted: BTreeSet<NodeId>,
    replaced: BTreeMap<NodeId, Arc<[u8]>>,
}

/// The position of a node among its siblings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiblingPosition {
    pub(crate) list: ListId,
    /// The index of the node in that list.
    pub(crate) index: usize,
}

/// The positions of all nodes that are elements of a sibling list.
pub(crate) type SiblingPositions = BTreeMap<NodeId, SiblingPosition>;

pub(crate) fn sibling_positions(tree: &Tree) -> SiblingPositions {
    let lists = tree.lists.enumerate();
    lists
        .flat_map(|(list, siblings)| {
            let elements = tree.elements(siblings).iter().enumerate();
            elements.map(move |(index, &element)| (element, SiblingPosition { list, index }))
        })
        .collect()
}

/// Returns the ranges of tokens that are deleted with some nodes, separators included, in no order.
/// No node is inside another one.
pub(crate) fn cuts_of(
    tree: &Tree,
    nodes: impl Iterator<Item = (NodeId, Option<SiblingPosition>)>,
) -> Vec<Range<usize>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut elements: Vec<SiblingPosition> = Vec::new();
    for (node, position) in nodes {
        match position {
            Some(position) => elements.push(position),
            None => cuts.push(tree.nodes[node].tokens()),
        }
    }
    elements.sort_unstable_by_key(|element| (element.list, element.index));
    for deleted in elements.chunk_by(|one, other| one.list == other.list) {
        let list = &tree.lists[deleted[0].list];
        let mut is_deleted = vec![false; tree.elements(list).len()];
        for element in deleted {
            is_deleted[element.index] = true;
        }
        let cuts_of_list = list.cuts(tree, |index| !is_deleted[index]);
        cuts.extend(cuts_of_list.filter(|cut| !cut.is_empty()));
    }
    cuts
}

impl EditPlan {
    /// Deletes a node, with its separator.
    pub(crate) fn delete(&mut self, node: NodeId) {
        self.deleted.insert(node);
    }

    /// Replaces a node by a text.
    pub(crate) fn replace(&mut self, node: NodeId, text: &Arc<[u8]>) {
        self.replaced.insert(node, Arc::clone(text));
    }

    /// Returns the deleted nodes that are in no other deleted node.
    fn outermost<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = NodeId> + 'a {
        let mut end = NodeId::ROOT;
        self.deleted.iter().copied().filter(move |&node| {
            let is_outer = node >= end;
            if is_outer {
                end = tree.nodes[node].end;
            }
            is_outer
        })
    }

    /// Returns whether a node is deleted, by itself or with one around it.
    pub(crate) fn deletes(&self, tree: &Tree, node: NodeId) -> bool {
        (self.deleted.range(..=node)).any(|&outer| tree.nodes[outer].end > node)
    }

    /// Returns the ranges of tokens that are deleted, separators included: ascending and disjoint.
    pub(crate) fn cuts(
        &self,
        tree: &Tree,
        sibling_positions: &SiblingPositions,
    ) -> Vec<Range<usize>> {
        let outermost = self.outermost(tree);
        let mut cuts = cuts_of(
            tree,
            outermost.map(|node| (node, sibling_positions.get(&node).copied())),
        );
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

    /// Returns the edits of the plan. A replacement within a deletion is dropped. Angle brackets
    /// that would be left empty are deleted too: few grammars allow `a<>`.
    pub(crate) fn edits(
        &self,
        document: &Document,
        sibling_positions: &SiblingPositions,
    ) -> Vec<Edit> {
        let tree = document.tree();
        let mut cuts = self.cuts(tree, sibling_positions);
        for cut in &mut cuts {
            let is_all = cut.start > 0
                && cut.end < document.len()
                && document.token(cut.start - 1) == b"<"
                && document.token(cut.end) == b">";
            if is_all {
                *cut = cut.start - 1..cut.end + 1;
            }
        }
        let is_cut = |tokens: &Range<usize>| {
            let after = cuts.partition_point(|cut| cut.end <= tokens.start);
            cuts.get(after).is_some_and(|cut| cut.start < tokens.end)
        };
        let mut end = 0;
        let texts = (self.replaced.iter())
            .map(|(&node, text)| (tree.nodes[node].tokens(), text))
            .filter(|(tokens, _)| !is_cut(tokens))
            .filter(|(tokens, _)| {
                // A node comes before those inside it.
                let is_outer = tokens.start >= end;
                end = end.max(tokens.end);
                is_outer
            })
            .map(|(tokens, text)| Edit::new(&tokens, Arc::clone(text)));
        let mut edits: Vec<Edit> = texts.collect();
        edits.extend(cuts.iter().map(Edit::deletion));
        edits
    }
}
