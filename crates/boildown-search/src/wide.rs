//! Width: deletions that are asked about together.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rpds::VectorSync;

use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict};

/// A machine over a list that may have several deletions to ask about at once.
///
/// A machine that decides one thing at a time implements it with nothing: it always has one.
pub trait Wide: Search<Candidate = Subset> {
    /// Returns up to `width` questions that the machine can ask now, each about a deletion from its best candidate and none
    /// depending on the answer to another. The first is `ask`'s; none when the machine is finished. Deletions may overlap.
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let _only_one = width;
        self.ask().into_iter().collect()
    }

    /// Returns the candidate without what the questions at `places` of a row from [`pending`](Self::pending) would delete. At
    /// least one place.
    fn union(&self, asked: &[Question<Subset>], places: &[usize]) -> Subset {
        let mut candidates = places.iter().map(|&place| &asked[place].candidate);
        match candidates.next() {
            Some(first) => first.intersection(candidates),
            None => self.best(),
        }
    }

    /// Hears what became of the first questions of [`pending`](Self::pending), in that order. Those told `Interesting`
    /// have all been deleted, as in their [`union`](Self::union).
    ///
    /// # Panics
    /// May panic when there are more fates than questions.
    fn settle(&mut self, fates: &[Fate]) {
        for fate in fates {
            match fate {
                Fate::Told(verdict) => self.tell(*verdict),
                Fate::Skipped => self.skip(),
                Fate::Postponed => {}
            }
        }
    }
}

/// What became of a question that was asked together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was answered. `Interesting`: its deletion is part of the best candidate now.
    Told(Verdict),
    /// It was not worth asking.
    Skipped,
    /// Alone it was interesting, but others were deleted instead: nobody knows yet whether it still is.
    Postponed,
}

/// Runs a machine in epochs: up to `width` deletions from the same base are asked about together, then merged.
///
/// All questions of an epoch are certain: none depends on the answer to another, so any number of workers up to the width is busy
/// without guessing. When several are interesting, all of them together are tried; when that is not interesting, the
/// longest beginning of their row that is, by bisection; or the one that leaves least, when it leaves less than that. What was left out
/// is asked again in the next epoch.
///
/// # Guarantee
/// That of the machine. The result depends on the width and never on the number of workers. With a width of 1 the questions are
/// exactly those of the machine.
/// # Cost
/// The machine's questions and one more for each epoch with several hits, when the oracle is monotone and unambiguous; else up to
/// log₂(hits) more, and the offender's neighbours are asked again.
/// # Source
/// The merging of disjoint deletions that each worked alone is Shrink Ray's (D. R. MacIver) and C-Vise's folding, here made
/// deterministic: in the order of the questions, not in that of the answers.
#[derive(Debug, Clone)]
pub struct Epochs<M> {
    machine: M,
    width: NonZeroUsize,
    /// The questions of this epoch, all about the same base. Empty when finished.
    batch: Arc<[Question<Subset>]>,
    /// The answers to the first of them; `None` for what was skipped.
    answers: VectorSync<Option<Verdict>>,
    merging: Option<Merging>,
    /// The smallest candidate told `Interesting` in this epoch.
    smallest: Option<Subset>,
    unions: HitRate,
}

/// The search for the longest beginning of a row of hits that can go together.
#[derive(Debug, Clone)]
struct Merging {
    /// Places in the batch.
    hits: Arc<[usize]>,
    /// So many of them can go together; at least 1 unless there are none. Invariant: `works < fails`.
    works: usize,
    /// So many cannot; one more than there are while all of them together have not been asked about.
    fails: usize,
    /// What was said about that many.
    failure: Fate,
}

impl Merging {
    /// How many are tried next; `None` when the longest beginning is found.
    fn next(&self) -> Option<usize> {
        if self.fails > self.hits.len() {
            (self.works < self.hits.len()).then_some(self.hits.len())
        } else {
            (self.works + 1 < self.fails).then(|| self.works.midpoint(self.fails))
        }
    }
}

impl<M: Wide> Epochs<M> {
    /// Runs `machine` with so many deletions at once.
    pub fn new(machine: M, width: NonZeroUsize) -> Self {
        let mut epochs = Self {
            machine,
            width,
            batch: Arc::new([]),
            answers: VectorSync::new_sync(),
            merging: None,
            smallest: None,
            unions: HitRate::new(0.8),
        };
        epochs.begin();
        epochs
    }

    /// Returns the machine, told everything up to the beginning of this epoch.
    pub fn inner(&self) -> &M {
        &self.machine
    }

    fn begin(&mut self) {
        self.batch = self.machine.pending(self.width).into();
        self.answers = VectorSync::new_sync();
        self.merging = None;
        self.smallest = None;
    }

    /// The base without the first `count` of the hits.
    fn union(&self, merging: &Merging, count: usize) -> Subset {
        self.machine.union(&self.batch, &merging.hits[..count])
    }

    fn hear(&mut self, fate: Fate) {
        if let Some(mut merging) = self.merging.take() {
            let count = merging
                .next()
                .expect("an epoch whose merging is done has ended");
            if let Fate::Told(verdict) = fate {
                self.unions.learn(verdict.into());
            }
            if fate == Fate::Told(Verdict::Interesting) {
                self.smallest = Some(self.union(&merging, count));
                merging.works = count;
            } else {
                merging.fails = count;
                merging.failure = fate;
            }
            self.merging = Some(merging);
        } else {
            let verdict = match fate {
                Fate::Told(verdict) => Some(verdict),
                Fate::Skipped | Fate::Postponed => None,
            };
            if fate == Fate::Told(Verdict::Interesting) {
                let hit = &self.batch[self.answers.len()].candidate;
                let before = self.smallest.as_ref().map(Subset::count);
                if before.is_none_or(|before| hit.count() < before) {
                    self.smallest = Some(hit.clone());
                }
            }
            self.answers.push_back_mut(verdict);
            if self.answers.len() == self.batch.len() {
                let hits: Arc<[usize]> = (self.answers.iter().enumerate())
                    .filter(|(_, answer)| **answer == Some(Verdict::Interesting))
                    .map(|(place, _)| place)
                    .collect();
                self.merging = Some(Merging {
                    works: hits.len().min(1),
                    fails: hits.len() + 1,
                    hits,
                    failure: Fate::Skipped,
                });
            }
        }
        if self
            .merging
            .as_ref()
            .is_some_and(|merging| merging.next().is_none())
        {
            self.end();
        }
    }

    /// The hit that leaves less by itself than those that can go together do, if there is one: what was found is never lost again.
    fn best_alone(&self, merging: &Merging) -> Option<usize> {
        if merging.works == merging.hits.len() {
            return None;
        }
        let together = self.union(merging, merging.works).count();
        let count = |place: usize| self.batch[place].candidate.count();
        let best = merging
            .hits
            .iter()
            .copied()
            .min_by_key(|&place| count(place))?;
        (count(best) < together).then_some(best)
    }

    /// Tells the machine what became of its questions.
    fn end(&mut self) {
        let Some(merging) = self.merging.take() else {
            return;
        };
        let mut fates: Vec<Fate> = (self.answers.iter())
            .map(|answer| answer.map_or(Fate::Skipped, Fate::Told))
            .collect();
        if let Some(alone) = self.best_alone(&merging) {
            for &place in merging.hits.iter().filter(|&&place| place != alone) {
                fates[place] = Fate::Postponed;
            }
        } else {
            for (rank, &place) in merging.hits.iter().enumerate().skip(merging.works) {
                // The one that did not fit is known not to go: the base without it has just been asked about.
                fates[place] = if rank + 1 == merging.fails {
                    merging.failure
                } else {
                    Fate::Postponed
                };
            }
        }
        self.machine.settle(&fates);
        self.begin();
    }
}

impl<M: Wide> Search for Epochs<M> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        match &self.merging {
            Some(merging) => Some(Question {
                candidate: self.union(merging, merging.next()?),
                odds: self.unions.odds(),
            }),
            None => self.batch.get(self.answers.len()).cloned(),
        }
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        match &self.merging {
            Some(_) => self.ask().into_iter().collect(),
            None => self.batch[self.answers.len()..].to_vec(),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.hear(Fate::Told(verdict));
    }

    fn skip(&mut self) {
        self.hear(Fate::Skipped);
    }

    fn best(&self) -> Subset {
        (self.smallest.clone()).unwrap_or_else(|| self.machine.best())
    }
}

impl<M: Wide> Wide for Epochs<M> {}

impl<M: Wide + Restart> Restart for Epochs<M> {
    fn restart(&mut self, best: Subset) {
        self.machine.restart(best);
        self.begin();
    }
}
