//! n-minimality: deletes combinations of up to n elements until none can be deleted.

use std::num::NonZeroUsize;
use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family, Options, ParsedName, Registered};
use boildown_search::list::List;
use boildown_search::odds::RatesBySize;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes single elements, then any two, and so on up to n elements anywhere in the list, until no
/// combination can be deleted.
///
/// Finds elements that can only be deleted together and are far apart: a declaration and its use,
/// an opening and a closing bracket. After a hit, single elements are tried first again, since
/// there are the fewest of them. Every size continues to the left of the last hit, cyclically.
///
/// For example, with n = 2 and four elements of which none can be deleted, the queries delete 4, 3,
/// 2, 1, 3+4, 2+4, 1+4, 2+3, 1+3, 1+2.
///
/// # Guarantee
/// n-minimal: dropping any 1 to n of the kept elements was answered `Uninteresting` or
/// `Unresolved`.
/// # Cost
/// About mⁿ / n! queries for m remaining elements, and at most as many again for each hit. For
/// pairs that is 45 thousand at m = 300, so it should run last. Combinations are never listed;
/// `tell` takes O(n), and O(m) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// The definition of n-minimality (A. Zeller, R. Hildebrandt, *Simplifying and Isolating
/// Failure-Inducing Input*, IEEE TSE 28(2), 2002), checked by brute force.
#[derive(Debug, Clone)]
pub struct NMinimal {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    most: NonZeroUsize,
    /// The combination to be deleted next, as descending positions in `items`; empty when finished.
    combination: Vec<usize>,
    /// The leading position at which every size starts. Invariant: a position in `items`, unless
    /// that is empty.
    first_leading: usize,
    rates: RatesBySize,
}

/// Parameters of [`NMinimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NMinimalOptions {
    /// The largest number of elements that are deleted together.
    pub most: NonZeroUsize,
}

impl NMinimalOptions {
    /// Single elements and pairs.
    pub const DEFAULT: Self = Self {
        most: NonZeroUsize::new(2).expect("2 is not 0"),
    };
}

impl NMinimal {
    /// Starts on a list, to delete up to `most` elements together.
    #[must_use]
    pub fn with_most(list: List, most: NonZeroUsize) -> Self {
        let mut search = Self {
            kept: list.kept,
            items: Arc::new([]),
            most,
            combination: Vec::new(),
            first_leading: 0,
            rates: RatesBySize::new(0.05),
        };
        search.restart(search.best());
        search
    }

    /// Starts on a list: single elements and pairs.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_most(list, NMinimalOptions::DEFAULT.most)
    }

    /// Starts again with single elements: at the last one before `end`, or at the very last one if
    /// there is none.
    fn begin(&mut self, end: usize) {
        self.items = self.kept.iter().collect();
        let before = self.items.partition_point(|&element| element < end);
        self.first_leading = before
            .checked_sub(1)
            .unwrap_or(self.items.len().saturating_sub(1));
        self.combination = if self.items.is_empty() {
            Vec::new()
        } else {
            vec![self.first_leading]
        };
    }

    /// Returns the combination after the given one, right to left; empty if all have missed.
    fn after(&self, mut combination: Vec<usize>) -> Vec<usize> {
        let size = combination.len();
        for moving in (1..size).rev() {
            // Moves this position one to the left, with the later ones right behind it, if there is
            // room.
            if combination[moving] >= size - moving {
                let from = combination[moving];
                for (below, place) in (1..).zip(&mut combination[moving..]) {
                    *place = from - below;
                }
                return combination;
            }
        }
        self.next_leading(size, combination[0])
    }

    /// Returns the first combination with the leading position after `leading`: the next one to the
    /// left, cyclically, then the next size.
    fn next_leading(&self, mut size: usize, mut leading: usize) -> Vec<usize> {
        loop {
            leading = leading.checked_sub(1).unwrap_or(self.items.len() - 1);
            if leading == self.first_leading {
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

    /// Returns the kept elements without the combination to be deleted next.
    fn candidate(&self) -> Subset {
        let elements = self.combination.iter().map(|&place| self.items[place]);
        self.kept
            .without(elements.map(|element| element..element + 1))
    }

    /// Records the answer to the query of `ask`; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        let Some(&leading) = self.combination.first() else {
            return;
        };
        if let Some(verdict) = verdict {
            self.rates.learn(self.combination.len(), verdict.into());
        }
        if verdict == Some(Verdict::Interesting) {
            self.kept = self.candidate();
            self.kept.commit();
            self.begin(self.items[leading]);
        } else {
            let missed = std::mem::take(&mut self.combination);
            self.combination = self.after(missed);
        }
    }
}

impl Search for NMinimal {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        (!self.combination.is_empty()).then(|| Query {
            candidate: self.candidate(),
            odds: self.rates.odds(self.combination.len()),
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

impl ListSearch for NMinimal {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.begin(self.kept.universe());
    }
}

impl Options for NMinimalOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let read = |text: &str| {
            let most = text.parse();
            most.map_err(|_| "a whole number from 1 on".to_owned())
        };
        let most = name.value("n", Self::DEFAULT.most, read)?;
        Ok(Self { most })
    }

    fn non_default(self) -> Vec<Option<String>> {
        let is_default = self == Self::DEFAULT;
        vec![(!is_default).then(|| format!("n={}", self.most))]
    }
}

impl Registered for NMinimal {
    type Options = NMinimalOptions;

    const ENTRY: Entry = Entry {
        name: "n-minimal",
        family: Family::List,
        parameters: "n=2",
        guarantee: "n-minimal: no set of at most n elements can be deleted",
        cost: "O(m^n)",
        source: "Zeller, Hildebrandt, IEEE TSE 2002, definition of n-minimality",
    };

    fn start(list: List, options: NMinimalOptions) -> Self {
        Self::with_most(list, options.most)
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::list::Sweep;
    use boildown_search::list::testing::trace;

    use super::*;

    fn up_to(most: usize, n: usize) -> NMinimal {
        NMinimal::with_most(List::uniform(n), NonZeroUsize::new(most).unwrap())
    }

    #[test]
    fn every_combination_of_up_to_n_elements_is_deleted_once_right_to_left() {
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
    fn after_a_hit_single_elements_to_its_left_are_tried_first() {
        // 2 and 4 can only be deleted together, and then 3.
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
    fn with_n_of_1_it_is_a_sweep() {
        let hits = |kept: &[usize]| kept.len() % 4 != 2 && kept.contains(&5);
        let (mut sweep, left) = trace(Sweep::on(List::uniform(12)), hits);
        // A sweep asks some queries twice.
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
