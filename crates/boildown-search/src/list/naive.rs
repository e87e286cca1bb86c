//! The reference: single deletions, from the beginning again after each.

use std::sync::Arc;

use super::List;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Removes one element at a time, and starts again at the first element after each.
///
/// The textbook's way to a 1-minimal list: something to compare the others with, and short enough to be believed.
/// [`Sweep`](super::Sweep) has the same guarantee for fewer questions.
///
/// # Guarantee
/// 1-minimal: dropping any single kept element was answered `Uninteresting` or `Unresolved`.
/// # Cost
/// At most n(n + 1) / 2 questions for n elements: that many when only the last remaining element can ever go. `tell` is O(n)
/// on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// The algorithm that lectures on delta debugging begin with (`find_1_minimal`), with its recursion as a loop.
#[derive(Debug, Clone)]
pub struct Naive {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The place in `items` of the element to be dropped next; finished at its end.
    at: usize,
    rate: HitRate,
}

impl Naive {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self {
            items: list.kept.iter().collect(),
            kept: list.kept,
            at: 0,
            rate: HitRate::new(0.1),
        }
    }
}

impl Search for Naive {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.items.get(self.at).map(|&element| Question {
            candidate: self.kept.without([element..element + 1]),
            odds: self.rate.odds(),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.rate.learn(verdict.into());
        if verdict.is_interesting() {
            let element = self.items[self.at];
            let mut kept = self.kept.without([element..element + 1]);
            kept.commit();
            self.restart(kept);
        } else {
            self.at += 1;
        }
    }

    fn skip(&mut self) {
        self.at += 1;
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Naive {}

impl Restart for Naive {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::trace;

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
        // Only the last one of what is left can ever go.
        let prefix = |kept: &[usize]| {
            kept.iter()
                .zip(1..)
                .all(|(&element, place)| element == place)
        };
        let (asked, left) = trace(Naive::on(List::uniform(10)), prefix);
        assert_eq!(asked.len(), 10 * 11 / 2);
        assert_eq!(left, []);
    }
}
