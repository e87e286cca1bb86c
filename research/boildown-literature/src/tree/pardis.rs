//! PARDIS: tests nodes one by one from a priority queue, heaviest first.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::list::ListAlgorithm;
use boildown_search::odds::RatesBySize;
use boildown_search::tree::{NodeId, Tree};
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::node_list::NodeList;
use super::node_list_search::{NodeListSearch, size};
use super::tree_index::TreeIndex;

///
/// # Guarantee
/// Ends with an interesting set. With `Fixpoint<Pardis<_>>`, deleting any single element of a
/// sibling list, or any single extra, was answered `Uninteresting` or `Unresolved`.
/// # Cost
/// At most one query for each node; with siblings together, the queries of the list algorithm for
/// each group, one more if it leaves a single node. `tell` is O(log n + n / 64), and O(nodes down
/// to the nearest deletable ones) more when a node stays.
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// G. Gharachorlu, N. Sumner, *PARDIS: Priority Aware Test Case Reduction*, FASE 2019, and its
/// hybrid with list reduction. Not checked against the paper: which of several nodes of equal
/// weight comes first. Deletable nodes are the elements of sibling lists, and extras.
#[derive(Debug, Clone)]
pub struct Pardis<A: ListAlgorithm> {
    algorithm: A,
    index: Arc<TreeIndex>,
    siblings: Siblings,
    /// Groups of nodes of equal weight that are reduced together: one node, or several elements of
    /// one sibling list in order.
    queue: RedBlackTreeMapSync<PardisKey, Arc<[NodeId]>>,
    /// The best candidate before the current group.
    kept: Subset,
    task: PardisTask<A::Search>,
    rates: RatesBySize,
}

/// The treatment of siblings of equal weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Siblings {
    /// Each is tested alone.
    #[default]
    Alone,
    /// They are one list for the list algorithm: the hybrid of the paper.
    Together,
}

/// The key of a group in the queue: more tokens for each node first, then further back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PardisKey {
    weight: Reverse<usize>,
    /// The last node of the group. No other group holds it.
    node: Reverse<NodeId>,
}

#[derive(Debug, Clone)]
enum PardisTask<M> {
    Deleting {
        node: NodeId,
        cuts: Arc<[Range<usize>]>,
    },
    Minimising(NodeListSearch<M>),
    Finished,
}

impl<A: ListAlgorithm> Pardis<A> {
    /// Starts on the tokens of `kept`, which holds all tokens of the tree that are not deleted yet.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, siblings: Siblings) -> Self {
        let mut search = Self {
            algorithm,
            index: TreeIndex::new(tree),
            siblings,
            queue: RedBlackTreeMapSync::new_sync(),
            kept: kept.clone(),
            task: PardisTask::Finished,
            rates: RatesBySize::new(0.3),
        };
        search.restart(kept);
        search
    }

    /// Adds the nearest deletable nodes below a node that stays.
    fn push_children(&mut self, node: NodeId) {
        let index = Arc::clone(&self.index);
        let innermost = index.innermost(&self.kept, node);
        let mut found = Vec::new();
        let (mut next, end) = (innermost.next(), index.tree.nodes[innermost].end);
        while next < end {
            let weight = index.weight(&self.kept, next);
            let stop = weight == 0 || index.is_nullable(next);
            if stop && weight > 0 {
                found.push((
                    index
                        .list_position(next)
                        .map(|list_position| list_position.list),
                    weight,
                    next,
                ));
            }
            next = if stop {
                index.tree.nodes[next].end
            } else {
                next.next()
            };
        }
        found.sort_unstable();
        let groups = found.chunk_by(|one, other| {
            self.siblings == Siblings::Together
                && one.0.is_some()
                && (one.0, one.1) == (other.0, other.1)
        });
        for group in groups {
            if let Some(&(_, weight, last)) = group.last() {
                let key = PardisKey {
                    weight: Reverse(weight),
                    node: Reverse(last),
                };
                let nodes = group.iter().map(|&(_, _, node)| node).collect();
                self.queue.insert_mut(key, nodes);
            }
        }
    }

    /// Takes groups from the queue until one has a query, or finishes.
    fn advance(&mut self) {
        self.task = PardisTask::Finished;
        while let Some((&key, nodes)) = self.queue.first() {
            let node_list = NodeList::from_nodes(&self.index, &self.kept, nodes);
            self.queue.remove_mut(&key);
            match *node_list.nodes() {
                [] => {}
                [node] => {
                    let one = Subset::full(1);
                    let cuts = node_list.cuts(&one, &one.only(0..0)).into();
                    self.task = PardisTask::Deleting { node, cuts };
                    return;
                }
                _ => {
                    let list_search =
                        NodeListSearch::start(&self.algorithm, node_list, self.kept.clone());
                    if !list_search.is_finished() {
                        self.task = PardisTask::Minimising(list_search);
                        return;
                    }
                    for node in list_search.survivors() {
                        self.push_children(node);
                    }
                }
            }
        }
    }

    fn record_answer(&mut self, verdict: Option<Verdict>) {
        match std::mem::replace(&mut self.task, PardisTask::Finished) {
            PardisTask::Deleting { node, cuts } => {
                if let Some(verdict) = verdict {
                    let size = size(&self.kept, &cuts);
                    self.rates.learn(size, verdict.into());
                }
                if verdict == Some(Verdict::Interesting) {
                    self.kept = self.kept.without(cuts.iter().cloned());
                    self.kept.commit();
                } else {
                    self.push_children(node);
                }
            }
            PardisTask::Minimising(mut list_search) => {
                match verdict {
                    Some(verdict) => list_search.tell(verdict),
                    None => list_search.skip(),
                }
                if !list_search.is_finished() {
                    self.task = PardisTask::Minimising(list_search);
                    return;
                }
                self.kept = list_search.best().clone();
                for node in list_search.survivors() {
                    self.push_children(node);
                }
            }
            PardisTask::Finished => {}
        }
        self.advance();
    }
}

impl<A: ListAlgorithm> Search for Pardis<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        match &self.task {
            PardisTask::Deleting { cuts, .. } => Some(Query {
                candidate: self.kept.without(cuts.iter().cloned()),
                odds: self.rates.odds(size(&self.kept, cuts)),
            }),
            PardisTask::Minimising(list_search) => list_search.ask(),
            PardisTask::Finished => None,
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record_answer(Some(verdict));
    }

    fn skip(&mut self) {
        self.record_answer(None);
    }

    fn best(&self) -> Subset {
        match &self.task {
            PardisTask::Minimising(list_search) => list_search.best().clone(),
            PardisTask::Deleting { .. } | PardisTask::Finished => self.kept.clone(),
        }
    }
}

impl<A: ListAlgorithm> ListSearch for Pardis<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.queue = RedBlackTreeMapSync::new_sync();
        for root in self.index.root() {
            self.push_children(root);
        }
        self.advance();
    }
}

impl<A: ListAlgorithm> Pardis<A> {
    /// Description of PARDIS in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "pardis",
        family: Family::Tree,
        parameters: "",
        guarantee: "interesting",
        cost: "at most one for each node that can be deleted",
        source: "Gharachorlu, Sumner: PARDIS, FASE 2019",
    };

    /// Description of PARDIS Hybrid in the registry.
    pub(crate) const HYBRID: Entry = Entry {
        name: "pardis-hybrid",
        family: Family::Tree,
        parameters: "",
        guarantee: "interesting",
        cost: "the queries of the list algorithm for each group of siblings of equal weight",
        source: "Gharachorlu, Sumner: PARDIS, FASE 2019",
    };
}
