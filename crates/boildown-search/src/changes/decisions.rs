//! The decisions of a search over changes, in order.

use rpds::VectorSync;

use super::ChangeList;
use crate::Subset;

/// One decision of a search over changes, to explain its result to a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The kind of the decision.
    pub kind: DecisionKind,
    /// The changes that were searched.
    pub searched: ChangeList,
    /// Those of the searched changes that the decision is about.
    pub part: ChangeList,
    /// The configuration that was searched: the searched changes and those that stayed applied.
    pub within: Subset,
}

impl Decision {
    /// Returns the searched changes that are not in `part`: the other side of an interference, for
    /// instance.
    #[must_use]
    pub fn rest(&self) -> ChangeList {
        self.searched.without(&self.part)
    }

    /// Returns the changes that stayed applied while `searched` were searched.
    #[must_use]
    pub fn applied(&self) -> Subset {
        self.within.without(self.searched.runs())
    }
}

/// The kinds of decisions of a search over changes. "Part" is [`Decision::part`], "rest" is
/// [`Decision::rest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecisionKind {
    /// A single change is left, and it is blamed.
    Found,
    /// The part fails without the rest, with the applied changes: the search continues in the part.
    FoundIn,
    /// The rest did not fail: the search continues in the part, which was not tested.
    ByElimination,
    /// Neither the part nor the rest fails alone, but they fail together: each is searched while
    /// the other stays applied.
    Interference,
    /// The rest passes, and the part cannot be judged without it: the part is searched while the
    /// rest stays applied.
    Preference,
    /// No test of the round failed: the search continues in the part, split into smaller pieces.
    TryAgain,
    /// The pieces are single changes already: the part is blamed as a whole.
    NothingLeft,
    /// A smaller configuration fails: the difference shrinks to the part.
    SmallerFailing,
    /// A larger configuration passes: the difference shrinks to the part.
    LargerPassing,
}

/// The decisions of a search. Cheap to clone.
pub(crate) type History = VectorSync<Decision>;

/// Returns the union of all blamed changes, as a subset of the original list of `start`.
pub(crate) fn blamed_changes(history: &History, start: &Subset) -> Subset {
    let ends = (history.iter()).filter(|decision| {
        matches!(
            decision.kind,
            DecisionKind::Found | DecisionKind::NothingLeft
        )
    });
    let nothing = start.without([0..start.universe()]);
    nothing.with(ends.flat_map(|decision| decision.part.runs()))
}
