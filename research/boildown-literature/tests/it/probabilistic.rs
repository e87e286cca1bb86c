//! Guarantees of the probabilistic list searches against brute force.

use boildown_literature::list::{
    ActiveCoarsen, Cdd, CddOptions, ProbDd, ProbDdOptions, Sigma, Ties, WProbDd, WProbDdOptions,
};
use boildown_search::list::{Direction, List};
use boildown_search::{Search, Subset, Verdict, run};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::oracles::{Check, Oracle, oracles};
use crate::workers::SameAtAnyNumber;

/// Runs a check on every probabilistic search.
fn every_probabilistic_search(list: &List, check: &impl Check) -> Result<(), TestCaseError> {
    let quarter = Sigma::QUARTER;
    let first = Ties::First;
    let probdd = ProbDd::on(list.clone());
    let weighted = WProbDd::on(list.clone());
    let cdd = Cdd::on(list.clone());
    let wprobdd_first = WProbDd::with_options(
        list.clone(),
        WProbDdOptions {
            sigma: quarter,
            ties: first,
            ..WProbDdOptions::DEFAULT
        },
    );
    let cdd_first = Cdd::with_options(
        list.clone(),
        CddOptions {
            sigma: quarter,
            direction: Direction::Forwards,
            ..CddOptions::DEFAULT
        },
    );
    let probdd_first = ProbDd::with_options(
        list.clone(),
        ProbDdOptions {
            sigma: quarter,
            ties: first,
            ..ProbDdOptions::DEFAULT
        },
    );
    let probdd_random = ProbDd::with_options(
        list.clone(),
        ProbDdOptions {
            ties: Ties::Random,
            seed: 7,
            ..ProbDdOptions::DEFAULT
        },
    );
    let outcomes = [
        ("probdd, random ties", check.check(probdd_random)),
        ("probdd", check.check(probdd)),
        ("wprobdd", check.check(weighted)),
        ("cdd", check.check(cdd)),
        ("probdd, a quarter", check.check(probdd_first)),
        ("wprobdd, a quarter", check.check(wprobdd_first)),
        ("cdd, a quarter", check.check(cdd_first)),
        ("coarsen", check.check(ActiveCoarsen::on(list.clone()))),
    ];
    for (name, outcome) in outcomes {
        outcome.map_err(|reason| TestCaseError::fail(format!("{name}: {reason}")))?;
    }
    Ok(())
}

/// Interesting if one of these sets is kept completely: monotone, with several minima.
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
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String> {
        let best = run(search, |kept| self.judge(kept)).best();
        let elements: Vec<usize> = best.iter().collect();
        for part in 0..(1_u32 << elements.len()) - 1 {
            let deleted = (elements.iter().enumerate()).filter(|(bit, _)| part >> bit & 1 == 0);
            let subset = best.without(deleted.map(|(_, &element)| element..element + 1));
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

/// Checks that a search ends with exactly the needed elements, after at most a given number of
/// queries.
struct Exactly {
    needed: Vec<usize>,
    most: usize,
}

impl Check for Exactly {
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String> {
        let oracle = Oracle::Needs(self.needed.clone());
        let mut asked = 0;
        let judge = |kept: &Subset| {
            asked += 1;
            oracle.judge(kept)
        };
        let best: Vec<usize> = run(search, judge).best().iter().collect();
        if best != self.needed {
            return Err(format!("left {best:?} of {:?}", self.needed));
        }
        if asked > self.most {
            return Err(format!("{asked} questions"));
        }
        Ok(())
    }
}

/// Checks that a search ends after at most a given number of verdicts, whatever they are.
struct EndsWithin {
    verdicts: Vec<u8>,
    most: usize,
}

impl Check for EndsWithin {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        let mut verdicts = self.verdicts.iter().cycle();
        for _ in 0..self.most {
            if search.ask().is_none() {
                return Ok(());
            }
            match verdicts.next() {
                Some(0) => search.tell(Verdict::Interesting),
                Some(1) => search.tell(Verdict::Unresolved),
                Some(2) => search.skip(),
                _ => search.tell(Verdict::Uninteresting),
            }
        }
        match search.ask() {
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
        every_probabilistic_search(&List::uniform(n), &OneOf(sets))?;
    }

    #[test]
    fn a_monotone_unambiguous_oracle_leaves_the_minimum_after_linearly_many_queries(
        (n, needed) in (1_usize..=60).prop_flat_map(|n| (Just(n), proptest::collection::btree_set(0..n, 0..=n))),
        weights in proptest::collection::vec(prop_oneof![0_u32..5, 0_u32..1000], 60),
    ) {
        let check = Exactly { needed: needed.into_iter().collect(), most: 4 * n + 20 };
        every_probabilistic_search(&List::weighted(weights[..n].iter().copied()), &check)?;
    }

    #[test]
    fn every_search_ends_after_linearly_many_verdicts(
        n in 1_usize..40,
        verdicts in proptest::collection::vec(0_u8..6, 1..40),
        weights in proptest::collection::vec(0_u32..1000, 40),
    ) {
        let check = EndsWithin { verdicts, most: 8 * n + 40 };
        every_probabilistic_search(&List::weighted(weights[..n].iter().copied()), &check)?;
    }

    #[test]
    fn verdicts_are_told_in_the_same_order_with_any_number_of_workers(
        (n, oracle) in (1_usize..16).prop_flat_map(|n| (Just(n), oracles(n))),
        delays in any::<u64>(),
    ) {
        every_probabilistic_search(&List::uniform(n), &SameAtAnyNumber { oracle, delays })?;
    }
}

/// Runs a search without the planner, whose fingerprints take time linear in the list for each
/// query.
fn drive<S: Search<Candidate = Subset>>(mut search: S, needed: &[usize]) -> usize {
    let mut asked = 0;
    while let Some(query) = search.ask() {
        asked += 1;
        let hit = needed
            .iter()
            .all(|&element| query.candidate.contains(element));
        drop(query);
        search.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
    }
    assert_eq!(search.best().iter().collect::<Vec<_>>(), needed);
    asked
}

#[test]
fn long_lists_take_time_linear_in_their_queries() {
    let n = 1_000_000;
    let needed: Vec<usize> = (0..10).map(|k| k * 99_991 + 17).collect();
    let uniform = || List::uniform(n);
    let weighted = List::weighted((0..1_000).cycle().take(n));
    // Groups have at most ten elements, or nine where the shortest of equal prefixes is taken, so a
    // sigma of a tenth takes a hundred thousand queries.
    assert!(drive(ProbDd::on(uniform()), &needed) < 100_200);
    assert!(drive(WProbDd::on(weighted), &needed) < 111_400);
    assert!(drive(Cdd::on(uniform()), &needed) < 100_200);
    let thousandth = Sigma::new(0.001).expect("a proper probability");
    assert!(
        drive(
            ProbDd::with_options(
                uniform(),
                ProbDdOptions {
                    sigma: thousandth,
                    ties: Ties::Last,
                    ..ProbDdOptions::DEFAULT
                }
            ),
            &needed
        ) < 1_300
    );
    assert!(
        drive(
            Cdd::with_options(
                uniform(),
                CddOptions {
                    sigma: thousandth,
                    direction: Direction::Backwards,
                    ..CddOptions::DEFAULT
                }
            ),
            &needed
        ) < 1_300
    );
    assert!(drive(ActiveCoarsen::on(uniform()), &needed) < 500);
}

/// Returns the number of queries if nothing can be deleted.
fn queries_without_a_hit<S: Search<Candidate = Subset>>(mut search: S) -> usize {
    let mut asked = 0;
    while search.ask().is_some() {
        asked += 1;
        search.tell(Verdict::Uninteresting);
    }
    asked
}

#[test]
fn about_two_queries_are_asked_for_each_element_if_nothing_can_be_deleted() {
    let n = 10_000;
    let list = List::uniform(n);
    let quarter = Sigma::QUARTER;
    let counts = [
        queries_without_a_hit(ProbDd::on(list.clone())),
        queries_without_a_hit(ProbDd::with_options(
            list.clone(),
            ProbDdOptions {
                sigma: quarter,
                ties: Ties::Last,
                ..ProbDdOptions::DEFAULT
            },
        )),
        queries_without_a_hit(WProbDd::on(List::weighted((1..=100).cycle().take(n)))),
        queries_without_a_hit(Cdd::on(list.clone())),
        queries_without_a_hit(Cdd::with_options(
            list.clone(),
            CddOptions {
                sigma: quarter,
                direction: Direction::Backwards,
                ..CddOptions::DEFAULT
            },
        )),
        queries_without_a_hit(ActiveCoarsen::on(list)),
    ];
    assert_eq!(counts, [20_167, 17_500, 20_599, 20_999, 17_500, 10_051]);
}
