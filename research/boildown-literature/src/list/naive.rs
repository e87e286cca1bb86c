//! Naive minimisation: deletes one element at a time, and starts again after each hit.

use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family, Registered};
use boildown_search::list::List;
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes one element at a time, and starts again at the first element after each hit.
///
/// The textbook algorithm for a 1-minimal list: a reference for the others, short enough to be
/// checked by reading. [`Sweep`](boildown_search::list::Sweep) has the same guarantee for fewer
/// queries.
///
/// # Guarantee
/// 1-minimal: dropping any single kept element was answered `Uninteresting` or `Unresolved`.
/// # Cost
/// At most n(n + 1) / 2 queries for n elements, which happens if only the last remaining element
/// can ever be deleted. `tell` takes O(n) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// The algorithm with which lectures on delta debugging start (`find_1_minimal`), with its
/// recursion as a loop.
#[derive(Debug, Clone)]
pub struct Naive {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The position in `items` of the element to be deleted next; past the end when finished.
    next_index: usize,
    rate: HitRate,
}

impl Naive {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self {
            items: list.kept.iter().collect(),
            kept: list.kept,
            next_index: 0,
            rate: HitRate::new(0.1),
        }
    }
}

impl Search for Naive {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.items.get(self.next_index).map(|&element| Query {
            candidate: self.kept.without([element..element + 1]),
            odds: self.rate.odds(),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.rate.learn(verdict.into());
        if verdict.is_interesting() {
            let element = self.items[self.next_index];
            let mut kept = self.kept.without([element..element + 1]);
            kept.commit();
            self.restart(kept);
        } else {
            self.next_index += 1;
        }
    }

    fn skip(&mut self) {
        self.next_index += 1;
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for Naive {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.next_index = 0;
    }
}

impl Registered for Naive {
    type Options = ();

    const ENTRY: Entry = Entry {
        name: "naive",
        family: Family::List,
        parameters: "",
        guarantee: "1-minimal",
        cost: "O(n^2)",
        source: "textbook; for comparison",
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
    fn after_each_hit_it_starts_again_at_the_first_element() {
        let (asked, left) = trace(Naive::on(List::uniform(3)), |kept| kept.contains(&2));
        assert_eq!(
            asked,
            [
                (vec![2, 3], true),
                (vec![3], false),
                (vec![2], true),
                (vec![], false)
            ]
        );
        assert_eq!(left, [2]);
    }

    #[test]
    fn the_worst_case_is_quadratic() {
        // Only the last remaining element can be deleted.
        let prefix = |kept: &[usize]| {
            kept.iter()
                .zip(1..)
                .all(|(&element, index)| element == index)
        };
        let (asked, left) = trace(Naive::on(List::uniform(10)), prefix);
        assert_eq!(asked.len(), 10 * 11 / 2);
        assert!(left.is_empty());
    }
}
