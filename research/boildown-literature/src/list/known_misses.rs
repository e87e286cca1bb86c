//! Known misses: lowers the odds of candidates that are subsets of a known miss.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family, Options, ParsedName, Registered};
use boildown_search::list::List;
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::Ddmin;

/// Runs a list search, and lowers the odds of every candidate that is a subset of a known miss, as
/// much as learned hit rates justify.
///
/// For a monotone oracle every subset of a miss is a miss. How monotone an oracle is shows in two
/// hit rates: that of subsets of known misses and that of all other candidates. [`new`](Self::new)
/// only uses them for predictions: the planner speculates better, and the queries that are told are
/// those of the search inside. [`skipping`](Self::skipping) also skips candidates that are too
/// unlikely.
///
/// # Guarantee
/// With [`new`](Self::new): that of the search inside. With [`skipping`](Self::skipping): that of
/// the search inside if the oracle is monotone; otherwise only that the result is interesting.
/// # Cost
/// At most the queries of the search inside. Each query is compared with up to 64 misses, in time
/// proportional to the number of ranges that they lack.
/// # Units
/// Elements are those of the search inside. Its candidates have to be subsets of its best one.
/// # Source
/// The idea is from Y. Tao, J. Xue, *Accelerating Delta Debugging through Probabilistic
/// Monotonicity Assessment*, EASE 2025. The confidence function is our own: a ratio of two hit
/// rates for the odds, and a threshold on one of them for skipping.
#[derive(Debug, Clone)]
pub struct KnownMisses<S> {
    /// The search inside. Its current query is not too unlikely.
    search: S,
    /// Invariant: at most `MAX_MISSES`, and none of them is a subset of another one.
    misses: Arc<Vec<KnownMiss>>,
    /// The hit rate of subsets of known misses.
    subset_rate: HitRate,
    /// The hit rate of all other candidates.
    other_rate: HitRate,
    /// Subsets of known misses are skipped while their hit rate is below this.
    threshold: f64,
}

/// A known miss, represented by the elements that it lacks of the best candidate. A candidate that
/// lacks all of them too is a subset of the miss.
#[derive(Debug, Clone)]
struct KnownMiss {
    /// Invariant: sorted, disjoint, each with an element of the best candidate; at least one.
    lack: Arc<[Range<usize>]>,
    /// The number of elements that it lacked when it was recorded.
    size: usize,
}

impl<S: Search<Candidate = Subset>> KnownMisses<S> {
    /// The number of misses that are remembered.
    const MAX_MISSES: usize = 64;

    /// Asks every query of `search`.
    pub fn new(search: S) -> Self {
        Self::skipping(search, 0.0)
    }

    /// Skips subsets of known misses once less than the share `threshold`, in `0.0..=1.0`, of them
    /// was interesting. The share is assumed to be a fifth at first, so with a lower threshold some
    /// dozens of them are asked about in any case. The share does not change any more once they are
    /// skipped.
    pub fn skipping(search: S, threshold: f64) -> Self {
        let mut known = Self {
            search,
            misses: Arc::default(),
            subset_rate: HitRate::new(0.2),
            other_rate: HitRate::new(0.2),
            threshold,
        };
        known.skip_unlikely();
        known
    }

    /// Returns the search inside.
    pub fn inner(&self) -> &S {
        &self.search
    }

    /// Returns whether a candidate is a subset of a known miss.
    fn is_subset_of_miss(&self, candidate: &Subset) -> bool {
        let lacks = |range: &Range<usize>| !candidate.any_in(range.clone());
        self.misses.iter().any(|miss| miss.lack.iter().all(lacks))
    }

    /// Returns whether a candidate is to be skipped.
    fn is_too_unlikely(&self, candidate: &Subset) -> bool {
        self.subset_rate.odds() < self.threshold && self.is_subset_of_miss(candidate)
    }

    /// Skips the queries that are too unlikely.
    fn skip_unlikely(&mut self) {
        while let Some(query) = self.search.ask()
            && self.is_too_unlikely(&query.candidate)
        {
            self.search.skip();
        }
    }

    /// Lowers the odds of a query about a subset of a known miss if those have hit less often than
    /// others.
    fn scale_odds(&self, mut query: Query<Subset>) -> Query<Subset> {
        if self.is_subset_of_miss(&query.candidate) {
            query.odds *= (self.subset_rate.odds() / self.other_rate.odds()).min(1.0);
        }
        query
    }

    /// Adds a miss that is no subset of a known one, in place of all known misses that are subsets
    /// of it.
    /// If there are too many, the one that lacks the most elements is removed, since it has the
    /// fewest subsets; of several the youngest, since a cyclic search asks about the oldest next.
    fn remember(&mut self, candidate: &Subset) {
        let best = self.search.best();
        let lack = best.cuts_to(candidate);
        if lack.is_empty() {
            return;
        }
        let misses = Arc::make_mut(&mut self.misses);
        misses.retain(|other| {
            let other = best.without(other.lack.iter().cloned());
            lack.iter().any(|range| other.any_in(range.clone()))
        });
        misses.push(KnownMiss {
            size: lack.iter().map(|range| best.count_in(range.clone())).sum(),
            lack: lack.into(),
        });
        if misses.len() > Self::MAX_MISSES {
            let forgotten = (0..misses.len()).max_by_key(|&index| misses[index].size);
            forgotten.map(|index| misses.remove(index));
        }
    }

    /// Removes deleted elements from the misses after a hit, and the misses of which the best
    /// candidate is a subset.
    fn forget_deleted_elements(&mut self) {
        let best = self.search.best();
        let lives = |range: &Range<usize>| best.any_in(range.clone());
        let misses = Arc::make_mut(&mut self.misses);
        for KnownMiss { lack, .. } in &mut *misses {
            if !lack.iter().all(lives) {
                *lack = lack.iter().filter(|range| lives(range)).cloned().collect();
            }
        }
        misses.retain(|miss| !miss.lack.is_empty());
    }
}

impl<S: Search<Candidate = Subset>> Search for KnownMisses<S> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.search.ask().map(|query| self.scale_odds(query))
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some(Query { candidate, .. }) = self.search.ask() else {
            return;
        };
        let is_subset_of_miss = self.is_subset_of_miss(&candidate);
        let rate = match is_subset_of_miss {
            true => &mut self.subset_rate,
            false => &mut self.other_rate,
        };
        rate.learn(verdict.into());
        if !verdict.is_interesting() && !is_subset_of_miss {
            self.remember(&candidate);
        }
        self.search.tell(verdict);
        if verdict.is_interesting() {
            self.forget_deleted_elements();
        }
        self.skip_unlikely();
    }

    fn skip(&mut self) {
        self.search.skip();
        self.skip_unlikely();
    }

    fn best(&self) -> Subset {
        self.search.best()
    }
}

impl<S: ListSearch> ListSearch for KnownMisses<S> {
    fn restart(&mut self, best: Subset) {
        let before = self.search.best();
        self.search.restart(best);
        let best = self.search.best();
        if best.intersection([&before]) == best {
            self.forget_deleted_elements();
        } else {
            // The misses lack elements of a different set.
            self.misses = Arc::default();
        }
        self.skip_unlikely();
    }
}

/// Parameters of `pma`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PmaOptions {
    /// The threshold of [`KnownMisses::skipping`], in `0.0..=1.0`.
    pub threshold: f64,
}

impl PmaOptions {
    /// A threshold of a tenth.
    pub const DEFAULT: Self = Self { threshold: 0.1 };
}

impl Options for PmaOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let threshold = name.value("threshold", Self::DEFAULT.threshold, |text| {
            let threshold = text.parse().ok();
            let threshold = threshold.filter(|threshold| (0.0..=1.0).contains(threshold));
            threshold.ok_or_else(|| "a number from 0 to 1".to_owned())
        })?;
        Ok(Self { threshold })
    }

    fn non_default(self) -> Vec<Option<String>> {
        let is_default = self == Self::DEFAULT;
        vec![(!is_default).then(|| format!("threshold={}", self.threshold))]
    }
}

impl Registered for KnownMisses<Ddmin> {
    type Options = PmaOptions;

    const ENTRY: Entry = Entry {
        name: "pma",
        family: Family::List,
        parameters: "threshold=0.1",
        guarantee: "1-minimal if monotone",
        cost: "the queries of ddmin, without those that are subsets of known misses",
        source: "after Tao, Xue: probabilistic monotonicity assessment, EASE 2025; the odds are \
            ours",
    };

    fn start(list: List, options: PmaOptions) -> Self {
        Self::skipping(Ddmin::on(list), options.threshold)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use boildown_search::list::{List, Sweep};

    use super::*;
    use crate::list::{Ddmin, NMinimal, Wddmin};

    /// Runs a search over six elements, where `oracle` has a bit for each set of them. Checks for
    /// each query whether it is recognised as a subset of a miss, by comparison with all misses;
    /// then once more from the result.
    fn check<S: ListSearch>(search: S, threshold: f64, oracle: u64) -> Result<(), TestCaseError> {
        let is_hit =
            |kept: &Subset| oracle >> kept.iter().map(|element| 1 << element).sum::<u64>() & 1 == 1;
        let is_subset_of_miss =
            |kept: &Subset, whole: &Subset| kept.iter().all(|element| whole.contains(element));
        let mut known = KnownMisses::skipping(search, threshold);
        let mut misses: Vec<Subset> = Vec::new();
        let mut refuted = false;
        for _ in 0..2 {
            while let Some(query) = known.ask() {
                let plain = known.inner().ask().expect("both have the same query");
                // A miss of which the best candidate is a subset carries no information; misses
                // that are subsets of it are lost with it.
                let before = misses.len();
                misses.retain(|miss| !is_subset_of_miss(&known.best(), miss));
                refuted |= misses.len() < before;
                let is_known = known.is_subset_of_miss(&query.candidate);
                let expected = misses
                    .iter()
                    .any(|miss| is_subset_of_miss(&query.candidate, miss));
                prop_assert!(!is_known || expected);
                prop_assert!(is_known || !expected || refuted);
                prop_assert!(query.odds <= plain.odds);
                prop_assert!(
                    !is_known || threshold < 1.0,
                    "asked {:?} although it is a subset of a miss",
                    query.candidate
                );
                if is_hit(&query.candidate) {
                    known.tell(Verdict::Interesting);
                } else {
                    misses.push(query.candidate);
                    known.tell(Verdict::Uninteresting);
                }
            }
            known.restart(known.best());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn subsets_of_known_misses_are_recognised(oracle in any::<u64>()) {
            for threshold in [0.0, 1.0] {
                let list = List::uniform(6);
                check(Ddmin::on(list.clone()), threshold, oracle)?;
                check(Wddmin::on(list.clone()), threshold, oracle)?;
                check(Sweep::on(list.clone()), threshold, oracle)?;
                check(NMinimal::on(list), threshold, oracle)?;
            }
        }
    }

    #[test]
    fn odds_fall_when_subsets_of_misses_hit_less_often_than_others() {
        let mut known = KnownMisses::new(Sweep::on(List::uniform(60)));
        // Every third element can be deleted, so all the others are asked about again.
        let hits =
            |kept: &Subset| (0..60).all(|element| element % 3 == 0 || kept.contains(element));
        let mut ratio = 1.0;
        while let Some(query) = known.ask() {
            let plain = known.inner().ask().expect("both have the same query");
            ratio = query.odds / plain.odds;
            known.tell(if hits(&query.candidate) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        assert!(ratio < 0.5, "{ratio}");
    }

    #[test]
    fn at_most_64_misses_are_remembered() {
        let mut known = KnownMisses::new(Sweep::on(List::uniform(100)));
        while known.ask().is_some() {
            known.tell(Verdict::Uninteresting);
        }
        assert_eq!(known.misses.len(), 64);
    }
}
