//! HDD, hierarchical delta debugging: reduces a tree level by level.

use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::list::ListAlgorithm;
use boildown_search::tree::{NodeId, Tree};
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::node_list::{NodeList, Nodes};
use super::node_list_search::NodeListSearch;
use super::tree_index::TreeIndex;

/// Reduces a tree level by level, from the root down: all nodes of a level that have kept tokens
/// are one list for the list algorithm.
///
/// For example, in `[a b [c d]] [e [f g]]` the first level is the two outer brackets, the second is
/// `a`, `b`, `[c d]`, `e`, `[f g]`, and so on. Nodes that are deleted take their children with
/// them.
///
/// # Guarantee
/// Ends with an interesting set. `Fixpoint<Hdd<_>>` is HDD\*: with [`Nodes::All`] and a list
/// algorithm that asks about every single deletion (halving, ddmin, a sweep), it ends
/// 1-tree-minimal: deleting any single node but the root, in a sibling list with its separator, was
/// answered `Uninteresting` or `Unresolved`.
/// # Cost
/// The queries of the list algorithm for each level, one more if it leaves a single node. Starting
/// a level is O(its size and the number of tokens / 64). `tell` costs what the list algorithm's
/// does, and O(n / 64) on a hit.
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// G. Misherghi, Z. Su, *HDD: Hierarchical Delta Debugging*, ICSE 2006; coarse HDD: R. Hodován, Á.
/// Kiss, T. Gyimóthy, *Coarse Hierarchical Delta Debugging*, ICSME 2017. Differs from them: a node
/// is deleted with its separator, and not replaced by the shortest text of its symbol, since the
/// tree holds no texts; candidates that break the syntax are left to the parse gate. The root
/// stays. As in picireny, the last node of a level is tried too, unless it is to
/// [stay](LastNode::Stays) as in the paper, and a chain of nodes with the same tokens counts as one
/// node.
#[derive(Debug, Clone)]
pub struct Hdd<A: ListAlgorithm> {
    algorithm: A,
    index: Arc<TreeIndex>,
    nodes: Nodes,
    last_node: LastNode,
    /// The best candidate before the current level.
    kept: Subset,
    /// `None` when finished.
    level: Option<HddLevel<A::Search>>,
}

/// Whether the deletion of the only node that is left of a level is tried.
///
/// List algorithms such as ddmin never ask about the empty list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LastNode {
    /// It is, as in picireny.
    #[default]
    Tried,
    /// It is not, as in the paper; the list algorithm may still ask about it.
    Stays,
}

#[derive(Debug, Clone)]
struct HddLevel<M> {
    list_search: NodeListSearch<M>,
    /// The nodes of the level that are not to be deleted.
    left_out: Arc<[NodeId]>,
}

impl<A: ListAlgorithm> Hdd<A> {
    /// Starts on the tokens of `kept`, which holds all tokens of the tree that are not deleted yet.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, nodes: Nodes) -> Self {
        let mut search = Self {
            algorithm,
            index: TreeIndex::new(tree),
            nodes,
            last_node: LastNode::Tried,
            kept: kept.clone(),
            level: None,
        };
        search.restart(kept);
        search
    }

    /// Returns this search, which has not begun, with another policy for the last node of a level.
    #[must_use]
    pub fn with_last_node(mut self, last_node: LastNode) -> Self {
        self.last_node = last_node;
        self.restart(self.kept.clone());
        self
    }

    /// Starts the first level below the nodes `above` that has a query, or finishes.
    fn descend(&mut self, mut above: Vec<NodeId>) {
        self.level = None;
        while !above.is_empty() {
            let (node_list, left_out) =
                NodeList::children_of(&self.index, &self.kept, &above, self.nodes);
            above = left_out;
            if !node_list.nodes().is_empty() {
                let list_search =
                    NodeListSearch::start(&self.algorithm, node_list, self.kept.clone());
                let list_search = match self.last_node {
                    LastNode::Tried => list_search,
                    LastNode::Stays => list_search.keeping_last_node(),
                };
                if !list_search.is_finished() {
                    let left_out = above.into();
                    self.level = Some(HddLevel {
                        list_search,
                        left_out,
                    });
                    return;
                }
                above = self.below(&list_search, above);
            }
        }
    }

    /// Returns the nodes whose children are the next level: the survivors, and those left out.
    fn below(&self, list_search: &NodeListSearch<A::Search>, left_out: Vec<NodeId>) -> Vec<NodeId> {
        let survivors = list_search.survivors().into_iter();
        let survivors = survivors.map(|node| self.index.innermost(list_search.best(), node));
        let mut above: Vec<NodeId> = survivors.chain(left_out).collect();
        above.sort_unstable();
        above
    }

    fn advance(&mut self) {
        if let Some(level) = self.level.take_if(|level| level.list_search.is_finished()) {
            self.kept = level.list_search.best().clone();
            level.list_search.teach(&mut self.algorithm);
            let above = self.below(&level.list_search, level.left_out.to_vec());
            self.descend(above);
        }
    }
}

impl<A: ListAlgorithm> Search for Hdd<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.level.as_ref()?.list_search.ask()
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(level) = &mut self.level {
            level.list_search.tell(verdict);
        }
        self.advance();
    }

    fn skip(&mut self) {
        if let Some(level) = &mut self.level {
            level.list_search.skip();
        }
        self.advance();
    }

    fn best(&self) -> Subset {
        let level = self.level.as_ref();
        level
            .map_or(&self.kept, |level| level.list_search.best())
            .clone()
    }
}

impl<A: ListAlgorithm> ListSearch for Hdd<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.descend(self.index.root());
    }
}

impl<A: ListAlgorithm> Hdd<A> {
    /// Description of HDD in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "hdd",
        family: Family::Tree,
        parameters: "last=tried|stays",
        guarantee: "interesting; 1-tree-minimal as hdd*",
        cost: "the queries of the list algorithm for each level",
        source: "Misherghi, Su: HDD, ICSE 2006",
    };

    /// Description of HDD*, the repetition to a fixed point, in the registry.
    pub(crate) const STAR: Entry = Entry {
        name: "hdd*",
        family: Family::Tree,
        parameters: "",
        guarantee: "1-tree-minimal, with a 1-minimal list algorithm",
        cost: "as hdd for each run that deletes something, and for one more",
        source: "Misherghi, Su: HDD, ICSE 2006",
    };

    /// Description of coarse HDD in the registry.
    pub(crate) const COARSE: Entry = Entry {
        name: "hdd-coarse",
        family: Family::Tree,
        parameters: "",
        guarantee: "interesting",
        cost: "as hdd, over fewer nodes",
        source: "Hodovan, Kiss, Gyimothy: Coarse HDD, ICSME 2017",
    };
}
