//! Combinators: searches made of list searches.

use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Runs one search after another: the second starts from the result of the first.
#[derive(Debug, Clone)]
pub struct Sequence<A, B> {
    first: A,
    second: B,
    stage: Stage,
}

/// The search of a combinator that is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    Second,
}

/// Evaluates an expression with the search that is running.
macro_rules! at_stage {
    ($stage:expr, $first:expr, $second:expr, $search:ident => $body:expr) => {
        match $stage {
            Stage::First => {
                let $search = $first;
                $body
            }
            Stage::Second => {
                let $search = $second;
                $body
            }
        }
    };
}

impl<A: Search<Candidate = Subset>, B: ListSearch> Sequence<A, B> {
    /// Runs `first`, then `second` from its result. `second` is restarted, so its state does not
    /// matter.
    pub fn new(first: A, second: B) -> Self {
        let mut both = Self {
            first,
            second,
            stage: Stage::First,
        };
        both.advance();
        both
    }

    fn advance(&mut self) {
        if self.stage == Stage::First && self.first.ask().is_none() {
            self.stage = Stage::Second;
            self.second.restart(self.first.best());
        }
    }
}

impl<A: Search<Candidate = Subset>, B: ListSearch> Search for Sequence<A, B> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        at_stage!(self.stage, &self.first, &self.second, search => search.ask())
    }

    fn tell(&mut self, verdict: Verdict) {
        at_stage!(self.stage, &mut self.first, &mut self.second, search => search.tell(verdict));
        self.advance();
    }

    fn skip(&mut self) {
        at_stage!(self.stage, &mut self.first, &mut self.second, search => search.skip());
        self.advance();
    }

    fn best(&self) -> Subset {
        at_stage!(self.stage, &self.first, &self.second, search => search.best())
    }
}

impl<A: ListSearch, B: ListSearch> ListSearch for Sequence<A, B> {
    fn restart(&mut self, best: Subset) {
        self.first.restart(best);
        self.stage = Stage::First;
        self.advance();
    }
}

/// Restarts a search from its own result until a whole run has no hit.
#[derive(Debug, Clone)]
pub struct Fixpoint<S> {
    inner: S,
    /// Whether this run has had a hit.
    improved: bool,
}

impl<S: ListSearch> Fixpoint<S> {
    /// Repeats `inner`.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            improved: false,
        }
    }

    fn advance(&mut self) {
        if self.improved && self.inner.ask().is_none() {
            self.improved = false;
            self.inner.restart(self.inner.best());
        }
    }
}

impl<S: ListSearch> Search for Fixpoint<S> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.inner.ask()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.improved |= verdict.is_interesting();
        self.inner.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.inner.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.inner.best()
    }
}

impl<S: ListSearch> ListSearch for Fixpoint<S> {
    fn restart(&mut self, best: Subset) {
        self.improved = false;
        self.inner.restart(best);
    }
}

/// Runs the preferred search, and another one only if the preferred search never had a hit.
#[derive(Debug, Clone)]
pub struct FirstThatWorks<A, B> {
    preferred: A,
    otherwise: B,
    stage: Stage,
    /// Whether the preferred search has had a hit, so that the other search is not needed.
    works: bool,
}

impl<A: Search<Candidate = Subset>, B: ListSearch> FirstThatWorks<A, B> {
    /// Runs `preferred` to its end; if it never had a hit, runs `otherwise`. `otherwise` is
    /// restarted, so its state does not matter.
    pub fn new(preferred: A, otherwise: B) -> Self {
        let mut both = Self {
            preferred,
            otherwise,
            stage: Stage::First,
            works: false,
        };
        both.advance();
        both
    }

    fn advance(&mut self) {
        if self.stage == Stage::First && !self.works && self.preferred.ask().is_none() {
            self.stage = Stage::Second;
            self.otherwise.restart(self.preferred.best());
        }
    }
}

impl<A: Search<Candidate = Subset>, B: ListSearch> Search for FirstThatWorks<A, B> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        at_stage!(self.stage, &self.preferred, &self.otherwise, search => search.ask())
    }

    fn tell(&mut self, verdict: Verdict) {
        match self.stage {
            Stage::First => {
                self.works |= verdict.is_interesting();
                self.preferred.tell(verdict);
            }
            Stage::Second => self.otherwise.tell(verdict),
        }
        self.advance();
    }

    fn skip(&mut self) {
        at_stage!(self.stage, &mut self.preferred, &mut self.otherwise, search => search.skip());
        self.advance();
    }

    fn best(&self) -> Subset {
        at_stage!(self.stage, &self.preferred, &self.otherwise, search => search.best())
    }
}

impl<A: ListSearch, B: ListSearch> ListSearch for FirstThatWorks<A, B> {
    fn restart(&mut self, best: Subset) {
        self.preferred.restart(best);
        self.stage = Stage::First;
        self.works = false;
        self.advance();
    }
}
