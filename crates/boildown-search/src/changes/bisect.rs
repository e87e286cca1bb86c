//! Bisection of a history past configurations that cannot be judged.

use rpds::RedBlackTreeSetSync;

use super::ChangeList;
use super::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use super::decisions::{Decision, DecisionKind, History};
use crate::{Subset, Verdict};

/// Bisects a history: halves it until the change is found after which it fails, past configurations
/// that cannot be judged.
///
/// Asks about prefixes of the history only, since a state that once existed is likelier to build
/// than any other set of changes. If the middle prefix is unresolved, the next prefixes to be
/// tested are 1, 2, 4, … changes shorter and longer, and then all others between the two ends.
///
/// For example, the sixth of 10 changes causes the failure, and the prefix of 5 changes cannot be
/// judged. The tested prefixes are 5 (unresolved), 4 (passes), 7 (fails) and 6 (fails), so the
/// fifth or the sixth change is the culprit.
///
/// # Guarantee
/// The prefix of [`passing`](Self::passing) changes was told `Uninteresting`, or is empty; that of
/// [`failing`](Self::failing) changes was told `Interesting`, or is the whole history. All prefixes
/// between the two are unresolved, so they differ by one change if no prefix is.
/// # Cost
/// At most ⌈log₂ n⌉ queries for n changes if none is unresolved, n − 1 in the worst case.
/// # Units
/// Elements are indices into the list of changes, the oldest first; they are never renumbered.
/// # Source
/// As `git bisect` on a history without branches. Git chooses at random among the commits near one
/// that cannot be tested.
/// # Example
/// ```
/// use boildown_search::changes::Bisect;
/// use boildown_search::{Verdict, run};
///
/// let search = run(Bisect::over_prefixes(10), |applied| match applied.count() {
///     6.. => Verdict::Interesting,
///     4 => Verdict::Unresolved,
///     _ => Verdict::Uninteresting,
/// });
/// assert_eq!((search.passing(), search.failing()), (5, 6));
/// ```
#[derive(Debug, Clone)]
pub struct Bisect {
    search: AskOnce<BisectState>,
}

#[derive(Debug, Clone)]
struct BisectState {
    all: Subset,
    passing: usize,
    /// Invariant: greater than `passing`, unless there are no changes.
    failing: usize,
    unresolved: RedBlackTreeSetSync<usize>,
    history: History,
}

impl BisectState {
    /// Returns the length of the prefix to test next.
    fn next(&self) -> Option<usize> {
        let open = |length: &usize| {
            self.passing < *length && *length < self.failing && !self.unresolved.contains(length)
        };
        let middle = usize::midpoint(self.passing, self.failing);
        let around = |distance: usize| [middle.checked_sub(distance), middle.checked_add(distance)];
        let widening = std::iter::successors(Some(1_usize), |distance| distance.checked_mul(2))
            .take_while(|distance| *distance < self.failing - self.passing);
        let all = 1..self.failing - self.passing;
        (std::iter::once(0).chain(widening).chain(all))
            .flat_map(around)
            .flatten()
            .find(open)
    }

    fn note(&mut self, kind: DecisionKind, length: usize) {
        let searched: ChangeList = (self.passing..self.failing).collect();
        let part = match kind {
            DecisionKind::SmallerFailing => (self.passing..length).collect(),
            _ => (length..self.failing).collect(),
        };
        self.history.push_back_mut(Decision {
            kind,
            part,
            searched,
            within: self.all.only(0..self.failing),
        });
    }
}

impl ConfigurationSearch for BisectState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        Some(ConfigurationQuery {
            candidate: self.all.only(0..self.next()?),
            kind: ConfigurationKind::Part,
        })
    }

    fn record(&mut self, verdict: Verdict) {
        let Some(length) = self.next() else {
            return;
        };
        match verdict {
            Verdict::Interesting => {
                self.note(DecisionKind::SmallerFailing, length);
                self.failing = length;
            }
            Verdict::Uninteresting => {
                self.note(DecisionKind::LargerPassing, length);
                self.passing = length;
            }
            Verdict::Unresolved => self.unresolved.insert_mut(length),
        }
    }
}

impl Bisect {
    /// Starts from a history of this many changes. The empty prefix passes, the whole history
    /// fails.
    #[must_use]
    pub fn over_prefixes(changes: usize) -> Self {
        let all = Subset::full(changes);
        let state = BisectState {
            all: all.clone(),
            passing: 0,
            failing: changes,
            unresolved: RedBlackTreeSetSync::new_sync(),
            history: History::new_sync(),
        };
        Self {
            search: AskOnce::new(state, all, [0.5, 0.5]),
        }
    }

    /// Returns the length of the longest prefix known to pass.
    #[must_use]
    pub fn passing(&self) -> usize {
        self.search.inner().passing
    }

    /// Returns the length of the shortest prefix known to fail.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.search.inner().failing
    }
}

search_by_ask_once!(Bisect);

#[cfg(test)]
mod tests {
    use super::super::testing::trace;
    use super::*;

    fn judge(first_bad: usize, unresolved: &[usize]) -> impl Fn(&Subset) -> Verdict {
        move |set| match set.count() {
            length if unresolved.contains(&length) => Verdict::Unresolved,
            length if length >= first_bad => Verdict::Interesting,
            _ => Verdict::Uninteresting,
        }
    }

    #[test]
    fn every_first_bad_change_is_found_in_logarithmically_many_queries() {
        for first_bad in 1..=100 {
            let (search, asked) = trace(Bisect::over_prefixes(100), judge(first_bad, &[]));
            assert_eq!(
                (search.passing(), search.failing()),
                (first_bad - 1, first_bad)
            );
            assert!(asked.matches(['✓', '✗']).count() <= 7);
        }
    }

    #[test]
    fn only_unresolved_prefixes_are_left_between_passing_and_failing() {
        for first_bad in 1..=30 {
            let unresolved: Vec<usize> = (10..=19).collect();
            let (search, asked) = trace(Bisect::over_prefixes(30), judge(first_bad, &unresolved));
            let (passing, failing) = (search.passing(), search.failing());
            assert!(passing < first_bad && first_bad <= failing, "{first_bad}");
            let between = (passing + 1..failing).collect::<Vec<_>>();
            assert!(between.is_empty() || between == unresolved, "{first_bad}");
            assert!(asked.matches('?').count() <= 10, "{asked}");
        }
    }

    #[test]
    fn a_single_change_needs_no_query() {
        assert_eq!(trace(Bisect::over_prefixes(1), judge(1, &[])).1, "");
        assert_eq!(trace(Bisect::over_prefixes(0), judge(0, &[])).1, "");
    }

    #[test]
    fn if_every_prefix_is_unresolved_each_is_asked_about_once() {
        let (search, asked) = trace(Bisect::over_prefixes(9), |_| Verdict::Unresolved);
        assert_eq!((search.passing(), search.failing()), (0, 9));
        assert_eq!(asked.matches('?').count(), 8);
    }
}
