//! Searches over a list, which can be restarted.

use std::fmt;
use std::ops::Range;

use crate::{Query, Search, Subset, Verdict};

/// A search for a small interesting subset of a list.
///
/// Beyond [`Search`] it can be restarted from another subset, which combinators need.
pub trait ListSearch: Search<Candidate = Subset> {
    /// Forgets all progress and starts from `best`, which is known to be interesting. Learned hit
    /// rates may stay.
    fn restart(&mut self, best: Subset);

    /// Returns the chunks that are asked about after the next query if that misses and is not
    /// split, in the order of asking, as ranges of elements. Empty unless the search knows them.
    fn waiting(&self) -> Vec<Range<usize>> {
        Vec::new()
    }
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
    fn dyn_tell(&mut self, verdict: Verdict);
    fn dyn_skip(&mut self);
    fn dyn_best(&self) -> Subset;
    fn dyn_restart(&mut self, best: Subset);
    fn dyn_waiting(&self) -> Vec<Range<usize>>;
}

impl<S: ListSearch + fmt::Debug + Send + Sync + 'static> Erased for S {
    fn boxed_clone(&self) -> AnyListSearch {
        AnyListSearch::new(self.clone())
    }

    fn dyn_ask(&self) -> Option<Query<Subset>> {
        self.ask()
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

    fn dyn_waiting(&self) -> Vec<Range<usize>> {
        self.waiting()
    }
}

impl Search for AnyListSearch {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.0.dyn_ask()
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

    fn waiting(&self) -> Vec<Range<usize>> {
        self.0.dyn_waiting()
    }
}
