//! The one trait everything is built on.

use crate::Verdict;

/// A candidate that a search wants a verdict on.
#[derive(Debug, Clone)]
pub struct Question<C> {
    /// What is to be tested.
    pub candidate: C,
    /// The estimated probability, in `0.0..=1.0`, that the answer will be `Interesting`. Steers speculation only: a wrong
    /// estimate costs time, never a different result.
    pub odds: f64,
}

impl<C> Question<C> {
    /// Returns the same question about another form of the candidate.
    pub fn map<D>(self, form: impl FnOnce(C) -> D) -> Question<D> {
        Question {
            candidate: form(self.candidate),
            odds: self.odds,
        }
    }
}

/// A search, as a machine that asks questions and hears verdicts.
///
/// A machine does no I/O and knows no clock, thread or environment. It starts from a candidate that is known to be
/// interesting and ends after finitely many answers, whatever they are. Cloning is cheap: the planner clones a machine to
/// find out what it would ask next.
pub trait Search: Clone {
    /// What the machine asks about.
    type Candidate: Clone;

    /// Returns the next question, or `None` when the search is finished. Pure: the same answer until `tell` or `skip`.
    fn ask(&self) -> Option<Question<Self::Candidate>>;

    /// Returns the questions that come next whatever the verdicts on them will be, in the order in which they are asked; the first
    /// is `ask`'s. More than one when deletions that have nothing to do with each other are asked about together.
    fn certain(&self) -> Vec<Question<Self::Candidate>> {
        self.ask().into_iter().collect()
    }

    /// Hears the verdict on the question that `ask` returned.
    ///
    /// # Panics
    /// May panic when `ask` returns `None`.
    fn tell(&mut self, verdict: Verdict);

    /// Hears that the question was not worth asking: it does not parse, or it repeats an older one. The machine moves on
    /// as if it had missed, and learns nothing from it.
    ///
    /// # Panics
    /// May panic when `ask` returns `None`.
    fn skip(&mut self);

    /// Returns the smallest candidate known to be interesting: the start, or one that was told `Interesting`.
    fn best(&self) -> Self::Candidate;
}

/// A search that can be started again from another candidate. Combinators are built on it.
pub trait Restart: Search {
    /// Forgets all progress and starts from `best`, which is known to be interesting. What was learned about hit rates may stay.
    fn restart(&mut self, best: Self::Candidate);
}
