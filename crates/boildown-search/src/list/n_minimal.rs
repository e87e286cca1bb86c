//! Every deletion of a few elements, until none can go: the proof of n-minimality.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::List;
use crate::odds::RatesBySize;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes single elements, then any two, and so on up to n, wherever they are, until none of that can go.
///
/// Finds what must go together and stands apart: a declaration and its use, an opening and its closing bracket. After a hit
/// single elements are tried first again, since they are the cheapest; every size goes on to the left of the last hit, round
/// and round.
///
/// # Guarantee
/// n-minimal: dropping any 1 to n of the kept elements was answered `Uninteresting` or `Unresolved`.
/// # Cost
/// For m elements that stay, about mⁿ / n! questions, and at most as many again for each hit: for pairs, 45 thousand at m = 300. To be run
/// last. Combinations are never listed; `tell` is O(n), and O(m) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// The definition of n-minimality (A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2),
/// 2002), checked by brute force.
#[derive(Debug, Clone)]
pub struct NMinimal {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    most: NonZeroUsize,
    /// The combination to be dropped next, as descending places in `items`; empty when finished.
    places: Vec<usize>,
    /// The leading place with which every size begins. Invariant: a place in `items`, unless that is empty.
    began: usize,
    rates: RatesBySize,
}

impl NMinimal {
    /// Starts on a list, to drop up to `most` elements together.
    #[must_use]
    pub fn with_most(list: List, most: NonZeroUsize) -> Self {
        let mut machine = Self {
            kept: list.kept,
            items: Arc::new([]),
            most,
            places: Vec::new(),
            began: 0,
            rates: RatesBySize::new(0.05),
        };
        machine.restart(machine.best());
        machine
    }

    /// Starts on a list: single elements and pairs.
    #[must_use]
    pub fn on(list: List) -> Self {
        const PAIRS: NonZeroUsize = NonZeroUsize::new(2).expect("2 is not 0");
        Self::with_most(list, PAIRS)
    }

    /// Starts with single elements, at the last one before `end`, or at the very last one when there is none.
    fn begin(&mut self, end: usize) {
        self.items = self.kept.iter().collect();
        let before = self.items.partition_point(|&element| element < end);
        self.began = before
            .checked_sub(1)
            .unwrap_or(self.items.len().saturating_sub(1));
        self.places = if self.items.is_empty() {
            Vec::new()
        } else {
            vec![self.began]
        };
    }

    /// The combination that follows on `places`, right to left; empty when all have missed.
    fn after(&self, mut places: Vec<usize>) -> Vec<usize> {
        let size = places.len();
        for moving in (1..size).rev() {
            // It moves one to the left, with the later ones right behind it, when there is room for them.
            if places[moving] >= size - moving {
                let from = places[moving];
                for (below, place) in (1..).zip(&mut places[moving..]) {
                    *place = from - below;
                }
                return places;
            }
        }
        self.next_leading(size, places[0])
    }

    /// The first combination whose leading place comes after `leading`: the next to the left, round and round, then the next size.
    fn next_leading(&self, mut size: usize, mut leading: usize) -> Vec<usize> {
        loop {
            leading = leading.checked_sub(1).unwrap_or(self.items.len() - 1);
            if leading == self.began {
                size += 1;
            }
            if size > self.most.get().min(self.items.len()) {
                return Vec::new();
            }
            if leading + 1 >= size {
                return (0..size).map(|below| leading - below).collect();
            }
        }
    }

    /// The next combinations of one size, at most so many.
    fn next_places(&self, width: usize) -> Vec<Vec<usize>> {
        let size = self.places.len();
        let of_this_size =
            |places: Vec<usize>| (size > 0 && places.len() == size).then_some(places);
        let next = |places: &Vec<usize>| of_this_size(self.after(places.clone()));
        std::iter::successors(of_this_size(self.places.clone()), next)
            .take(width)
            .collect()
    }

    fn candidate<'a>(&self, places: impl IntoIterator<Item = &'a usize>) -> Subset {
        let elements = places.into_iter().map(|&place| self.items[place]);
        self.kept
            .without(elements.map(|element| element..element + 1))
    }

    fn question(&self, places: &[usize]) -> Question<Subset> {
        Question {
            candidate: self.candidate(places),
            odds: self.rates.odds(places.len()),
        }
    }
}

impl Search for NMinimal {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        (!self.places.is_empty()).then(|| self.question(&self.places))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.settle(&[Fate::Told(verdict)]);
    }

    fn skip(&mut self) {
        self.settle(&[Fate::Skipped]);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for NMinimal {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let next = self.next_places(width.get());
        next.iter().map(|places| self.question(places)).collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let asked = self.next_places(fates.len());
        let Some(last) = asked.last() else {
            return;
        };
        let mut hits: Vec<&Vec<usize>> = Vec::new();
        for (places, fate) in asked.iter().zip(fates) {
            if let Fate::Told(verdict) = fate {
                self.rates.learn(places.len(), (*verdict).into());
            }
            if *fate == Fate::Told(Verdict::Interesting) {
                hits.push(places);
            }
        }
        if let Some(hit) = hits.last() {
            let leading = self.items[hit[0]];
            self.kept = self.candidate(hits.iter().copied().flatten());
            self.kept.commit();
            self.begin(leading);
        } else {
            self.places = self.after(last.clone());
        }
    }
}

impl Restart for NMinimal {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.begin(self.kept.universe());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Sweep;
    use crate::list::testing::trace;

    fn up_to(most: usize, n: usize) -> NMinimal {
        NMinimal::with_most(List::uniform(n), NonZeroUsize::new(most).unwrap())
    }

    #[test]
    fn every_deletion_up_to_n_elements_is_asked_once_right_to_left() {
        let (asked, _) = trace(up_to(3, 4), |_| false);
        let deleted: Vec<Vec<usize>> = (asked.iter())
            .map(|(kept, _)| (1..=4).filter(|element| !kept.contains(element)).collect())
            .collect();
        let expected: [&[usize]; 14] = [
            &[4],
            &[3],
            &[2],
            &[1],
            &[3, 4],
            &[2, 4],
            &[1, 4],
            &[2, 3],
            &[1, 3],
            &[1, 2],
            &[2, 3, 4],
            &[1, 3, 4],
            &[1, 2, 4],
            &[1, 2, 3],
        ];
        assert_eq!(deleted, expected);
    }

    #[test]
    fn after_a_hit_single_elements_come_first_again_to_the_left_of_it() {
        // 2 and 4 go together, and then 3 goes.
        let (asked, left) = trace(up_to(2, 4), |kept| {
            kept.contains(&1)
                && kept.contains(&2) == kept.contains(&4)
                && (kept.contains(&3) || !kept.contains(&2))
        });
        let after: Vec<Vec<usize>> = (asked.iter())
            .skip_while(|(_, hit)| !hit)
            .map(|(kept, _)| kept.clone())
            .collect();
        assert_eq!(after, [vec![1, 3], vec![1], vec![]]);
        assert_eq!(left, [1]);
    }

    #[test]
    fn of_one_element_at_a_time_it_is_a_sweep() {
        let hits = |kept: &[usize]| kept.len() % 4 != 2 && kept.contains(&5);
        let (mut sweep, left) = trace(Sweep::on(List::uniform(12)), hits);
        // A sweep asks some twice.
        let mut seen = Vec::new();
        sweep.retain(|(kept, _)| {
            let new = !seen.contains(kept);
            seen.push(kept.clone());
            new
        });
        assert_eq!(trace(up_to(1, 12), hits), (sweep, left));
    }

    #[test]
    fn a_hundred_elements_have_4950_pairs() {
        let (asked, left) = trace(up_to(2, 100), |_| false);
        assert_eq!((asked.len(), left.len()), (100 + 4950, 100));
    }
}
