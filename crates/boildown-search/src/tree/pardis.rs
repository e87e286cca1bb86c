//! PARDIS: every node that can go waits for its own turn, heaviest first.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::index::Index;
use super::row::Row;
use super::run::{Run, size};
use super::{NodeId, Tree};
use crate::list::Minimise;
use crate::odds::RatesBySize;
use crate::{Question, Restart, Search, Subset, Verdict};

/// Reduces a tree by a queue of all nodes that can go without breaking the syntax: the one with the most living atoms first, then
/// the one further back.
///
/// A node is tried without; when that does not work, the nearest nodes below it that can go come into the queue.
/// With [`Siblings::Together`], siblings of equal weight are one list instead, for the list minimiser.
///
/// # Guarantee
/// Ends with an interesting set. As `Fixpoint<Pardis<_>>`, deleting any single element of a list, or extra, was answered `Uninteresting` or
/// `Unresolved`.
/// # Cost
/// At most one question for each node; with siblings together, the list minimiser's for each group, one more when it leaves a
/// single node. `tell` is O(log n + n / 64), besides O(nodes down to the nearest that can go) when a node stays.
/// # Units
/// Elements are atoms, by their index in the row; they are never renumbered.
/// # Source
/// G. Gharachorlu, N. Sumner, *PARDIS: Priority Aware Test Case Reduction*, FASE 2019, and its hybrid with list reduction. Not checked
/// against the paper: which of several nodes of equal weight comes first. Nodes that can go are the elements of sibling
/// lists, and extras.
#[derive(Debug, Clone)]
pub struct Pardis<A: Minimise> {
    algorithm: A,
    index: Arc<Index>,
    siblings: Siblings,
    /// Nodes of equal weight that are reduced together: one, or several elements of one list in order.
    queue: RedBlackTreeMapSync<Key, Arc<[NodeId]>>,
    /// The best before the group at work.
    kept: Subset,
    task: Task<A::Machine>,
    rates: RatesBySize,
}

/// What becomes of siblings of equal weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Siblings {
    /// Each is tried alone.
    #[default]
    Alone,
    /// They are one list for the list minimiser: the hybrid.
    Together,
}

/// What comes first: more atoms each, then further back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    weight: Reverse<usize>,
    /// The last node. No other group has it.
    node: Reverse<NodeId>,
}

#[derive(Debug, Clone)]
enum Task<M> {
    Deleting {
        node: NodeId,
        cuts: Arc<[Range<usize>]>,
    },
    Minimising(Run<M>),
    Finished,
}

impl<A: Minimise> Pardis<A> {
    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, siblings: Siblings) -> Self {
        let mut search = Self {
            algorithm,
            index: Index::new(tree),
            siblings,
            queue: RedBlackTreeMapSync::new_sync(),
            kept: kept.clone(),
            task: Task::Finished,
            rates: RatesBySize::new(0.3),
        };
        search.restart(kept);
        search
    }

    /// Adds the nearest nodes below one that stays that can go.
    fn push_parts(&mut self, node: NodeId) {
        let index = Arc::clone(&self.index);
        let core = index.core(&self.kept, node);
        let mut found = Vec::new();
        let (mut next, end) = (core + 1, index.tree.nodes[core].end);
        while next < end {
            let weight = index.weight(&self.kept, next);
            let stop = weight == 0 || index.is_nullable(next);
            if stop && weight > 0 {
                found.push((index.seat(next).map(|seat| seat.list), weight, next));
            }
            next = if stop {
                index.tree.nodes[next].end
            } else {
                next + 1
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
                let key = Key {
                    weight: Reverse(weight),
                    node: Reverse(last),
                };
                let nodes = group.iter().map(|&(_, _, node)| node).collect();
                self.queue.insert_mut(key, nodes);
            }
        }
    }

    /// Starts the first group of the queue that has a question, or finishes.
    fn advance(&mut self) {
        self.task = Task::Finished;
        while let Some((&key, nodes)) = self.queue.first() {
            let row = Row::of(&self.index, &self.kept, nodes);
            self.queue.remove_mut(&key);
            match *row.nodes() {
                [] => {}
                [node] => {
                    let one = Subset::full(1);
                    let cuts = row.cuts(&one, &one.only(0..0)).into();
                    self.task = Task::Deleting { node, cuts };
                    return;
                }
                _ => {
                    let run = Run::start(&self.algorithm, row, self.kept.clone());
                    if !run.is_finished() {
                        self.task = Task::Minimising(run);
                        return;
                    }
                    for node in run.survivors() {
                        self.push_parts(node);
                    }
                }
            }
        }
    }

    fn answered(&mut self, verdict: Option<Verdict>) {
        match std::mem::replace(&mut self.task, Task::Finished) {
            Task::Deleting { node, cuts } => {
                if let Some(verdict) = verdict {
                    let size = size(&self.kept, &cuts);
                    self.rates.learn(size, verdict.into());
                }
                if verdict == Some(Verdict::Interesting) {
                    self.kept = self.kept.without(cuts.iter().cloned());
                    self.kept.commit();
                } else {
                    self.push_parts(node);
                }
            }
            Task::Minimising(mut run) => {
                match verdict {
                    Some(verdict) => run.tell(verdict),
                    None => run.skip(),
                }
                if !run.is_finished() {
                    self.task = Task::Minimising(run);
                    return;
                }
                self.kept = run.best().clone();
                for node in run.survivors() {
                    self.push_parts(node);
                }
            }
            Task::Finished => {}
        }
        self.advance();
    }
}

impl<A: Minimise> Search for Pardis<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        match &self.task {
            Task::Deleting { cuts, .. } => Some(Question {
                candidate: self.kept.without(cuts.iter().cloned()),
                odds: self.rates.odds(size(&self.kept, cuts)),
            }),
            Task::Minimising(run) => run.ask(),
            Task::Finished => None,
        }
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        match &self.task {
            Task::Minimising(run) => run.certain(),
            Task::Deleting { .. } | Task::Finished => self.ask().into_iter().collect(),
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
            Task::Minimising(run) => run.best().clone(),
            Task::Deleting { .. } | Task::Finished => self.kept.clone(),
        }
    }
}

impl<A: Minimise> Restart for Pardis<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.queue = RedBlackTreeMapSync::new_sync();
        for root in self.index.root() {
            self.push_parts(root);
        }
        self.advance();
    }
}
