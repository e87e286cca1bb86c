//! `ActiveCoarsen`: deletes random subsets, whose size adapts to the hit rate.

use std::ops::Range;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use rpds::VectorSync;

use boildown_search::algorithms::{
    Entry, Family, Options, ParsedName, Registered, non_default_seed,
};
use boildown_search::list::List;
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes random sets of elements, of a size at which about every third query is a hit.
///
/// Each undecided element stays in the candidate with probability α. A hit lowers α, so that more
/// elements are deleted at once; a miss raises it. It settles where a share of 1/e of the queries
/// hits. Once α is so high that at most one deleted element would be expected, elements are tried
/// one by one. An element that misses alone is needed. The search ends when every remaining element
/// is needed.
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone, and the minimum if it is
/// also unambiguous: each remaining element missed alone at some time. It is 1-minimal only when
/// followed by [`Sweep`](boildown_search::list::Sweep). The same seed, list and answers give
/// the same queries.
/// # Cost
/// If s elements are needed, about e queries for each fraction 1/s of the undecided elements that
/// is deleted, so about s·log n in total, with high probability; a little more than n if nothing
/// can be deleted. `tell` takes O(log n) for each element of the set, and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// P. Liang, O. Tripp, M. Naik, *Learning Minimal Abstractions*, POPL 2011, the algorithm
/// `ActiveCoarsen`. Only the abstract of the paper was available. The method follows an independent
/// implementation: sampling with α, adaptation of the logit of α by a constant step times the
/// distance from a success rate of 1/e, and single deletions at the end.
///
/// Our own choices are the lower bound of needed elements, to which a miss of a single element adds
/// that element, the point from which elements are tried alone, and the numbers: α starts at 1/2
/// and the step is 1/2, which took the fewest queries among 0.1, 0.25, 0.5, 1 and 2 on random lists
/// of 120 to 20,000 elements. A skipped query changes no rate: a random single element is tried
/// next, and a single element that is skipped is kept.
#[derive(Debug, Clone)]
pub struct ActiveCoarsen {
    kept: Subset,
    /// The elements that are neither deleted nor known to be needed, in no particular order.
    undecided: VectorSync<usize>,
    /// α / (1 − α), the odds that an element stays in a candidate.
    odds: f64,
    rng: ChaCha8Rng,
    /// The deletion under trial; `None` when finished.
    sample: Option<SampledDeletion>,
    groups: HitRate,
    singles: HitRate,
}

/// Returns a random number from 0 up to but not including `length`, which is not 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "below the length of a list"
)]
pub(super) fn index_below(rng: &mut ChaCha8Rng, length: usize) -> usize {
    (rng.next_u64() % length as u64) as usize
}

/// Parameters of [`ActiveCoarsen`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoarsenOptions {
    /// The seed of all random choices.
    pub seed: u64,
}

impl CoarsenOptions {
    /// The seed 0.
    pub const DEFAULT: Self = Self { seed: 0 };
}

/// A deletion under trial.
#[derive(Debug, Clone)]
struct SampledDeletion {
    /// Indices into `undecided`: ascending, at least one.
    indices: Arc<[usize]>,
    candidate: Subset,
}

impl ActiveCoarsen {
    // Adding to the logit of α is multiplying its odds, which needs no exponential at run time.
    /// exp(−(1 − 1/e)/2), the factor for the odds after a hit.
    const HIT: f64 = 0.729_015_504_215_524_6;
    /// exp(1/(2e)), the factor for the odds after a miss of several elements.
    const MISS: f64 = 1.201_943_368_470_314_5;
    /// The lowest odds. With lower odds nearly all elements would be deleted at once.
    const LOWEST: f64 = 1.0 / 16.0;

    /// Starts on a list, with the seed 0.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_seed(list, 0)
    }

    /// Starts on a list, with the seed of all random choices.
    #[must_use]
    pub fn with_seed(list: List, seed: u64) -> Self {
        let mut search = Self {
            kept: list.kept,
            undecided: VectorSync::new_sync(),
            odds: 1.0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            sample: None,
            groups: HitRate::new(0.368),
            singles: HitRate::new(0.2),
        };
        search.restart(search.best());
        search
    }

    /// Returns a random number from 0 up to but not including 1.
    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws each undecided element with probability 1 − α, and returns their indices in ascending
    /// order.
    ///
    /// The distance from one drawn element to the next is geometrically distributed, and its binary
    /// digits are independent: digit k is set with odds α^(2ᵏ). That takes a few random numbers for
    /// each element drawn instead of one for each element of the list.
    fn draw(&mut self) -> Vec<usize> {
        let mut power = self.odds / (1.0 + self.odds);
        let mut digits = Vec::new();
        while power > f64::EPSILON * f64::EPSILON {
            digits.push(power / (1.0 + power));
            power *= power;
        }
        let mut indices = Vec::new();
        let mut next = 0_usize;
        loop {
            for (digit, &set) in digits.iter().enumerate() {
                if self.uniform() < set {
                    next = next.saturating_add(1 << digit);
                }
            }
            if next >= self.undecided.len() {
                return indices;
            }
            indices.push(next);
            next += 1;
        }
    }

    /// Chooses the next deletion.
    fn choose(&mut self, size: SampleSize) {
        if self.undecided.is_empty() {
            self.sample = None;
            return;
        }
        let several = size == SampleSize::Any && self.undecided.len() as f64 > 1.0 + self.odds;
        let mut indices = if several { self.draw() } else { Vec::new() };
        if indices.is_empty() {
            indices.push(index_below(&mut self.rng, self.undecided.len()));
        }
        let cuts = indices.iter().map(|&index| self.cut(index));
        self.sample = Some(SampledDeletion {
            candidate: self.kept.without(cuts),
            indices: indices.into(),
        });
    }

    fn cut(&self, index: usize) -> Range<usize> {
        let element = self.undecided[index];
        element..element + 1
    }

    /// Removes the elements at `indices` from the undecided ones.
    fn decide(&mut self, indices: &[usize]) {
        // From the last index on, so that an element that is moved into a gap never has to be
        // removed itself.
        for &index in indices.iter().rev() {
            let last = self.undecided.last().copied();
            let last = last.expect("indices are indices of undecided elements");
            self.undecided.set_mut(index, last);
            self.undecided.drop_last_mut();
        }
    }

    /// Records the verdict on a deletion: adapts α, and decides its elements if it hit or was a
    /// single element.
    fn apply_verdict(&mut self, sample: SampledDeletion, verdict: Verdict) {
        let single = sample.indices.len() == 1;
        let rate = if single {
            &mut self.singles
        } else {
            &mut self.groups
        };
        rate.learn(verdict.into());
        if verdict.is_interesting() {
            self.odds = (self.odds * Self::HIT).max(Self::LOWEST);
            self.kept = sample.candidate;
            self.kept.commit();
            self.decide(&sample.indices);
        } else if single {
            // No evidence against the rate: later samples have one needed element less to avoid.
            self.decide(&sample.indices);
        } else {
            self.odds *= Self::MISS;
        }
    }
}

/// The number of elements that the next query may delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SampleSize {
    Any,
    One,
}

impl Search for ActiveCoarsen {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.sample.as_ref().map(|sample| Query {
            candidate: sample.candidate.clone(),
            odds: match sample.indices.len() {
                1 => self.singles.odds(),
                _ => self.groups.odds(),
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(sample) = self.sample.take() {
            self.apply_verdict(sample, verdict);
            self.choose(SampleSize::Any);
        }
    }

    fn skip(&mut self) {
        let Some(sample) = self.sample.take() else {
            return;
        };
        if sample.indices.len() == 1 {
            self.decide(&sample.indices);
            self.choose(SampleSize::Any);
        } else {
            self.choose(SampleSize::One);
        }
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for ActiveCoarsen {
    fn restart(&mut self, best: Subset) {
        self.undecided = best.iter().collect();
        self.kept = best;
        self.odds = 1.0;
        self.choose(SampleSize::Any);
    }
}

impl Options for CoarsenOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let seed = name.seed()?;
        Ok(Self { seed })
    }

    fn reseeded(self, more: u64) -> Option<Self> {
        let seed = self.seed.wrapping_add(more);
        Some(Self { seed })
    }

    fn non_default(self) -> Vec<Option<String>> {
        vec![non_default_seed(self.seed)]
    }
}

impl Registered for ActiveCoarsen {
    type Options = CoarsenOptions;

    const ENTRY: Entry = Entry {
        name: "coarsen",
        family: Family::List,
        parameters: "seed=0",
        guarantee: "minimal if monotone; 1-minimal after a sweep",
        cost: "O(m log n) expected if m elements are needed",
        source: "Liang, Tripp, Naik: Learning Minimal Abstractions (ActiveCoarsen), POPL 2011",
    };

    fn start(list: List, options: CoarsenOptions) -> Self {
        Self::with_seed(list, options.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search and returns the number of queries and the elements left.
    fn run(mut search: ActiveCoarsen, needed: &[usize]) -> (usize, Vec<usize>) {
        let mut asked = 0;
        while let Some(query) = search.ask() {
            asked += 1;
            let hit = needed
                .iter()
                .all(|&element| query.candidate.contains(element));
            let verdict = [Verdict::Uninteresting, Verdict::Interesting][usize::from(hit)];
            search.tell(verdict);
        }
        (asked, search.best().iter().collect())
    }

    #[test]
    fn the_constants_equal_their_exponentials() {
        let target = (-1.0_f64).exp();
        assert!((ActiveCoarsen::HIT - ((target - 1.0) / 2.0).exp()).abs() < 1e-15);
        assert!((ActiveCoarsen::MISS - (target / 2.0).exp()).abs() < 1e-15);
    }

    #[test]
    fn every_element_is_drawn_with_the_same_probability() {
        for (odds, alpha) in [(1.0, 0.5), (9.0, 0.9), (99.0, 0.99), (0.25, 0.2)] {
            let mut search = ActiveCoarsen::with_seed(List::uniform(500), 5);
            search.odds = odds;
            let (mut first_half, mut second_half) = (0, 0);
            for _ in 0..400 {
                let indices = search.draw();
                assert!(indices.windows(2).all(|pair| pair[0] < pair[1]));
                first_half += indices.iter().filter(|&&index| index < 250).count();
                second_half += indices
                    .iter()
                    .filter(|&&index| (250..500).contains(&index))
                    .count();
            }
            let expected = (1.0 - alpha) * 100_000.0;
            for drawn in [first_half, second_half] {
                let off = (drawn as f64 - expected) / expected;
                assert!(off.abs() < 0.1, "{odds}: {drawn} instead of {expected}");
            }
        }
    }

    #[test]
    fn the_seed_decides_the_queries() {
        let first = |seed| {
            ActiveCoarsen::with_seed(List::uniform(100), seed)
                .ask()
                .unwrap()
                .candidate
        };
        assert_eq!(first(3), first(3));
        assert_ne!(first(3), first(4));
    }

    #[test]
    fn queries_are_logarithmic_for_few_needed_elements_and_little_more_than_n_for_a_needed_list() {
        let (asked, left) = run(
            ActiveCoarsen::on(List::uniform(100_000)),
            &[7, 5_000, 99_999],
        );
        assert_eq!(left, [7, 5_000, 99_999]);
        assert!(asked < 250, "{asked}");
        let all: Vec<usize> = (0..500).collect();
        let (asked, left) = run(ActiveCoarsen::on(List::uniform(500)), &all);
        assert_eq!(left, all);
        assert!(asked < 600, "{asked}");
    }

    #[test]
    fn skips_change_no_rate_and_the_search_ends() {
        let mut search = ActiveCoarsen::on(List::uniform(50));
        let odds = search.odds.to_bits();
        let mut skipped = 0;
        while search.ask().is_some() {
            skipped += 1;
            search.skip();
        }
        assert!(skipped <= 100, "{skipped}");
        assert_eq!(search.odds.to_bits(), odds);
        assert_eq!(search.best().count(), 50);
    }
}
