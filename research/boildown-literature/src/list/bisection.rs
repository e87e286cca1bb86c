//! Bisection: finds a part of a list that is interesting on its own.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family, Registered};
use boildown_search::list::List;
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes one half of the list as long as the other half alone is interesting.
///
/// Tries the first half alone; if that misses, the second half alone. Ends when neither half is
/// interesting.
///
/// # Guarantee
/// Ends with an interesting run of neighbours, neither half of which is interesting alone. Nothing
/// more holds: with two needed elements in different halves it ends at once. A single needed
/// element is found exactly if the oracle is monotone. Never asks about the empty list, and returns
/// a single element without a query.
/// # Cost
/// At most 2 log₂ n queries for n elements. `tell` takes O(1), and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// The manual procedure with which lectures on delta debugging start. They leave open which half is
/// tried first; here the order is that of ddmin with two chunks, whose first queries these are.
/// With an odd number of elements the first half is the smaller one.
#[derive(Debug, Clone)]
pub struct Bisection {
    kept: Subset,
    /// The elements kept at the start, in order.
    items: Arc<[usize]>,
    /// The positions in `items` that are kept.
    span: Range<usize>,
    trial: Trial,
    rate: HitRate,
}

/// The next query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trial {
    FirstHalf,
    SecondHalf,
    /// No query: neither half is interesting, or there is at most one element.
    Finished,
}

impl Bisection {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut search = Self {
            kept: list.kept,
            items: Arc::new([]),
            span: 0..0,
            trial: Trial::Finished,
            rate: HitRate::new(0.5),
        };
        search.restart(search.best());
        search
    }

    /// Returns the half under trial, as positions in `items`.
    fn half(&self) -> Option<Range<usize>> {
        let middle = self.span.start.midpoint(self.span.end);
        match self.trial {
            Trial::FirstHalf => Some(self.span.start..middle),
            Trial::SecondHalf => Some(middle..self.span.end),
            Trial::Finished => None,
        }
    }

    fn candidate(&self, half: &Range<usize>) -> Subset {
        self.kept
            .only(self.items[half.start]..self.items[half.end - 1] + 1)
    }

    fn keep_range(&mut self, span: Range<usize>) {
        self.trial = if span.len() < 2 {
            Trial::Finished
        } else {
            Trial::FirstHalf
        };
        self.span = span;
    }

    fn miss(&mut self) {
        self.trial = match self.trial {
            Trial::FirstHalf => Trial::SecondHalf,
            Trial::SecondHalf | Trial::Finished => Trial::Finished,
        };
    }
}

impl Search for Bisection {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.half().map(|half| Query {
            candidate: self.candidate(&half),
            odds: self.rate.odds(),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.rate.learn(verdict.into());
        match self.half() {
            Some(half) if verdict.is_interesting() => {
                self.kept = self.candidate(&half);
                self.kept.commit();
                self.keep_range(half);
            }
            _ => self.miss(),
        }
    }

    fn skip(&mut self) {
        self.miss();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for Bisection {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.keep_range(0..self.items.len());
    }
}

impl Registered for Bisection {
    type Options = ();

    const ENTRY: Entry = Entry {
        name: "bisection",
        family: Family::List,
        parameters: "",
        guarantee: "an interesting result, nothing more: stops when neither half is interesting",
        cost: "2 log2 n",
        source: "lecture notes; for comparison",
    };

    fn start(list: List, (): ()) -> Self {
        Self::on(list)
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::list::testing::trace;

    use super::*;

    #[test]
    fn one_needed_element_is_found_with_at_most_two_queries_for_each_halving() {
        let (asked, left) = trace(Bisection::on(List::uniform(8)), |kept| kept.contains(&7));
        let expected = [
            (vec![1, 2, 3, 4], false),
            (vec![5, 6, 7, 8], true),
            (vec![5, 6], false),
            (vec![7, 8], true),
            (vec![7], true),
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [7]);
    }

    #[test]
    fn two_needed_elements_in_different_halves_end_the_search() {
        let (asked, left) = trace(Bisection::on(List::uniform(9)), |kept| {
            kept.contains(&1) && kept.contains(&9)
        });
        assert_eq!(
            asked,
            [(vec![1, 2, 3, 4], false), (vec![5, 6, 7, 8, 9], false)]
        );
        assert_eq!(left.len(), 9);
    }
}
