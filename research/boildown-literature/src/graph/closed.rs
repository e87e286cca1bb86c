//! Closed deletions for any list search: they include everything that requires a deleted element.

use boildown_search::algorithms::{Entry, Family};
use boildown_search::graph::Requirements;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Runs a list search over closed sets: deleting an element also deletes everything that requires
/// it, directly or through others.
///
/// Each candidate of the search inside is shrunk to its largest closed subset. If that leaves the
/// best set unchanged, because everything that it deletes was already deleted along with other
/// elements, the search inside is told `Interesting` without a query.
///
/// # Guarantee
/// That of the search inside, over closed deletions. If the search is 1-minimal, the deletion of
/// any element of the result with everything that requires it was answered `Uninteresting` or
/// `Unresolved`. Every candidate is closed among the elements of the start.
/// # Cost
/// At most the queries of the search inside. `tell` takes time proportional to the deleted elements
/// and those that require them, and O(n / 64) if elements are deleted along with others.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019: the valid
/// inputs are the closed sets. There delta debugging runs over closures to be kept; here the
/// deletions of any search are extended.
/// # Example
/// ```
/// use boildown_literature::graph::Closed;
/// use boildown_search::graph::Requirements;
/// use boildown_search::list::{List, Sweep};
/// use boildown_search::{Search as _, run, Verdict};
///
/// // 1 and 2 require 0, so the deletion of 0 includes both.
/// let requirements = Requirements::new(4, [(1, 0), (2, 0)]);
/// let sweep = Closed::new(Sweep::on(List::uniform(4)), requirements);
/// let sweep = run(sweep, |kept| match kept.contains(3) && kept.count() != 3 {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// assert_eq!(sweep.best().iter().collect::<Vec<_>>(), [3]);
/// ```
#[derive(Debug, Clone)]
pub struct Closed<S> {
    /// The search inside. Its best set includes `best`; the other elements in it were deleted along
    /// with others, and it was not told so.
    search: S,
    requirements: Requirements,
    best: Subset,
    /// The current query, about a closed set that is smaller than `best`. `None` when finished.
    query: Option<Query<Subset>>,
}

impl<S: Search<Candidate = Subset>> Closed<S> {
    /// Makes the deletions of `search` closed. It has to be at its start.
    pub fn new(search: S, requirements: Requirements) -> Self {
        let mut closed = Self {
            best: search.best(),
            search,
            requirements,
            query: None,
        };
        closed.advance();
        closed
    }

    /// Returns the search inside, which was told everything so far.
    pub fn inner(&self) -> &S {
        &self.search
    }

    /// Returns the query with the largest closed subset of its candidate, or `None` if it deletes
    /// nothing from the best set.
    fn close(&self, query: &Query<Subset>) -> Option<Query<Subset>> {
        let kept = query.candidate.intersection([&self.best]);
        if self.best.lost_in(&kept).is_empty() {
            return None;
        }
        Some(Query {
            candidate: self.requirements.largest_closed_in(&kept, &self.best),
            odds: query.odds,
        })
    }

    /// Moves to the next query that deletes something. Terminates, since every search ends whatever
    /// it is told.
    fn advance(&mut self) {
        loop {
            let Some(query) = self.search.ask() else {
                self.query = None;
                return;
            };
            self.query = self.close(&query);
            if self.query.is_some() {
                return;
            }
            self.search.tell(Verdict::Interesting);
            self.adopt_search_best();
        }
    }

    /// Takes over the best set of the search inside if it has the same elements: candidates that
    /// share its representation are cheap.
    fn adopt_search_best(&mut self) {
        let known = self.search.best();
        if known.lost_in(&self.best).is_empty() {
            self.best = known;
        }
        self.best.commit();
    }
}

impl<S: Search<Candidate = Subset>> Search for Closed<S> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.query.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.search.tell(verdict);
        if verdict.is_interesting() {
            let query = self.query.take();
            self.best = query.expect("a verdict is told only on a query").candidate;
            self.adopt_search_best();
        }
        self.advance();
    }

    fn skip(&mut self) {
        self.search.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

impl<S: ListSearch> ListSearch for Closed<S> {
    fn restart(&mut self, best: Subset) {
        self.search.restart(best.clone());
        self.best = best;
        self.advance();
    }
}

impl<S> Closed<S> {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "closed",
        family: Family::Requirements,
        parameters: "",
        guarantee: "that of the list algorithm, over deletions that include everything that requires \
            a deleted element",
        cost: "at most the queries of the list algorithm",
        source: "after J-Reduce",
    };
}

#[cfg(test)]
mod tests {
    use boildown_search::list::testing::kept_sets;
    use boildown_search::list::{Halving, List, Sweep};

    use super::*;

    #[test]
    fn elements_deleted_along_are_not_asked_about() {
        // 0 and 3 require each other, 2 requires 1.
        let requirements = Requirements::new(5, [(0, 3), (3, 0), (2, 1)]);
        let sweep = Closed::new(Sweep::on(List::uniform(5)), requirements);
        let (asked, left) = kept_sets(sweep, |kept| kept.contains(&4));
        let expected: [&[usize]; 5] = [
            &[0, 1, 2, 3],
            &[1, 2, 4],
            &[1, 4],
            &[4],
            // 0 was deleted with 3; the sweep continues with the last element, 4.
            &[],
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [4]);
    }

    #[test]
    fn users_are_deleted_with_their_definition() {
        // 2..8 require 0, which is asked about last; 1 is needed.
        let requirements = Requirements::new(8, (2..8).map(|user| (user, 0)));
        let (asked, left) = kept_sets(
            Closed::new(Halving::on(List::uniform(8)), requirements),
            |kept| kept.contains(&1) && !(2..7).all(|element| kept.contains(&element)),
        );
        assert!(
            asked
                .iter()
                .all(|kept| kept.contains(&0) || kept.iter().all(|element| *element < 2))
        );
        assert_eq!(left, [1]);
    }

    #[test]
    fn a_requirement_for_a_deleted_element_of_the_start_is_void() {
        let requirements = Requirements::new(4, [(3, 0), (2, 1)]);
        let mut closed = Closed::new(Sweep::on(List::uniform(4)), requirements);
        closed.restart(Subset::full(4).without([0..1]));
        let (asked, left) = kept_sets(closed, |kept| kept.contains(&3));
        assert_eq!(asked, [vec![1, 2], vec![1, 3], vec![3], vec![]]);
        assert_eq!(left, [3]);
    }
}
