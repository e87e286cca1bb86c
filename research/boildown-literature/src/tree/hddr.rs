//! HDDr, recursive hierarchical delta debugging: reduces a tree node by node.

use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::list::ListAlgorithm;
use boildown_search::tree::{NodeId, Tree};
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::node_list::{NodeList, Nodes};
use super::node_list_search::NodeListSearch;
use super::tree_index::TreeIndex;

/// Reduces a tree node by node: takes a node from a queue, minimises the list of its children, and
/// appends the children that survive.
///
/// # Guarantee
/// Ends with an interesting set. `Fixpoint<Hddr<_>>` is 1-tree-minimal under the conditions of
/// [`Hdd`](super::Hdd).
/// # Cost
/// The queries of the list algorithm for each node with children, one more if it leaves a single
/// child. Starting a node is O(its children and its tokens / 64). `tell` costs what the list
/// algorithm's does, and O(n / 64) on a hit.
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// Á. Kiss, R. Hodován, T. Gyimóthy, `HDDr`: *A Recursive Variant of the Hierarchical Delta
/// Debugging Algorithm*, A-TEST 2018, with the four orders of picireny. Differs from it as
/// [`Hdd`](super::Hdd) does from HDD.
#[derive(Debug, Clone)]
pub struct Hddr<A: ListAlgorithm> {
    algorithm: A,
    index: Arc<TreeIndex>,
    order: HddrOrder,
    /// Nodes with children, numbered in the order in which they were appended.
    queue: RedBlackTreeMapSync<u64, NodeId>,
    /// The number of the next node to be appended.
    appended: u64,
    /// The best candidate before the current node.
    kept: Subset,
    /// `None` when finished.
    list_search: Option<NodeListSearch<A::Search>>,
}

/// The order in which [`Hddr`] visits the nodes of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HddrOrder {
    /// The end of the queue from which the next node is taken.
    pub pop: Pop,
    /// The order in which children are appended to the queue.
    pub append: Append,
}

/// The end of the queue from which the next node is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pop {
    /// The node appended first: breadth-first.
    First,
    /// The node appended last: depth-first.
    #[default]
    Last,
}

/// The order in which children are appended to the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Append {
    /// The first child first; with [`Pop::Last`] the last child is visited next.
    #[default]
    Forwards,
    /// The last child first.
    Reversed,
}

impl<A: ListAlgorithm> Hddr<A> {
    /// Starts on the tokens of `kept`, which holds all tokens of the tree that are not deleted yet.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, order: HddrOrder) -> Self {
        let mut search = Self {
            algorithm,
            index: TreeIndex::new(tree),
            order,
            queue: RedBlackTreeMapSync::new_sync(),
            appended: 0,
            kept: kept.clone(),
            list_search: None,
        };
        search.restart(kept);
        search
    }

    fn append(&mut self, mut nodes: Vec<NodeId>) {
        if self.order.append == Append::Reversed {
            nodes.reverse();
        }
        for node in nodes {
            if self.index.has_children(node) {
                self.queue.insert_mut(self.appended, node);
                self.appended += 1;
            }
        }
    }

    fn pop(&mut self) -> Option<NodeId> {
        let (&key, &node) = match self.order.pop {
            Pop::First => self.queue.first(),
            Pop::Last => self.queue.last(),
        }?;
        self.queue.remove_mut(&key);
        Some(node)
    }

    /// Starts the next node whose children have a query, or finishes.
    fn advance(&mut self) {
        if self
            .list_search
            .as_ref()
            .is_some_and(|list_search| !list_search.is_finished())
        {
            return;
        }
        loop {
            if let Some(list_search) = self.list_search.take() {
                self.kept = list_search.best().clone();
                // Children in no sibling list come last in the list.
                let mut children = list_search.survivors();
                children.sort_unstable();
                list_search.teach(&mut self.algorithm);
                self.append(children);
            }
            let Some(node) = self.pop() else { return };
            let node = self.index.innermost(&self.kept, node);
            let (node_list, _) =
                NodeList::children_of(&self.index, &self.kept, &[node], Nodes::All);
            if !node_list.nodes().is_empty() {
                let list_search =
                    NodeListSearch::start(&self.algorithm, node_list, self.kept.clone());
                let finished = list_search.is_finished();
                self.list_search = Some(list_search);
                if !finished {
                    return;
                }
            }
        }
    }
}

impl<A: ListAlgorithm> Search for Hddr<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.list_search.as_ref()?.ask()
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(list_search) = &mut self.list_search {
            list_search.tell(verdict);
        }
        self.advance();
    }

    fn skip(&mut self) {
        if let Some(list_search) = &mut self.list_search {
            list_search.skip();
        }
        self.advance();
    }

    fn best(&self) -> Subset {
        self.list_search
            .as_ref()
            .map_or(&self.kept, NodeListSearch::best)
            .clone()
    }
}

impl<A: ListAlgorithm> ListSearch for Hddr<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.list_search = None;
        self.queue = RedBlackTreeMapSync::new_sync();
        self.append(self.index.root());
        self.advance();
    }
}

impl<A: ListAlgorithm> Hddr<A> {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "hddr",
        family: Family::Tree,
        parameters: "pop=last|first, append=forwards|reversed",
        guarantee: "interesting; 1-tree-minimal when repeated to a fixed point",
        cost: "the queries of the list algorithm for each node with children",
        source: "Kiss, Hodovan, Gyimothy: HDDr, A-TEST 2018",
    };
}
