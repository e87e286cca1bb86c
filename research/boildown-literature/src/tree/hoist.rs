//! HDD with hoisting: also replaces nodes by their descendants of the same kind.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::list::ListAlgorithm;
use boildown_search::odds::HitRate;
use boildown_search::tree::{Node, NodeId, Tree};
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::edits::{NodeInSlot, nearest_of_same_kind};
use super::node_list::{NodeList, Nodes};
use super::node_list_search::NodeListSearch;
use super::tree_index::TreeIndex;

/// Reduces a tree level by level, like [`Hdd`](super::Hdd), and on every level also replaces nodes
/// by their descendants.
///
/// After the deletions of a level, the search tries to replace each node by each of its nearest
/// descendants of the same kind, if that kind fits the node's slot. When a replacement works, the
/// level starts over with the new node. When none works any more, the children of the level's nodes
/// are the next level.
///
/// For example, the call `x(y(a b) c)` can be replaced by `y(a b)`, which is of the same kind.
///
/// # Guarantee
/// Ends with an interesting set. `Fixpoint<HoistingHdd<_>>` is 1-tree-minimal under the conditions
/// of [`Hdd`](super::Hdd), and no single replacement as above works either.
/// # Cost
/// The queries of [`Hdd`](super::Hdd), and for each level the number of its replacements times one
/// more than the number of those that work. Finding replacements is O(size of the level's subtrees)
/// for each level and each hit.
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// D. Vince, R. Hodován, D. Bársony, Á. Kiss, *Extending Hierarchical Delta Debugging with
/// Hoisting*, AST 2021, with the search order of picireny (the first hit is taken, then from the
/// start). Differs from it: a replacement has to fit the slot by [`Tree::slots`], and instead of a
/// descendant that would delete nothing, the nearest ones below it are tried.
#[derive(Debug, Clone)]
pub struct HoistingHdd<A: ListAlgorithm> {
    algorithm: A,
    index: Arc<TreeIndex>,
    /// The best candidate before the current list.
    kept: Subset,
    stage: HoistStage<A::Search>,
    rate: HitRate,
}

#[derive(Debug, Clone)]
enum HoistStage<M> {
    Deleting(NodeListSearch<M>),
    Hoisting(LevelHoists),
    Finished,
}

/// The search for replacements on one level.
#[derive(Debug, Clone)]
struct LevelHoists {
    nodes: Arc<[NodeInSlot]>,
    /// The index of the node to replace. Invariant: less than `nodes.len()`.
    position: usize,
    /// The replacements to try for it; the last one is next. Never empty between queries.
    options: Vec<NodeInSlot>,
}

impl<A: ListAlgorithm> HoistingHdd<A> {
    /// Starts on the tokens of `kept`, which holds all tokens of the tree that are not deleted yet.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset) -> Self {
        let mut search = Self {
            algorithm,
            index: TreeIndex::new(tree),
            kept: kept.clone(),
            stage: HoistStage::Finished,
            rate: HitRate::new(0.1),
        };
        search.restart(kept);
        search
    }

    /// Starts the first level below the nodes `above` that has a query, or finishes.
    fn descend(&mut self, mut above: Vec<NodeId>) {
        self.stage = HoistStage::Finished;
        while !above.is_empty() {
            for node in &mut above {
                *node = self.index.innermost(&self.kept, *node);
            }
            let (node_list, _) = NodeList::children_of(&self.index, &self.kept, &above, Nodes::All);
            if node_list.nodes().is_empty() {
                return;
            }
            let list_search = NodeListSearch::start(&self.algorithm, node_list, self.kept.clone());
            if !list_search.is_finished() {
                self.stage = HoistStage::Deleting(list_search);
                return;
            }
            above = list_search.survivors();
            let nodes = self.in_slots(above.clone());
            if let Some(hoisting) = self.first_option(&nodes, 0) {
                self.stage = HoistStage::Hoisting(hoisting);
                return;
            }
        }
    }

    fn in_slots(&self, mut nodes: Vec<NodeId>) -> Arc<[NodeInSlot]> {
        nodes.sort_unstable();
        let in_slot = |node: NodeId| NodeInSlot {
            node,
            slot: self.index.tree.nodes[node].slot,
        };
        nodes.into_iter().map(in_slot).collect()
    }

    /// Returns the first node from `position` on that has replacements.
    fn first_option(&self, nodes: &Arc<[NodeInSlot]>, position: usize) -> Option<LevelHoists> {
        (position..nodes.len()).find_map(|position| {
            let mut options = self.options(nodes[position]);
            options.reverse();
            (!options.is_empty()).then(|| LevelHoists {
                nodes: Arc::clone(nodes),
                position,
                options,
            })
        })
    }

    /// Returns the replacements of a node, in the order in which they are tried. If the node is the
    /// start of a chain, the slots of all nodes on the chain count.
    fn options(&self, replaced: NodeInSlot) -> Vec<NodeInSlot> {
        let tree = &self.index.tree;
        let mut options = Vec::new();
        let mut kinds = Vec::new();
        for node in self.index.chain(&self.kept, replaced.node) {
            let Node { kind, slot, .. } = tree.nodes[node];
            let slot = if node == replaced.node {
                replaced.slot
            } else {
                slot
            };
            if kinds.contains(&kind) || !tree.slots[slot].accepts(kind) {
                continue;
            }
            kinds.push(kind);
            let found = nearest_of_same_kind(&self.index, &self.kept, node);
            options.extend(found.into_iter().map(|node| NodeInSlot { node, slot }));
        }
        options
    }

    /// Returns the cuts that make the next replacement.
    fn cuts(&self, hoisting: &LevelHoists) -> Option<[Range<usize>; 2]> {
        let whole = self.index.tokens(hoisting.nodes[hoisting.position].node);
        let part = self.index.tokens(hoisting.options.last()?.node);
        Some([whole.start..part.start, part.end..whole.end])
    }

    fn record_answer(&mut self, verdict: Option<Verdict>) {
        match std::mem::replace(&mut self.stage, HoistStage::Finished) {
            HoistStage::Deleting(mut list_search) => {
                match verdict {
                    Some(verdict) => list_search.tell(verdict),
                    None => list_search.skip(),
                }
                if list_search.is_finished() {
                    self.kept = list_search.best().clone();
                    let nodes = self.in_slots(list_search.survivors());
                    self.hoist(&nodes, 0);
                } else {
                    self.stage = HoistStage::Deleting(list_search);
                }
            }
            HoistStage::Hoisting(mut hoisting) => {
                if let Some(verdict) = verdict {
                    self.rate.learn(verdict.into());
                }
                let cuts = self.cuts(&hoisting);
                let tried = hoisting.options.pop();
                if verdict == Some(Verdict::Interesting)
                    && let (Some(replacement), Some(cuts)) = (tried, cuts)
                {
                    self.kept = self.kept.without(cuts);
                    self.kept.commit();
                    let mut nodes = hoisting.nodes.to_vec();
                    nodes[hoisting.position] = replacement;
                    self.hoist(&nodes.into(), 0);
                } else if hoisting.options.is_empty() {
                    self.hoist(&hoisting.nodes, hoisting.position + 1);
                } else {
                    self.stage = HoistStage::Hoisting(hoisting);
                }
            }
            HoistStage::Finished => {}
        }
    }

    /// Tries the replacements of the nodes from `position` on, then the next level.
    fn hoist(&mut self, nodes: &Arc<[NodeInSlot]>, position: usize) {
        match self.first_option(nodes, position) {
            Some(hoisting) => self.stage = HoistStage::Hoisting(hoisting),
            None => self.descend(nodes.iter().map(|in_slot| in_slot.node).collect()),
        }
    }
}

impl<A: ListAlgorithm> Search for HoistingHdd<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        match &self.stage {
            HoistStage::Deleting(list_search) => list_search.ask(),
            HoistStage::Hoisting(hoisting) => Some(Query {
                candidate: self.kept.without(self.cuts(hoisting)?),
                odds: self.rate.odds(),
            }),
            HoistStage::Finished => None,
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record_answer(Some(verdict));
    }

    fn skip(&mut self) {
        self.record_answer(None);
    }

    fn best(&self) -> Subset {
        match &self.stage {
            HoistStage::Deleting(list_search) => list_search.best().clone(),
            HoistStage::Hoisting(_) | HoistStage::Finished => self.kept.clone(),
        }
    }
}

impl<A: ListAlgorithm> ListSearch for HoistingHdd<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        // The root is never deleted, but it can be replaced.
        let nodes = self.in_slots(self.index.root());
        self.hoist(&nodes, 0);
    }
}

impl<A: ListAlgorithm> HoistingHdd<A> {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "hdd-hoist",
        family: Family::Tree,
        parameters: "",
        guarantee: "interesting; 1-tree-minimal when repeated to a fixed point",
        cost: "as hdd, and the queries for its replacements",
        source: "Vince et al.: Extending HDD with Hoisting, AST 2021",
    };
}
