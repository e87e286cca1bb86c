//! Random subsets, and a rate that adapts to how many can go.

use std::ops::Range;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use rpds::VectorSync;

use super::List;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Removes random sets of elements, as large as succeed about every third time.
///
/// Each undecided element stays in the candidate with probability α. A hit lowers α, so that more is tried to be deleted, and a
/// miss raises it; it settles where 1/e of the questions hit. Once α is so high that no more than one element would be
/// expected to go, elements are tried alone; one that misses alone is needed. Ends when every element that is left is needed.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone, the minimum when it is unambiguous too: each element that
/// is left missed alone, at some time. 1-minimal only when followed by [`Sweep`](super::Sweep). The same seed, list and answers
/// give the same questions.
/// # Cost
/// About e questions for each fraction 1/s of the undecided elements that goes when s are needed, so some s·log n altogether,
/// with high probability; a little over n when nothing can go. `tell` is O(log n) for each element of the set, and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// P. Liang, O. Tripp, M. Naik, *Learning Minimal Abstractions*, POPL 2011, the algorithm `ActiveCoarsen`. Of the paper only
/// the abstract was at hand. Taken from an independent implementation of it, read for the method: the sampling with α, the
/// adaptation of the logit of α by a constant step times the distance from a success rate of 1/e, and single deletions at the
/// end. Our own reading: the lower bound of needed elements, that a miss of a single element adds to it, when elements are
/// tried alone, and the numbers: α starts at 1/2 and the step is 1/2, which asked least among 0.1, 0.25, 0.5, 1 and 2 on random
/// lists of 120 to 20,000 elements. A question that is skipped changes no rate: a random single element is tried next, and an
/// element skipped alone is kept.
#[derive(Debug, Clone)]
pub struct ActiveCoarsen {
    kept: Subset,
    /// The elements between the bounds: neither deleted nor known to be needed. In no particular order.
    undecided: VectorSync<usize>,
    /// α / (1 − α), the odds that an element stays in a candidate.
    odds: f64,
    rng: ChaCha8Rng,
    /// What is asked about; `None` when finished.
    sample: Option<Sample>,
    groups: HitRate,
    singles: HitRate,
}

/// A deletion under trial.
#[derive(Debug, Clone)]
struct Sample {
    /// Places in `undecided`, ascending, at least one.
    places: Arc<[usize]>,
    candidate: Subset,
}

impl ActiveCoarsen {
    // Moving the logit of α by a sum is multiplying its odds by a product, which needs no exponential at run time.
    /// exp(−(1 − 1/e)/2): what a hit does to the odds.
    const HIT: f64 = 0.729_015_504_215_524_6;
    /// exp(1/(2e)): what a miss of several elements does to them.
    const MISS: f64 = 1.201_943_368_470_314_5;
    /// The lowest odds; below, nearly everything would go at once.
    const LOWEST: f64 = 1.0 / 16.0;

    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_seed(list, 0)
    }

    /// Starts on a list, with the seed of all random choices.
    #[must_use]
    pub fn with_seed(list: List, seed: u64) -> Self {
        let mut machine = Self {
            kept: list.kept,
            undecided: VectorSync::new_sync(),
            odds: 1.0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            sample: None,
            groups: HitRate::new(0.368),
            singles: HitRate::new(0.2),
        };
        machine.restart(machine.best());
        machine
    }

    /// A random number from 0 up to but not including 1.
    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random place in `undecided`, which is not empty.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below the length of a list"
    )]
    fn anywhere(&mut self) -> usize {
        (self.rng.next_u64() % self.undecided.len() as u64) as usize
    }

    /// Draws each undecided element with probability 1 − α.
    ///
    /// The number of elements from one drawn to the next is geometric, and its binary digits are independent: digit k is set with
    /// odds α^(2ᵏ). That takes a few random numbers for each element drawn instead of one for each element.
    fn draw(&mut self) -> Vec<usize> {
        let mut power = self.odds / (1.0 + self.odds);
        let mut digits = Vec::new();
        while power > f64::EPSILON * f64::EPSILON {
            digits.push(power / (1.0 + power));
            power *= power;
        }
        let mut places = Vec::new();
        let mut next = 0_usize;
        loop {
            for (digit, &set) in digits.iter().enumerate() {
                if self.uniform() < set {
                    next = next.saturating_add(1 << digit);
                }
            }
            if next >= self.undecided.len() {
                return places;
            }
            places.push(next);
            next += 1;
        }
    }

    /// Chooses what to ask about next.
    fn choose(&mut self, size: Size) {
        if self.undecided.is_empty() {
            self.sample = None;
            return;
        }
        let several = size == Size::Any && self.undecided.len() as f64 > 1.0 + self.odds;
        let mut places = if several { self.draw() } else { Vec::new() };
        if places.is_empty() {
            places.push(self.anywhere());
        }
        let cuts = places.iter().map(|&place| self.cut(place));
        self.sample = Some(Sample {
            candidate: self.kept.without(cuts),
            places: places.into(),
        });
    }

    fn cut(&self, place: usize) -> Range<usize> {
        let element = self.undecided[place];
        element..element + 1
    }

    /// Takes elements out of the undecided ones.
    fn decide(&mut self, places: &[usize]) {
        // From the last place on: then what is moved into a gap is never itself to be taken out.
        for &place in places.iter().rev() {
            let last = self.undecided.last().copied();
            let last = last.expect("places are places in the undecided elements");
            self.undecided.set_mut(place, last);
            self.undecided.drop_last_mut();
        }
    }

    fn hear(&mut self, sample: Sample, verdict: Verdict) {
        let single = sample.places.len() == 1;
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
            self.decide(&sample.places);
        } else if single {
            // Says nothing against the rate: there is one needed element less for later samples to avoid.
            self.decide(&sample.places);
        } else {
            self.odds *= Self::MISS;
        }
    }
}

/// How many elements the next question may delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Any,
    One,
}

impl Search for ActiveCoarsen {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.sample.as_ref().map(|sample| Question {
            candidate: sample.candidate.clone(),
            odds: match sample.places.len() {
                1 => self.singles.odds(),
                _ => self.groups.odds(),
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(sample) = self.sample.take() {
            self.hear(sample, verdict);
            self.choose(Size::Any);
        }
    }

    fn skip(&mut self) {
        let Some(sample) = self.sample.take() else {
            return;
        };
        if sample.places.len() == 1 {
            self.decide(&sample.places);
            self.choose(Size::Any);
        } else {
            self.choose(Size::One);
        }
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for ActiveCoarsen {}

impl Restart for ActiveCoarsen {
    fn restart(&mut self, best: Subset) {
        self.undecided = best.iter().collect();
        self.kept = best;
        self.odds = 1.0;
        self.choose(Size::Any);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a machine with some needed elements, and returns the number of questions and what is left.
    fn run(mut machine: ActiveCoarsen, needed: &[usize]) -> (usize, Vec<usize>) {
        let mut asked = 0;
        while let Some(question) = machine.ask() {
            asked += 1;
            let hit = needed
                .iter()
                .all(|&element| question.candidate.contains(element));
            let verdict = [Verdict::Uninteresting, Verdict::Interesting][usize::from(hit)];
            machine.tell(verdict);
        }
        (asked, machine.best().iter().collect())
    }

    #[test]
    fn the_constants_are_the_exponentials_they_stand_for() {
        let target = (-1.0_f64).exp();
        assert!((ActiveCoarsen::HIT - ((target - 1.0) / 2.0).exp()).abs() < 1e-15);
        assert!((ActiveCoarsen::MISS - (target / 2.0).exp()).abs() < 1e-15);
    }

    #[test]
    fn each_element_is_drawn_with_the_same_probability_whatever_it_is() {
        for (odds, alpha) in [(1.0, 0.5), (9.0, 0.9), (99.0, 0.99), (0.25, 0.2)] {
            let mut machine = ActiveCoarsen::with_seed(List::uniform(500), 5);
            machine.odds = odds;
            let (mut first_half, mut second_half) = (0, 0);
            for _ in 0..400 {
                let places = machine.draw();
                assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
                first_half += places.iter().filter(|&&place| place < 250).count();
                second_half += places
                    .iter()
                    .filter(|&&place| (250..500).contains(&place))
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
    fn the_same_seed_asks_the_same_and_another_something_else() {
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
    fn a_few_needed_elements_cost_some_logarithms_and_a_needed_list_a_little_over_a_question_each()
    {
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
    fn a_skip_changes_no_rate_and_ends_all_the_same() {
        let mut machine = ActiveCoarsen::on(List::uniform(50));
        let odds = machine.odds.to_bits();
        let mut skipped = 0;
        while machine.ask().is_some() {
            skipped += 1;
            machine.skip();
        }
        assert!(skipped <= 100, "{skipped}");
        assert_eq!(machine.odds.to_bits(), odds);
        assert_eq!(machine.best().count(), 50);
    }
}
