//! What the probabilistic minimisers promise, against brute force, one question at a time and several at once.

use std::num::NonZeroUsize;

use boildown_search::list::{ActiveCoarsen, Cdd, Direction, List, ProbDd, Sigma, Ties, WProbDd};
use boildown_search::{Epochs, Search, Subset, Verdict, Wide, run};
use proptest::prelude::*;

use crate::oracles::{Check, Oracle, oracles};
use crate::workers::SameAtAnyNumber;

/// Runs a check on every probabilistic machine, alone and several questions wide.
fn every_probabilistic_machine(list: &List, check: &impl Check) -> Result<(), TestCaseError> {
    let quarter = Sigma::QUARTER;
    let first = Ties::First;
    let probdd = ProbDd::on(list.clone());
    let weighted = WProbDd::on(list.clone());
    let cdd = Cdd::on(list.clone());
    let wprobdd_first = WProbDd::with_sigma(list.clone(), quarter, first);
    let cdd_first = Cdd::with_sigma(list.clone(), quarter, Direction::Forwards);
    let outcomes = [
        ("probdd", both(check, &probdd)),
        ("wprobdd", both(check, &weighted)),
        ("cdd", both(check, &cdd)),
        (
            "probdd, a quarter",
            both(check, &ProbDd::with_sigma(list.clone(), quarter, first)),
        ),
        ("wprobdd, a quarter", both(check, &wprobdd_first)),
        ("cdd, a quarter", both(check, &cdd_first)),
        ("coarsen", both(check, &ActiveCoarsen::on(list.clone()))),
    ];
    for (name, outcome) in outcomes {
        outcome.map_err(|reason| TestCaseError::fail(format!("{name}: {reason}")))?;
    }
    Ok(())
}

fn both<M: Wide>(check: &impl Check, machine: &M) -> Result<(), String> {
    let wide = |width| {
        let width = NonZeroUsize::new(width).expect("a width is not 0");
        Epochs::new(machine.clone(), width)
    };
    check.check(machine.clone())?;
    check
        .check(wide(2))
        .map_err(|reason| format!("2 wide: {reason}"))?;
    check
        .check(wide(9))
        .map_err(|reason| format!("9 wide: {reason}"))
}

/// Interesting while one of these sets is kept whole: monotone, but several minima.
struct OneOf(Vec<Vec<usize>>);

impl OneOf {
    fn judge(&self, kept: &Subset) -> Verdict {
        let whole = |set: &Vec<usize>| set.iter().all(|&element| kept.contains(element));
        if self.0.iter().any(whole) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }
}

impl Check for OneOf {
    fn check<S: Search<Candidate = Subset>>(&self, machine: S) -> Result<(), String> {
        let best = run(machine, |kept| self.judge(kept)).best();
        let elements: Vec<usize> = best.iter().collect();
        for part in 0..(1_u32 << elements.len()) - 1 {
            let gone = (elements.iter().enumerate()).filter(|(bit, _)| part >> bit & 1 == 0);
            let subset = best.without(gone.map(|(_, &element)| element..element + 1));
            if self.judge(&subset) == Verdict::Interesting {
                return Err(format!("{subset:?} is inside of {best:?}"));
            }
        }
        match self.judge(&best) {
            Verdict::Interesting => Ok(()),
            other => Err(format!("ended with {best:?}, which is {other:?}")),
        }
    }
}

/// Ends with exactly the needed elements, after so many questions at most.
struct Exactly {
    needed: Vec<usize>,
    most: usize,
}

impl Check for Exactly {
    fn check<S: Search<Candidate = Subset>>(&self, machine: S) -> Result<(), String> {
        let oracle = Oracle::Needs(self.needed.clone());
        let mut asked = 0;
        let judge = |kept: &Subset| {
            asked += 1;
            oracle.judge(kept)
        };
        let best: Vec<usize> = run(machine, judge).best().iter().collect();
        if best != self.needed {
            return Err(format!("left {best:?} of {:?}", self.needed));
        }
        if asked > self.most {
            return Err(format!("{asked} questions"));
        }
        Ok(())
    }
}

/// Told verdicts that no function of the candidate would give, ends after so many at most.
struct EndsWithin {
    verdicts: Vec<u8>,
    most: usize,
}

impl Check for EndsWithin {
    fn check<S: Search<Candidate = Subset>>(&self, mut machine: S) -> Result<(), String> {
        let mut verdicts = self.verdicts.iter().cycle();
        for _ in 0..self.most {
            if machine.ask().is_none() {
                return Ok(());
            }
            match verdicts.next() {
                Some(0) => machine.tell(Verdict::Interesting),
                Some(1) => machine.tell(Verdict::Unresolved),
                Some(2) => machine.skip(),
                _ => machine.tell(Verdict::Uninteresting),
            }
        }
        match machine.ask() {
            None => Ok(()),
            Some(_) => Err(format!("still asking after {} verdicts", self.most)),
        }
    }
}

proptest! {
    #[test]
    fn a_monotone_oracle_leaves_a_minimal_set(
        (n, sets) in (1_usize..=12).prop_flat_map(|n| {
            let set = proptest::collection::vec(0..n, 0..=n);
            (Just(n), proptest::collection::vec(set, 1..4))
        }),
    ) {
        every_probabilistic_machine(&List::uniform(n), &OneOf(sets))?;
    }

    #[test]
    fn a_monotone_unambiguous_oracle_leaves_the_minimum_after_questions_linear_in_the_list(
        (n, needed) in (1_usize..=60).prop_flat_map(|n| (Just(n), proptest::collection::btree_set(0..n, 0..=n))),
        weights in proptest::collection::vec(prop_oneof![0_u32..5, 0_u32..1000], 60),
    ) {
        let check = Exactly { needed: needed.into_iter().collect(), most: 4 * n + 20 };
        every_probabilistic_machine(&List::weighted(weights[..n].iter().copied()), &check)?;
    }

    #[test]
    fn they_end_soon_whatever_they_are_told(
        n in 1_usize..40,
        verdicts in proptest::collection::vec(0_u8..6, 1..40),
        weights in proptest::collection::vec(0_u32..1000, 40),
    ) {
        let check = EndsWithin { verdicts, most: 8 * n + 40 };
        every_probabilistic_machine(&List::weighted(weights[..n].iter().copied()), &check)?;
    }

    #[test]
    fn pending_questions_are_disjoint_and_the_first_is_the_next(
        n in 1_usize..40,
        width in 1_usize..9,
        verdicts in proptest::collection::vec(0_u8..5, 1..40),
    ) {
        let list = List::uniform(n);
        disjoint(ProbDd::on(list.clone()), width, &verdicts)?;
        disjoint(WProbDd::with_sigma(list.clone(), Sigma::QUARTER, Ties::First), width, &verdicts)?;
        disjoint(Cdd::on(list), width, &verdicts)?;
    }
}

proptest! {
    // Three widths of seven machines at four numbers of workers: fewer cases say as much.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn wide_questions_are_told_the_same_way_to_any_number_of_workers(
        (n, oracle) in (1_usize..16).prop_flat_map(|n| (Just(n), oracles(n))),
        delays in any::<u64>(),
    ) {
        every_probabilistic_machine(&List::uniform(n), &SameAtAnyNumber { oracle, delays })?;
    }
}

fn disjoint<M: Wide>(mut machine: M, width: usize, verdicts: &[u8]) -> Result<(), TestCaseError> {
    let width = NonZeroUsize::new(width).expect("a width is not 0");
    for verdict in verdicts {
        let pending = machine.pending(width);
        let best = machine.best();
        let mut gone = Vec::new();
        for question in &pending {
            let before = gone.len();
            gone.extend(
                best.iter()
                    .filter(|&element| !question.candidate.contains(element)),
            );
            prop_assert!(gone.len() > before, "every question deletes something");
        }
        let count = gone.len();
        gone.sort_unstable();
        gone.dedup();
        prop_assert_eq!(gone.len(), count);
        let first = pending.first().map(|question| &question.candidate);
        let next = machine.ask().map(|question| question.candidate);
        prop_assert_eq!(first, next.as_ref());
        if next.is_none() {
            break;
        }
        match verdict {
            0 => machine.tell(Verdict::Interesting),
            1 => machine.skip(),
            _ => machine.tell(Verdict::Uninteresting),
        }
    }
    Ok(())
}

/// Drives a machine without the planner, whose fingerprints look at the whole list for each question.
fn drive<S: Search<Candidate = Subset>>(mut machine: S, needed: &[usize]) -> usize {
    let mut asked = 0;
    while let Some(question) = machine.ask() {
        asked += 1;
        let hit = needed
            .iter()
            .all(|&element| question.candidate.contains(element));
        drop(question);
        machine.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
    }
    assert_eq!(machine.best().iter().collect::<Vec<_>>(), needed);
    asked
}

#[test]
fn a_million_elements_cost_no_more_than_their_questions() {
    let n = 1_000_000;
    let needed: Vec<usize> = (0..10).map(|k| k * 99_991 + 17).collect();
    let uniform = || List::uniform(n);
    let weighted = List::weighted((0..1_000).cycle().take(n));
    // Groups of ten at most: a hundred thousand questions, because that is what a sigma of a tenth asks for.
    assert!(drive(ProbDd::on(uniform()), &needed) < 100_200);
    assert!(drive(WProbDd::on(weighted), &needed) < 100_200);
    assert!(drive(Cdd::on(uniform()), &needed) < 100_200);
    let thousandth = Sigma::new(0.001).expect("a proper probability");
    assert!(
        drive(
            ProbDd::with_sigma(uniform(), thousandth, Ties::Last),
            &needed
        ) < 1_300
    );
    assert!(
        drive(
            Cdd::with_sigma(uniform(), thousandth, Direction::Backwards),
            &needed
        ) < 1_300
    );
    assert!(drive(ActiveCoarsen::on(uniform()), &needed) < 500);
}

/// The number of questions when nothing can go.
fn barren<S: Search<Candidate = Subset>>(mut machine: S) -> usize {
    let mut asked = 0;
    while machine.ask().is_some() {
        asked += 1;
        machine.tell(Verdict::Uninteresting);
    }
    asked
}

#[test]
fn when_nothing_can_go_about_two_questions_are_asked_for_each_element() {
    let n = 10_000;
    let list = List::uniform(n);
    let quarter = Sigma::QUARTER;
    let counts = [
        barren(ProbDd::on(list.clone())),
        barren(ProbDd::with_sigma(list.clone(), quarter, Ties::Last)),
        barren(WProbDd::on(List::weighted((1..=100).cycle().take(n)))),
        barren(Cdd::on(list.clone())),
        barren(Cdd::with_sigma(list.clone(), quarter, Direction::Backwards)),
        barren(ActiveCoarsen::on(list)),
    ];
    assert_eq!(counts, [20_167, 17_500, 20_518, 20_999, 17_500, 10_051]);
}
