//! A list machine at work on a row of nodes, as a machine over atoms.

use std::ops::Range;
use std::sync::Arc;

use super::NodeId;
use super::row::Row;
use crate::list::Minimise;
use crate::{Question, Search, Subset, Verdict};

/// Runs a list machine over a row. When it leaves a single node and has never asked whether that can go too, asks that.
#[derive(Debug, Clone)]
pub(super) struct Run<M> {
    machine: M,
    row: Arc<Row>,
    /// All of the row.
    whole: Arc<Standing>,
    /// What candidates are read against, as long as they are part of it. Known to be interesting.
    base: Standing,
    /// What the machine has as its best.
    best: Standing,
    /// Whether the row without any node was asked about.
    emptied: Emptied,
    next: Next,
}

/// A part of the row, and its meaning in atoms.
#[derive(Debug, Clone)]
struct Standing {
    nodes: Subset,
    atoms: Subset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emptied {
    Asked,
    NotAsked,
}

#[derive(Debug, Clone)]
enum Next {
    /// The machine's question: these cuts from the base.
    Machine {
        cuts: Arc<[Range<usize>]>,
        odds: f64,
    },
    /// Whether the only node left can go.
    Last {
        cuts: Arc<[Range<usize>]>,
    },
    Finished,
}

impl<M: Search<Candidate = Subset>> Run<M> {
    /// Starts on a row of living nodes.
    pub(super) fn start<A: Minimise<Machine = M>>(algorithm: &A, row: Row, kept: Subset) -> Self {
        let machine = algorithm.on(row.items());
        let whole = Standing {
            nodes: machine.best(),
            atoms: kept,
        };
        let mut run = Self {
            row: Arc::new(row),
            base: whole.clone(),
            best: whole.clone(),
            whole: Arc::new(whole),
            machine,
            emptied: Emptied::NotAsked,
            next: Next::Finished,
        };
        run.settle();
        run
    }

    pub(super) fn is_finished(&self) -> bool {
        matches!(self.next, Next::Finished)
    }

    pub(super) fn ask(&self) -> Option<Question<Subset>> {
        let (cuts, odds) = match &self.next {
            Next::Machine { cuts, odds } => (cuts, *odds),
            Next::Last { cuts } => (cuts, 0.1),
            Next::Finished => return None,
        };
        Some(Question {
            candidate: self.base.atoms.without(cuts.iter().cloned()),
            odds,
        })
    }

    /// The machine's certain questions in terms of atoms.
    pub(super) fn certain(&self) -> Vec<Question<Subset>> {
        let Next::Machine { .. } = self.next else {
            return self.ask().into_iter().collect();
        };
        let questions = self.machine.certain().into_iter();
        let asked = questions.filter_map(|question| {
            let from = self.standing_over(&question.candidate);
            let cuts = self.row.cuts(&from.nodes, &question.candidate);
            // What deletes nothing is not asked.
            (size(&from.atoms, &cuts) > 0).then(|| question.map(|_| from.atoms.without(cuts)))
        });
        asked.collect()
    }

    pub(super) fn tell(&mut self, verdict: Verdict) {
        self.answered(Some(verdict));
    }

    pub(super) fn skip(&mut self) {
        self.answered(None);
    }

    /// The atoms of the best candidate.
    pub(super) fn best(&self) -> &Subset {
        &self.best.atoms
    }

    /// The nodes that are left and still have an atom, in the order of the row.
    pub(super) fn survivors(&self) -> Vec<NodeId> {
        let nodes = self.best.nodes.iter();
        let nodes = nodes.map(|position| self.row.nodes()[position]);
        nodes
            .filter(|&node| self.row.weight(&self.best.atoms, node) > 0)
            .collect()
    }

    fn answered(&mut self, verdict: Option<Verdict>) {
        match std::mem::replace(&mut self.next, Next::Finished) {
            Next::Machine { .. } => {
                let empty = |nodes: &Subset| nodes.first_in(0..nodes.universe()).is_none();
                if (self.machine.ask()).is_some_and(|question| empty(&question.candidate)) {
                    self.emptied = Emptied::Asked;
                }
                match verdict {
                    Some(verdict) => self.machine.tell(verdict),
                    None => self.machine.skip(),
                }
                self.settle();
            }
            Next::Last { cuts } if verdict == Some(Verdict::Interesting) => {
                self.best.nodes = self.best.nodes.only(0..0);
                self.best.atoms = self.base.atoms.without(cuts.iter().cloned());
                self.best.atoms.commit();
            }
            Next::Last { .. } | Next::Finished => {}
        }
    }

    /// Moves on to its next question that deletes anything.
    fn settle(&mut self) {
        loop {
            self.follow();
            let Some(question) = self.machine.ask() else {
                self.next = self.last();
                return;
            };
            let standing = self.standing_over(&question.candidate);
            if !standing.nodes.is_same(&self.base.nodes) {
                self.base = standing.clone();
            }
            let cuts = self.row.cuts(&self.base.nodes, &question.candidate);
            if size(&self.base.atoms, &cuts) > 0 {
                self.next = Next::Machine {
                    cuts: cuts.into(),
                    odds: question.odds,
                };
                return;
            }
            // Deleting nothing keeps the property: what stands between two nodes may have gone with one of them.
            self.machine.tell(Verdict::Interesting);
        }
    }

    /// The smallest known standing that has all of a candidate. The machine's best does unless several deletions from
    /// an older best are asked about together.
    fn standing_over(&self, candidate: &Subset) -> &Standing {
        let known = [&self.best, &self.base];
        known
            .into_iter()
            .find(|standing| candidate.is_subset_of(&standing.nodes))
            .unwrap_or(&self.whole)
    }

    /// Takes over the machine's best. What it means in atoms was asked, or is the start.
    fn follow(&mut self) {
        let nodes = self.machine.best();
        if nodes.is_same(&self.best.nodes) {
            return;
        }
        let from = if nodes.is_subset_of(&self.base.nodes) {
            &self.base
        } else {
            &self.whole
        };
        let cuts = self.row.cuts(&from.nodes, &nodes);
        let mut atoms = from.atoms.without(cuts);
        atoms.commit();
        self.best = Standing { nodes, atoms };
    }

    /// The question after the machine's last one.
    fn last(&mut self) -> Next {
        if self.emptied == Emptied::Asked || self.survivors().len() != 1 {
            return Next::Finished;
        }
        self.base = self.best.clone();
        let none = self.base.nodes.only(0..0);
        Next::Last {
            cuts: self.row.cuts(&self.base.nodes, &none).into(),
        }
    }
}

/// The number of atoms that cuts delete.
pub(super) fn size(atoms: &Subset, cuts: &[Range<usize>]) -> usize {
    cuts.iter().map(|cut| atoms.count_in(cut.clone())).sum()
}
