//! Replacements: descendants that can take a node's slot.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

use crate::Subset;
use crate::tree::{NodeId, Slot, SlotId, Tree};

/// A part of a node that can replace the node.
#[derive(Debug, Clone)]
pub(super) struct Replacement {
    pub(super) tokens: Range<usize>,
    /// The descendant that the part is; `None` if it is several nodes of a list.
    pub(super) node: Option<NodeId>,
}

/// A view of the kept part of a tree, to look for replacements in.
pub(super) struct Replacements<'a> {
    pub(super) tree: &'a Tree,
    pub(super) kept: &'a Subset,
}

impl Replacements<'_> {
    /// The number of levels below a node that are searched. Levels without tokens of their own do
    /// not count.
    const DEPTH: usize = 6;
    /// A replacement holds at least one `SHARE`th of the node's tokens, or is the lightest of all.
    const SHARE: usize = 8;
    /// The maximum number of replacements of that weight that are tried.
    const HEAVY: usize = 6;
    /// The same for a node of at least `LARGE` tokens that holds half of all that there were, such
    /// as a query with its subqueries: deletions from it have failed, what is needed may be in a
    /// small part of it, and a few tests more are little.
    const LARGE: usize = 256;
    const SHARE_OF_MOST: usize = 64;
    const HEAVY_OF_MOST: usize = 16;

    /// Returns the replacements to try for a node, the last one first: its nearest descendants that
    /// fit the slot, and if the slot takes several nodes, the sibling lists below it whose elements
    /// all fit. Heavier ones are further back; the last one is the `halfway` replacement, if any.
    pub(super) fn all(&self, node: NodeId, slot: SlotId) -> Vec<Replacement> {
        let tree = self.tree;
        let slot = &tree.slots[slot];
        let weight = |tokens: Range<usize>| self.kept.count_in(tokens);
        let whole = weight(tree.nodes[node].tokens());
        let mut found: Vec<Replacement> = self.without_ends(node).into_iter().collect();
        let mut level = VecDeque::from([(node, 0)]);
        while let Some((above, depth)) = level.pop_front() {
            if slot.many {
                for list in tree.nodes[above].lists.clone() {
                    let alive: Vec<NodeId> = (tree.elements(&tree.lists[list]).iter().copied())
                        .filter(|&element| weight(tree.nodes[element].tokens()) > 0)
                        .collect();
                    if alive.len() > 1
                        && alive
                            .iter()
                            .all(|&element| slot.accepts(tree.nodes[element].kind))
                    {
                        let tokens = tree.nodes[alive[0]].tokens().start
                            ..tree.nodes[alive[alive.len() - 1]].tokens().end;
                        found.push(Replacement { tokens, node: None });
                    }
                }
            }
            for child in tree.children(above) {
                let below = &tree.nodes[child];
                let part = weight(below.tokens());
                if part == whole {
                    level.push_back((child, depth));
                } else if part > 0 && slot.accepts(below.kind) {
                    found.push(Replacement {
                        tokens: below.tokens(),
                        node: Some(child),
                    });
                } else if part > 0 && depth + 1 < Self::DEPTH {
                    level.push_back((child, depth + 1));
                }
            }
        }
        found.retain(|part| weight(part.tokens.clone()) < whole);
        found.sort_by_cached_key(|part| (weight(part.tokens.clone()), Reverse(part.tokens.start)));
        let (share, most) = match whole >= Self::LARGE && 2 * whole >= self.kept.universe() {
            true => (Self::SHARE_OF_MOST, Self::HEAVY_OF_MOST),
            false => (Self::SHARE, Self::HEAVY),
        };
        // A heavy part is more likely to hold the needed tokens. The lightest is tried too: often
        // any replacement works.
        let heavy = found.partition_point(|part| share * weight(part.tokens.clone()) < whole);
        let heavy = heavy.max(found.len().saturating_sub(most));
        found.drain(heavy.min(1)..heavy);
        found.extend(self.halfway(node, slot));
        found
    }

    /// Returns the chain that starts at a node: the node, the heaviest of its nearest descendants
    /// that fit its slot, the heaviest of those below that one, and so on. Each fits the slots of
    /// the one above it and of the outermost.
    pub(super) fn chain(&self, node: NodeId, slot: SlotId) -> Vec<NodeId> {
        let slots = &self.tree.slots;
        let first = &slots[slot];
        let next = |&(node, slot): &(NodeId, SlotId)| {
            let fits = |kind| slots[slot].accepts(kind) && first.accepts(kind);
            let below = self.heaviest_fitting(node, fits)?;
            Some((below, self.tree.nodes[below].slot))
        };
        std::iter::successors(Some((node, slot)), next)
            .map(|(node, _)| node)
            .collect()
    }

    /// Returns the heaviest of the nearest descendants of a node whose kind `fits`.
    fn heaviest_fitting(&self, node: NodeId, fits: impl Fn(u16) -> bool) -> Option<NodeId> {
        let tree = self.tree;
        let weight = |node: NodeId| self.kept.count_in(tree.nodes[node].tokens());
        let whole = weight(node);
        let mut heaviest: Option<(usize, NodeId)> = None;
        let mut level = vec![(node, 0)];
        while let Some((above, depth)) = level.pop() {
            for child in tree.children(above) {
                let part = weight(child);
                if heaviest.is_some_and(|(most, _)| part <= most) || part == 0 {
                    continue;
                }
                if part == whole {
                    level.push((child, depth));
                } else if fits(tree.nodes[child].kind) {
                    heaviest = Some((part, child));
                } else if depth + 1 < Self::DEPTH {
                    level.push((child, depth + 1));
                }
            }
        }
        heaviest.map(|(_, node)| node)
    }

    /// Returns the last descendant on the heaviest path that fits the slot and holds half of the
    /// node's tokens. It gets through deep nesting in few steps.
    fn halfway(&self, node: NodeId, slot: &Slot) -> Option<Replacement> {
        let tree = self.tree;
        let whole = self.kept.count_in(tree.nodes[node].tokens());
        let heaviest = |&above: &(NodeId, usize)| self.heaviest_child(above);
        let (node, _) = std::iter::successors(heaviest(&(node, whole)), heaviest)
            .take_while(|&(_, weight)| 2 * weight >= whole)
            .filter(|&(below, weight)| slot.accepts(tree.nodes[below].kind) && weight < whole)
            .last()?;
        Some(Replacement {
            tokens: tree.nodes[node].tokens(),
            node: Some(node),
        })
    }

    /// Returns the child of a node that holds the most tokens, with their number, which is known of
    /// the node. What the widest child holds is not counted but what is beside it: a path through
    /// deep nesting takes linear time.
    fn heaviest_child(&self, (node, weight): (NodeId, usize)) -> Option<(NodeId, usize)> {
        let tokens = |node: NodeId| self.tree.nodes[node].tokens();
        let count = |tokens: Range<usize>| self.kept.count_in(tokens);
        let widest = (self.tree.children(node)).max_by_key(|&child| tokens(child).len())?;
        let beside = count(tokens(node).start..tokens(widest).start)
            + count(tokens(widest).end..tokens(node).end);
        (self.tree.children(node))
            .map(|child| match child == widest {
                true => (child, weight - beside),
                false => (child, count(tokens(child).clone())),
            })
            .max_by_key(|&(_, weight)| weight)
    }

    /// Returns a node without its two ends: `a` of `(a)`, or the content of an XML element without
    /// its tags.
    fn without_ends(&self, node: NodeId) -> Option<Replacement> {
        let alive: Vec<Range<usize>> = (self.tree.children(node))
            .map(|child| self.tree.nodes[child].tokens())
            .filter(|tokens| self.kept.count_in(tokens.clone()) > 0)
            .collect();
        let whole = self.tree.nodes[node].tokens();
        let without_ends = match alive.as_slice() {
            [only] if only.start > whole.start && only.end < whole.end => only.clone(),
            [first, .., last] if first.start > whole.start && last.end < whole.end => {
                first.start..last.end
            }
            [first, second, .., before, last] | [first, second @ before, last]
                if first.start == whole.start && last.end == whole.end =>
            {
                second.start..before.end
            }
            _ => return None,
        };
        Some(Replacement {
            tokens: without_ends,
            node: None,
        })
    }
}
