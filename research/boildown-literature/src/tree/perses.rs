//! Perses: reduces a tree with a priority queue of nodes and lists, heaviest first.

use std::cmp::Reverse;
use std::sync::Arc;

use rpds::RedBlackTreeSetSync;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::list::ListAlgorithm;
use boildown_search::odds::HitRate;
use boildown_search::tree::{ListId, NodeId, SlotId, Tree};
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::edits::{NodeEdit, NodeInSlot, ReplacedBy, ReplacementDepth, compatible};
use super::node_list::NodeList;
use super::node_list_search::NodeListSearch;
use super::tree_index::TreeIndex;

/// Reduces a tree with a queue of nodes and sibling lists. The one with the most kept tokens comes
/// first; of equal ones, the one further back.
///
/// - A list is minimised by the list algorithm. The elements that survive enter the queue.
/// - For a node, the replacements that fit its slot are tested, those with the fewest tokens first:
///   its descendants, and if the slot takes several nodes, the elements of a list below it. The
///   first replacement that works enters the queue. If none works, the node's lists and its other
///   children do.
/// - For an extra, the deletion is tested before the replacements.
///
/// For example, `b(c(de)f)` is tried as `(de)`: the outer call is replaced by the inner one.
///
/// # Guarantee
/// Ends with an interesting set. It is 1-tree-minimal only when followed by
/// [`Sweep::units`](boildown_search::list::Sweep::units) over [`Tree::units`].
/// # Cost
/// The queries of the list algorithm for each list, one more if it leaves a single element, and at
/// most [`EDITS`](Self::EDITS) for each node in the queue. Taking a node from the queue is
/// O(descendants within the search depth, and its tokens / 64).
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// C. Sun, Y. Li, Q. Zhang, T. Gu, Z. Su, *Perses: Syntax-Guided Program Reduction*, ICSE
/// 2018. Depth, order and number of replacements are those that its implementation is known for,
///       not the paper's: all that fit, not the nearest one only. Differs from both: there is no
///       grammar in normal form, so the lists are those of the tree; lists that must not be empty
///       are left to the parse gate; a node and the lists right below it count as one level of
///       depth. Parsing again, and running to a fixed point, is left to the caller: see
///       [`Fixpoint`](boildown_search::Fixpoint).
#[derive(Debug, Clone)]
pub struct Perses<A: ListAlgorithm> {
    algorithm: A,
    index: Arc<TreeIndex>,
    queue: RedBlackTreeSetSync<PersesKey>,
    /// The best candidate before the current list.
    kept: Subset,
    task: PersesTask<A::Search>,
    deletions: HitRate,
    replacements: HitRate,
}

/// The key of a task in the queue: more tokens first, then further back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PersesKey {
    weight: Reverse<usize>,
    node: Reverse<NodeId>,
    target: PersesTarget,
}

/// A node or a list in the queue, with the slot that it fills. A replacement keeps the slot of the
/// node that it has replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PersesTarget {
    Node {
        node: NodeId,
        slot: SlotId,
    },
    /// `slot` is the slot of the elements, if they have replaced another node.
    List {
        list: ListId,
        slot: Option<SlotId>,
    },
}

#[derive(Debug, Clone)]
enum PersesTask<M> {
    Minimising {
        list_search: NodeListSearch<M>,
        slot: Option<SlotId>,
    },
    /// `next_edit` is an index into `edits`. Invariant: less than `edits.len()`.
    Replacing {
        node: NodeId,
        edits: Arc<[NodeEdit]>,
        next_edit: usize,
    },
    Finished,
}

impl<A: ListAlgorithm> Perses<A> {
    /// The maximum number of edits of a node that are tested.
    pub const EDITS: usize = 100;
    const DEPTH: ReplacementDepth = ReplacementDepth { nodes: 5, lists: 3 };

    /// Starts on the tokens of `kept`, which holds all tokens of the tree that are not deleted yet.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset) -> Self {
        let mut search = Self {
            algorithm,
            index: TreeIndex::new(tree),
            queue: RedBlackTreeSetSync::new_sync(),
            kept: kept.clone(),
            task: PersesTask::Finished,
            deletions: HitRate::new(0.3),
            replacements: HitRate::new(0.1),
        };
        search.restart(kept);
        search
    }

    fn push_node(&mut self, node: NodeId, slot: SlotId) {
        let weight = self.index.weight(&self.kept, node);
        // A single token has no smaller part.
        if weight > usize::from(!self.index.is_extra(node)) {
            self.queue.insert_mut(PersesKey {
                weight: Reverse(weight),
                node: Reverse(node),
                target: PersesTarget::Node { node, slot },
            });
        }
    }

    fn push_list(&mut self, list: ListId, slot: Option<SlotId>) {
        let tree = &self.index.tree;
        let elements = tree.elements(&tree.lists[list]);
        let (Some(&first), Some(&last)) = (elements.first(), elements.last()) else {
            return;
        };
        let tokens = self.index.tokens(first).start..self.index.tokens(last).end;
        let weight = self.kept.count_in(tokens);
        if weight > 0 {
            self.queue.insert_mut(PersesKey {
                weight: Reverse(weight),
                node: Reverse(first),
                target: PersesTarget::List { list, slot },
            });
        }
    }

    fn push_own_slot(&mut self, node: NodeId) {
        self.push_node(node, self.index.tree.nodes[node].slot);
    }

    /// Adds the lists and the other children of a node that stays.
    fn push_children(&mut self, node: NodeId) {
        let index = Arc::clone(&self.index);
        let node = if index.is_nullable(node) {
            index.innermost(&self.kept, node)
        } else {
            node
        };
        for list in index.tree.nodes[node].lists.clone() {
            self.push_list(list, None);
        }
        for child in index.tree.children(node) {
            if index.list_position(child).is_none() {
                self.push_own_slot(child);
            }
        }
    }

    /// Takes tasks from the queue until one has a query, or finishes.
    fn advance(&mut self) {
        self.task = PersesTask::Finished;
        while let Some(&key) = self.queue.first() {
            self.queue.remove_mut(&key);
            match key.target {
                PersesTarget::List { list, slot } => {
                    let node_list = NodeList::from_sibling_list(&self.index, &self.kept, list);
                    if node_list.nodes().is_empty() {
                        continue;
                    }
                    let list_search =
                        NodeListSearch::start(&self.algorithm, node_list, self.kept.clone());
                    if !list_search.is_finished() {
                        self.task = PersesTask::Minimising { list_search, slot };
                        return;
                    }
                    self.push_survivors(&list_search, slot);
                }
                PersesTarget::Node { node, slot } => {
                    let edits = self.edits(node, slot);
                    if !edits.is_empty() {
                        self.task = PersesTask::Replacing {
                            node,
                            edits,
                            next_edit: 0,
                        };
                        return;
                    }
                    self.push_children(node);
                }
            }
        }
    }

    fn push_survivors(&mut self, list_search: &NodeListSearch<A::Search>, slot: Option<SlotId>) {
        for node in list_search.survivors() {
            let own = self.index.tree.nodes[node].slot;
            self.push_node(node, slot.unwrap_or(own));
        }
    }

    /// Returns the edits to test for a node.
    fn edits(&self, node: NodeId, slot: SlotId) -> Arc<[NodeEdit]> {
        let index = &self.index;
        let is_kept = index.weight(&self.kept, node) > 0;
        // Elements of sibling lists are deleted by their list's task.
        let deletion = (is_kept && index.is_extra(node)).then(|| NodeEdit::deletion(index, node));
        let replacements = compatible(index, &self.kept, NodeInSlot { node, slot }, Self::DEPTH);
        let edits = deletion.into_iter().chain(replacements);
        edits.take(Self::EDITS).collect()
    }

    fn record_answer(&mut self, verdict: Option<Verdict>) {
        let hit = verdict == Some(Verdict::Interesting);
        match std::mem::replace(&mut self.task, PersesTask::Finished) {
            PersesTask::Minimising {
                mut list_search,
                slot,
            } => {
                match verdict {
                    Some(verdict) => list_search.tell(verdict),
                    None => list_search.skip(),
                }
                if !list_search.is_finished() {
                    self.task = PersesTask::Minimising { list_search, slot };
                    return;
                }
                self.kept = list_search.best().clone();
                self.push_survivors(&list_search, slot);
            }
            PersesTask::Replacing {
                node,
                edits,
                next_edit,
            } => {
                let edit = &edits[next_edit];
                if let Some(verdict) = verdict {
                    self.rate_mut(edit).learn(verdict.into());
                }
                if hit {
                    self.kept = self.kept.without(edit.cuts(&self.index.tokens(node)));
                    self.kept.commit();
                    match edit.replaced_by {
                        ReplacedBy::Nothing => {}
                        ReplacedBy::Node(node, slot) => self.push_node(node, slot),
                        ReplacedBy::List(list, slot) => self.push_list(list, Some(slot)),
                    }
                } else if next_edit + 1 < edits.len() {
                    let next_edit = next_edit + 1;
                    self.task = PersesTask::Replacing {
                        node,
                        edits,
                        next_edit,
                    };
                    return;
                } else {
                    self.push_children(node);
                }
            }
            PersesTask::Finished => {}
        }
        self.advance();
    }

    fn rate_mut(&mut self, edit: &NodeEdit) -> &mut HitRate {
        match edit.replaced_by {
            ReplacedBy::Nothing => &mut self.deletions,
            ReplacedBy::Node(..) | ReplacedBy::List(..) => &mut self.replacements,
        }
    }
}

impl<A: ListAlgorithm> Search for Perses<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        match &self.task {
            PersesTask::Minimising { list_search, .. } => list_search.ask(),
            PersesTask::Replacing {
                node,
                edits,
                next_edit,
                ..
            } => {
                let edit = &edits[*next_edit];
                let rate = match edit.replaced_by {
                    ReplacedBy::Nothing => self.deletions,
                    ReplacedBy::Node(..) | ReplacedBy::List(..) => self.replacements,
                };
                Some(Query {
                    candidate: self.kept.without(edit.cuts(&self.index.tokens(*node))),
                    odds: rate.odds(),
                })
            }
            PersesTask::Finished => None,
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
            PersesTask::Minimising { list_search, .. } => list_search.best().clone(),
            PersesTask::Replacing { .. } | PersesTask::Finished => self.kept.clone(),
        }
    }
}

impl<A: ListAlgorithm> ListSearch for Perses<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.queue = RedBlackTreeSetSync::new_sync();
        for root in self.index.root() {
            self.push_own_slot(root);
        }
        self.advance();
    }
}

impl<A: ListAlgorithm> Perses<A> {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "perses",
        family: Family::Tree,
        parameters: "",
        guarantee: "interesting",
        cost: "the queries of the list algorithm, and at most 100 replacements for each node",
        source: "Sun et al.: Perses, ICSE 2018",
    };
}
