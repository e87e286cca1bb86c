//! The `Search` trait, which everything is built on.

use crate::{Fingerprint, Verdict};

/// A candidate that a search wants a verdict on.
#[derive(Debug, Clone)]
pub struct Query<C> {
    /// The candidate to test.
    pub candidate: C,
    /// The estimated probability, in `0.0..=1.0`, of the verdict `Interesting`. It only steers
    /// speculation: a wrong estimate costs time and never changes the result.
    pub odds: f64,
}

impl<C> Query<C> {
    /// Converts the candidate and keeps the odds.
    pub fn map<D>(self, convert: impl FnOnce(C) -> D) -> Query<D> {
        Query {
            candidate: convert(self.candidate),
            odds: self.odds,
        }
    }
}

/// A search algorithm as a state machine that asks queries and is told verdicts.
///
/// A search does no I/O and uses no clock, thread or environment. It starts from a candidate that
/// is known to be interesting and ends after finitely many answers, whatever they are. Cloning is
/// cheap: the planner clones a search to find out what it would ask next.
///
/// A driver repeats three steps: [`ask`](Self::ask) for the next query, test its candidate,
/// [`tell`](Self::tell) the verdict. A query that is not worth a test is passed over with
/// [`skip`](Self::skip).
///
/// The way from one query to the next may be long: inputs are read, candidates are parsed. A search
/// for which that matters does it in steps ([`is_ready`](Self::is_ready),
/// [`prepare`](Self::prepare)), so that its driver can stop between two of them.
pub trait Search: Clone {
    /// The type of the candidates.
    type Candidate: Clone;

    /// Returns whether the next query is known. If not, [`prepare`](Self::prepare) has to be called
    /// first, and `ask` returns `None` although the search is not finished.
    fn is_ready(&self) -> bool {
        true
    }

    /// Does one step of the work that leads to the next query. Does nothing when it is known.
    fn prepare(&mut self) {}

    /// Returns whether the next step of [`prepare`](Self::prepare) begins work that takes as long,
    /// or as much memory, as finding many queries, such as reading a large input. Speculation does
    /// that only where it is likely to be needed.
    fn is_costly_to_prepare(&self) -> bool {
        false
    }

    /// Returns the next query, or `None` when the search is finished. Pure: returns the same query
    /// until `tell` or `skip`.
    fn ask(&self) -> Option<Query<Self::Candidate>>;

    /// Identifies what the query of [`ask`](Self::ask) does to the best candidate, if the search
    /// can tell: the same deletion or replacement has the same identity on any base. It only steers
    /// speculation: what was answered on one base is a good guess for another.
    fn edit(&self) -> Option<Fingerprint> {
        None
    }

    /// Records the verdict on the query of `ask`. The search need not be ready afterwards.
    ///
    /// # Panics
    /// May panic when `ask` returns `None`.
    fn tell(&mut self, verdict: Verdict);

    /// Skips the query of `ask` without a verdict: the candidate does not parse, or was tested
    /// before. Advances as after a miss, but must not update statistics.
    ///
    /// # Panics
    /// May panic when `ask` returns `None`.
    fn skip(&mut self);

    /// Returns the smallest candidate known to be interesting: the start, or one that was told
    /// `Interesting`.
    fn best(&self) -> Self::Candidate;
}
