//! Agreement of verdicts with monotony and unambiguity, the assumptions of delta debugging.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::AddAssign;

use crate::fingerprint::Fingerprinted as _;
use crate::{Fingerprint, Subset, Verdict};

/// The verdicts on subsets of one list.
///
/// A property is *monotone* if each superset of an interesting candidate is interesting, and
/// *unambiguous* if the intersection of two interesting candidates is. If it is both, there is one
/// smallest candidate, and a candidate is interesting if and only if it contains that one.
///
/// Only candidates that were added are compared. Unresolved ones contradict nothing.
///
/// # Cost
/// `add` takes the time of a fingerprint, and keeps the subset as long as they take less than a
/// fixed amount of memory.
/// # Source
/// G. Wang et al., *Probabilistic Delta Debugging*, ESEC/FSE 2021, definitions 3.1 and 3.2 and
/// theorem 3.3.
/// # Example
/// ```
/// use boildown_search::assumptions::TestedSubsets;
/// use boildown_search::{Subset, Verdict};
///
/// let all = Subset::full(3);
/// let mut tested = TestedSubsets::default();
/// // Element 1 is used by element 2: it cannot be deleted first.
/// tested.add(&all.without([1..2]), Verdict::Uninteresting);
/// tested.add(&all.without([1..3]), Verdict::Interesting);
/// let monotony = tested.counts(1000).monotony;
/// assert_eq!((monotony.predicted, monotony.contradicted), (1, 1));
/// ```
#[derive(Debug, Clone, Default)]
pub struct TestedSubsets {
    is_interesting: HashMap<Fingerprint, bool>,
    interesting: Vec<Subset>,
    uninteresting: Vec<Subset>,
    /// Whether some interesting candidate does not contain the one that was added after it.
    has_branches: bool,
    is_full: bool,
}

/// The most memory of the interesting candidates, in bytes. Others share their bits.
const MAX_BYTES: usize = 16 << 20;

/// The most candidates.
const MAX_SUBSETS: usize = 20_000;

/// Agreement of the verdicts on some lists with the assumptions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssumptionCounts {
    /// Candidates that were compared: those that were interesting or not.
    pub tested: u64,
    /// Pairs of candidates that were looked at.
    pub pairs: u64,
    /// Whether candidates or pairs were left out because there were too many.
    pub is_partial: bool,
    /// Verdicts on candidates that contain an interesting one.
    pub monotony: Agreement,
    /// Verdicts on intersections of two interesting candidates, neither of which contains the
    /// other.
    pub unambiguity: Agreement,
}

/// Agreement of verdicts with one assumption.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Verdicts that the assumption predicts: `Interesting`.
    pub predicted: u64,
    /// Those of them that were `Uninteresting`.
    pub contradicted: u64,
}

impl TestedSubsets {
    /// Adds a verdict. Of several verdicts on one subset, the first counts.
    pub fn add(&mut self, subset: &Subset, verdict: Verdict) {
        if verdict == Verdict::Unresolved {
            return;
        }
        let bytes = (self.interesting.len() + 1) * (subset.universe() / 8 + 1);
        self.is_full |= bytes > MAX_BYTES || self.is_interesting.len() >= MAX_SUBSETS;
        if self.is_full {
            return;
        }
        let is_interesting = verdict.is_interesting();
        let Entry::Vacant(unknown) = self.is_interesting.entry(subset.fingerprint()) else {
            return;
        };
        unknown.insert(is_interesting);
        if !is_interesting {
            self.uninteresting.push(subset.clone());
            return;
        }
        let last = self.interesting.last();
        self.has_branches |= last.is_some_and(|last| !subset.is_subset_of(last));
        self.interesting.push(subset.clone());
    }

    /// Compares the verdicts with the assumptions. Looks at this many pairs, at most.
    ///
    /// A candidate contains an interesting one if and only if it contains one of the smallest, of
    /// which a search that only deletes has a single one. Its interesting candidates form a chain,
    /// of which no two have another intersection.
    #[must_use]
    pub fn counts(&self, max_pairs: u64) -> AssumptionCounts {
        let mut counts = AssumptionCounts {
            tested: self.is_interesting.len() as u64,
            is_partial: self.is_full,
            ..AssumptionCounts::default()
        };
        self.compare_supersets(max_pairs, &mut counts);
        if self.has_branches {
            self.compare_intersections(max_pairs, &mut counts);
        }
        counts
    }

    fn compare_supersets(&self, max_pairs: u64, counts: &mut AssumptionCounts) {
        let mut by_size: Vec<(usize, &Subset)> = (self.interesting.iter())
            .map(|subset| (subset.count(), subset))
            .collect();
        by_size.sort_by_key(|(size, _)| *size);
        let mut smallest: Vec<&Subset> = Vec::new();
        let interesting = by_size.into_iter().map(|(_, subset)| (subset, true));
        let uninteresting = self.uninteresting.iter().map(|subset| (subset, false));
        for (subset, is_interesting) in interesting.chain(uninteresting) {
            if counts.pairs + smallest.len() as u64 > max_pairs {
                counts.is_partial = true;
                return;
            }
            let is_superset = smallest.iter().any(|smallest| {
                counts.pairs += 1;
                smallest.is_subset_of(subset)
            });
            if is_superset {
                counts.monotony.count(is_interesting);
            } else if is_interesting {
                smallest.push(subset);
            }
        }
    }

    fn compare_intersections(&self, max_pairs: u64, counts: &mut AssumptionCounts) {
        let mut seen = HashSet::new();
        for (place, first) in self.interesting.iter().enumerate() {
            for second in &self.interesting[..place] {
                if counts.pairs >= max_pairs {
                    counts.is_partial = true;
                    return;
                }
                counts.pairs += 1;
                let both = first.intersection([second]).fingerprint();
                if both == first.fingerprint() || both == second.fingerprint() {
                    continue;
                }
                if let Some(&is_interesting) = self.is_interesting.get(&both)
                    && seen.insert(both)
                {
                    counts.unambiguity.count(is_interesting);
                }
            }
        }
    }
}

impl Agreement {
    fn count(&mut self, is_interesting: bool) {
        self.predicted += 1;
        self.contradicted += u64::from(!is_interesting);
    }
}

impl AddAssign for Agreement {
    fn add_assign(&mut self, other: Self) {
        self.predicted += other.predicted;
        self.contradicted += other.contradicted;
    }
}

impl AddAssign for AssumptionCounts {
    /// Adds the counts of another list.
    fn add_assign(&mut self, other: Self) {
        self.tested += other.tested;
        self.pairs += other.pairs;
        self.is_partial |= other.is_partial;
        self.monotony += other.monotony;
        self.unambiguity += other.unambiguity;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::Search as _;
    use crate::algorithms::Algorithm;
    use crate::list::{List, ListAlgorithm as _};

    fn subset(bits: u8) -> Subset {
        let cut = (0..6).filter(|element| bits & (1 << element) == 0);
        Subset::full(6).without(cut.map(|element| element..element + 1))
    }

    fn tested(verdicts: &[(u8, Verdict)]) -> TestedSubsets {
        let mut tested = TestedSubsets::default();
        for &(bits, verdict) in verdicts {
            tested.add(&subset(bits), verdict);
        }
        tested
    }

    /// Applies the definitions to all pairs.
    fn by_definition(verdicts: &[(u8, Verdict)]) -> AssumptionCounts {
        let mut known: BTreeMap<u8, bool> = BTreeMap::new();
        for &(bits, verdict) in verdicts {
            if verdict != Verdict::Unresolved {
                known.entry(bits).or_insert(verdict.is_interesting());
            }
        }
        let interesting: Vec<u8> = (known.iter()).filter(|it| *it.1).map(|it| *it.0).collect();
        let mut counts = AssumptionCounts {
            tested: known.len() as u64,
            ..AssumptionCounts::default()
        };
        for (&bits, &is_interesting) in &known {
            if interesting
                .iter()
                .any(|&part| part != bits && part & bits == part)
            {
                counts.monotony.count(is_interesting);
            }
        }
        let pairs = interesting
            .iter()
            .flat_map(|a| interesting.iter().map(move |b| (a, b)));
        let branches = pairs.filter(|(a, b)| ![**a, **b].contains(&(*a & *b)));
        let both: BTreeSet<u8> = branches.map(|(a, b)| a & b).collect();
        for is_interesting in both.iter().filter_map(|both| known.get(both)) {
            counts.unambiguity.count(*is_interesting);
        }
        counts
    }

    fn verdict() -> impl Strategy<Value = Verdict> {
        prop_oneof![
            Just(Verdict::Interesting),
            Just(Verdict::Uninteresting),
            Just(Verdict::Unresolved),
        ]
    }

    proptest! {
        #[test]
        fn the_counts_are_those_of_the_definitions(
            verdicts in proptest::collection::vec((0_u8..64, verdict()), 0..40),
        ) {
            let counts = tested(&verdicts).counts(u64::MAX);
            prop_assert!(!counts.is_partial);
            let pairs = counts.pairs;
            prop_assert_eq!(counts, AssumptionCounts { pairs, ..by_definition(&verdicts) });
        }

        #[test]
        fn no_more_pairs_are_looked_at_than_allowed(
            verdicts in proptest::collection::vec((0_u8..64, verdict()), 0..40),
            most in 0_u64..60,
        ) {
            let whole = tested(&verdicts).counts(u64::MAX);
            let counts = tested(&verdicts).counts(most);
            prop_assert!(counts.pairs <= most);
            if !counts.is_partial {
                prop_assert_eq!(counts, whole);
            }
            prop_assert!(counts.monotony.predicted <= whole.monotony.predicted);
            prop_assert!(counts.unambiguity.contradicted <= whole.unambiguity.contradicted);
        }
    }

    #[test]
    fn a_search_that_only_deletes_compares_each_candidate_once() {
        let list = List::uniform(100);
        let mut search = Algorithm::halving().on(list);
        let mut tested = TestedSubsets::default();
        while let Some(query) = search.ask() {
            let needs = [7, 42]
                .iter()
                .all(|&element| query.candidate.contains(element));
            let verdict = match needs {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            };
            tested.add(&query.candidate, verdict);
            search.tell(verdict);
        }
        let counts = tested.counts(u64::MAX);
        assert_eq!(counts.pairs + 1, counts.tested);
        assert_eq!(counts.monotony.contradicted, 0);
        assert!(counts.monotony.predicted > 0);
        assert_eq!(counts.unambiguity, Agreement::default());
    }

    #[test]
    fn memory_is_bounded() {
        let all = Subset::full(1 << 20);
        let mut tested = TestedSubsets::default();
        for element in 0..200 {
            tested.add(&all.without([0..element + 1]), Verdict::Interesting);
        }
        let counts = tested.counts(u64::MAX);
        assert!(counts.is_partial && counts.tested < 200, "{counts:?}");
    }
}
