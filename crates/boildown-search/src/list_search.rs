//! Searches over a list, which can be restarted and can ask about several deletions at once.

use std::fmt;
use std::num::NonZeroUsize;

use crate::{Query, Search, Subset, Verdict};

/// A search for a small interesting subset of a list.
///
/// Beyond [`Search`] it can be restarted from another subset, which combinators need, and it may
/// have several deletions to ask about at once, which [`Batches`](crate::Batches) needs. Searches
/// that test one deletion at a time use the default implementations of the batch methods.
pub trait ListSearch: Search<Candidate = Subset> {
    /// Forgets all progress and starts from `best`, which is known to be interesting. Learned hit
    /// rates may stay.
    fn restart(&mut self, best: Subset);

    /// Returns up to `batch_size` queries that can be asked now. Each deletes something from the
    /// best subset, and none depends on the answer to another; deletions may overlap. The first is
    /// the query of [`ask`](Search::ask); there is none when the search is finished.
    fn pending(&self, batch_size: NonZeroUsize) -> Vec<Query<Subset>> {
        let _one_at_a_time = batch_size;
        self.ask().into_iter().collect()
    }

    /// Returns the best subset without everything that the queries at `indices` of `asked` delete,
    /// where `asked` was returned by [`pending`](Self::pending). `indices` holds at least one
    /// index.
    fn union(&self, asked: &[Query<Subset>], indices: &[usize]) -> Subset {
        let mut candidates = indices.iter().map(|&index| &asked[index].candidate);
        match candidates.next() {
            Some(first) => first.intersection(candidates),
            None => self.best(),
        }
    }

    /// Records the answers to the first queries of [`pending`](Self::pending), in the same order.
    /// The deletions that were told `Interesting` have been applied together, as in their
    /// [`union`](Self::union).
    ///
    /// # Panics
    /// May panic when there are more answers than queries.
    fn record(&mut self, answers: &[BatchAnswer]) {
        for answer in answers {
            match answer {
                BatchAnswer::Told(verdict) => self.tell(*verdict),
                BatchAnswer::Skipped => self.skip(),
                BatchAnswer::Deferred => {}
            }
        }
    }
}

/// The answer to one query of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchAnswer {
    /// The verdict. After `Interesting`, the deletion is part of the best subset.
    Told(Verdict),
    /// The query was not tested.
    Skipped,
    /// The deletion was interesting alone, but others of the batch were applied instead: it has to
    /// be tested again.
    Deferred,
}

/// A list search whose type is chosen at run time.
///
/// Cloning allocates once more than cloning the search inside.
pub struct AnyListSearch(Box<dyn Erased>);

impl AnyListSearch {
    /// Wraps a search.
    #[must_use]
    pub fn new(search: impl ListSearch + fmt::Debug + Send + Sync + 'static) -> Self {
        Self(Box::new(search))
    }
}

impl Clone for AnyListSearch {
    fn clone(&self) -> Self {
        self.0.boxed_clone()
    }
}

impl fmt::Debug for AnyListSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// [`ListSearch`] as a trait object. The methods are named apart from those they call.
trait Erased: fmt::Debug + Send + Sync {
    fn boxed_clone(&self) -> AnyListSearch;
    fn dyn_ask(&self) -> Option<Query<Subset>>;
    fn dyn_certain(&self) -> Vec<Query<Subset>>;
    fn dyn_tell(&mut self, verdict: Verdict);
    fn dyn_skip(&mut self);
    fn dyn_best(&self) -> Subset;
    fn dyn_restart(&mut self, best: Subset);
    fn dyn_pending(&self, batch_size: NonZeroUsize) -> Vec<Query<Subset>>;
    fn dyn_union(&self, asked: &[Query<Subset>], indices: &[usize]) -> Subset;
    fn dyn_record(&mut self, answers: &[BatchAnswer]);
}

impl<S: ListSearch + fmt::Debug + Send + Sync + 'static> Erased for S {
    fn boxed_clone(&self) -> AnyListSearch {
        AnyListSearch::new(self.clone())
    }

    fn dyn_ask(&self) -> Option<Query<Subset>> {
        self.ask()
    }

    fn dyn_certain(&self) -> Vec<Query<Subset>> {
        self.certain()
    }

    fn dyn_tell(&mut self, verdict: Verdict) {
        self.tell(verdict);
    }

    fn dyn_skip(&mut self) {
        self.skip();
    }

    fn dyn_best(&self) -> Subset {
        self.best()
    }

    fn dyn_restart(&mut self, best: Subset) {
        self.restart(best);
    }

    fn dyn_pending(&self, batch_size: NonZeroUsize) -> Vec<Query<Subset>> {
        self.pending(batch_size)
    }

    fn dyn_union(&self, asked: &[Query<Subset>], indices: &[usize]) -> Subset {
        self.union(asked, indices)
    }

    fn dyn_record(&mut self, answers: &[BatchAnswer]) {
        self.record(answers);
    }
}

impl Search for AnyListSearch {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.0.dyn_ask()
    }

    fn certain(&self) -> Vec<Query<Subset>> {
        self.0.dyn_certain()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.0.dyn_tell(verdict);
    }

    fn skip(&mut self) {
        self.0.dyn_skip();
    }

    fn best(&self) -> Subset {
        self.0.dyn_best()
    }
}

impl ListSearch for AnyListSearch {
    fn restart(&mut self, best: Subset) {
        self.0.dyn_restart(best);
    }

    fn pending(&self, batch_size: NonZeroUsize) -> Vec<Query<Subset>> {
        self.0.dyn_pending(batch_size)
    }

    fn union(&self, asked: &[Query<Subset>], indices: &[usize]) -> Subset {
        self.0.dyn_union(asked, indices)
    }

    fn record(&mut self, answers: &[BatchAnswer]) {
        self.0.dyn_record(answers);
    }
}
