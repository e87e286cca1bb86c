//! The best-first tree search: its state, its start and its traits.

use std::ops::Range;
use std::sync::Arc;

use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use super::expected_gain::{LearnedRates, OpenedBy, OwnerState, QueryKind};
use super::priority::Priority;
use super::tasks::{ReadyTask, Share, TaskId, TaskKey, TaskState};
use crate::algorithms::{Entry, Family};
use crate::list::ListAlgorithm;
use crate::tree::{ListId, NodeId, Tree};
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Reduces a tree, best task first, with a list algorithm on every sibling list.
///
/// A heap holds tasks of four kinds:
/// - minimise a sibling list (separators go with their elements), or the extras;
/// - delete a node without its separator;
/// - replace a node by a descendant that fits its slot, or by a sibling list below it if the slot
///   takes several nodes (a block by its statements);
/// - minimise a chain: nested nodes, each of which can replace the ones around it, as in `a + b`
///   or `x.f().g()`, are a list of levels, each of which can be deleted alone.
///
/// The extras come first, then by default the task with the most tokens. Under
/// [`by_expected_gain`](Self::by_expected_gain), the task whose next query has the highest expected
/// gain comes first.
///
/// # From the heap to an answer
/// 1. The heap starts with the extras and the sibling lists of the root.
/// 2. The first task is started when it reaches the top: the list algorithm starts on the elements
///    that still have tokens. Its candidate, a subset of the elements, becomes cuts: ranges of
///    tokens to delete. Candidates that would delete nothing are answered without a test.
/// 3. [`ask`](Search::ask) returns the kept tokens without the cuts as the candidate.
/// 4. After a hit the cuts are applied. The task receives the answer and returns to the heap.
/// 5. A task without a further query is finished. Every element that is left of its list is a
///    survivor, and the survivors bring new tasks: their own sibling lists, replacements, chains.
///
/// For example, the list of statements of `f(a, b); g();` is the first task. Deleting both
/// statements misses, deleting `g();` hits, deleting `f(a, b);` misses. So `f(a, b);` survives, and
/// the list of its arguments is one of the next tasks; it asks about `f();`.
///
/// # Guarantee
/// Ends with an interesting set. It is 1-tree-minimal only when followed by
/// [`Sweep::units`](crate::list::Sweep::units) over [`Tree::units`].
/// # Cost
/// At most 2 queries for each list element and each level of a chain with
/// [`Halving`](crate::list::Halving), one for each node with a separator, and eight for the
/// replacements of each survivor. `tell` is O(log n), and O(n / 64) on a hit; a query about a list
/// or a chain is linear in its length.
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// C. Sun et al., *Perses: Syntax-Guided Program Reduction*, ICSE 2018 (queue by weight, list
/// minimisers, replacement by compatible descendants). Differs from it: any list algorithm can be
/// used (halving by default); of the fitting descendants only the nearest are tried, heaviest
/// first, since under monotony a part of a descendant cannot work if the whole descendant does not;
/// the lightest fitting descendant and one with half of the node's tokens are tried too.
#[derive(Debug, Clone)]
pub struct TreeSearch<A: ListAlgorithm> {
    pub(super) algorithm: A,
    pub(super) tree: Arc<Tree>,
    /// The best candidate: the tokens that are left.
    pub(super) kept: Subset,
    /// The heap. The task that has the next query stays in it until that is answered.
    pub(super) tasks: RedBlackTreeMapSync<TaskKey, TaskState<A::Search>>,
    /// The task that has the next query. `None` when the search is finished.
    pub(super) next: Option<Arc<ReadyTask<A::Search>>>,
    /// What has brought its tasks already. Used by [`Priority::ExpectedGain`] only.
    pub(super) opened: RedBlackTreeSetSync<OpenedBy>,
    /// The key of each list's task, kept after the task is finished. Used by
    /// [`Priority::ExpectedGain`] only.
    pub(super) list_keys: RedBlackTreeMapSync<ListId, TaskKey>,
    /// The nodes of each chain that has or had a task, by the outermost node.
    pub(super) chains: RedBlackTreeMapSync<NodeId, Arc<[NodeId]>>,
    /// The cores of all nodes on these chains.
    pub(super) chain_nodes: RedBlackTreeSetSync<NodeId>,
    pub(super) learned_rates: LearnedRates,
    pub(super) priority: Priority,
    /// Queries that would delete fewer tokens are left out.
    pub(super) smallest: usize,
}

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Starts on the tokens of `kept`, with the heaviest task first. `kept` holds all tokens of the
    /// tree that are not deleted yet. Queries that would delete fewer than `smallest` tokens are
    /// left out.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, smallest: usize) -> Self {
        let priority = Priority::Weight;
        Self::with_priority(
            algorithm,
            tree,
            kept,
            smallest,
            priority,
            LearnedRates::default(),
        )
    }

    /// Starts like [`new`](Self::new), but orders tasks by the expected gain of their next query:
    /// the tokens it deletes times its odds, which are learned by kind and size of query. The parts
    /// of a survivor become tasks at once, not at the end of its list.
    ///
    /// For large inputs of which much is needed, where most heavy queries miss.
    #[must_use]
    pub fn by_expected_gain(
        algorithm: A,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
        learned_rates: LearnedRates,
    ) -> Self {
        let priority = Priority::ExpectedGain;
        Self::with_priority(algorithm, tree, kept, smallest, priority, learned_rates)
    }

    fn with_priority(
        algorithm: A,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
        priority: Priority,
        learned_rates: LearnedRates,
    ) -> Self {
        let mut search = Self {
            algorithm,
            tree,
            kept,
            tasks: RedBlackTreeMapSync::new_sync(),
            next: None,
            opened: RedBlackTreeSetSync::new_sync(),
            list_keys: RedBlackTreeMapSync::new_sync(),
            chains: RedBlackTreeMapSync::new_sync(),
            chain_nodes: RedBlackTreeSetSync::new_sync(),
            learned_rates,
            priority,
            smallest: smallest.max(1),
        };
        if !search.tree.extras.is_empty() {
            let (kind, id) = (QueryKind::Extras, TaskId::Extras);
            search.push(kind, OwnerState::Needed, id, usize::MAX, 0);
        }
        if !search.tree.nodes.is_empty() {
            search.push_lists(NodeId::ROOT, OwnerState::Needed, usize::MAX, Share::All);
        }
        search.find_next();
        search
    }

    /// Returns the learned hit rates, for another search on what is left.
    #[must_use]
    pub fn learned_rates(&self) -> &LearnedRates {
        &self.learned_rates
    }

    /// Returns the number of kept tokens of a node.
    pub(super) fn weight(&self, node: NodeId) -> usize {
        self.kept.count_in(self.tree.nodes[node].tokens())
    }

    /// Returns the number of kept tokens that cuts delete.
    pub(super) fn size(&self, cuts: &[Range<usize>]) -> usize {
        cuts.iter().map(|cut| self.kept.count_in(cut.clone())).sum()
    }

    /// Records the answer to the query of `ask`; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        let Some(task) = self.next.take() else {
            return;
        };
        if verdict == Some(Verdict::Interesting) {
            self.kept = self.kept.without(task.cuts.iter().cloned());
            self.kept.commit();
        }
        self.record_task(&task, verdict);
        self.find_next();
    }
}

impl<A: ListAlgorithm> Search for TreeSearch<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        let task = self.next.as_ref()?;
        Some(Query {
            candidate: self.kept.without(task.cuts.iter().cloned()),
            odds: self.learned_rates.odds(task.kind, task.size),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record(Some(verdict));
    }

    fn skip(&mut self) {
        self.record(None);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl<A: ListAlgorithm> ListSearch for TreeSearch<A> {
    fn restart(&mut self, best: Subset) {
        let rates = self.learned_rates.clone();
        let (algorithm, tree) = (self.algorithm.clone(), Arc::clone(&self.tree));
        *self = Self::with_priority(algorithm, tree, best, self.smallest, self.priority, rates);
    }
}

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "boildown",
        family: Family::Tree,
        parameters: "",
        guarantee: "interesting; 1-tree-minimal after a sweep of the nodes",
        cost: "the queries of the list algorithm, one for each separator, and at most eight \
            replacements for each node that stays",
        source: "after Perses; largest expected gain first, replacement by parts that fit; the \
            default",
    };
}
