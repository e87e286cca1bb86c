//! Adaptive deletion: deletes runs of neighbours, and doubles their length while that succeeds.

use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::algorithms::{Entry, Family, Registered};
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes runs of neighbours, right to left, and doubles their length while that succeeds.
///
/// At each position it tries to delete a run of 1, 2, 3 and 4 elements. While that succeeds it
/// doubles the length; on the first miss it bisects for the longest run that can be deleted. The
/// element before that run is needed, and the next run ends before it.
///
/// For example, if the last seven elements can be deleted, the runs that are tried have the lengths
/// 1, 2, 3, 4, 5 (hits), 10 (miss), 7 (hit), 8 (miss).
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone and unambiguous. It is
/// 1-minimal only when followed by [`Sweep`](super::Sweep).
/// # Cost
/// One query for each needed element and O(log k) for a removable run of k elements: about n if
/// nothing can be deleted.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// D. R. MacIver, A. F. Donaldson, *Test-Case Reduction via Test-Case Generation*, ECOOP 2020
/// (`find_integer` and adaptive deletion of Hypothesis).
#[derive(Debug, Clone)]
pub struct Adaptive {
    kept: Subset,
    /// The elements kept at the start, in order.
    items: Arc<[usize]>,
    /// The run under trial ends before this position in `items`. Invariant: everything from here on
    /// is decided.
    end: usize,
    run_search: RunSearch,
}

/// The state of the search for the longest removable run. The last `deletable` elements before
/// `end` are already deleted.
#[derive(Debug, Clone, Copy)]
enum RunSearch {
    /// Tries a run of `deletable + 1` elements, at most 4.
    Linear { deletable: usize },
    /// A run of `deletable` elements can be deleted; tries one of `next`.
    Gallop { deletable: usize, next: usize },
    /// A run of `deletable` elements can be deleted, one of `fails > deletable` cannot; tries the
    /// middle.
    Bisect { deletable: usize, fails: usize },
}

impl Adaptive {
    /// The longest run that is reached one element at a time, before doubling.
    const LINEAR: usize = 4;

    fn deletable(&self) -> usize {
        match self.run_search {
            RunSearch::Linear { deletable }
            | RunSearch::Gallop { deletable, .. }
            | RunSearch::Bisect { deletable, .. } => deletable,
        }
    }

    fn tried_length(&self) -> usize {
        match self.run_search {
            RunSearch::Linear { deletable } => deletable + 1,
            RunSearch::Gallop { next, .. } => next,
            RunSearch::Bisect { deletable, fails } => deletable.midpoint(fails),
        }
    }

    fn tried_range(&self) -> Range<usize> {
        self.items[self.end - self.tried_length()]..self.items[self.end - 1] + 1
    }

    /// Advances after the run under trial could be deleted (`worked`) or could not, past everything
    /// that needs no query.
    fn step(&mut self, worked: bool) {
        let tried_length = self.tried_length();
        self.run_search = match (self.run_search, worked) {
            (RunSearch::Linear { .. }, true) if tried_length < Self::LINEAR => RunSearch::Linear {
                deletable: tried_length,
            },
            (RunSearch::Linear { .. }, true) => RunSearch::Gallop {
                deletable: tried_length,
                next: tried_length + 1,
            },
            (RunSearch::Gallop { .. }, true) => RunSearch::Gallop {
                deletable: tried_length,
                next: tried_length * 2,
            },
            (RunSearch::Bisect { fails, .. }, true) => RunSearch::Bisect {
                deletable: tried_length,
                fails,
            },
            (
                RunSearch::Linear { deletable }
                | RunSearch::Gallop { deletable, .. }
                | RunSearch::Bisect { deletable, .. },
                false,
            ) => RunSearch::Bisect {
                deletable,
                fails: tried_length,
            },
        };
        // No run reaches beyond the front of the list: that needs no query.
        if self.tried_length() > self.end {
            self.run_search = RunSearch::Bisect {
                deletable: self.deletable(),
                fails: self.end + 1,
            };
        }
        if let RunSearch::Bisect { deletable, fails } = self.run_search
            && deletable + 1 >= fails
        {
            self.end = self.end.saturating_sub(fails);
            self.run_search = RunSearch::Linear { deletable: 0 };
        }
    }
}

impl Adaptive {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut search = Self {
            kept: list.kept,
            items: Arc::new([]),
            end: 0,
            run_search: RunSearch::Linear { deletable: 0 },
        };
        search.restart(search.best());
        search
    }
}

impl Search for Adaptive {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        (self.end > 0).then(|| Query {
            candidate: self.kept.without([self.tried_range()]),
            odds: match self.run_search {
                RunSearch::Linear { deletable: 0 } => 0.1,
                RunSearch::Linear { .. } | RunSearch::Gallop { .. } => 0.7,
                RunSearch::Bisect { .. } => 0.5,
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if verdict.is_interesting() {
            self.kept = self.kept.without([self.tried_range()]);
            self.kept.commit();
        }
        self.step(verdict.is_interesting());
    }

    fn skip(&mut self) {
        self.step(false);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for Adaptive {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.end = self.items.len();
        self.run_search = RunSearch::Linear { deletable: 0 };
        self.kept = best;
    }
}

impl Registered for Adaptive {
    type Options = ();

    const ENTRY: Entry = Entry {
        name: "adaptive",
        family: Family::List,
        parameters: "",
        guarantee: "minimal if monotone and unambiguous; 1-minimal after a sweep",
        cost: "1 for each needed element, O(log k) for a run of k that can be deleted",
        source: "MacIver, Donaldson: Test-Case Reduction via Test-Case Generation, ECOOP 2020",
    };

    fn start(list: List, (): ()) -> Self {
        Self::on(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queries(n: usize, needed: &[usize]) -> (usize, Vec<usize>) {
        let mut search = Adaptive::on(List::uniform(n));
        let mut count = 0;
        while let Some(query) = search.ask() {
            count += 1;
            let hit = needed
                .iter()
                .all(|&element| query.candidate.contains(element));
            search.tell(if hit {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        (count, search.best().iter().collect())
    }

    #[test]
    fn a_needed_element_costs_one_query() {
        assert_eq!(queries(5, &[0, 1, 2, 3, 4]), (5, vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn a_long_removable_run_costs_a_logarithm() {
        assert_eq!(queries(1000, &[0]), (21, vec![0]));
        assert_eq!(queries(1000, &[]), (21, vec![]));
    }
}
