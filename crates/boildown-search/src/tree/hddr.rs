//! Recursive hierarchical delta debugging: a tree node by node.

use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::index::Index;
use super::row::Row;
use super::run::Run;
use super::{NodeId, Nodes, Tree};
use crate::list::Minimise;
use crate::{Question, Restart, Search, Subset, Verdict};

/// Reduces a tree node by node: takes one from a queue, minimises its children, and appends those that survive.
///
/// # Guarantee
/// Ends with an interesting set. `Fixpoint<Hddr<_>>` is 1-tree-minimal under the conditions of [`Hdd`](super::Hdd).
/// # Cost
/// The list minimiser's questions for each node with children, one more when it leaves a single child. Starting a node is O(its
/// children and its atoms / 64); `tell` is the list minimiser's, O(n / 64) on a hit.
/// # Units
/// Elements are atoms, by their index in the row; they are never renumbered.
/// # Source
/// Á. Kiss, R. Hodován, T. Gyimóthy, `HDDr`: *A Recursive Variant of the Hierarchical Delta Debugging Algorithm*, A-TEST 2018, with the four
/// orders of picireny. Differs from it as [`Hdd`](super::Hdd) does from HDD.
#[derive(Debug, Clone)]
pub struct Hddr<A: Minimise> {
    algorithm: A,
    index: Arc<Index>,
    order: Order,
    /// Nodes with children, by when they were appended.
    queue: RedBlackTreeMapSync<u64, NodeId>,
    appended: u64,
    /// The best before the node at work.
    kept: Subset,
    /// `None` when finished.
    run: Option<Run<A::Machine>>,
}

/// The order in which [`Hddr`] goes through a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// Which end of the queue is next.
    pub pop: Pop,
    /// How children come into the queue.
    pub append: Append,
}

/// Which end of the queue is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pop {
    /// The node appended first: breadth-first.
    First,
    /// The node appended last: depth-first.
    #[default]
    Last,
}

/// How children come into the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Append {
    /// In their order; with [`Pop::Last`] the last child is next.
    #[default]
    Forwards,
    /// The last one first.
    Reversed,
}

impl<A: Minimise> Hddr<A> {
    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, order: Order) -> Self {
        let mut search = Self {
            algorithm,
            index: Index::new(tree),
            order,
            queue: RedBlackTreeMapSync::new_sync(),
            appended: 0,
            kept: kept.clone(),
            run: None,
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

    /// Starts the next node that has a question, or finishes.
    fn advance(&mut self) {
        if self.run.as_ref().is_some_and(|run| !run.is_finished()) {
            return;
        }
        loop {
            if let Some(run) = self.run.take() {
                self.kept = run.best().clone();
                // Children in no list come last in a row.
                let mut children = run.survivors();
                children.sort_unstable();
                self.append(children);
            }
            let Some(node) = self.pop() else { return };
            let node = self.index.core(&self.kept, node);
            let (row, _) = Row::below(&self.index, &self.kept, &[node], Nodes::All);
            if !row.nodes().is_empty() {
                let run = Run::start(&self.algorithm, row, self.kept.clone());
                let finished = run.is_finished();
                self.run = Some(run);
                if !finished {
                    return;
                }
            }
        }
    }
}

impl<A: Minimise> Search for Hddr<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.run.as_ref()?.ask()
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        self.run.as_ref().map_or(Vec::new(), Run::certain)
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(run) = &mut self.run {
            run.tell(verdict);
        }
        self.advance();
    }

    fn skip(&mut self) {
        if let Some(run) = &mut self.run {
            run.skip();
        }
        self.advance();
    }

    fn best(&self) -> Subset {
        self.run.as_ref().map_or(&self.kept, Run::best).clone()
    }
}

impl<A: Minimise> Restart for Hddr<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.run = None;
        self.queue = RedBlackTreeMapSync::new_sync();
        self.append(self.index.root());
        self.advance();
    }
}
