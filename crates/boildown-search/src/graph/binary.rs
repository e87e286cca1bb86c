//! Binary reduction of a dependency graph (J-Reduce).

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::Requirements;
use super::components::Components;
use crate::algorithms::{Entry, Family};
use crate::list::List;
use crate::odds::HitRate;
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Finds the closures that are needed, one by one, by bisecting a progression of all closures.
///
/// The closure of an element is the element with everything that it requires, directly or through
/// others. The progression orders the closures of all elements by the weight that they add.
/// Bisection finds its shortest prefix whose union is interesting. The last closure of that prefix
/// is required from then on, and the closures after it are deleted. This repeats with the remaining
/// closures, until the required elements alone are interesting.
///
/// # Guarantee
/// Ends with an interesting set. Every candidate is closed among the elements of the start. The
/// result is minimal, and the only minimum, if the oracle is monotone and unambiguous over closed
/// sets. If it is not monotone the result need not be minimal: follow it by a sweep over closed
/// sets.
/// # Cost
/// At most k·(⌈log₂ c⌉ + 1) + 1 queries if k of c closures are found to be required; elements that
/// require each other are one closure. `tell` takes O(n / 64) and the number of elements that the
/// bisection passes; once for each required closure it takes O(n), with a factor of up to 256.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019 (J-Reduce).
/// As in its authors' program, closures are ordered again, by what they add, after each one found.
/// Here they are ordered by added weight instead of number, then by the index of the first element.
///
/// Closures of more than 256 components are ordered by their heaviest chain instead of their
/// weight: they come last, and each one still comes after those inside it. With this order the
/// union of the first closures is a prefix of a list of components, so that no closure has to be
/// written out.
/// # Example
/// ```
/// use boildown_search::list::List;
/// use boildown_search::graph::{BinaryReduction, Requirements};
/// use boildown_search::{Search as _, Verdict, run};
///
/// // 1 requires 0; 3 requires 2; 5 requires 3 and 4.
/// let requirements = Requirements::new(6, [(1, 0), (3, 2), (5, 3), (5, 4)]);
/// let search = BinaryReduction::on(List::uniform(6), requirements);
/// let search = run(search, |kept| match kept.contains(1) && kept.contains(3) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
/// ```
#[derive(Debug, Clone)]
pub struct BinaryReduction {
    /// The best set so far is its `kept`: the required components and the first `works` of the
    /// progression.
    list: List,
    requirements: Requirements,
    components: Arc<Components>,
    /// The components that are known to be required. Invariant: closed.
    required: Arc<FixedBitSet>,
    /// The components that are neither required nor deleted, in the order of the progression. Empty
    /// when finished.
    progression: Arc<[usize]>,
    /// The required components and a prefix of this length are interesting. Invariant: `fails <
    /// works <= progression.len()`.
    works: usize,
    /// The required components and a prefix of this length are not interesting; `None` until the
    /// required components alone have been asked about.
    fails: Option<usize>,
    /// The next candidate.
    candidate: Subset,
    alone: HitRate,
    unions: HitRate,
}

impl BinaryReduction {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List, requirements: Requirements) -> Self {
        let mut search = Self {
            candidate: list.kept.clone(),
            list,
            requirements,
            components: Arc::new(Components::among(
                &Subset::full(0),
                &Requirements::new(0, []),
            )),
            required: Arc::new(FixedBitSet::new()),
            progression: Arc::new([]),
            works: 0,
            fails: None,
            alone: HitRate::new(0.2),
            unions: HitRate::new(0.5),
        };
        search.restart(search.best());
        search
    }

    /// Returns the length of the prefix to be tried next.
    fn tried_length(&self) -> usize {
        self.fails.map_or(0, |fails| fails.midpoint(self.works))
    }

    /// Makes the next candidate: the best set without the components after the prefix to be tried.
    fn make_candidate(&mut self) {
        if self.progression.is_empty() {
            return;
        }
        let mut kept = self.list.kept.to_bits();
        for &component in &self.progression[self.tried_length()..self.works] {
            for &element in self.components.members(component) {
                kept.remove(element);
            }
        }
        self.candidate = Subset::from_bits(kept);
    }

    /// Orders the remaining components and starts to bisect them.
    fn begin(&mut self, live: Vec<usize>) {
        let weight = |element| self.list.weight(element);
        self.progression = (self.components)
            .progression(live, &self.required, weight)
            .into();
        self.works = self.progression.len();
        self.fails = None;
    }

    /// Continues the bisection. When the shortest prefix is found, its last closure becomes
    /// required.
    fn advance(&mut self) {
        if self.fails.is_some_and(|fails| fails + 1 == self.works) {
            let last = self.works - 1;
            let mut required = FixedBitSet::clone(&self.required);
            required.extend(
                self.components
                    .closure(self.progression[last], &self.required),
            );
            self.required = Arc::new(required);
            let live = self.progression[..last].iter().copied();
            let live = live.filter(|&component| !self.required.contains(component));
            self.begin(live.collect());
        }
        self.make_candidate();
    }
}

impl Search for BinaryReduction {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        (!self.progression.is_empty()).then(|| Query {
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
        self.works = self.tried_length();
        if self.fails.is_none() {
            self.progression = Arc::new([]);
        }
        self.advance();
    }

    fn skip(&mut self) {
        self.fails = Some(self.tried_length());
        self.advance();
    }

    fn best(&self) -> Subset {
        self.list.kept.clone()
    }
}

impl ListSearch for BinaryReduction {
    fn restart(&mut self, best: Subset) {
        self.components = Arc::new(Components::among(&best, &self.requirements));
        self.required = Arc::new(FixedBitSet::with_capacity(self.components.count()));
        self.list.kept = best;
        self.begin((0..self.components.count()).collect());
        self.make_candidate();
    }
}

impl BinaryReduction {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "binary reduction",
        family: Family::Requirements,
        parameters: "",
        guarantee: "closed; minimal if monotone and unambiguous over closed sets",
        cost: "about log2 n + 1 for each required closure",
        source: "Kalhauge, Palsberg: Binary Reduction of Dependency Graphs (J-Reduce), ESEC/FSE \
            2019",
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::kept_sets;

    #[test]
    fn the_last_closure_of_the_shortest_interesting_prefix_is_required() {
        // 1 requires 0; 3 requires 2; 5 requires 3 and 4. The closures by size are 0, 2, 4, then
        // {0, 1}, {2, 3}, {2, 3, 4, 5}.
        let requirements = Requirements::new(6, [(1, 0), (3, 2), (5, 3), (5, 4)]);
        let search = BinaryReduction::on(List::uniform(6), requirements);
        let (asked, left) = kept_sets(search, |kept| kept.contains(&1) && kept.contains(&3));
        let expected: [&[usize]; 7] = [
            &[],
            &[0, 2, 4],
            &[0, 1, 2, 4],
            &[0, 1, 2, 3, 4],
            // {2, 3} is required, and the components after it are deleted; the progression is now
            // 0, 4, {0, 1}.
            &[2, 3],
            &[0, 2, 3],
            &[0, 2, 3, 4],
        ];
        assert_eq!(asked[..7], expected);
        // Then {0, 1} is required; only 4 is left to be deleted.
        assert_eq!(asked[7..], [[0, 1, 2, 3]]);
        assert_eq!(left, [0, 1, 2, 3]);
    }

    #[test]
    fn a_light_closure_is_kept_instead_of_a_heavy_one() {
        let either = |kept: &[usize]| kept.contains(&0) || kept.contains(&1);
        let heavy_first = List::weighted([9, 3, 1]);
        let search = BinaryReduction::on(heavy_first, Requirements::new(3, [(1, 2)]));
        assert_eq!(kept_sets(search, either).1, [1, 2]);
    }

    #[test]
    fn a_chain_of_100_000_elements_takes_at_most_18_queries() {
        let n = 100_000;
        let requirements = Requirements::new(n, (1..n).map(|user| (user, user - 1)));
        for needed in [0, 400, n - 1] {
            let mut search = BinaryReduction::on(List::uniform(n), requirements.clone());
            let mut asked = 0;
            while let Some(query) = search.ask() {
                asked += 1;
                search.tell(if query.candidate.contains(needed) {
                    Verdict::Interesting
                } else {
                    Verdict::Uninteresting
                });
            }
            assert_eq!(search.best(), Subset::full(n).only(0..needed + 1));
            assert!(asked <= 18, "{asked}");
        }
    }
}
