//! Beliefs: the model that ProbDD and `WProbDD` share, with a probability for each element.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng as _;
use rpds::RedBlackTreeSetSync;

use boildown_search::list::List;
use boildown_search::odds::RatesBySize;
use boildown_search::{Query, Subset, Verdict};

use super::coarsen::index_below;
use super::sigma::is_worth_adding;
use super::{Sigma, SigmaEstimate};

/// The probability for each undecided element that it is needed, and the groups to be asked about.
///
/// The elements are ordered by expected gain, weight·(1 − p). A group is a prefix of that order. An
/// element is decided when it is deleted, or when it missed alone. A miss of a larger group raises
/// the probabilities of its elements by Bayes' rule.
///
/// Elements that were never asked about all have the probability σ, so they are a slice of an array
/// that is never reordered. Only those that were part of a miss are in a search tree. It is
/// persistent, so a clone costs nothing.
#[derive(Debug, Clone)]
pub(crate) struct Beliefs {
    /// The probability of elements that were never asked about.
    sigma: Sigma,
    prior: SigmaPrior,
    /// The number of elements that missed alone.
    needed: usize,
    /// The number of elements that were deleted.
    deleted: usize,
    /// The sum of the probabilities of the items in `tried`.
    expected: f64,
    objective: Objective,
    order: TrialOrder,
    weights: Arc<[u32]>,
    kept: Subset,
    /// The elements to be tried, in their initial order: the heaviest first, then in the order of
    /// ties.
    items: Arc<[WeightedElement]>,
    /// The items from here on have never been chosen. Invariant: their probability is σ.
    fresh: usize,
    /// The items before `fresh` that are neither decided nor in a chosen group.
    tried: RedBlackTreeSetSync<RankedElement>,
    /// The number of misses so far.
    misses: u32,
    /// The total weight of the items from `fresh` on and of those in `tried`.
    weight: u64,
    /// Groups that are chosen; the last one is asked about next. Invariant: disjoint and non-empty,
    /// and all of their elements are kept; empty only when the search is finished.
    chosen: Vec<ElementGroup>,
    rates: RatesBySize,
}

/// The given σ, and whether it is replaced by an estimate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SigmaPrior {
    pub(crate) sigma: Sigma,
    pub(crate) estimate: SigmaEstimate,
}

impl From<Sigma> for SigmaPrior {
    fn from(sigma: Sigma) -> Self {
        let estimate = SigmaEstimate::Fixed;
        Self { sigma, estimate }
    }
}

/// The quantity whose expected value a deletion maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objective {
    /// The number of elements.
    Number,
    /// The weight. Of several prefixes with the same gain, this one is taken.
    Weight(Prefix),
}

/// The order of elements with the same expected gain.
#[derive(Debug, Clone)]
pub(crate) enum TrialOrder {
    /// The seed is that of [`Ties::Random`].
    Ties(Ties, u64),
    /// First these elements in this order, and no others; then as with [`Ties::Stable`].
    Given(Arc<[usize]>),
}

impl TrialOrder {
    /// Returns whether equal elements stay in the order that they had before the last miss.
    fn is_stable(&self) -> bool {
        matches!(self, Self::Ties(Ties::Stable, _) | Self::Given(_))
    }
}

/// Which of several equally promising elements is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The last one, so that deletions go right to left. Later elements tend to use the earlier
    /// ones.
    Last,
    /// The first one, so that deletions go left to right.
    First,
    /// At the start the first one. Then the one that came first before the last miss, as if the
    /// list were sorted anew, by a stable sort, after each miss.
    Stable,
    /// The one that comes first in an order of the list that is drawn from the seed.
    Random,
}

impl Ties {
    /// The values of the parameter `ties`.
    pub(super) const NAMES: [(&str, Self); 4] = [
        ("last", Self::Last),
        ("first", Self::First),
        ("stable", Self::Stable),
        ("random", Self::Random),
    ];

    /// Returns the seed that is `more` after this one, if the order is drawn from it.
    pub(super) fn reseeded(self, seed: u64, more: u64) -> Option<u64> {
        (self == Self::Random).then(|| seed.wrapping_add(more))
    }
}

/// Which of several prefixes with the same expected gain is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    /// The one with the fewest elements.
    Shortest,
    /// The one with the most elements.
    Longest,
}

impl Prefix {
    /// The values of the parameter `prefix`.
    pub(super) const NAMES: [(&str, Self); 2] =
        [("shortest", Self::Shortest), ("longest", Self::Longest)];
}

#[derive(Debug, Clone, Copy)]
struct WeightedElement {
    element: usize,
    weight: u32,
}

/// The rank of an element in the order of trials. The numbers are positive, so their bits are
/// ordered like the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedElement {
    /// The bits of weight·(1 − p), rounded.
    gain: Reverse<u64>,
    /// The bits of the probability that the element is needed, rounded.
    rounded: u64,
    /// The number of the miss that brought it to its probability, and its place in the group that
    /// missed. In a stable order that group came before all others. Zero in other orders.
    last: (Reverse<u32>, usize),
    /// The position in `items`.
    index: usize,
    /// The bits of the probability.
    p: u64,
}

impl RankedElement {
    fn new(index: usize, item: WeightedElement, p: f64) -> Self {
        Self {
            gain: Reverse(rounded_bits(f64::from(item.weight) * (1.0 - p))),
            rounded: rounded_bits(p),
            last: (Reverse(0), 0),
            index,
            p: p.to_bits(),
        }
    }

    fn p(self) -> f64 {
        f64::from_bits(self.p)
    }
}

/// Returns the bits of a positive number, rounded to 40 binary digits, so that numbers that are
/// equal but were computed in different ways have the same bits.
fn rounded_bits(number: f64) -> u64 {
    const DROPPED: u32 = f64::MANTISSA_DIGITS - 40;
    (number.to_bits() + (1 << (DROPPED - 1))) >> DROPPED
}

/// Brings elements into a random order, each with the same probability (Fisher and Yates).
fn shuffle(elements: &mut [usize], seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for end in (1..elements.len()).rev() {
        elements.swap(end, index_below(&mut rng, end + 1));
    }
}

/// Elements that are deleted together.
type ElementGroup = Arc<[RankedElement]>;

/// Returns the probability that deleting a group is interesting, if needs are independent.
fn chance(group: &[RankedElement]) -> f64 {
    group.iter().map(|ranked| 1.0 - ranked.p()).product()
}

impl Beliefs {
    /// The highest probability after a miss of several elements: none of them is certainly needed.
    const ALMOST_SURE: f64 = 1.0 - 1.0 / (1_u64 << 30) as f64;
    /// Gains that differ by less than this share are equal; they were computed in different orders.
    const TOLERANCE: f64 = 1e-12;

    pub(crate) fn new(
        list: List,
        prior: impl Into<SigmaPrior>,
        objective: Objective,
        order: TrialOrder,
    ) -> Self {
        let prior = prior.into();
        let mut beliefs = Self {
            sigma: prior.sigma,
            prior,
            needed: 0,
            deleted: 0,
            expected: 0.0,
            objective,
            order,
            weights: list.weights,
            kept: list.kept,
            items: Arc::new([]),
            fresh: 0,
            tried: RedBlackTreeSetSync::new_sync(),
            misses: 0,
            weight: 0,
            chosen: Vec::new(),
            rates: RatesBySize::new(0.4),
        };
        beliefs.restart(beliefs.kept.clone());
        beliefs
    }

    pub(crate) fn restart(&mut self, best: Subset) {
        let mut elements: Vec<usize> = match &self.order {
            TrialOrder::Ties(..) => best.iter().collect(),
            TrialOrder::Given(elements) => {
                let mut left = FixedBitSet::with_capacity(best.universe());
                left.extend(best.iter());
                let once = |element: &usize| {
                    let found = left.contains(*element);
                    left.set(*element, false);
                    found
                };
                let inside =
                    (elements.iter().copied()).filter(|&element| element < best.universe());
                inside.filter(once).collect()
            }
        };
        match self.order {
            TrialOrder::Ties(Ties::Last, _) => elements.reverse(),
            TrialOrder::Ties(Ties::Random, seed) => shuffle(&mut elements, seed),
            _ => {}
        }
        let weigh = |element| match self.objective {
            Objective::Number => 1,
            Objective::Weight(_) => self.weights.get(element).copied().unwrap_or(1),
        };
        let mut items: Vec<WeightedElement> = (elements.into_iter())
            .map(|element| WeightedElement {
                element,
                weight: weigh(element),
            })
            .collect();
        items.sort_by_key(|item| Reverse(item.weight));
        self.weight = items.iter().map(|item| u64::from(item.weight)).sum();
        self.items = items.into();
        self.sigma = self.prior.sigma;
        (self.needed, self.deleted, self.expected) = (0, 0, 0.0);
        self.fresh = 0;
        self.tried = RedBlackTreeSetSync::new_sync();
        self.kept = best;
        self.chosen = Vec::new();
        self.refill();
    }

    pub(crate) fn best(&self) -> Subset {
        self.kept.clone()
    }

    pub(crate) fn ask(&self) -> Option<Query<Subset>> {
        self.chosen.last().map(|group| self.query(group))
    }

    /// Records the answer to the query of `ask`; `None` if it was skipped.
    pub(crate) fn record(&mut self, verdict: Option<Verdict>) {
        let Some(group) = self.chosen.pop() else {
            return;
        };
        if let Some(verdict) = verdict {
            self.rates.learn(group.len(), verdict.into());
        }
        match verdict {
            Some(Verdict::Interesting) => {
                self.deleted += group.len();
                self.kept = self.kept.without(self.cuts(&group));
                self.kept.commit();
            }
            Some(_) => self.miss(&group),
            None if group.len() > 1 => {
                let (first, second) = group.split_at(group.len().div_ceil(2));
                self.chosen.push(second.into());
                self.chosen.push(first.into());
            }
            None => {}
        }
        self.estimate_sigma();
        self.refill();
    }

    /// Replaces σ by the expected share of needed elements among those that were asked about.
    fn estimate_sigma(&mut self) {
        if self.prior.estimate == SigmaEstimate::Answers {
            let asked = (self.needed + self.deleted + self.tried.size()) as f64;
            let prior = 0.5 / self.prior.sigma.get();
            let needed = self.needed as f64 + self.expected + 0.5;
            self.sigma = Sigma::clamped(needed / (asked + prior));
        }
    }

    /// Chooses a group if none is left.
    fn refill(&mut self) {
        if self.chosen.is_empty()
            && let Some(group) = self.choose()
        {
            self.chosen.push(group);
        }
    }

    /// Raises the probabilities of a group that could not be deleted, by Bayes' rule. A single
    /// element that missed is decided: it is needed.
    fn miss(&mut self, group: &[RankedElement]) {
        if group.len() == 1 {
            self.needed += 1;
            return;
        }
        self.misses += 1;
        let some_needed = 1.0 - chance(group);
        for (place, ranked) in group.iter().enumerate() {
            let p = (ranked.p() / some_needed).min(Self::ALMOST_SURE);
            let item = self.items[ranked.index];
            self.weight += u64::from(item.weight);
            self.expected += p;
            let mut raised = RankedElement::new(ranked.index, item, p);
            if self.order.is_stable() {
                raised.last = (Reverse(self.misses), place);
            }
            self.tried.insert_mut(raised);
        }
    }

    fn query(&self, group: &[RankedElement]) -> Query<Subset> {
        let observed = self.rates.odds(group.len());
        Query {
            candidate: self.kept.without(self.cuts(group)),
            odds: chance(group).midpoint(observed),
        }
    }

    fn cuts(&self, group: &[RankedElement]) -> impl Iterator<Item = Range<usize>> {
        let elements = group.iter().map(|ranked| self.items[ranked.index].element);
        elements.map(|element| element..element + 1)
    }

    /// Takes out the prefix with the highest expected gain. By number, it is the longest one if
    /// several have it.
    fn choose(&mut self) -> Option<ElementGroup> {
        let group: ElementGroup = match self.objective {
            Objective::Number => self.most_elements(),
            Objective::Weight(prefix) => self.most_weight(prefix),
        }
        .into();
        for ranked in group.iter() {
            self.weight -= u64::from(self.items[ranked.index].weight);
            if ranked.index == self.fresh {
                self.fresh += 1;
            } else {
                self.tried.remove_mut(ranked);
                self.expected -= ranked.p();
            }
        }
        (!group.is_empty()).then_some(group)
    }

    /// Returns the best prefix by number of elements, whose gain rises to its maximum and then
    /// falls.
    fn most_elements(&self) -> Vec<RankedElement> {
        let order = self.in_order().enumerate();
        let worth = order
            .take_while(|(before, ranked)| *before == 0 || is_worth_adding(before + 1, ranked.p()));
        worth.map(|(_, ranked)| ranked).collect()
    }

    /// Returns the best prefix by weight. The gain of a prefix may fall and rise again, but never
    /// above the total weight times the chance of the prefix. Once that bound is below the highest
    /// gain, no longer prefix can be better.
    fn most_weight(&self, prefix: Prefix) -> Vec<RankedElement> {
        let (mut weight, mut chance) = (0.0, 1.0);
        let (mut group, mut length, mut highest) = (Vec::new(), 0, 0.0_f64);
        for ranked in self.in_order() {
            weight += f64::from(self.items[ranked.index].weight);
            chance *= 1.0 - ranked.p();
            group.push(ranked);
            let tolerance = match prefix {
                Prefix::Longest => -Self::TOLERANCE,
                Prefix::Shortest => Self::TOLERANCE,
            };
            let enough = highest * (1.0 + tolerance);
            if weight * chance >= enough {
                length = group.len();
                highest = highest.max(weight * chance);
            } else if self.weight as f64 * chance < enough {
                break;
            }
        }
        group.truncate(length);
        group
    }

    /// Returns the undecided items that are not chosen yet, the most promising first.
    fn in_order(&self) -> impl Iterator<Item = RankedElement> {
        let fresh = self.fresh..self.items.len();
        let ranked = |index| RankedElement::new(index, self.items[index], self.sigma.get());
        let mut fresh = fresh.map(ranked).peekable();
        let mut tried = self.tried.iter().copied().peekable();
        std::iter::from_fn(move || match (fresh.peek(), tried.peek()) {
            (Some(new), Some(old)) if old < new => tried.next(),
            (Some(_), _) => fresh.next(),
            (None, _) => tried.next(),
        })
    }
}

/// Implements the search traits for a tuple struct around [`Beliefs`].
macro_rules! impl_belief_search {
    ($search:ident) => {
        impl Search for $search {
            type Candidate = Subset;

            fn ask(&self) -> Option<Query<Subset>> {
                self.0.ask()
            }

            fn tell(&mut self, verdict: Verdict) {
                self.0.record(Some(verdict));
            }

            fn skip(&mut self) {
                self.0.record(None);
            }

            fn best(&self) -> Subset {
                self.0.best()
            }
        }

        impl ListSearch for $search {
            fn restart(&mut self, best: Subset) {
                self.0.restart(best);
            }
        }
    };
}

pub(crate) use impl_belief_search;

#[cfg(test)]
impl Beliefs {
    /// Returns the probability that an element is needed, or `None` if it is decided.
    pub(crate) fn probability(&self, element: usize) -> Option<f64> {
        let index = self.items.iter().position(|item| item.element == element)?;
        let mut known = self
            .tried
            .iter()
            .chain(self.chosen.iter().flat_map(|group| group.iter()));
        if index >= self.fresh {
            return Some(self.sigma.get());
        }
        known
            .find(|ranked| ranked.index == index)
            .map(|ranked| ranked.p())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_prefix_by_weight_may_follow_a_falling_gain() {
        let list = List::weighted([100, 80, 40]);
        let sigma = Sigma::TENTH;
        let mut beliefs = Beliefs::new(
            list,
            sigma,
            Objective::Weight(Prefix::Longest),
            TrialOrder::Ties(Ties::Last, 0),
        );
        // 100 · 0.95 = 95, then 180 · 0.475 = 85.5, then 220 · 0.45125 = 99.3.
        for (index, p) in [0.05, 0.5, 0.05].into_iter().enumerate() {
            let ranked = RankedElement::new(index, beliefs.items[index], p);
            beliefs.tried.insert_mut(ranked);
        }
        (beliefs.fresh, beliefs.weight) = (3, 220);
        assert_eq!(beliefs.most_weight(Prefix::Longest).len(), 3);
    }
}
