//! The verdict: the meaning of a run to a search.

/// The answer to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The property holds on the candidate.
    Interesting,
    /// The property does not hold on the candidate.
    Uninteresting,
    /// The candidate could not be judged: it does not build, or the test cannot tell. List searches
    /// treat it as a miss; the dd family distinguishes it.
    Unresolved,
}

impl Verdict {
    /// Returns whether the property held.
    #[must_use]
    pub fn is_interesting(self) -> bool {
        self == Self::Interesting
    }
}
