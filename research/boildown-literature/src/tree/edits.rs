//! Edits of a node: deleting it, or replacing it by one of its parts.

use std::collections::VecDeque;
use std::ops::Range;

use boildown_search::Subset;
use boildown_search::tree::{ListId, NodeId, SlotId};

use super::tree_index::TreeIndex;

/// An edit that leaves one part of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeEdit {
    /// The tokens that stay; an empty range for a deletion.
    pub(super) part: Range<usize>,
    pub(super) replaced_by: ReplacedBy,
}

/// A node and the slot that it fills. After a replacement this is the slot of the replaced node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeInSlot {
    pub(super) node: NodeId,
    pub(super) slot: SlotId,
}

/// What fills the slot of a node after an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplacedBy {
    Nothing,
    Node(NodeId, SlotId),
    /// The elements of this sibling list.
    List(ListId, SlotId),
}

impl NodeEdit {
    /// Returns the edit that deletes a node.
    pub(super) fn deletion(index: &TreeIndex, node: NodeId) -> Self {
        let end = index.tokens(node).end;
        Self {
            part: end..end,
            replaced_by: ReplacedBy::Nothing,
        }
    }

    /// Returns the cuts of the edit in a node with the tokens `whole`.
    pub(super) fn cuts(&self, whole: &Range<usize>) -> [Range<usize>; 2] {
        [whole.start..self.part.start, self.part.end..whole.end]
    }
}

/// The depth below a node to which replacements are searched. A level with the same kept tokens as
/// the one above does not count.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplacementDepth {
    pub(super) nodes: usize,
    pub(super) lists: usize,
}

/// Returns the compatible replacements of a node: its descendants that fit its slot, and if the
/// slot takes several nodes, the sibling lists below it whose kept elements all fit.
///
/// Those with the fewest kept tokens come first, then the nearest. All are smaller than the node.
/// If the node is the start of a chain, the slots of all nodes on the chain count.
pub(super) fn compatible(
    index: &TreeIndex,
    kept: &Subset,
    NodeInSlot { node, slot }: NodeInSlot,
    depth: ReplacementDepth,
) -> Vec<NodeEdit> {
    let tree = &index.tree;
    let chain: Vec<NodeId> = index.chain(kept, node).collect();
    let inner = chain[1..].iter().map(|&node| tree.nodes[node].slot);
    let slots: Vec<SlotId> = std::iter::once(slot).chain(inner).collect();
    let fits = |slot: SlotId, node: NodeId| tree.slots[slot].accepts(tree.nodes[node].kind);
    let whole = index.weight(kept, node);
    let mut found: Vec<(usize, NodeEdit)> = Vec::new();
    let mut level = VecDeque::from([VisitedNode {
        node: chain[chain.len() - 1],
        weight: whole,
        depth: 0,
        found: OfferedBefore::No,
    }]);
    while let Some(above) = level.pop_front() {
        if above.depth < depth.lists {
            for list in tree.nodes[above.node].lists.clone() {
                let elements = tree.elements(&tree.lists[list]).iter().copied();
                let kept_elements: Vec<NodeId> = elements
                    .filter(|&element| index.weight(kept, element) > 0)
                    .collect();
                // A single element is found as a node below.
                let [first, .., last] = *kept_elements else {
                    continue;
                };
                let slot = slots.iter().copied().find(|&slot| {
                    tree.slots[slot].many
                        && kept_elements.iter().all(|&element| fits(slot, element))
                });
                if let Some(slot) = slot {
                    let part = index.tokens(first).start..index.tokens(last).end;
                    let replaced_by = ReplacedBy::List(list, slot);
                    found.push((kept.count_in(part.clone()), NodeEdit { part, replaced_by }));
                }
            }
        }
        for child in tree.children(above.node) {
            let weight = index.weight(kept, child);
            if weight == 0 {
                continue;
            }
            let same = weight == above.weight;
            let slot = slots.iter().copied().find(|&slot| fits(slot, child));
            let repeats = same && above.found == OfferedBefore::Yes;
            if let Some(slot) = slot.filter(|_| !repeats) {
                let part = index.tokens(child);
                let replaced_by = ReplacedBy::Node(child, slot);
                found.push((weight, NodeEdit { part, replaced_by }));
            }
            let depth_here = above.depth + usize::from(!same);
            if depth_here < depth.nodes {
                level.push_back(VisitedNode {
                    node: child,
                    weight,
                    depth: depth_here,
                    found: if slot.is_some() || repeats {
                        OfferedBefore::Yes
                    } else {
                        OfferedBefore::No
                    },
                });
            }
        }
    }
    found.retain(|(weight, _)| *weight < whole);
    found.sort_by_key(|(weight, _)| *weight);
    found.into_iter().map(|(_, edit)| edit).collect()
}

/// A descendant whose children are to be searched.
struct VisitedNode {
    node: NodeId,
    weight: usize,
    depth: usize,
    found: OfferedBefore,
}

/// Whether a replacement with exactly the same kept tokens was found already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OfferedBefore {
    Yes,
    No,
}

/// Returns the nearest descendants of a node that have its kind and fewer kept tokens, in order.
pub(super) fn nearest_of_same_kind(index: &TreeIndex, kept: &Subset, node: NodeId) -> Vec<NodeId> {
    let tree = &index.tree;
    let (kind, whole) = (tree.nodes[node].kind, index.weight(kept, node));
    let mut found = Vec::new();
    let (mut next, end) = (node.next(), tree.nodes[node].end);
    // In preorder. Subtrees of found nodes, and those without kept tokens, are jumped over.
    while next < end {
        let weight = index.weight(kept, next);
        let is_hoistable = tree.nodes[next].kind == kind && weight < whole;
        if is_hoistable && weight > 0 {
            found.push(next);
        }
        next = if is_hoistable || weight == 0 {
            tree.nodes[next].end
        } else {
            next.next()
        };
    }
    found
}
