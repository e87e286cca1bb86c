//! What a search of changes decided, step by step.

use rpds::VectorSync;

use super::Changes;
use crate::Subset;

/// One decision of a search: what a user may be told about how it got there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What was decided.
    pub case: Case,
    /// The changes that were searched.
    pub searched: Changes,
    /// Those of them that the decision names.
    pub part: Changes,
    /// The configuration that was searched: the changes searched and those that stayed applied meanwhile.
    pub within: Subset,
}

impl Step {
    /// Returns the changes searched that the decision does not name: the other side of an interference, say.
    #[must_use]
    pub fn rest(&self) -> Changes {
        self.searched.without(&self.part)
    }

    /// Returns the changes that stayed applied while the others were searched.
    #[must_use]
    pub fn applied(&self) -> Subset {
        self.within.without(self.searched.runs())
    }
}

/// What a search of changes decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Case {
    /// One change is left, and it is to blame.
    Found,
    /// The part fails with what stays applied and without the rest: the search goes on in the part.
    FoundIn,
    /// The other half did not fail: the search goes on in this one, which was not asked about.
    ByElimination,
    /// Neither the part nor the rest fails alone, but they fail together: each is searched while the other stays applied.
    Interference,
    /// The rest passes and the part cannot be judged without it: the part is searched while the rest stays applied.
    Preference,
    /// Nothing was decided: the search goes on in the part, in more and smaller pieces.
    TryAgain,
    /// The pieces cannot get smaller: the part is all that can be told.
    NothingLeft,
    /// A smaller configuration fails: the difference shrinks to the part.
    SmallerFailing,
    /// A larger configuration passes: the difference shrinks to the part.
    LargerPassing,
}

/// The steps of a search: cheap to clone.
pub(super) type History = VectorSync<Step>;

/// The union of everything blamed, as a subset of the original list of `start`.
pub(super) fn blamed(history: &History, start: &Subset) -> Subset {
    let ends = (history.iter()).filter(|step| matches!(step.case, Case::Found | Case::NothingLeft));
    let nothing = start.without([0..start.universe()]);
    nothing.with(ends.flat_map(|step| step.part.runs()))
}
