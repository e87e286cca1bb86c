//! What ProbDD and `WProbDD` share: a probability for each element, and the order in which elements are tried.

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rpds::RedBlackTreeSetSync;

use super::sigma::is_worth_adding;
use super::{List, Sigma};
use crate::odds::RatesBySize;
use crate::{Fate, Question, Subset, Verdict};

/// For each undecided element the probability that it is needed, and the groups that are to be asked about.
///
/// The elements are ordered by their expected gain, weight·(1 − p), and a group is a prefix of that order. Elements that were
/// never asked about all have the same probability, so they are a slice of an array that is never reordered; only those
/// that were part of a miss are kept in a search tree, a persistent one, so that a clone costs nothing.
#[derive(Debug, Clone)]
pub(super) struct Beliefs {
    sigma: Sigma,
    objective: Objective,
    order: Order,
    weights: Arc<[u32]>,
    kept: Subset,
    /// The elements to be tried, as they stand while nothing was asked: heaviest first, else in the order of ties.
    items: Arc<[Item]>,
    /// The items from here on have never been chosen. Invariant: the probability of each of them is σ.
    fresh: usize,
    /// The items before `fresh` that are neither decided nor part of a chosen group.
    tried: RedBlackTreeSetSync<Standing>,
    /// The weight of all items from `fresh` on and of those in `tried`.
    weight: u64,
    /// Groups that have been chosen, the last one asked first. Invariant: disjoint, non-empty, all of their elements
    /// are kept; empty only when the search is finished.
    chosen: Vec<Group>,
    rates: RatesBySize,
}

/// What a deletion is to have most of, in expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objective {
    /// Elements.
    Number,
    /// Weight.
    Weight,
}

/// In which order elements are tried that are equally promising.
#[derive(Debug, Clone)]
pub(super) enum Order {
    Ties(Ties),
    /// These, and no others.
    Given(Arc<[usize]>),
}

/// Which of several equally promising elements is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The last one: right to left. Later elements tend to use the earlier ones.
    Last,
    /// The first one: left to right.
    First,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    element: usize,
    weight: u32,
}

/// Where an item stands in the order in which items are tried. Both numbers are positive, so that their bits are ordered as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    /// The bits of weight·(1 − p).
    gain: Reverse<u64>,
    /// The bits of the probability that the element is needed.
    p: u64,
    /// The place in `items`.
    place: usize,
}

impl Standing {
    fn new(place: usize, item: Item, p: f64) -> Self {
        Self {
            gain: Reverse((f64::from(item.weight) * (1.0 - p)).to_bits()),
            p: p.to_bits(),
            place,
        }
    }

    fn p(self) -> f64 {
        f64::from_bits(self.p)
    }
}

/// Items that are deleted together.
type Group = Arc<[Standing]>;

/// The probability that deleting a group is interesting, if needs were independent.
fn chance(group: &[Standing]) -> f64 {
    group.iter().map(|standing| 1.0 - standing.p()).product()
}

impl Beliefs {
    /// Short of certainty: what a miss of several elements leaves open about each of them.
    const ALMOST_SURE: f64 = 1.0 - 1.0 / (1_u64 << 30) as f64;
    /// Gains that differ by less are the same, computed in another order.
    const TOLERANCE: f64 = 1e-12;

    pub(super) fn new(list: List, sigma: Sigma, objective: Objective, order: Order) -> Self {
        let mut beliefs = Self {
            sigma,
            objective,
            order,
            weights: list.weights,
            kept: list.kept,
            items: Arc::new([]),
            fresh: 0,
            tried: RedBlackTreeSetSync::new_sync(),
            weight: 0,
            chosen: Vec::new(),
            rates: RatesBySize::new(0.4),
        };
        beliefs.restart(beliefs.kept.clone());
        beliefs
    }

    pub(super) fn restart(&mut self, best: Subset) {
        let mut elements: Vec<usize> = match &self.order {
            Order::Ties(_) => best.iter().collect(),
            Order::Given(elements) => {
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
        if matches!(self.order, Order::Ties(Ties::Last)) {
            elements.reverse();
        }
        let weigh = |element| match self.objective {
            Objective::Number => 1,
            Objective::Weight => self.weights.get(element).copied().unwrap_or(1),
        };
        let mut items: Vec<Item> = (elements.into_iter())
            .map(|element| Item {
                element,
                weight: weigh(element),
            })
            .collect();
        items.sort_by_key(|item| Reverse(item.weight));
        self.weight = items.iter().map(|item| u64::from(item.weight)).sum();
        self.items = items.into();
        self.fresh = 0;
        self.tried = RedBlackTreeSetSync::new_sync();
        self.kept = best;
        self.chosen = Vec::new();
        self.refill();
    }

    pub(super) fn best(&self) -> Subset {
        self.kept.clone()
    }

    pub(super) fn ask(&self) -> Option<Question<Subset>> {
        self.chosen.last().map(|group| self.question(group))
    }

    pub(super) fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let groups = self.clone().take(width.get());
        groups.iter().map(|group| self.question(group)).collect()
    }

    pub(super) fn settle(&mut self, fates: &[Fate]) {
        let groups = self.take(fates.len());
        let mut cuts = Vec::new();
        // In reverse, so that among those that are asked again the first is asked first.
        for (group, fate) in groups.into_iter().zip(fates).rev() {
            if let Fate::Told(verdict) = fate {
                self.rates.learn(group.len(), (*verdict).into());
            }
            match fate {
                Fate::Told(Verdict::Interesting) => cuts.extend(self.cuts(&group)),
                Fate::Told(_) => self.miss(&group),
                Fate::Skipped if group.len() > 1 => {
                    let (first, second) = group.split_at(group.len().div_ceil(2));
                    self.chosen.push(second.into());
                    self.chosen.push(first.into());
                }
                Fate::Skipped => {}
                Fate::Postponed => self.chosen.push(group),
            }
        }
        if !cuts.is_empty() {
            self.kept = self.kept.without(cuts);
            self.kept.commit();
        }
        self.refill();
    }

    /// Chooses a group when none is left.
    fn refill(&mut self) {
        if self.chosen.is_empty()
            && let Some(group) = self.choose()
        {
            self.chosen.push(group);
        }
    }

    /// Raises the probabilities of a group that could not go, by Bayes' rule; an element that missed alone is needed.
    fn miss(&mut self, group: &[Standing]) {
        if group.len() == 1 {
            return;
        }
        let some_needed = 1.0 - chance(group);
        for standing in group {
            let p = (standing.p() / some_needed).min(Self::ALMOST_SURE);
            let item = self.items[standing.place];
            self.weight += u64::from(item.weight);
            self.tried
                .insert_mut(Standing::new(standing.place, item, p));
        }
    }

    fn question(&self, group: &[Standing]) -> Question<Subset> {
        let observed = self.rates.odds(group.len());
        Question {
            candidate: self.kept.without(self.cuts(group)),
            odds: chance(group).midpoint(observed),
        }
    }

    fn cuts(&self, group: &[Standing]) -> impl Iterator<Item = Range<usize>> {
        let elements = group
            .iter()
            .map(|standing| self.items[standing.place].element);
        elements.map(|element| element..element + 1)
    }

    /// Takes the next groups out: those chosen already, then prefixes of what is left.
    fn take(&mut self, count: usize) -> Vec<Group> {
        let next = || self.chosen.pop().or_else(|| self.choose());
        std::iter::from_fn(next).take(count).collect()
    }

    /// Takes the prefix with the highest expected gain out; the longest one when several have it.
    fn choose(&mut self) -> Option<Group> {
        let group: Group = match self.objective {
            Objective::Number => self.most_elements(),
            Objective::Weight => self.most_weight(),
        }
        .into();
        for standing in group.iter() {
            self.weight -= u64::from(self.items[standing.place].weight);
            if standing.place == self.fresh {
                self.fresh += 1;
            } else {
                self.tried.remove_mut(standing);
            }
        }
        (!group.is_empty()).then_some(group)
    }

    /// The gain of a prefix rises to its maximum and then falls.
    fn most_elements(&self) -> Vec<Standing> {
        let order = self.in_order().enumerate();
        let worth = order.take_while(|(before, standing)| {
            *before == 0 || is_worth_adding(before + 1, standing.p())
        });
        worth.map(|(_, standing)| standing).collect()
    }

    /// The gain of a prefix may fall and rise again, but never above what all elements together would gain at the chance of the
    /// prefix: once that is too little, the maximum is behind.
    fn most_weight(&self) -> Vec<Standing> {
        let (mut weight, mut chance) = (0.0, 1.0);
        let (mut group, mut length, mut highest) = (Vec::new(), 0, 0.0_f64);
        for standing in self.in_order() {
            weight += f64::from(self.items[standing.place].weight);
            chance *= 1.0 - standing.p();
            group.push(standing);
            let enough = highest * (1.0 - Self::TOLERANCE);
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

    /// The undecided items that are not chosen yet, the most promising first.
    fn in_order(&self) -> impl Iterator<Item = Standing> {
        let fresh = self.fresh..self.items.len();
        let standing = |place| Standing::new(place, self.items[place], self.sigma.get());
        let mut fresh = fresh.map(standing).peekable();
        let mut tried = self.tried.iter().copied().peekable();
        std::iter::from_fn(move || match (fresh.peek(), tried.peek()) {
            (Some(new), Some(old)) if old < new => tried.next(),
            (Some(_), _) => fresh.next(),
            (None, _) => tried.next(),
        })
    }
}

/// Makes a machine of a tuple struct around [`Beliefs`].
macro_rules! believing {
    ($machine:ident) => {
        impl Search for $machine {
            type Candidate = Subset;

            fn ask(&self) -> Option<Question<Subset>> {
                self.0.ask()
            }

            fn tell(&mut self, verdict: Verdict) {
                self.settle(&[Fate::Told(verdict)]);
            }

            fn skip(&mut self) {
                self.settle(&[Fate::Skipped]);
            }

            fn best(&self) -> Subset {
                self.0.best()
            }
        }

        impl Wide for $machine {
            fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
                self.0.pending(width)
            }

            fn settle(&mut self, fates: &[Fate]) {
                self.0.settle(fates);
            }
        }

        impl Restart for $machine {
            fn restart(&mut self, best: Subset) {
                self.0.restart(best);
            }
        }
    };
}

pub(super) use believing;

#[cfg(test)]
impl Beliefs {
    /// The probability that an element is needed; `None` when it is decided.
    pub(super) fn probability(&self, element: usize) -> Option<f64> {
        let place = self.items.iter().position(|item| item.element == element)?;
        let mut known = self
            .tried
            .iter()
            .chain(self.chosen.iter().flat_map(|group| group.iter()));
        if place >= self.fresh {
            return Some(self.sigma.get());
        }
        known
            .find(|standing| standing.place == place)
            .map(|standing| standing.p())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_that_falls_may_rise_above_where_it_was() {
        let list = List::weighted([100, 80, 40]);
        let sigma = Sigma::TENTH;
        let mut beliefs = Beliefs::new(list, sigma, Objective::Weight, Order::Ties(Ties::Last));
        // 100 · 0.95 = 95, then 180 · 0.475 = 85.5, then 220 · 0.45125 = 99.3.
        for (place, p) in [0.05, 0.5, 0.05].into_iter().enumerate() {
            let standing = Standing::new(place, beliefs.items[place], p);
            beliefs.tried.insert_mut(standing);
        }
        (beliefs.fresh, beliefs.weight) = (3, 220);
        assert_eq!(beliefs.most_weight().len(), 3);
    }
}
