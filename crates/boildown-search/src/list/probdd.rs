//! Probabilistic delta debugging.

use std::num::NonZeroUsize;

use super::beliefs::{Beliefs, Objective, Order, Ties, believing};
use super::{List, Sigma};
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes the elements that are least likely needed, as many at once as promises most, and learns from what misses.
///
/// Each element has a probability of being needed, σ at first. A question deletes the k least likely ones, with the k for
/// which k times the chance that none of them is needed is highest, and the larger of two equals. After a miss the
/// probabilities of the group rise by Bayes' rule; an element that misses alone is needed.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone, the minimum when it is unambiguous too: each element that
/// is left missed alone, at some time. 1-minimal only when followed by [`Sweep`](super::Sweep).
/// # Cost
/// O(n) questions for n elements: 2.02 n when nothing can go and σ is a tenth, 1.75 n when it is a quarter. No group has more
/// than ⌊1/σ⌋ elements. `tell` is O(log n) for each element of the group, and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored: see [`WProbDd`](super::WProbDd).
/// # Source
/// G. Wang, R. Shen, J. Chen, Y. Xiong, L. Zhang, *Probabilistic Delta Debugging*, ESEC/FSE 2021, §3. The usual σ is that of its
/// evaluation; on random lists of 120 elements with scattered needs, a quarter asked a tenth less than a tenth did where a tenth
/// or more was needed, and a third more where a fiftieth was. The paper leaves ties open, and a tie decides the size of the very
/// first group; here equal gains take the larger group, as in its Fig. 3, and equal elements go right to left. Probabilities of
/// groups stay below 1, whatever rounding does.
/// A question that is skipped teaches nothing: its group is asked about in halves next, and an element skipped alone is kept.
#[derive(Debug, Clone)]
pub struct ProbDd(Beliefs);

impl ProbDd {
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
            Objective::Number,
            Order::Ties(ties),
        ))
    }

    /// Starts on a list whose equally likely elements are tried in the given order. Elements that it does not name are kept.
    #[must_use]
    pub fn with_order(list: List, sigma: Sigma, order: &[usize]) -> Self {
        let order = Order::Given(order.into());
        Self(Beliefs::new(list, sigma, Objective::Number, order))
    }
}

believing!(ProbDd);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::list::testing::eight_statements;

    /// Runs a machine and returns, line by line, what each question deleted, the answer, and the probabilities of the elements
    /// asked about as they are afterwards; then what is left. Elements are numbered from 1.
    fn trace(mut machine: ProbDd, hits: impl Fn(&[usize]) -> bool) -> (Vec<String>, Vec<usize>) {
        let names = |set: &Subset| set.iter().map(|element| element + 1).collect::<Vec<_>>();
        let mut lines = Vec::new();
        while let Some(question) = machine.ask() {
            let kept = names(&question.candidate);
            let mut gone = names(&machine.best());
            gone.retain(|element| !kept.contains(element));
            let hit = hits(&kept);
            let verdict = [Verdict::Uninteresting, Verdict::Interesting][usize::from(hit)];
            machine.tell(verdict);
            let mut line: String = gone.iter().map(ToString::to_string).collect();
            line += [" miss", " hit"][usize::from(hit)];
            for element in gone {
                if let Some(p) = machine.0.probability(element - 1) {
                    line += &format!(" {p:.4}");
                }
            }
            lines.push(line);
        }
        (lines, names(&machine.best()))
    }

    #[test]
    fn the_eight_statements_of_the_paper_with_its_first_pick() {
        // The order of its text (§3.4); its Fig. 3 has the third and the fourth question the other way round.
        let order = [1, 2, 0, 7, 3, 4, 5, 6];
        let machine = ProbDd::with_order(List::uniform(8), Sigma::QUARTER, &order);
        let (asked, left) = trace(machine, eight_statements);
        let expected = [
            "1238 miss 0.3657 0.3657 0.3657 0.3657",
            "4567 hit",
            "23 miss 0.6119 0.6119",
            "18 miss 0.6119 0.6119",
            "2 hit",
            "3 miss",
            "1 hit",
            "8 miss",
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [3, 8]);
    }

    #[test]
    fn the_eight_statements_from_left_to_right_with_a_sigma_of_a_quarter() {
        let machine = ProbDd::with_sigma(List::uniform(8), Sigma::QUARTER, Ties::First);
        let (asked, left) = trace(machine, eight_statements);
        let expected = [
            "1234 miss 0.3657 0.3657 0.3657 0.3657",
            "5678 miss 0.3657 0.3657 0.3657 0.3657",
            "12 miss 0.6119 0.6119",
            "34 miss 0.6119 0.6119",
            "56 miss 0.6119 0.6119",
            "78 miss 0.6119 0.6119",
            "1 miss",
            "2 miss",
            "3 hit",
            "4 miss",
            "5 miss",
            "6 miss",
            "7 miss",
            "8 miss",
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_eight_statements_from_left_to_right_with_a_sigma_of_a_tenth() {
        let machine = ProbDd::with_sigma(List::uniform(8), Sigma::TENTH, Ties::First);
        let (asked, left) = trace(machine, eight_statements);
        let all = " 0.1756".repeat(8);
        let expected = [
            &format!("12345678 miss{all}"),
            "12345 miss 0.2836 0.2836 0.2836 0.2836 0.2836",
            "678 miss 0.3993 0.3993 0.3993",
            "123 miss 0.4485 0.4485 0.4485",
            "45 miss 0.5826 0.5826",
            "67 miss 0.6247 0.6247",
            "18 miss 0.6707 0.5972",
            "23 miss 0.6445 0.6445",
            "4 miss",
            "5 miss",
            "8 miss",
            "6 miss",
            "7 hit",
            "2 miss",
            "3 miss",
            "1 miss",
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [1, 2, 3, 4, 5, 6, 8]);
    }

    #[test]
    fn equal_gains_take_the_larger_group_for_every_popular_sigma() {
        for (sigma, size) in [
            (0.5, 2),
            (0.25, 4),
            (0.2, 5),
            (0.1, 10),
            (0.05, 20),
            (0.3, 3),
        ] {
            let sigma = Sigma::new(sigma).unwrap();
            let machine = ProbDd::with_sigma(List::uniform(50), sigma, Ties::Last);
            let candidate = machine.ask().unwrap().candidate;
            assert_eq!(candidate, Subset::full(50).only(0..50 - size), "{sigma}");
        }
    }

    #[test]
    fn a_skipped_group_is_asked_about_in_halves_and_teaches_nothing() {
        let mut machine = ProbDd::with_sigma(List::uniform(6), Sigma::QUARTER, Ties::First);
        let gone = |machine: &ProbDd| {
            let kept = machine.ask().unwrap().candidate;
            let best = machine.best();
            best.iter()
                .filter(|&element| !kept.contains(element))
                .collect::<Vec<_>>()
        };
        assert_eq!(gone(&machine), [0, 1, 2, 3]);
        machine.skip();
        assert_eq!(gone(&machine), [0, 1]);
        assert_eq!(machine.0.probability(0), Some(0.25));
        machine.skip();
        assert_eq!(gone(&machine), [0]);
        machine.skip();
        assert_eq!(
            machine.0.probability(0),
            None,
            "an element skipped alone is kept"
        );
        machine.tell(Verdict::Interesting);
        assert_eq!(gone(&machine), [2, 3]);
        machine.tell(Verdict::Uninteresting);
        assert_eq!(machine.best().iter().collect::<Vec<_>>(), [0, 2, 3, 4, 5]);
        assert_eq!(gone(&machine), [4, 5]);
    }

    #[test]
    fn a_wide_question_is_the_next_prefix_of_the_order() {
        let width = NonZeroUsize::new(3).unwrap();
        let mut machine = ProbDd::with_sigma(List::uniform(10), Sigma::QUARTER, Ties::Last);
        let kept = |machine: &ProbDd| -> Vec<usize> {
            let questions = machine.pending(width).into_iter();
            questions
                .map(|question| question.candidate.count())
                .collect()
        };
        assert_eq!(kept(&machine), [6, 6, 8]);
        let hit = Fate::Told(Verdict::Interesting);
        machine.settle(&[Fate::Told(Verdict::Uninteresting), hit, Fate::Postponed]);
        assert_eq!(
            machine.best().iter().collect::<Vec<_>>(),
            [0, 1, 6, 7, 8, 9]
        );
        assert_eq!(kept(&machine), [4, 4, 4], "first what was postponed");
        assert!(!machine.pending(width)[0].candidate.contains(0));
    }

    proptest! {
        #[test]
        fn questions_are_linear_groups_are_small_and_probabilities_only_rise(
            n in 1_usize..60,
            sigma in prop_oneof![Just(0.1), Just(0.25), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..5, 1..60),
            ties in prop_oneof![Just(Ties::First), Just(Ties::Last)],
        ) {
            let mut machine = ProbDd::with_sigma(List::uniform(n), Sigma::new(sigma).unwrap(), ties);
            let mut before = vec![Some(sigma); n];
            let mut verdicts = verdicts.iter().cycle();
            let mut asked = 0;
            while let Some(question) = machine.ask() {
                asked += 1;
                let group = machine.best().count() - question.candidate.count();
                prop_assert!(group >= 1 && group as f64 <= (1.0 / sigma).ceil());
                match verdicts.next() {
                    Some(0) => machine.tell(Verdict::Interesting),
                    _ => machine.tell(Verdict::Uninteresting),
                }
                for (element, before) in before.iter_mut().enumerate() {
                    let now = machine.0.probability(element);
                    if let Some(now) = now {
                        prop_assert!(before.is_some_and(|before| now >= before) && now < 1.0);
                    }
                    *before = now;
                }
            }
            prop_assert!(asked <= 3 * n, "{asked} questions for {n} elements");
            prop_assert!(before.iter().all(Option::is_none));
        }
    }

    #[test]
    fn when_nothing_can_go_about_two_questions_are_asked_for_each_element() {
        for (sigma, most) in [(Sigma::TENTH, 2200), (Sigma::QUARTER, 1750)] {
            let mut machine = ProbDd::with_sigma(List::uniform(1000), sigma, Ties::Last);
            let mut asked = 0;
            while machine.ask().is_some() {
                asked += 1;
                machine.tell(Verdict::Uninteresting);
            }
            assert!(asked <= most, "{asked}");
        }
    }
}
