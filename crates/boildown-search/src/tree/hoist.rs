//! Hierarchical delta debugging that also lifts nodes to the place of those above them.

use std::ops::Range;
use std::sync::Arc;

use super::index::Index;
use super::parts::{SlotId, nearest_of_same_kind};
use super::row::Row;
use super::run::Run;
use super::{Node, NodeId, Nodes, Tree};
use crate::list::Minimise;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict};

/// Reduces a tree level by level, like [`Hdd`](super::Hdd), and on every level also replaces nodes by what is below them.
///
/// After the deletions of a level, each node is tried to be replaced by each of its nearest descendants of the same kind, when
/// that kind fits its place. When one works the level is started over, with the node that has taken the place; when
/// none works any more, the children of what stands there now are the next level.
///
/// # Guarantee
/// Ends with an interesting set. As `Fixpoint<HoistingHdd<_>>`, 1-tree-minimal under the conditions of [`Hdd`](super::Hdd), and no single
/// replacement of the kind above works either.
/// # Cost
/// [`Hdd`](super::Hdd)'s questions; besides, for each level, the number of its replacements times one more than those that work.
/// Looking for replacements is O(size of the level's trees), for each level and each hit.
/// # Units
/// Elements are atoms, by their index in the row; they are never renumbered.
/// # Source
/// D. Vince, R. Hodován, D. Bársony, Á. Kiss, *Extending Hierarchical Delta Debugging with Hoisting*, AST 2021, with the search of picireny
/// (first hit wins, then from the start). Differs from it: a replacement has to fit the place by [`Tree::slots`], and one that
/// would delete nothing is passed over for what is below it.
#[derive(Debug, Clone)]
pub struct HoistingHdd<A: Minimise> {
    algorithm: A,
    index: Arc<Index>,
    /// The best before the list at work.
    kept: Subset,
    stage: Stage<A::Machine>,
    rate: HitRate,
}

#[derive(Debug, Clone)]
enum Stage<M> {
    Deleting(Run<M>),
    Hoisting(Hoisting),
    Finished,
}

/// The search for replacements on one level.
#[derive(Debug, Clone)]
struct Hoisting {
    places: Arc<[Place]>,
    /// The place at work. Invariant: below `places.len()`.
    at: usize,
    /// What is to be tried there; the last one is next. Never empty between questions.
    options: Vec<Place>,
}

/// A node of the level and its place: once another has taken it, the kind of place is still that of the first.
#[derive(Debug, Clone, Copy)]
struct Place {
    node: NodeId,
    slot: SlotId,
}

impl<A: Minimise> HoistingHdd<A> {
    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset) -> Self {
        let mut search = Self {
            algorithm,
            index: Index::new(tree),
            kept: kept.clone(),
            stage: Stage::Finished,
            rate: HitRate::new(0.1),
        };
        search.restart(kept);
        search
    }

    /// Starts the first level below these nodes that has a question, or finishes.
    fn descend(&mut self, mut above: Vec<NodeId>) {
        self.stage = Stage::Finished;
        while !above.is_empty() {
            for node in &mut above {
                *node = self.index.core(&self.kept, *node);
            }
            let (row, _) = Row::below(&self.index, &self.kept, &above, Nodes::All);
            if row.nodes().is_empty() {
                return;
            }
            let run = Run::start(&self.algorithm, row, self.kept.clone());
            if !run.is_finished() {
                self.stage = Stage::Deleting(run);
                return;
            }
            above = run.survivors();
            let places = self.places(above.clone());
            if let Some(hoisting) = self.first_option(&places, 0) {
                self.stage = Stage::Hoisting(hoisting);
                return;
            }
        }
    }

    fn places(&self, mut nodes: Vec<NodeId>) -> Arc<[Place]> {
        nodes.sort_unstable();
        let place = |node: NodeId| Place {
            node,
            slot: self.index.tree.nodes[node].slot,
        };
        nodes.into_iter().map(place).collect()
    }

    /// The first place from `at` on that something can take.
    fn first_option(&self, places: &Arc<[Place]>, at: usize) -> Option<Hoisting> {
        (at..places.len()).find_map(|at| {
            let mut options = self.options(places[at]);
            options.reverse();
            (!options.is_empty()).then(|| Hoisting {
                places: Arc::clone(places),
                at,
                options,
            })
        })
    }

    /// What can take a place, in order. When its node is all there is of a chain, the places of those below it count too.
    fn options(&self, place: Place) -> Vec<Place> {
        let tree = &self.index.tree;
        let mut options = Vec::new();
        let mut kinds = Vec::new();
        for node in self.index.chain(&self.kept, place.node) {
            let Node { kind, slot, .. } = tree.nodes[node];
            let slot = if node == place.node { place.slot } else { slot };
            if kinds.contains(&kind) || !tree.slots[slot].accepts(kind) {
                continue;
            }
            kinds.push(kind);
            let found = nearest_of_same_kind(&self.index, &self.kept, node);
            options.extend(found.into_iter().map(|node| Place { node, slot }));
        }
        options
    }

    /// The cuts that put the next option into its place.
    fn cuts(&self, hoisting: &Hoisting) -> Option<[Range<usize>; 2]> {
        let whole = self.index.atoms(hoisting.places[hoisting.at].node);
        let part = self.index.atoms(hoisting.options.last()?.node);
        Some([whole.start..part.start, part.end..whole.end])
    }

    fn answered(&mut self, verdict: Option<Verdict>) {
        match std::mem::replace(&mut self.stage, Stage::Finished) {
            Stage::Deleting(mut run) => {
                match verdict {
                    Some(verdict) => run.tell(verdict),
                    None => run.skip(),
                }
                if run.is_finished() {
                    self.kept = run.best().clone();
                    let places = self.places(run.survivors());
                    self.hoist(&places, 0);
                } else {
                    self.stage = Stage::Deleting(run);
                }
            }
            Stage::Hoisting(mut hoisting) => {
                if let Some(verdict) = verdict {
                    self.rate.learn(verdict.into());
                }
                let cuts = self.cuts(&hoisting);
                let tried = hoisting.options.pop();
                if verdict == Some(Verdict::Interesting)
                    && let (Some(place), Some(cuts)) = (tried, cuts)
                {
                    self.kept = self.kept.without(cuts);
                    self.kept.commit();
                    let mut places = hoisting.places.to_vec();
                    places[hoisting.at] = place;
                    self.hoist(&places.into(), 0);
                } else if hoisting.options.is_empty() {
                    self.hoist(&hoisting.places, hoisting.at + 1);
                } else {
                    self.stage = Stage::Hoisting(hoisting);
                }
            }
            Stage::Finished => {}
        }
    }

    /// Goes on with the places from `at` on, or with the next level.
    fn hoist(&mut self, places: &Arc<[Place]>, at: usize) {
        match self.first_option(places, at) {
            Some(hoisting) => self.stage = Stage::Hoisting(hoisting),
            None => self.descend(places.iter().map(|place| place.node).collect()),
        }
    }
}

impl<A: Minimise> Search for HoistingHdd<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        match &self.stage {
            Stage::Deleting(run) => run.ask(),
            Stage::Hoisting(hoisting) => Some(Question {
                candidate: self.kept.without(self.cuts(hoisting)?),
                odds: self.rate.odds(),
            }),
            Stage::Finished => None,
        }
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        match &self.stage {
            Stage::Deleting(run) => run.certain(),
            Stage::Hoisting(_) | Stage::Finished => self.ask().into_iter().collect(),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.answered(Some(verdict));
    }

    fn skip(&mut self) {
        self.answered(None);
    }

    fn best(&self) -> Subset {
        match &self.stage {
            Stage::Deleting(run) => run.best().clone(),
            Stage::Hoisting(_) | Stage::Finished => self.kept.clone(),
        }
    }
}

impl<A: Minimise> Restart for HoistingHdd<A> {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        // The root stays, or what takes its place.
        let places = self.places(self.index.root());
        self.hoist(&places, 0);
    }
}
