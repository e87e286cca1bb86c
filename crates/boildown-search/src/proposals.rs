//! The search over candidates that were made elsewhere, such as by another program.

use std::sync::Arc;

use crate::{Query, Search, Verdict};

/// The probability that a proposal is interesting, as far as nothing is known about it.
const ODDS: f64 = 0.2;

/// Asks about proposals in their order, until one is interesting.
///
/// The proposals are data: whatever made them has ended before the search begins.
///
/// # Guarantee
/// The best candidate is the first proposal that was answered `Interesting`, or the start.
/// # Cost
/// At most one query for each proposal.
/// # Example
/// ```
/// use boildown_search::{Proposals, Search, Subset, Verdict, run};
///
/// let all = Subset::full(4);
/// let proposals = [all.without([1..4]), all.without([0..1]), all.without([0..2])];
/// let search = run(Proposals::new(all, proposals), |kept: &Subset| match kept.contains(2) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// assert_eq!((search.best().count(), search.found()), (3, Some(1)));
/// ```
#[derive(Debug, Clone)]
pub struct Proposals<C> {
    start: C,
    proposals: Arc<[C]>,
    /// The proposal that is asked about, or was found.
    next: usize,
    is_found: bool,
}

impl<C> Proposals<C> {
    /// Returns the search over proposals of what a candidate may become.
    pub fn new(start: C, proposals: impl IntoIterator<Item = C>) -> Self {
        Self {
            start,
            proposals: proposals.into_iter().collect(),
            next: 0,
            is_found: false,
        }
    }

    /// Returns the place of the proposal that is interesting, if one was found.
    #[must_use]
    pub fn found(&self) -> Option<usize> {
        self.is_found.then_some(self.next)
    }
}

impl<C: Clone> Search for Proposals<C> {
    type Candidate = C;

    fn ask(&self) -> Option<Query<C>> {
        let candidate = self.proposals.get(self.next)?.clone();
        let query = Query {
            candidate,
            odds: ODDS,
        };
        (!self.is_found).then_some(query)
    }

    fn tell(&mut self, verdict: Verdict) {
        self.is_found = verdict.is_interesting();
        self.next += usize::from(!self.is_found);
    }

    fn skip(&mut self) {
        self.next += 1;
    }

    fn best(&self) -> C {
        match self.found() {
            Some(place) => self.proposals[place].clone(),
            None => self.start.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_interesting_proposal_ends_the_search() {
        let mut search = Proposals::new(0, [1, 2, 3, 4]);
        search.tell(Verdict::Unresolved);
        search.skip();
        assert_eq!(search.ask().unwrap().candidate, 3);
        search.tell(Verdict::Interesting);
        assert!(search.ask().is_none());
        assert_eq!((search.best(), search.found()), (3, Some(2)));
    }

    #[test]
    fn without_an_interesting_proposal_the_start_is_the_best() {
        let mut search = Proposals::new(7, [1]);
        search.tell(Verdict::Uninteresting);
        assert!(search.ask().is_none());
        assert_eq!((search.best(), search.found()), (7, None));
    }
}
