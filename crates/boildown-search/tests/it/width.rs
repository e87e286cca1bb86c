//! Questions that are asked together.

use boildown_search::list::{Adaptive, Ddmin, Halving, List, Sweep};
use boildown_search::{
    Epochs, Fingerprint, Fingerprinted, Fixpoint, Planner, Question, Search, Subset, Verdict, Wide,
    run,
};
use proptest::prelude::*;

use crate::oracles::{Check, Oracle, every_machine, oracles, width};

/// What a machine says is certain is what it asks, whatever it is told.
struct CertainIsCertain(Vec<u8>);

impl Check for CertainIsCertain {
    fn check<S: Search<Candidate = Subset>>(&self, mut machine: S) -> Result<(), String> {
        let mut verdicts = self.0.iter().cycle();
        let mut budget = 2_000;
        while machine.ask().is_some() && budget > 0 {
            for (place, promised) in machine.certain().into_iter().enumerate() {
                budget -= 1;
                let asked = machine.ask().map(|question| question.candidate);
                if asked.as_ref() != Some(&promised.candidate) {
                    return Err(format!(
                        "{place}: promised {:?}, asked {asked:?}",
                        promised.candidate
                    ));
                }
                match verdicts.next() {
                    Some(0) => machine.tell(Verdict::Interesting),
                    Some(1) => machine.tell(Verdict::Unresolved),
                    Some(2) => machine.skip(),
                    _ => machine.tell(Verdict::Uninteresting),
                }
            }
        }
        Ok(())
    }
}

/// In epochs of one question, a machine asks what it asks alone.
fn asks_the_same_alone<M: Wide>(machine: M, oracle: &Oracle) -> Result<(), TestCaseError> {
    let mut alone = machine.clone();
    let mut epochs = Epochs::new(machine, width(1));
    while let Some(question) = alone.ask() {
        let same = epochs.ask().map(|question| question.candidate);
        prop_assert_eq!(same.as_ref(), Some(&question.candidate));
        let verdict = oracle.judge(&question.candidate);
        alone.tell(verdict);
        epochs.tell(verdict);
        prop_assert_eq!(epochs.best(), alone.best());
    }
    prop_assert!(epochs.ask().is_none());
    Ok(())
}

proptest! {
    #[test]
    fn certain_questions_are_asked_whatever_the_verdicts(
        n in 1_usize..16,
        verdicts in proptest::collection::vec(0_u8..6, 1..40),
    ) {
        every_machine(&List::uniform(n), &CertainIsCertain(verdicts))?;
    }

    #[test]
    fn epochs_of_one_question_change_nothing(
        (n, oracle) in (1_usize..16).prop_flat_map(|n| (Just(n), oracles(n))),
    ) {
        let list = List::uniform(n);
        asks_the_same_alone(Halving::on(list.clone()), &oracle)?;
        asks_the_same_alone(Sweep::on(list.clone()), &oracle)?;
        asks_the_same_alone(Sweep::windows(list.kept.clone(), 2), &oracle)?;
        asks_the_same_alone(Adaptive::on(list.clone()), &oracle)?;
        asks_the_same_alone(Ddmin::on(list), &oracle)?;
    }

    #[test]
    fn a_sweep_in_epochs_ends_1_minimal(
        (n, oracle) in (1_usize..=12).prop_flat_map(|n| (Just(n), oracles(n))),
        at_once in 1_usize..8,
    ) {
        let sweep = Epochs::new(Sweep::on(List::uniform(n)), width(at_once));
        let best = run(sweep, |kept| oracle.judge(kept)).best();
        prop_assert_eq!(oracle.judge(&best), Verdict::Interesting);
        for element in best.iter() {
            let without = best.without(std::iter::once(element..element + 1));
            prop_assert_ne!(oracle.judge(&without), Verdict::Interesting);
        }
    }
}

#[test]
fn hits_that_do_not_get_on_are_merged_as_far_as_they_go() {
    // Any one of the four can go, and any two but 1 and 2.
    let mut epochs = Epochs::new(Sweep::on(List::uniform(4)), width(4));
    let mut asked = Vec::new();
    while let Some(question) = epochs.ask() {
        let kept: Vec<usize> = question.candidate.iter().collect();
        let hit = kept.contains(&1) || kept.contains(&2);
        asked.push((kept, hit));
        epochs.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
    }
    let expected: [(&[usize], bool); 8] = [
        (&[0, 1, 2], true),
        (&[0, 1, 3], true),
        (&[0, 2, 3], true),
        (&[1, 2, 3], true),
        // All four together, then three, or two, of them from the right.
        (&[], false),
        (&[0, 1], true),
        (&[0], false),
        // The proof asks about the one that did not fit again; a planner knows the answer.
        (&[0], false),
    ];
    let asked: Vec<(&[usize], bool)> = asked.iter().map(|(kept, hit)| (&kept[..], *hit)).collect();
    assert_eq!(asked[..8], expected);
    assert_eq!(epochs.best(), Subset::full(4).only(1..2));
}

#[test]
fn a_row_of_certain_questions_keeps_its_width_busy_without_a_guess() {
    let sweep = Epochs::new(Sweep::on(List::uniform(200)), width(50));
    let mut planner = Planner::new(sweep);
    let mut rounds = 0;
    while !planner.is_finished() {
        rounds += 1;
        let tickets: Vec<_> = (0..50).filter_map(|_| planner.next()).collect();
        for ticket in tickets.iter().rev() {
            planner.answer(ticket.id, Verdict::Uninteresting);
        }
        let told = std::iter::from_fn(|| planner.advance()).count();
        assert_eq!((tickets.len(), told), (50, 50));
    }
    assert_eq!(rounds, 4);
}

#[test]
fn beyond_the_row_the_likeliest_answers_are_guessed() {
    // Nothing can go, and that is what a sweep expects: two epochs are in flight, and the guess about the second one is right.
    let sweep = Epochs::new(Sweep::on(List::uniform(100)), width(50));
    let mut planner = Planner::new(sweep);
    let tickets: Vec<_> = (0..100).filter_map(|_| planner.next()).collect();
    for ticket in &tickets {
        planner.answer(ticket.id, Verdict::Uninteresting);
    }
    assert_eq!(std::iter::from_fn(|| planner.advance()).count(), 100);
    assert!(planner.is_finished());
}

#[test]
fn what_was_interesting_and_not_kept_is_not_taken_for_a_miss_later() {
    // Four equal letters and the same text from many subsets: the fingerprint is that of the text.
    #[derive(Clone)]
    struct Text(Subset);
    impl Text {
        fn text(&self) -> String {
            self.0.iter().map(|at| char::from(b"xx000y"[at])).collect()
        }
    }
    impl Fingerprinted for Text {
        fn fingerprint(&self) -> Fingerprint {
            let bytes = self
                .text()
                .bytes()
                .fold(1_u128, |sum, byte| sum << 8 | u128::from(byte));
            Fingerprint::new(bytes)
        }
    }
    #[derive(Clone)]
    struct Texts(Fixpoint<Epochs<Sweep>>);
    impl Search for Texts {
        type Candidate = Text;
        fn ask(&self) -> Option<Question<Text>> {
            Some(self.0.ask()?.map(Text))
        }
        fn tell(&mut self, verdict: Verdict) {
            self.0.tell(verdict);
        }
        fn skip(&mut self) {
            self.0.skip();
        }
        fn best(&self) -> Text {
            Text(self.0.best())
        }
    }
    let hits = ["xx000y", "xx00y", "x00y"];
    for at_once in 1..8 {
        let sweep = Epochs::new(Sweep::on(List::uniform(6)), width(at_once));
        let mut told = Vec::new();
        let ended = run(Texts(Fixpoint::new(sweep)), |candidate| {
            let text = candidate.text();
            if hits.contains(&&*text) {
                told.push(text.len());
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        let best = ended.best().text();
        assert_eq!(
            Some(&best.len()),
            told.iter().min().or(Some(&6)),
            "{at_once} at once: {best}"
        );
    }
}

proptest! {
    #[test]
    fn a_best_result_never_grows_in_epochs(
        (n, oracle) in (1_usize..16).prop_flat_map(|n| (Just(n), oracles(n))),
        at_once in 1_usize..8,
    ) {
        let mut sweep = Epochs::new(Sweep::on(List::uniform(n)), width(at_once));
        let mut best = n;
        while let Some(question) = sweep.ask() {
            sweep.tell(oracle.judge(&question.candidate));
            let now = sweep.best().count();
            prop_assert!(now <= best, "{now} after {best}");
            best = now;
        }
    }
}
