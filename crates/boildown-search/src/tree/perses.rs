//! Perses: a tree by a queue of nodes, heaviest first.

use std::cmp::Reverse;
use std::sync::Arc;

use rpds::RedBlackTreeSetSync;

use super::index::Index;
use super::parts::{Depth, Edit, SlotId, Successor, compatible};
use super::row::Row;
use super::run::Run;
use super::{NodeId, Tree};
use crate::list::Minimise;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict};

/// Reduces a tree by a queue of nodes and sibling lists: the one with the most living atoms first, then the one further back.
///
/// A list is minimised, and the elements that survive come into the queue. A node is tried to be replaced by what is below it
/// and fits its place: descendants, and where several nodes may stand, the elements of a list below it; those with the fewest
/// atoms first. The first that works comes into the queue instead; when none does, the node's lists and other children do.
/// A node that may stand anywhere is tried without first.
///
/// # Guarantee
/// Ends with an interesting set. 1-tree-minimal only when followed by [`Sweep::units`](crate::list::Sweep::units) over [`Tree::units`].
/// # Cost
/// The list minimiser's questions for each list, one more when it leaves a single element, and at most [`EDITS`](Self::EDITS) for each
/// node that stands in the queue. Taking a node from the queue is O(nodes below it within reach, and its atoms / 64).
/// # Units
/// Elements are atoms, by their index in the row; they are never renumbered.
/// # Source
/// C. Sun, Y. Li, Q. Zhang, T. Gu, Z. Su, *Perses: Syntax-Guided Program Reduction*, ICSE 2018. Reach, order and number of replacements are
/// those that its implementation is known for, not the paper's: all that fit rather than the nearest one. Differs from both: no
/// grammar in normal form, so a list is whatever the tree calls one; lists that must not be empty are left to the parse
/// gate; nodes and the lists right below them count as one level of reach. Parsing again, and running to a fixed
/// point, is the caller's: see [`Fixpoint`](crate::Fixpoint).
#[derive(Debug, Clone)]
pub struct Perses<A: Minimise> {
    algorithm: A,
    index: Arc<Index>,
    queue: RedBlackTreeSetSync<Key>,
    /// The best before the list at work.
    kept: Subset,
    task: Task<A::Machine>,
    deletions: HitRate,
    replacements: HitRate,
}

/// What comes first: more atoms, then further back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    weight: Reverse<usize>,
    node: Reverse<NodeId>,
    what: What,
}

/// What stands in the queue. Once something has taken a place, the kind of place is still that of what stood there first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Node {
        node: NodeId,
        slot: SlotId,
    },
    /// `slot`: where the elements stand, when they have taken the place of another node.
    List {
        list: usize,
        slot: Option<SlotId>,
    },
}

#[derive(Debug, Clone)]
enum Task<M> {
    Minimising {
        run: Run<M>,
        slot: Option<SlotId>,
    },
    /// The edit at `at` is next. Invariant: below `edits.len()`.
    Replacing {
        node: NodeId,
        edits: Arc<[Edit]>,
        at: usize,
    },
    Finished,
}

impl<A: Minimise> Perses<A> {
    /// How many edits of a node are tried.
    pub const EDITS: usize = 100;
    const DEPTH: Depth = Depth { nodes: 5, lists: 3 };

    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset) -> Self {
        let mut search = Self {
            algorithm,
            index: Index::new(tree),
            queue: RedBlackTreeSetSync::new_sync(),
            kept: kept.clone(),
            task: Task::Finished,
            deletions: HitRate::new(0.3),
            replacements: HitRate::new(0.1),
        };
        search.restart(kept);
        search
    }

    fn push_node(&mut self, node: NodeId, slot: SlotId) {
        let weight = self.index.weight(&self.kept, node);
        // A single atom has no part that is smaller.
        if weight > usize::from(!self.index.is_extra(node)) {
            self.queue.insert_mut(Key {
                weight: Reverse(weight),
                node: Reverse(node),
                what: What::Node { node, slot },
            });
        }
    }

    fn push_list(&mut self, list: usize, slot: Option<SlotId>) {
        let elements = &self.index.tree.lists[list].elements;
        let (Some(&first), Some(&last)) = (elements.first(), elements.last()) else {
            return;
        };
        let atoms = self.index.atoms(first).start..self.index.atoms(last).end;
        let weight = self.kept.count_in(atoms);
        if weight > 0 {
            self.queue.insert_mut(Key {
                weight: Reverse(weight),
                node: Reverse(first),
                what: What::List { list, slot },
            });
        }
    }

    fn push_own_slot(&mut self, node: NodeId) {
        self.push_node(node, self.index.tree.nodes[node].slot);
    }

    /// Adds what is right below a node that stays.
    fn push_parts(&mut self, node: NodeId) {
        let index = Arc::clone(&self.index);
        let node = if index.is_nullable(node) {
            index.core(&self.kept, node)
        } else {
            node
        };
        for list in index.tree.nodes[node].lists.clone() {
            self.push_list(list, None);
        }
        for child in index.tree.children(node) {
            if index.seat(child).is_none() {
                self.push_own_slot(child);
            }
        }
    }

    /// Starts the first task of the queue that has a question, or finishes.
    fn advance(&mut self) {
        self.task = Task::Finished;
        while let Some(&key) = self.queue.first() {
            self.queue.remove_mut(&key);
            match key.what {
                What::List { list, slot } => {
                    let row = Row::list(&self.index, &self.kept, list);
                    if row.nodes().is_empty() {
                        continue;
                    }
                    let run = Run::start(&self.algorithm, row, self.kept.clone());
                    if !run.is_finished() {
                        self.task = Task::Minimising { run, slot };
                        return;
                    }
                    self.push_survivors(&run, slot);
                }
                What::Node { node, slot } => {
                    let edits = self.edits(node, slot);
                    if !edits.is_empty() {
                        self.task = Task::Replacing { node, edits, at: 0 };
                        return;
                    }
                    self.push_parts(node);
                }
            }
        }
    }

    fn push_survivors(&mut self, run: &Run<A::Machine>, slot: Option<SlotId>) {
        for node in run.survivors() {
            let own = self.index.tree.nodes[node].slot;
            self.push_node(node, slot.unwrap_or(own));
        }
    }

    /// What is tried for a node when its turn comes.
    fn edits(&self, node: NodeId, slot: SlotId) -> Arc<[Edit]> {
        let index = &self.index;
        let living = index.weight(&self.kept, node) > 0;
        // An element's deletion is its list's business.
        let deletion = (living && index.is_extra(node)).then(|| Edit::deletion(index, node));
        let replacements = compatible(index, &self.kept, (node, slot), Self::DEPTH);
        let edits = deletion.into_iter().chain(replacements);
        edits.take(Self::EDITS).collect()
    }

    fn answered(&mut self, verdict: Option<Verdict>) {
        let hit = verdict == Some(Verdict::Interesting);
        match std::mem::replace(&mut self.task, Task::Finished) {
            Task::Minimising { mut run, slot } => {
                match verdict {
                    Some(verdict) => run.tell(verdict),
                    None => run.skip(),
                }
                if !run.is_finished() {
                    self.task = Task::Minimising { run, slot };
                    return;
                }
                self.kept = run.best().clone();
                self.push_survivors(&run, slot);
            }
            Task::Replacing { node, edits, at } => {
                let edit = &edits[at];
                if let Some(verdict) = verdict {
                    self.rate_mut(edit).learn(verdict.into());
                }
                if hit {
                    self.kept = self.kept.without(edit.cuts(&self.index.atoms(node)));
                    self.kept.commit();
                    match edit.successor {
                        Successor::Nothing => {}
                        Successor::Node(node, slot) => self.push_node(node, slot),
                        Successor::List(list, slot) => self.push_list(list, Some(slot)),
                    }
                } else if at + 1 < edits.len() {
                    let at = at + 1;
                    self.task = Task::Replacing { node, edits, at };
                    return;
                } else {
                    self.push_parts(node);
                }
            }
            Task::Finished => {}
        }
        self.advance();
    }

    fn rate_mut(&mut self, edit: &Edit) -> &mut HitRate {
        match edit.successor {
            Successor::Nothing => &mut self.deletions,
            Successor::Node(..) | Successor::List(..) => &mut self.replacements,
        }
    }
}

impl<A: Minimise> Search for Perses<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        match &self.task {
            Task::Minimising { run, .. } => run.ask(),
            Task::Replacing {
                node, edits, at, ..
            } => {
                let edit = &edits[*at];
                let rate = match edit.successor {
                    Successor::Nothing => self.deletions,
                    Successor::Node(..) | Successor::List(..) => self.replacements,
                };
                Some(Question {
                    candidate: self.kept.without(edit.cuts(&self.index.atoms(*node))),
                    odds: rate.odds(),
                })
            }
            Task::Finished => None,
        }
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        match &self.task {
            Task::Minimising { run, .. } => run.certain(),
            Task::Replacing { .. } | Task::Finished => self.ask().into_iter().collect(),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.answered(Some(verdict));
    }

    fn skip(&mut self) {
        self.answered(None);
    }

    fn best(&self) -> Subset {
        match &self.task {
            Task::Minimising { run, .. } => run.best().clone(),
            Task::Replacing { .. } | Task::Finished => self.kept.clone(),
        }
    }
}

impl<A: Minimise> Restart for Perses<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.queue = RedBlackTreeSetSync::new_sync();
        for root in self.index.root() {
            self.push_own_slot(root);
        }
        self.advance();
    }
}
