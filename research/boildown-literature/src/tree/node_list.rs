//! A list of nodes that is minimised as a whole, and the tokens that a deletion from it cuts.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::list::List;
use boildown_search::tree::{ListId, NodeId};

use super::tree_index::TreeIndex;

/// The nodes that [`Hdd`](super::Hdd) tries to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nodes {
    /// Every node.
    #[default]
    All,
    /// Only those that can be deleted without breaking the syntax: elements of sibling lists, and
    /// extras. The others stay, and their children are part of the next level.
    Neutral,
}

/// Nodes with kept tokens, none below another, from one sibling list or from many. A list search
/// works on their positions.
///
/// The tokens of a candidate depend on the candidate alone, not on the path to it, and a subset of
/// a candidate never has a token that the candidate lacks.
#[derive(Debug)]
pub(super) struct NodeList {
    index: Arc<TreeIndex>,
    nodes: Vec<NodeId>,
    /// The weight of each node at the start: at least 1.
    weights: Vec<u32>,
    /// In the order of their starts. Together they cover the list.
    segments: Vec<SiblingSegment>,
}

/// Consecutive nodes of the list that are also consecutive siblings: no other sibling with kept
/// tokens is between them.
#[derive(Debug)]
struct SiblingSegment {
    /// Its first position in the list. It ends where the next segment starts.
    start: usize,
    before: SegmentStart,
}

/// The tokens before a segment, which decide which separators are deleted.
#[derive(Debug)]
enum SegmentStart {
    /// The segment is a single node in no sibling list. It has no separator.
    Unlisted,
    /// A sibling that stays. Its tokens end here.
    AfterSibling(usize),
    /// The start of a sibling list, at token `from`. If the whole segment is deleted, all tokens up
    /// to `until` are.
    ListStart { from: usize, until: usize },
}

impl NodeList {
    fn new(index: &Arc<TreeIndex>) -> Self {
        Self {
            index: Arc::clone(index),
            nodes: Vec::new(),
            weights: Vec::new(),
            segments: Vec::new(),
        }
    }

    /// Returns the children of `parents` that have kept tokens: for each parent, those in sibling
    /// lists first. With [`Nodes::Neutral`], children that the syntax needs are left out of the
    /// list and returned apart.
    pub(super) fn children_of(
        index: &Arc<TreeIndex>,
        kept: &Subset,
        parents: &[NodeId],
        which: Nodes,
    ) -> (Self, Vec<NodeId>) {
        let tree = &index.tree;
        let mut node_list = Self::new(index);
        let mut left_out = Vec::new();
        for &parent in parents {
            for list in tree.nodes[parent].lists.clone() {
                node_list.push_list(kept, list);
            }
            for child in tree.children(parent) {
                if index.list_position(child).is_some() || index.weight(kept, child) == 0 {
                    continue;
                }
                if which == Nodes::All || index.is_nullable(child) {
                    node_list.push_unlisted(kept, child);
                } else {
                    left_out.push(child);
                }
            }
        }
        (node_list, left_out)
    }

    /// Returns the elements of a sibling list that have kept tokens.
    pub(super) fn from_sibling_list(index: &Arc<TreeIndex>, kept: &Subset, list: ListId) -> Self {
        let mut node_list = Self::new(index);
        node_list.push_list(kept, list);
        node_list
    }

    /// Returns those of `nodes` that have kept tokens: one node, or several elements of the same
    /// sibling list in order. Their other siblings stay.
    pub(super) fn from_nodes(index: &Arc<TreeIndex>, kept: &Subset, nodes: &[NodeId]) -> Self {
        let mut node_list = Self::new(index);
        for &node in nodes {
            if index.weight(kept, node) == 0 {
                continue;
            }
            let Some(list_position) = index.list_position(node) else {
                node_list.push_unlisted(kept, node);
                continue;
            };
            let sibling = index.kept_before(kept, list_position);
            match sibling {
                Some(sibling) if node_list.nodes.last() == Some(&sibling) => {}
                Some(sibling) => {
                    node_list.begin_segment(SegmentStart::AfterSibling(index.tokens(sibling).end));
                }
                None => node_list.begin_segment(node_list.list_start(list_position.list)),
            }
            node_list.push(kept, node);
            let next = index.kept_after(kept, list_position);
            let end = next.map_or(index.tree.lists[list_position.list].end(), |next| {
                index.tokens(next).start
            });
            if let Some(segment) = node_list.segments.last_mut()
                && let SegmentStart::ListStart { until, .. } = &mut segment.before
            {
                // The end of the segment so far.
                *until = end;
            }
        }
        node_list
    }

    fn list_start(&self, list: ListId) -> SegmentStart {
        let tree = &self.index.tree;
        let list = &tree.lists[list];
        SegmentStart::ListStart {
            from: self.index.tokens(tree.elements(list)[0]).start,
            until: list.end(),
        }
    }

    fn begin_segment(&mut self, before: SegmentStart) {
        let start = self.nodes.len();
        self.segments.push(SiblingSegment { start, before });
    }

    fn push(&mut self, kept: &Subset, node: NodeId) {
        let tokens = self.index.weight(kept, node);
        self.nodes.push(node);
        self.weights.push(self.index.tree.weigh(node, tokens));
    }

    fn push_unlisted(&mut self, kept: &Subset, node: NodeId) {
        self.begin_segment(SegmentStart::Unlisted);
        self.push(kept, node);
    }

    fn push_list(&mut self, kept: &Subset, list: ListId) {
        let index = Arc::clone(&self.index);
        let mut kept_elements = (index.tree.elements(&index.tree.lists[list]).iter().copied())
            .filter(|&element| index.weight(kept, element) > 0)
            .peekable();
        if kept_elements.peek().is_some() {
            self.begin_segment(self.list_start(list));
        }
        for element in kept_elements {
            self.push(kept, element);
        }
    }

    pub(super) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the number of kept tokens of a node.
    pub(super) fn weight(&self, kept: &Subset, node: NodeId) -> usize {
        self.index.weight(kept, node)
    }

    /// Returns the list for a list algorithm.
    pub(super) fn to_list(&self) -> List {
        List::weighted(self.weights.iter().copied())
    }

    /// Returns the cuts in tokens that lead from the nodes `from` to the nodes `to`, a subset of
    /// them.
    pub(super) fn cuts(&self, from: &Subset, to: &Subset) -> Vec<Range<usize>> {
        let mut cuts = Vec::new();
        for deleted in from.cuts_to(to) {
            let deleted = deleted.start..deleted.end.min(self.nodes.len());
            let first = self
                .segments
                .partition_point(|segment| segment.start <= deleted.start)
                .saturating_sub(1);
            let mut position = deleted.start;
            for segment in first..self.segments.len() {
                if position >= deleted.end {
                    break;
                }
                let end = self.end(segment).min(deleted.end);
                cuts.push(self.cut(segment, position..end, to));
                position = end;
            }
        }
        cuts
    }

    fn end(&self, segment: usize) -> usize {
        let next = self.segments.get(segment + 1);
        next.map_or(self.nodes.len(), |next| next.start)
    }

    /// Returns the tokens to delete with consecutive nodes of one segment: their own, and the
    /// separators that become superfluous. `left` are the nodes that stay.
    fn cut(&self, segment: usize, deleted: Range<usize>, left: &Subset) -> Range<usize> {
        let tokens = |position: usize| self.index.tokens(self.nodes[position]);
        let SiblingSegment { start, ref before } = self.segments[segment];
        let before = match *before {
            SegmentStart::Unlisted => return tokens(deleted.start),
            SegmentStart::AfterSibling(end) => end,
            SegmentStart::ListStart { from, until } => {
                match left.first_in(start..self.end(segment)) {
                    None => return from..until,
                    Some(first) if first >= deleted.end => return from..tokens(first).start,
                    Some(_) => from,
                }
            }
        };
        let start = if deleted.start > start {
            tokens(deleted.start - 1).end
        } else {
            before
        };
        start..tokens(deleted.end - 1).end
    }
}
