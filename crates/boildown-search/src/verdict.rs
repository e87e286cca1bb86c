//! What a run means to a search.

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The property holds on the candidate.
    Interesting,
    /// The property does not hold on the candidate.
    Uninteresting,
    /// Nobody can tell: the candidate could not be judged. Minimisers treat it as a miss; the dd family tells it apart.
    Unresolved,
}

impl Verdict {
    /// Returns whether the property held.
    #[must_use]
    pub fn is_interesting(self) -> bool {
        self == Self::Interesting
    }
}
