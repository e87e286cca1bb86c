//! Searches made of searches.

use std::num::NonZeroUsize;

use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// One search after another: the second starts from what the first left.
#[derive(Debug, Clone)]
pub struct Sequence<A, B> {
    first: A,
    second: B,
    stage: Stage,
}

/// Which part of a combinator is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    Second,
}

impl<C: Clone, A: Search<Candidate = C>, B: Restart<Candidate = C>> Sequence<A, B> {
    /// Runs `first`, then `second` from its result. The state that `second` is in does not matter: it is restarted.
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

impl<C: Clone, A: Search<Candidate = C>, B: Restart<Candidate = C>> Search for Sequence<A, B> {
    type Candidate = C;

    fn ask(&self) -> Option<Question<C>> {
        match self.stage {
            Stage::First => self.first.ask(),
            Stage::Second => self.second.ask(),
        }
    }

    fn certain(&self) -> Vec<Question<C>> {
        match self.stage {
            Stage::First => self.first.certain(),
            Stage::Second => self.second.certain(),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        match self.stage {
            Stage::First => self.first.tell(verdict),
            Stage::Second => self.second.tell(verdict),
        }
        self.advance();
    }

    fn skip(&mut self) {
        match self.stage {
            Stage::First => self.first.skip(),
            Stage::Second => self.second.skip(),
        }
        self.advance();
    }

    fn best(&self) -> C {
        match self.stage {
            Stage::First => self.first.best(),
            Stage::Second => self.second.best(),
        }
    }
}

impl<C: Clone, A: Restart<Candidate = C>, B: Restart<Candidate = C>> Restart for Sequence<A, B> {
    fn restart(&mut self, best: C) {
        self.first.restart(best);
        self.stage = Stage::First;
        self.advance();
    }
}

impl<A, B> Wide for Sequence<A, B>
where
    A: Wide,
    B: Wide + Restart<Candidate = Subset>,
{
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        match self.stage {
            Stage::First => self.first.pending(width),
            Stage::Second => self.second.pending(width),
        }
    }

    fn union(&self, asked: &[Question<Subset>], places: &[usize]) -> Subset {
        match self.stage {
            Stage::First => self.first.union(asked, places),
            Stage::Second => self.second.union(asked, places),
        }
    }

    fn settle(&mut self, fates: &[Fate]) {
        match self.stage {
            Stage::First => self.first.settle(fates),
            Stage::Second => self.second.settle(fates),
        }
        self.advance();
    }
}

/// A search run again from its own result until a whole run has no hit.
#[derive(Debug, Clone)]
pub struct Fixpoint<S> {
    inner: S,
    /// Whether this run has hit.
    improved: bool,
}

impl<S: Restart> Fixpoint<S> {
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

impl<S: Restart> Search for Fixpoint<S> {
    type Candidate = S::Candidate;

    fn ask(&self) -> Option<Question<S::Candidate>> {
        self.inner.ask()
    }

    fn certain(&self) -> Vec<Question<S::Candidate>> {
        self.inner.certain()
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

    fn best(&self) -> S::Candidate {
        self.inner.best()
    }
}

impl<S: Restart> Restart for Fixpoint<S> {
    fn restart(&mut self, best: S::Candidate) {
        self.improved = false;
        self.inner.restart(best);
    }
}

impl<S: Wide + Restart<Candidate = Subset>> Wide for Fixpoint<S> {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        self.inner.pending(width)
    }

    fn union(&self, asked: &[Question<Subset>], places: &[usize]) -> Subset {
        self.inner.union(asked, places)
    }

    fn settle(&mut self, fates: &[Fate]) {
        self.improved |= fates.contains(&Fate::Told(Verdict::Interesting));
        self.inner.settle(fates);
        self.advance();
    }
}

/// Alternatives in order: each is run until something hits; the first that hits is the last that runs.
#[derive(Debug, Clone)]
pub struct FirstThatWorks<A, B> {
    preferred: A,
    otherwise: B,
    stage: Stage,
    /// Whether the preferred search has hit, so that the other one is not needed.
    works: bool,
}

impl<C: Clone, A: Search<Candidate = C>, B: Restart<Candidate = C>> FirstThatWorks<A, B> {
    /// Runs `preferred` to its end; if it never hit, runs `otherwise`. The state that `otherwise` is in does not matter.
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

impl<C: Clone, A: Search<Candidate = C>, B: Restart<Candidate = C>> Search
    for FirstThatWorks<A, B>
{
    type Candidate = C;

    fn ask(&self) -> Option<Question<C>> {
        match self.stage {
            Stage::First => self.preferred.ask(),
            Stage::Second => self.otherwise.ask(),
        }
    }

    fn certain(&self) -> Vec<Question<C>> {
        match self.stage {
            Stage::First => self.preferred.certain(),
            Stage::Second => self.otherwise.certain(),
        }
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
        match self.stage {
            Stage::First => self.preferred.skip(),
            Stage::Second => self.otherwise.skip(),
        }
        self.advance();
    }

    fn best(&self) -> C {
        match self.stage {
            Stage::First => self.preferred.best(),
            Stage::Second => self.otherwise.best(),
        }
    }
}

impl<C: Clone, A: Restart<Candidate = C>, B: Restart<Candidate = C>> Restart
    for FirstThatWorks<A, B>
{
    fn restart(&mut self, best: C) {
        self.preferred.restart(best);
        self.stage = Stage::First;
        self.works = false;
        self.advance();
    }
}
