//! Binary reduction of a dependency graph.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::Requirements;
use super::components::Components;
use crate::list::List;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Finds the closures that are needed, one by one, by bisecting a progression of all of them.
///
/// Orders the closures of all elements by what they add; bisects the shortest beginning of that row whose union is
/// interesting; the last closure of that beginning is required from then on, and what comes after it is given up. Starts again
/// with what is left, until what is required is interesting by itself.
///
/// # Guarantee
/// Ends with an interesting set. Every candidate is closed among the elements of the start. Minimal, and the only minimum, when the
/// oracle is monotone and unambiguous over closed sets. When it is not monotone the result need not be minimal: follow it by
/// [`Closed`](super::Closed) of [`Sweep`](crate::list::Sweep).
/// # Cost
/// At most k·(⌈log₂ c⌉ + 1) + 1 questions for k closures found to be required among c; elements that require each other are one.
/// `tell` is O(n / 64 + what the bisection steps over); once for each required closure, O(n) with a factor of up to 256.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019 (J-Reduce). As in its authors' program,
/// closures are ordered anew, by what they add, after each one found; we order by added weight, not number, then by the place
/// of the first element. Differs in that closures of more than 256 components are ordered by their heaviest chain instead of
/// their weight: they come last, and each still comes after those inside it. That order makes the unions of the first closures
/// plain beginnings of a row of components, so that no closure is ever written out.
#[derive(Debug, Clone)]
pub struct BinaryReduction {
    /// Its `kept` is the best so far: what is required, and the first `works` of the row.
    list: List,
    requirements: Requirements,
    components: Arc<Components>,
    /// The components known to be required. Invariant: closed.
    required: Arc<FixedBitSet>,
    /// The components that are neither required nor given up, in the order of the progression. Empty when finished.
    row: Arc<[usize]>,
    /// So many of the row are interesting, together with what is required. Invariant: `fails < works <= row.len()`.
    works: usize,
    /// So many are not; `None` while what is required has not been asked about by itself.
    fails: Option<usize>,
    /// What is asked next.
    candidate: Subset,
    alone: HitRate,
    unions: HitRate,
}

impl BinaryReduction {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List, requirements: Requirements) -> Self {
        let mut machine = Self {
            candidate: list.kept.clone(),
            list,
            requirements,
            components: Arc::new(Components::among(
                &Subset::full(0),
                &Requirements::new(0, []),
            )),
            required: Arc::new(FixedBitSet::new()),
            row: Arc::new([]),
            works: 0,
            fails: None,
            alone: HitRate::new(0.2),
            unions: HitRate::new(0.5),
        };
        machine.restart(machine.best());
        machine
    }

    /// How many of the row are tried next.
    fn next(&self) -> usize {
        self.fails.map_or(0, |fails| fails.midpoint(self.works))
    }

    /// Makes the next candidate: the best without the components between it and the number tried.
    fn prepare(&mut self) {
        if self.row.is_empty() {
            return;
        }
        let mut kept = self.list.kept.to_bits();
        for &component in &self.row[self.next()..self.works] {
            for &element in self.components.members(component) {
                kept.remove(element);
            }
        }
        self.candidate = Subset::from_bits(kept);
    }

    /// Orders the components that are left and starts to bisect them.
    fn begin(&mut self, live: Vec<usize>) {
        let weight = |element| self.list.weight(element);
        self.row = (self.components)
            .progression(live, &self.required, weight)
            .into();
        self.works = self.row.len();
        self.fails = None;
    }

    /// Goes on bisecting, or, when the shortest beginning is found, makes its last closure required.
    fn advance(&mut self) {
        if self.fails.is_some_and(|fails| fails + 1 == self.works) {
            let last = self.works - 1;
            let mut required = FixedBitSet::clone(&self.required);
            required.extend(self.components.closure(self.row[last], &self.required));
            self.required = Arc::new(required);
            let live = self.row[..last].iter().copied();
            let live = live.filter(|&component| !self.required.contains(component));
            self.begin(live.collect());
        }
        self.prepare();
    }
}

impl Search for BinaryReduction {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        (!self.row.is_empty()).then(|| Question {
            candidate: self.candidate.clone(),
            odds: match self.fails {
                None => self.alone.odds(),
                Some(_) => self.unions.odds(),
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        match self.fails {
            None => self.alone.learn(verdict.into()),
            Some(_) => self.unions.learn(verdict.into()),
        }
        if !verdict.is_interesting() {
            return self.skip();
        }
        self.list.kept = self.candidate.clone();
        self.works = self.next();
        if self.fails.is_none() {
            self.row = Arc::new([]);
        }
        self.advance();
    }

    fn skip(&mut self) {
        self.fails = Some(self.next());
        self.advance();
    }

    fn best(&self) -> Subset {
        self.list.kept.clone()
    }
}

impl Wide for BinaryReduction {}

impl Restart for BinaryReduction {
    fn restart(&mut self, best: Subset) {
        self.components = Arc::new(Components::among(&best, &self.requirements));
        self.required = Arc::new(FixedBitSet::with_capacity(self.components.count()));
        self.list.kept = best;
        self.begin((0..self.components.count()).collect());
        self.prepare();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::kept_sets;

    #[test]
    fn closures_are_bisected_and_the_last_of_the_shortest_beginning_is_required() {
        // 1 requires 0; 3 requires 2; 5 requires 3 and 4. Closures by size: 0, 2, 4, then {0, 1}, {2, 3}, {2, 3, 4, 5}.
        let requirements = Requirements::new(6, [(1, 0), (3, 2), (5, 3), (5, 4)]);
        let machine = BinaryReduction::on(List::uniform(6), requirements);
        let (asked, left) = kept_sets(machine, |kept| kept.contains(&1) && kept.contains(&3));
        let expected: [&[usize]; 7] = [
            &[],
            &[0, 2, 4],
            &[0, 1, 2, 4],
            &[0, 1, 2, 3, 4],
            // {2, 3} is required, and what comes after it is given up; the row is now 0, 4, {0, 1}.
            &[2, 3],
            &[0, 2, 3],
            &[0, 2, 3, 4],
        ];
        assert_eq!(asked[..7], expected);
        // Then {0, 1} is required, which is all there is but 4.
        assert_eq!(asked[7..], [[0, 1, 2, 3]]);
        assert_eq!(left, [0, 1, 2, 3]);
    }

    #[test]
    fn a_light_closure_is_preferred_to_a_heavy_one() {
        let either = |kept: &[usize]| kept.contains(&0) || kept.contains(&1);
        let heavy_first = List::weighted([9, 3, 1]);
        let machine = BinaryReduction::on(heavy_first, Requirements::new(3, [(1, 2)]));
        assert_eq!(kept_sets(machine, either).1, [1, 2]);
    }

    #[test]
    fn a_chain_of_100_000_elements_is_searched_in_a_moment() {
        let n = 100_000;
        let requirements = Requirements::new(n, (1..n).map(|user| (user, user - 1)));
        for needed in [0, 400, n - 1] {
            let mut machine = BinaryReduction::on(List::uniform(n), requirements.clone());
            let mut asked = 0;
            while let Some(question) = machine.ask() {
                asked += 1;
                machine.tell(if question.candidate.contains(needed) {
                    Verdict::Interesting
                } else {
                    Verdict::Uninteresting
                });
            }
            assert_eq!(machine.best(), Subset::full(n).only(0..needed + 1));
            assert!(asked <= 18, "{asked}");
        }
    }
}
