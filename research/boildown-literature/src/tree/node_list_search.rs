//! A list search over nodes of a tree, with candidates in tokens.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::list::ListAlgorithm;
use boildown_search::tree::NodeId;
use boildown_search::{Query, Search, Subset, Verdict};

use super::node_list::NodeList;

/// Runs a list search over a [`NodeList`]. If it leaves a single node and has never tested the
/// empty list, tests the deletion of that node too.
///
/// The inner search proposes a subset of the nodes. [`NodeList::cuts`] turns it into cuts of
/// tokens, relative to a `base` of nodes whose tokens are known. A subset that cuts nothing is
/// answered `Interesting` without a test: its tokens are those of the base.
#[derive(Debug, Clone)]
pub(super) struct NodeListSearch<M> {
    inner: M,
    node_list: Arc<NodeList>,
    /// All nodes, at the start.
    whole: Arc<KeptNodes>,
    /// The nodes that candidates are cut from, if they are a superset. Known to be interesting.
    base: KeptNodes,
    /// The best of the inner search.
    best: KeptNodes,
    /// Whether the deletion of all nodes was asked about, or is not to be.
    emptied: EmptyListTest,
    next: NodeListQuery,
}

/// A subset of the nodes, and the tokens that are kept with it.
#[derive(Debug, Clone)]
struct KeptNodes {
    nodes: Subset,
    tokens: Subset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EmptyListTest {
    Asked,
    NotAsked,
}

#[derive(Debug, Clone)]
enum NodeListQuery {
    /// The query of the inner search: these cuts from the base.
    Inner {
        cuts: Arc<[Range<usize>]>,
        odds: f64,
    },
    /// The deletion of the only node that is left.
    LastNode {
        cuts: Arc<[Range<usize>]>,
    },
    Finished,
}

impl<M: Search<Candidate = Subset>> NodeListSearch<M> {
    /// Starts on a list of nodes.
    pub(super) fn start<A: ListAlgorithm<Search = M>>(
        algorithm: &A,
        node_list: NodeList,
        kept: Subset,
    ) -> Self {
        let inner = algorithm.on(node_list.to_list());
        let whole = KeptNodes {
            nodes: inner.best(),
            tokens: kept,
        };
        let mut list_search = Self {
            node_list: Arc::new(node_list),
            base: whole.clone(),
            best: whole.clone(),
            whole: Arc::new(whole),
            inner,
            emptied: EmptyListTest::NotAsked,
            next: NodeListQuery::Finished,
        };
        list_search.advance();
        list_search
    }

    /// Returns this search without the test that deletes the only node that is left.
    pub(super) fn keeping_last_node(mut self) -> Self {
        self.emptied = EmptyListTest::Asked;
        if let NodeListQuery::LastNode { .. } = self.next {
            self.next = NodeListQuery::Finished;
        }
        self
    }

    pub(super) fn is_finished(&self) -> bool {
        matches!(self.next, NodeListQuery::Finished)
    }

    pub(super) fn ask(&self) -> Option<Query<Subset>> {
        let (cuts, odds) = match &self.next {
            NodeListQuery::Inner { cuts, odds } => (cuts, *odds),
            NodeListQuery::LastNode { cuts } => (cuts, 0.1),
            NodeListQuery::Finished => return None,
        };
        Some(Query {
            candidate: self.base.tokens.without(cuts.iter().cloned()),
            odds,
        })
    }

    pub(super) fn tell(&mut self, verdict: Verdict) {
        self.record_answer(Some(verdict));
    }

    pub(super) fn skip(&mut self) {
        self.record_answer(None);
    }

    /// Returns the tokens of the best candidate.
    pub(super) fn best(&self) -> &Subset {
        &self.best.tokens
    }

    /// Lets the algorithm learn from the list, which is minimised.
    pub(super) fn teach(&self, algorithm: &mut impl ListAlgorithm) {
        algorithm.learn(&self.node_list.to_list(), &self.best.nodes);
    }

    /// Returns the nodes that are left and still have tokens, in the order of the list.
    pub(super) fn survivors(&self) -> Vec<NodeId> {
        let nodes = self.best.nodes.iter();
        let nodes = nodes.map(|position| self.node_list.nodes()[position]);
        nodes
            .filter(|&node| self.node_list.weight(&self.best.tokens, node) > 0)
            .collect()
    }

    fn record_answer(&mut self, verdict: Option<Verdict>) {
        match std::mem::replace(&mut self.next, NodeListQuery::Finished) {
            NodeListQuery::Inner { .. } => {
                let empty = |nodes: &Subset| nodes.first_in(0..nodes.universe()).is_none();
                if (self.inner.ask()).is_some_and(|query| empty(&query.candidate)) {
                    self.emptied = EmptyListTest::Asked;
                }
                match verdict {
                    Some(verdict) => self.inner.tell(verdict),
                    None => self.inner.skip(),
                }
                self.advance();
            }
            NodeListQuery::LastNode { cuts } if verdict == Some(Verdict::Interesting) => {
                self.best.nodes = self.best.nodes.only(0..0);
                self.best.tokens = self.base.tokens.without(cuts.iter().cloned());
                self.best.tokens.commit();
            }
            NodeListQuery::LastNode { .. } | NodeListQuery::Finished => {}
        }
    }

    /// Advances to the next query that deletes any token.
    fn advance(&mut self) {
        loop {
            self.take_over_best();
            let Some(query) = self.inner.ask() else {
                self.next = self.last_node_query();
                return;
            };
            let known = self.smallest_known_above(&query.candidate);
            if !known.nodes.is_same(&self.base.nodes) {
                self.base = known.clone();
            }
            let cuts = self.node_list.cuts(&self.base.nodes, &query.candidate);
            if size(&self.base.tokens, &cuts) > 0 {
                self.next = NodeListQuery::Inner {
                    cuts: cuts.into(),
                    odds: query.odds,
                };
                return;
            }
            // Deleting nothing keeps the property. This happens when the tokens of a node were
            // deleted together with another node.
            self.inner.tell(Verdict::Interesting);
        }
    }

    /// Returns the smallest known set of nodes that contains a candidate. This is the best of the
    /// inner search, unless several deletions from an older best are asked about together.
    fn smallest_known_above(&self, candidate: &Subset) -> &KeptNodes {
        let smallest_first = [&self.best, &self.base];
        smallest_first
            .into_iter()
            .find(|known| candidate.is_subset_of(&known.nodes))
            .unwrap_or(&self.whole)
    }

    /// Takes over the best of the inner search, with its tokens.
    fn take_over_best(&mut self) {
        let nodes = self.inner.best();
        if nodes.is_same(&self.best.nodes) {
            return;
        }
        let from = if nodes.is_subset_of(&self.base.nodes) {
            &self.base
        } else {
            &self.whole
        };
        let cuts = self.node_list.cuts(&from.nodes, &nodes);
        let mut tokens = from.tokens.without(cuts);
        tokens.commit();
        self.best = KeptNodes { nodes, tokens };
    }

    /// Returns the query after the last one of the inner search.
    fn last_node_query(&mut self) -> NodeListQuery {
        if self.emptied == EmptyListTest::Asked || self.survivors().len() != 1 {
            return NodeListQuery::Finished;
        }
        self.base = self.best.clone();
        let none = self.base.nodes.only(0..0);
        NodeListQuery::LastNode {
            cuts: self.node_list.cuts(&self.base.nodes, &none).into(),
        }
    }
}

/// Returns the number of kept tokens that cuts delete.
pub(super) fn size(tokens: &Subset, cuts: &[Range<usize>]) -> usize {
    cuts.iter().map(|cut| tokens.count_in(cut.clone())).sum()
}
