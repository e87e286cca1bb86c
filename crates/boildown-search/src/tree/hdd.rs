//! Hierarchical delta debugging: a tree level by level.

use std::sync::Arc;

use super::index::Index;
use super::row::Row;
use super::run::Run;
use super::{NodeId, Tree};
use crate::list::Minimise;
use crate::{Question, Restart, Search, Subset, Verdict};

/// Reduces a tree level by level, from the root down: all living nodes of a level are one list.
///
/// # Guarantee
/// Ends with an interesting set. `Fixpoint<Hdd<_>>` is HDD\*: with [`Nodes::All`] and a list minimiser that asks about every single
/// deletion (halving, ddmin, a sweep), it ends 1-tree-minimal: deleting any single node but the root, in a sibling list
/// with its separator, was answered `Uninteresting` or `Unresolved`.
/// # Cost
/// The list minimiser's questions for each level, one more when it leaves a single node. Starting a level is O(its size and the
/// number of atoms / 64); `tell` is the list minimiser's, O(n / 64) on a hit.
/// # Units
/// Elements are atoms, by their index in the row; they are never renumbered.
/// # Source
/// G. Misherghi, Z. Su, *HDD: Hierarchical Delta Debugging*, ICSE 2006; coarse HDD: R. Hodován, Á. Kiss, T. Gyimóthy, *Coarse Hierarchical
/// Delta Debugging*, ICSME 2017. Differs from them: a node is deleted with its separator, and not replaced by the shortest
/// text of its symbol, since the tree knows no texts; what breaks the syntax is left to the parse gate. The root
/// stays. As in picireny, the last node of a level is tried too, and a chain of nodes with the same atoms counts as one.
#[derive(Debug, Clone)]
pub struct Hdd<A: Minimise> {
    algorithm: A,
    index: Arc<Index>,
    nodes: Nodes,
    /// The best before the level at work.
    kept: Subset,
    /// `None` when finished.
    level: Option<Level<A::Machine>>,
}

/// Which nodes take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nodes {
    /// Every node.
    #[default]
    All,
    /// Only those that can go without breaking the syntax: the elements of sibling lists, and extras. The others stay, and what
    /// is below them has its turn.
    Neutral,
}

#[derive(Debug, Clone)]
struct Level<M> {
    run: Run<M>,
    /// The nodes that take no part.
    aside: Arc<[NodeId]>,
}

impl<A: Minimise> Hdd<A> {
    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, nodes: Nodes) -> Self {
        let mut search = Self {
            algorithm,
            index: Index::new(tree),
            nodes,
            kept: kept.clone(),
            level: None,
        };
        search.restart(kept);
        search
    }

    /// Starts the first level below these nodes that has a question, or finishes.
    fn descend(&mut self, mut above: Vec<NodeId>) {
        self.level = None;
        while !above.is_empty() {
            let (row, aside) = Row::below(&self.index, &self.kept, &above, self.nodes);
            above = aside;
            if !row.nodes().is_empty() {
                let run = Run::start(&self.algorithm, row, self.kept.clone());
                if !run.is_finished() {
                    let aside = above.into();
                    self.level = Some(Level { run, aside });
                    return;
                }
                above = self.below(&run, above);
            }
        }
    }

    /// The nodes whose children are next: those that survived, and those that took no part.
    fn below(&self, run: &Run<A::Machine>, aside: Vec<NodeId>) -> Vec<NodeId> {
        let survivors = run.survivors().into_iter();
        let survivors = survivors.map(|node| self.index.core(run.best(), node));
        let mut above: Vec<NodeId> = survivors.chain(aside).collect();
        above.sort_unstable();
        above
    }

    fn advance(&mut self) {
        if let Some(level) = self.level.take_if(|level| level.run.is_finished()) {
            self.kept = level.run.best().clone();
            let above = self.below(&level.run, level.aside.to_vec());
            self.descend(above);
        }
    }
}

impl<A: Minimise> Search for Hdd<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.level.as_ref()?.run.ask()
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        (self.level.as_ref()).map_or(Vec::new(), |level| level.run.certain())
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(level) = &mut self.level {
            level.run.tell(verdict);
        }
        self.advance();
    }

    fn skip(&mut self) {
        if let Some(level) = &mut self.level {
            level.run.skip();
        }
        self.advance();
    }

    fn best(&self) -> Subset {
        let level = self.level.as_ref();
        level.map_or(&self.kept, |level| level.run.best()).clone()
    }
}

impl<A: Minimise> Restart for Hdd<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.descend(self.index.root());
    }
}
