//! What a node can be replaced by.

use std::collections::VecDeque;
use std::ops::Range;

use super::NodeId;
use super::index::Index;
use crate::Subset;

/// A part of a node that takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// What stays of the node.
    pub(super) part: Range<usize>,
    pub(super) successor: Successor,
}

/// A kind of place: an index into the tree's slots.
pub(super) type SlotId = usize;

/// What stands in the place of a node after an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Successor {
    Nothing,
    Node(NodeId, SlotId),
    /// The elements of this sibling list.
    List(usize, SlotId),
}

impl Edit {
    /// The edit that deletes a node.
    pub(super) fn deletion(index: &Index, node: NodeId) -> Self {
        let end = index.atoms(node).end;
        Self {
            part: end..end,
            successor: Successor::Nothing,
        }
    }

    /// What the edit deletes of a node with these atoms.
    pub(super) fn cuts(&self, whole: &Range<usize>) -> [Range<usize>; 2] {
        [whole.start..self.part.start, self.part.end..whole.end]
    }
}

/// How far below a node its replacements may be. Levels at which nothing falls away do not count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    pub(super) nodes: usize,
    pub(super) lists: usize,
}

/// The descendants of a node that fit one of the places it stands in, and where several nodes may stand, the sibling lists whose
/// living elements all fit. Those with the fewest living atoms first, then the nearest. All of them are smaller than the node.
///
/// `slot` is the node's own place; when it is all there is of a chain, the places of those below it count too.
pub(super) fn compatible(
    index: &Index,
    kept: &Subset,
    (node, slot): (NodeId, SlotId),
    depth: Depth,
) -> Vec<Edit> {
    let tree = &index.tree;
    let chain: Vec<NodeId> = index.chain(kept, node).collect();
    let inner = chain[1..].iter().map(|&node| tree.nodes[node].slot);
    let slots: Vec<SlotId> = std::iter::once(slot).chain(inner).collect();
    let fits = |slot: SlotId, node: NodeId| tree.slots[slot].accepts(tree.nodes[node].kind);
    let whole = index.weight(kept, node);
    let mut found: Vec<(usize, Edit)> = Vec::new();
    let mut level = VecDeque::from([Below {
        node: chain[chain.len() - 1],
        weight: whole,
        depth: 0,
        found: Found::No,
    }]);
    while let Some(above) = level.pop_front() {
        if above.depth < depth.lists {
            for list in tree.nodes[above.node].lists.clone() {
                let elements = tree.lists[list].elements.iter().copied();
                let living: Vec<NodeId> = elements
                    .filter(|&element| index.weight(kept, element) > 0)
                    .collect();
                // A single element is found as a node.
                let [first, .., last] = *living else { continue };
                let slot = slots.iter().copied().find(|&slot| {
                    tree.slots[slot].many && living.iter().all(|&element| fits(slot, element))
                });
                if let Some(slot) = slot {
                    let part = index.atoms(first).start..index.atoms(last).end;
                    let successor = Successor::List(list, slot);
                    found.push((kept.count_in(part.clone()), Edit { part, successor }));
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
            let repeats = same && above.found == Found::Yes;
            if let Some(slot) = slot.filter(|_| !repeats) {
                let part = index.atoms(child);
                let successor = Successor::Node(child, slot);
                found.push((weight, Edit { part, successor }));
            }
            let depth_here = above.depth + usize::from(!same);
            if depth_here < depth.nodes {
                level.push_back(Below {
                    node: child,
                    weight,
                    depth: depth_here,
                    found: if slot.is_some() || repeats {
                        Found::Yes
                    } else {
                        Found::No
                    },
                });
            }
        }
    }
    found.retain(|(weight, _)| *weight < whole);
    found.sort_by_key(|(weight, _)| *weight);
    found.into_iter().map(|(_, edit)| edit).collect()
}

/// A node below the one to be replaced.
struct Below {
    node: NodeId,
    weight: usize,
    depth: usize,
    found: Found,
}

/// Whether something with just these atoms was found already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Yes,
    No,
}

/// The nearest descendants of a node that have its kind and fewer living atoms, in order.
pub(super) fn nearest_of_same_kind(index: &Index, kept: &Subset, node: NodeId) -> Vec<NodeId> {
    let tree = &index.tree;
    let (kind, whole) = (tree.nodes[node].kind, index.weight(kept, node));
    let mut found = Vec::new();
    let (mut next, end) = (node + 1, tree.nodes[node].end);
    // In preorder, past everything below what was found or is gone.
    while next < end {
        let weight = index.weight(kept, next);
        let is_hoistable = tree.nodes[next].kind == kind && weight < whole;
        if is_hoistable && weight > 0 {
            found.push(next);
        }
        next = if is_hoistable || weight == 0 {
            tree.nodes[next].end
        } else {
            next + 1
        };
    }
    found
}
