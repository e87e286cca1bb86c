//! Probabilistic delta debugging of elements that weigh differently.

use std::num::NonZeroUsize;

use super::beliefs::{Beliefs, Objective, Order, Ties, believing};
use super::{List, Sigma};
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes what promises to take most weight away, and learns from what misses.
///
/// Like [`ProbDd`](super::ProbDd), but elements are ordered by weight·(1 − p), the heaviest expectation first, and a question deletes
/// the prefix for which the weight times the chance that none of its elements is needed is highest.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone, the minimum when it is unambiguous too: each element that
/// is left missed alone, at some time. 1-minimal only when followed by [`Sweep`](super::Sweep).
/// # Cost
/// No more than 3 n questions for n elements in any test of ours. The prefix is found exactly without looking at the whole list:
/// the scan ends where the chance of the prefix times the weight of everything is less than the highest gain so far. `tell`
/// is O(log n) for each element looked at, and O(n / 64) on a hit; starting sorts the list.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are those of the [`List`].
/// # Source
/// X. Zhou et al., *WDD: Weighted Delta Debugging*, ICSE 2025, the algorithm `WProbDD`. Where two prefixes gain the same it takes the
/// smaller, by a strict comparison; here the larger is taken, so that with equal weights the questions are exactly those
/// of `ProbDD`. Equal elements go in the order of rising probability, then right to left; the paper leaves that open. Ends when every
/// element is decided, as `ProbDD` does in its paper. A question that is skipped teaches nothing: its group is asked about in
/// halves next, and an element skipped alone is kept.
#[derive(Debug, Clone)]
pub struct WProbDd(Beliefs);

impl WProbDd {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_sigma(list, Sigma::TENTH, Ties::Last)
    }

    /// Starts on a list, with another expectation or direction.
    #[must_use]
    pub fn with_sigma(list: List, sigma: Sigma, ties: Ties) -> Self {
        Self(Beliefs::new(
            list,
            sigma,
            Objective::Weight,
            Order::Ties(ties),
        ))
    }
}

believing!(WProbDd);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ProbDd;
    use super::*;

    fn deleted<S: Search<Candidate = Subset>>(machine: &S) -> Option<Vec<usize>> {
        let kept = machine.ask()?.candidate;
        let best = machine.best();
        Some(
            best.iter()
                .filter(|&element| !kept.contains(element))
                .collect(),
        )
    }

    #[test]
    fn the_heaviest_elements_go_first() {
        // 8 alone gains 6; 8 and 6 gain 14 · 9/16 = 7.875; with one of weight 2 it is 16 · 27/64 = 6.75.
        let list = List::weighted([1, 8, 2, 6, 2]);
        let mut machine = WProbDd::with_sigma(list, Sigma::QUARTER, Ties::Last);
        assert_eq!(deleted(&machine), Some(vec![1, 3]));
        machine.tell(Verdict::Uninteresting);
        // Both are needed with probability 4/7 now. 8 and 6 are still first in the order, but 8 gains 24/7 alone and 18/7 with 6.
        assert!((machine.0.probability(1).unwrap() - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(deleted(&machine), Some(vec![1]));
        machine.tell(Verdict::Uninteresting);
        // 6 gains 18/7, and with the last element 8 · 3/7 · 3/4, which is the same: the larger group is taken.
        assert_eq!(deleted(&machine), Some(vec![3, 4]));
        machine.tell(Verdict::Interesting);
        assert_eq!(deleted(&machine), Some(vec![0, 2]));
    }

    /// The longest prefix with the highest gain and its gain, by looking at all of them.
    fn best_prefix(machine: &WProbDd, weights: &[u32]) -> (usize, f64) {
        let known = |&element: &usize| Some((weights[element], machine.0.probability(element)?));
        let mut order: Vec<(u32, f64)> = machine.best().iter().filter_map(|e| known(&e)).collect();
        let gain = |&(weight, p): &(u32, f64)| f64::from(weight) * (1.0 - p);
        order.sort_by(|a, b| gain(b).total_cmp(&gain(a)).then(a.1.total_cmp(&b.1)));
        let (mut weight, mut chance, mut best) = (0.0, 1.0, (0, 0.0));
        for (count, (w, p)) in order.into_iter().enumerate() {
            weight += f64::from(w);
            chance *= 1.0 - p;
            if weight * chance >= best.1 * (1.0 - 1e-12) {
                best = (count + 1, best.1.max(weight * chance));
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_prefix_is_the_best_of_all_and_questions_are_linear(
            weights in proptest::collection::vec(prop_oneof![1_u32..6, 1_u32..2000], 1..40),
            sigma in prop_oneof![Just(0.1), Just(0.25), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..5, 1..60),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut machine = WProbDd::with_sigma(List::weighted(weights.iter().copied()), sigma, Ties::Last);
            let mut verdicts = verdicts.iter().cycle();
            let mut asked = 0;
            while let Some(group) = deleted(&machine) {
                asked += 1;
                prop_assert_eq!(group.len(), best_prefix(&machine, &weights).0);
                match verdicts.next() {
                    Some(0) => machine.tell(Verdict::Interesting),
                    _ => machine.tell(Verdict::Uninteresting),
                }
            }
            prop_assert!(asked <= 3 * weights.len(), "{asked} questions for {} elements", weights.len());
        }

        #[test]
        fn with_equal_weights_the_questions_are_those_of_probdd(
            n in 1_usize..60,
            weight in 1_u32..1000,
            sigma in prop_oneof![Just(0.1), Just(0.25), Just(0.2), Just(0.5), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..4, 1..60),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut weighted = WProbDd::with_sigma(List::weighted(vec![weight; n]), sigma, Ties::Last);
            let mut plain = ProbDd::with_sigma(List::uniform(n), sigma, Ties::Last);
            for verdict in verdicts.iter().cycle() {
                let group = deleted(&plain);
                prop_assert_eq!(&group, &deleted(&weighted));
                if group.is_none() {
                    break;
                }
                let verdict = if *verdict == 0 { Verdict::Interesting } else { Verdict::Uninteresting };
                plain.tell(verdict);
                weighted.tell(verdict);
            }
        }
    }
}
