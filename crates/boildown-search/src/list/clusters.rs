//! Clusters: deletes small groups of neighbours that cannot be deleted alone.

use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::odds::HitRate;
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes groups of kept elements that are close to each other and cannot be deleted alone: an
/// opening line and the closing one, a definition and its use.
///
/// Tries runs of two neighbours, right to left, then runs of three and of four, and then two
/// elements with one, two or three others between them. It ends when as many queries in a row have
/// missed as there are elements, at least 24. For 1-minimality, a [`Sweep`](super::Sweep) has to
/// follow.
///
/// # Guarantee
/// Ends with an interesting set.
/// # Cost
/// At most max(n, 24) queries for n elements if nothing can be deleted, and as many again after
/// each hit. `tell` takes O(n / 64), and O(n) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// Our own. Vulcan's local exhaustive pattern tries all deletions within a window of four
/// neighbours (Z. Xu et al., *Pushing the Limit of 1-Minimality of Language-Agnostic Program
/// Reduction*, OOPSLA 2023): 11 queries for each element; here six shapes, and a bound on misses.
#[derive(Debug, Clone)]
pub struct Clusters {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// How many more queries in a row may miss.
    left: usize,
    /// The index of the shape in [`SHAPES`].
    shape: usize,
    /// The positions in `items` at which groups of this shape have still to be asked about: those
    /// below this one.
    before: usize,
    rate: HitRate,
}

/// A group that begins at a position: the length of its first part, of the gap, and of its second
/// part.
struct Shape {
    first: usize,
    gap: usize,
    second: usize,
}

const SHAPES: [Shape; 6] = [
    Shape::run(2),
    Shape::run(3),
    Shape::run(4),
    Shape::pair(1),
    Shape::pair(2),
    Shape::pair(3),
];

impl Shape {
    const fn run(first: usize) -> Self {
        Self {
            first,
            gap: 0,
            second: 0,
        }
    }

    const fn pair(gap: usize) -> Self {
        Self {
            first: 1,
            gap,
            second: 1,
        }
    }

    const fn length(&self) -> usize {
        self.first + self.gap + self.second
    }

    /// Returns the elements of the group at a position, as ranges; the ranges hold nothing else
    /// that is kept.
    fn ranges(&self, items: &[usize], at: usize) -> impl Iterator<Item = Range<usize>> {
        let range = |positions: Range<usize>| items[positions.start]..items[positions.end - 1] + 1;
        let second = at + self.first + self.gap;
        let second = (self.second > 0).then(|| range(second..second + self.second));
        std::iter::once(range(at..at + self.first)).chain(second)
    }
}

impl Clusters {
    /// The least number of queries in a row that may miss.
    const FEW: usize = 24;

    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut search = Self {
            kept: list.kept,
            items: Arc::new([]),
            left: 0,
            shape: 0,
            before: 0,
            rate: HitRate::new(0.05),
        };
        search.restart(search.best());
        search
    }

    /// Takes the elements that are kept, and lets queries miss again.
    fn renew(&mut self) {
        self.items = self.kept.iter().collect();
        self.left = self.items.len().max(Self::FEW);
    }

    /// Returns the number of groups of a shape.
    fn count(&self, shape: usize) -> usize {
        (self.items.len() + 1).saturating_sub(SHAPES[shape].length())
    }

    /// Moves to the next shape that has groups, if there are none left of this one.
    fn advance(&mut self) {
        while self.before == 0 && self.shape + 1 < SHAPES.len() {
            self.shape += 1;
            self.before = self.count(self.shape);
        }
    }

    fn without_next(&self) -> Subset {
        let shape = &SHAPES[self.shape];
        let ranges = shape.ranges(&self.items, self.before - 1);
        self.kept.without(ranges)
    }

    fn record(&mut self, verdict: Option<Verdict>) {
        if self.before == 0 || self.left == 0 {
            return;
        }
        if let Some(verdict) = verdict {
            self.rate.learn(verdict.into());
            self.left -= 1;
        }
        if verdict == Some(Verdict::Interesting) {
            let best = self.without_next();
            self.kept = best;
            self.kept.commit();
            self.renew();
            // The same shape, from the group before on: what is left of it moves together.
            self.before = (self.before - 1).min(self.count(self.shape));
        } else {
            self.before -= 1;
        }
        self.advance();
    }
}

impl Search for Clusters {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        (self.before > 0 && self.left > 0).then(|| Query {
            candidate: self.without_next(),
            odds: self.rate.odds(),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record(Some(verdict));
    }

    fn skip(&mut self) {
        self.record(None);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for Clusters {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.renew();
        self.shape = 0;
        self.before = self.count(0);
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::trace;

    #[test]
    fn pairs_that_stand_beside_each_other_or_near_go() {
        // 3 and 4 go together, and so do 6 and 9; 8 is needed.
        let (asked, left) = trace(Clusters::on(List::uniform(10)), |kept| {
            let both = |one, two| kept.contains(&one) == kept.contains(&two);
            let others = [1, 2, 5, 7, 8, 10];
            both(3, 4) && both(6, 9) && others.iter().all(|other| kept.contains(other))
        });
        assert_eq!(left, [1, 2, 5, 7, 8, 10]);
        assert!(asked.len() < 50, "{}", asked.len());
    }

    #[test]
    fn it_ends_when_as_many_queries_have_missed_as_there_are_elements() {
        let (asked, left) = trace(Clusters::on(List::uniform(50)), |kept| kept.len() == 50);
        assert_eq!((asked.len(), left.len()), (50, 50));
    }

    #[test]
    fn a_list_of_one_element_has_no_group() {
        assert!(Clusters::on(List::uniform(1)).ask().is_none());
        assert!(Clusters::on(List::uniform(0)).ask().is_none());
    }
}
