//! Batches: deletions that are asked about together.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rpds::VectorSync;

use crate::odds::HitRate;
use crate::{BatchAnswer, ListSearch, Query, Search, Subset, Verdict};

/// Runs a list search in batches: up to `batch_size` deletions from the same base are asked about
/// together, then merged.
///
/// The queries of a batch do not depend on each other's answers, so up to `batch_size` workers are
/// busy without speculation. When several deletions of a batch are interesting, their union is
/// tried. If the union is not interesting, bisection finds the longest prefix of the hits whose
/// union is; a single hit that leaves fewer elements than that prefix is taken instead. Hits that
/// were left out are deferred: the next batches ask about them again.
///
/// For example, a batch of four deletions a, b, c, d with hits a, c and d asks about a+c+d. If that
/// misses, it asks about a+c; if that hits, a and c are deleted and d counts as a miss.
///
/// # Guarantee
/// That of the list search. The result depends on the batch size and never on the number of
/// workers. With a batch size of 1 the queries are exactly those of the list search.
/// # Cost
/// The queries of the list search, and one more for each batch with several hits if the oracle is
/// monotone and unambiguous. Otherwise up to log₂(hits) more, and the hits after the failing one
/// are asked about again.
/// # Source
/// Shrink Ray (D. R. MacIver) and C-Vise merge disjoint deletions that each worked alone. Here the
/// merge is deterministic: it follows the order of the queries, not the order of the answers.
#[derive(Debug, Clone)]
pub struct Batches<S> {
    search: S,
    batch_size: NonZeroUsize,
    /// The queries of this batch, all about the same base. Empty when finished.
    batch: Arc<[Query<Subset>]>,
    /// The answers to the first queries of the batch; `None` for skipped queries.
    answers: VectorSync<Option<Verdict>>,
    merging: Option<Merging>,
    /// The smallest candidate told `Interesting` in this batch.
    smallest: Option<Subset>,
    unions: HitRate,
}

/// The bisection for the longest prefix of the hits whose union is interesting.
#[derive(Debug, Clone)]
struct Merging {
    /// Indices into the batch.
    hits: Arc<[usize]>,
    /// A prefix of this length is interesting; at least 1 if there are hits. Invariant:
    /// `works < fails`.
    works: usize,
    /// A prefix of this length is not interesting; `hits.len() + 1` until all hits together have
    /// been asked about.
    fails: usize,
    /// The answer to the prefix of length `fails`.
    failure: BatchAnswer,
}

impl Merging {
    /// Returns the length of the prefix to ask about next, or `None` when the longest prefix is
    /// found.
    fn next(&self) -> Option<usize> {
        if self.fails > self.hits.len() {
            (self.works < self.hits.len()).then_some(self.hits.len())
        } else {
            (self.works + 1 < self.fails).then(|| self.works.midpoint(self.fails))
        }
    }
}

impl<S: ListSearch> Batches<S> {
    /// Runs `search` with up to `batch_size` deletions at once.
    pub fn new(search: S, batch_size: NonZeroUsize) -> Self {
        let mut batches = Self {
            search,
            batch_size,
            batch: Arc::new([]),
            answers: VectorSync::new_sync(),
            merging: None,
            smallest: None,
            unions: HitRate::new(0.8),
        };
        batches.begin();
        batches
    }

    /// Returns the list search, with all answers before this batch.
    pub fn inner(&self) -> &S {
        &self.search
    }

    fn begin(&mut self) {
        self.batch = self.search.pending(self.batch_size).into();
        self.answers = VectorSync::new_sync();
        self.merging = None;
        self.smallest = None;
    }

    /// Returns the base without the first `count` hits.
    fn union(&self, merging: &Merging, count: usize) -> Subset {
        self.search.union(&self.batch, &merging.hits[..count])
    }

    /// Records the answer to the query of `ask`: one of the batch, or the union that is being
    /// tried.
    fn record_one(&mut self, answer: BatchAnswer) {
        if let Some(mut merging) = self.merging.take() {
            let count = merging
                .next()
                .expect("a batch whose merge is done has ended");
            if let BatchAnswer::Told(verdict) = answer {
                self.unions.learn(verdict.into());
            }
            if answer == BatchAnswer::Told(Verdict::Interesting) {
                self.smallest = Some(self.union(&merging, count));
                merging.works = count;
            } else {
                merging.fails = count;
                merging.failure = answer;
            }
            self.merging = Some(merging);
        } else {
            let verdict = match answer {
                BatchAnswer::Told(verdict) => Some(verdict),
                BatchAnswer::Skipped | BatchAnswer::Deferred => None,
            };
            if answer == BatchAnswer::Told(Verdict::Interesting) {
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
                    .map(|(index, _)| index)
                    .collect();
                self.merging = Some(Merging {
                    works: hits.len().min(1),
                    fails: hits.len() + 1,
                    hits,
                    failure: BatchAnswer::Skipped,
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

    /// Returns the hit that alone leaves fewer elements than the longest interesting prefix, if
    /// there is one: the smallest candidate found is never lost.
    fn best_alone(&self, merging: &Merging) -> Option<usize> {
        if merging.works == merging.hits.len() {
            return None;
        }
        let together = self.union(merging, merging.works).count();
        let count = |index: usize| self.batch[index].candidate.count();
        let best = merging
            .hits
            .iter()
            .copied()
            .min_by_key(|&index| count(index))?;
        (count(best) < together).then_some(best)
    }

    /// Tells the list search the answers to its batch and begins the next one.
    fn end(&mut self) {
        let Some(merging) = self.merging.take() else {
            return;
        };
        let mut answers: Vec<BatchAnswer> = (self.answers.iter())
            .map(|answer| answer.map_or(BatchAnswer::Skipped, BatchAnswer::Told))
            .collect();
        if let Some(alone) = self.best_alone(&merging) {
            for &index in merging.hits.iter().filter(|&&index| index != alone) {
                answers[index] = BatchAnswer::Deferred;
            }
        } else {
            for (rank, &index) in merging.hits.iter().enumerate().skip(merging.works) {
                // The first hit beyond the prefix is known to miss: the base without it has just
                // been asked about.
                answers[index] = if rank + 1 == merging.fails {
                    merging.failure
                } else {
                    BatchAnswer::Deferred
                };
            }
        }
        self.search.record(&answers);
        self.begin();
    }
}

impl<S: ListSearch> Search for Batches<S> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        match &self.merging {
            Some(merging) => Some(Query {
                candidate: self.union(merging, merging.next()?),
                odds: self.unions.odds(),
            }),
            None => self.batch.get(self.answers.len()).cloned(),
        }
    }

    fn certain(&self) -> Vec<Query<Subset>> {
        match &self.merging {
            Some(_) => self.ask().into_iter().collect(),
            None => self.batch[self.answers.len()..].to_vec(),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record_one(BatchAnswer::Told(verdict));
    }

    fn skip(&mut self) {
        self.record_one(BatchAnswer::Skipped);
    }

    fn best(&self) -> Subset {
        (self.smallest.clone()).unwrap_or_else(|| self.search.best())
    }
}

impl<S: ListSearch> ListSearch for Batches<S> {
    fn restart(&mut self, best: Subset) {
        self.search.restart(best);
        self.begin();
    }
}
