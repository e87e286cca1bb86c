//! What may take a node's place in our own schedule.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

use super::{NodeId, Slot, Tree};
use crate::Subset;

/// Something below a node that may take its place.
#[derive(Debug, Clone)]
pub(super) struct Replacement {
    pub(super) atoms: Range<usize>,
    /// The node it is, when it is one.
    pub(super) node: Option<NodeId>,
}

/// Looks for replacements among what is left of a tree.
pub(super) struct Replacements<'a> {
    pub(super) tree: &'a Tree,
    pub(super) kept: &'a Subset,
}

impl Replacements<'_> {
    /// How many levels below a node a replacement is looked for.
    const DEPTH: usize = 6;
    /// A replacement has at least this part of a node's atoms, or is the lightest of all.
    const SHARE: usize = 8;
    /// How many replacements of that weight are tried.
    const HEAVY: usize = 6;

    /// What may take the place of a node: its nearest descendants that fit there, and where several nodes may stand, the inner
    /// lists whose elements all fit. The heaviest is last.
    pub(super) fn all(&self, node: NodeId, slot: usize) -> Vec<Replacement> {
        let tree = self.tree;
        let slot = &tree.slots[slot];
        let weight = |atoms: &Range<usize>| self.kept.count_in(atoms.clone());
        let whole = weight(&tree.nodes[node].atoms);
        let mut found: Vec<Replacement> = self.shelled(node).into_iter().collect();
        let mut level = VecDeque::from([(node, 0)]);
        while let Some((above, depth)) = level.pop_front() {
            if slot.many {
                for list in tree.nodes[above].lists.clone() {
                    let living: Vec<NodeId> = (tree.lists[list].elements.iter().copied())
                        .filter(|&element| weight(&tree.nodes[element].atoms) > 0)
                        .collect();
                    if living.len() > 1
                        && living
                            .iter()
                            .all(|&element| slot.accepts(tree.nodes[element].kind))
                    {
                        let atoms = tree.nodes[living[0]].atoms.start
                            ..tree.nodes[living[living.len() - 1]].atoms.end;
                        found.push(Replacement { atoms, node: None });
                    }
                }
            }
            for child in tree.children(above) {
                let below = &tree.nodes[child];
                let part = weight(&below.atoms);
                if part == whole {
                    level.push_back((child, depth));
                } else if part > 0 && slot.accepts(below.kind) {
                    found.push(Replacement {
                        atoms: below.atoms.clone(),
                        node: Some(child),
                    });
                } else if part > 0 && depth + 1 < Self::DEPTH {
                    level.push_back((child, depth + 1));
                }
            }
        }
        found.retain(|part| weight(&part.atoms) < whole);
        found.sort_by_cached_key(|part| (weight(&part.atoms), Reverse(part.atoms.start)));
        // What is needed is more likely in a heavy part. The lightest is tried too: often anything will do.
        let heavy = found.partition_point(|part| Self::SHARE * weight(&part.atoms) < whole);
        let heavy = heavy.max(found.len().saturating_sub(Self::HEAVY));
        found.drain(heavy.min(1)..heavy);
        found.extend(self.halfway(node, slot));
        found
    }

    /// The spine that begins at a node: the node, the heaviest of its nearest descendants that fit into its place, the heaviest of
    /// those below that, and so on. Each may take the place of the one above it and of the outermost.
    pub(super) fn spine(&self, node: NodeId, slot: usize) -> Vec<NodeId> {
        let slots = &self.tree.slots;
        let first = &slots[slot];
        let next = |&(node, slot): &(NodeId, usize)| {
            let fits = |kind| slots[slot].accepts(kind) && first.accepts(kind);
            let below = self.heaviest_fitting(node, fits)?;
            Some((below, self.tree.nodes[below].slot))
        };
        std::iter::successors(Some((node, slot)), next)
            .map(|(node, _)| node)
            .collect()
    }

    /// The heaviest of the nearest descendants of a node that fit into a place.
    fn heaviest_fitting(&self, node: NodeId, fits: impl Fn(u16) -> bool) -> Option<NodeId> {
        let tree = self.tree;
        let weight = |node: NodeId| self.kept.count_in(tree.nodes[node].atoms.clone());
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

    /// The last descendant on the heaviest path that fits and holds half of a node's atoms, to get through deep nests in few steps.
    fn halfway(&self, node: NodeId, slot: &Slot) -> Option<Replacement> {
        let tree = self.tree;
        let weight = |node: NodeId| self.kept.count_in(tree.nodes[node].atoms.clone());
        let whole = weight(node);
        let heaviest = |&above: &NodeId| tree.children(above).max_by_key(|&child| weight(child));
        let path = std::iter::successors(heaviest(&node), heaviest)
            .take_while(|&below| 2 * weight(below) >= whole);
        let fitting =
            path.filter(|&below| slot.accepts(tree.nodes[below].kind) && weight(below) < whole);
        let node = fitting.last()?;
        Some(Replacement {
            atoms: tree.nodes[node].atoms.clone(),
            node: Some(node),
        })
    }

    /// What is left of a node without its two ends: `a` of `(a)`, and the content of an element between its tags.
    fn shelled(&self, node: NodeId) -> Option<Replacement> {
        let living: Vec<&Range<usize>> = (self.tree.children(node))
            .map(|child| &self.tree.nodes[child].atoms)
            .filter(|atoms| self.kept.count_in((*atoms).clone()) > 0)
            .collect();
        let whole = &self.tree.nodes[node].atoms;
        let without_ends = match living.as_slice() {
            [only] if only.start > whole.start && only.end < whole.end => (*only).clone(),
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
            atoms: without_ends,
            node: None,
        })
    }
}
