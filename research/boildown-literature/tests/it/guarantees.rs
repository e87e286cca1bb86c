//! Guarantees on small lists: an interesting result, 1-minimality, and termination on any verdicts.

use boildown_literature::list::Ddmin;
use boildown_search::list::{Halving, List, Sweep};
use boildown_search::{Fixpoint, Search as _, Sequence, Subset, Verdict, run};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::oracles::{Check, Oracle, every_search, oracles};

/// Checks that a search ends, and that its result is interesting.
pub(crate) struct EndsWell(pub(crate) Oracle);

impl Check for EndsWell {
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String> {
        let mut asked = 0_u32;
        let best = run(search, |kept| {
            asked += 1;
            assert!(asked < 5_000, "a search over a dozen elements does not end");
            self.0.judge(kept)
        })
        .best();
        match self.0.judge(&best) {
            Verdict::Interesting => Ok(()),
            other => Err(format!("ended with {best:?}, which is {other:?}")),
        }
    }
}

/// Checks that a search ends on verdicts that no function of the candidate would give.
pub(crate) struct EndsOnAnyVerdicts(pub(crate) Vec<u8>);

impl Check for EndsOnAnyVerdicts {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        let mut verdicts = self.0.iter().cycle();
        for asked in 0.. {
            if search.ask().is_none() {
                break;
            }
            if asked > 20_000 {
                return Err("still asking after 20,000 verdicts".to_owned());
            }
            match verdicts.next() {
                Some(0) => search.tell(Verdict::Interesting),
                Some(1) => search.tell(Verdict::Unresolved),
                Some(2) => search.skip(),
                _ => search.tell(Verdict::Uninteresting),
            }
        }
        Ok(())
    }
}

/// Checks that `ask` changes nothing, and that telling a clone does not change the original.
pub(crate) struct ClonesAreIndependent(pub(crate) Oracle);

impl Check for ClonesAreIndependent {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        while let Some(query) = search.ask() {
            for verdict in [
                Verdict::Interesting,
                Verdict::Uninteresting,
                Verdict::Unresolved,
            ] {
                search.clone().tell(verdict);
            }
            search.clone().skip();
            let again = search.ask().map(|query| query.candidate);
            if again.as_ref() != Some(&query.candidate) {
                return Err(format!("asked {:?}, then {again:?}", query.candidate));
            }
            if !(0.0..=1.0).contains(&query.odds) {
                return Err(format!("odds of {}", query.odds));
            }
            search.tell(self.0.judge(&query.candidate));
        }
        Ok(())
    }
}

fn is_1_minimal(best: &Subset, oracle: &Oracle, smallest: usize) -> bool {
    best.count() <= smallest
        || best.iter().all(|element| {
            let mut without = best.without(std::iter::once(element..element + 1));
            without.commit();
            oracle.judge(&without) != Verdict::Interesting
        })
}

proptest! {
    #[test]
    fn every_search_ends_with_an_interesting_set(
        (n, oracle) in (1_usize..=12).prop_flat_map(|n| (Just(n), oracles(n))),
    ) {
        every_search(&List::uniform(n), &EndsWell(oracle))?;
    }

    #[test]
    fn every_search_ends_on_arbitrary_and_contradictory_verdicts(
        n in 1_usize..12,
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        // Only an endless stream of hits is impossible, since hits shrink the list; the search must
        // end on everything else.
        every_search(&List::uniform(n), &EndsOnAnyVerdicts(verdicts))?;
    }

    #[test]
    fn asking_and_cloning_change_nothing(
        (n, oracle) in (1_usize..=12).prop_flat_map(|n| (Just(n), oracles(n))),
    ) {
        every_search(&List::uniform(n), &ClonesAreIndependent(oracle))?;
    }

    #[test]
    fn sweeps_and_ddmin_end_1_minimal_on_any_oracle(
        (n, oracle) in (1_usize..=12).prop_flat_map(|n| (Just(n), oracles(n))),
    ) {
        let list = List::uniform(n);
        let swept = run(Sweep::on(list.clone()), |kept| oracle.judge(kept)).best();
        prop_assert!(is_1_minimal(&swept, &oracle, 0), "sweep: {swept:?}");
        let halved = run(Sequence::new(Halving::on(list.clone()), Sweep::on(list.clone())), |kept| oracle.judge(kept));
        prop_assert!(is_1_minimal(&halved.best(), &oracle, 0), "halving, then sweep: {:?}", halved.best());
        let repeated = run(Fixpoint::new(Sweep::windows(list.kept.clone(), 1)), |kept| oracle.judge(kept));
        prop_assert!(is_1_minimal(&repeated.best(), &oracle, 0));
        let ddmin = run(Ddmin::on(list), |kept| oracle.judge(kept)).best();
        prop_assert!(is_1_minimal(&ddmin, &oracle, 1), "ddmin: {ddmin:?}");
    }

    #[test]
    fn a_monotone_unambiguous_oracle_leaves_exactly_the_needed_elements(
        (n, needed) in (1_usize..=12).prop_flat_map(|n| (Just(n), proptest::collection::btree_set(0..n, 0..=n))),
    ) {
        let oracle = Oracle::Needs(needed.iter().copied().collect());
        let list = List::uniform(n);
        let halved = run(Halving::on(list.clone()), |kept| oracle.judge(kept)).best();
        prop_assert_eq!(halved.iter().collect::<Vec<_>>(), needed.iter().copied().collect::<Vec<_>>());
        let ddmin = run(Ddmin::on(list), |kept| oracle.judge(kept)).best();
        if needed.is_empty() {
            prop_assert_eq!(ddmin.count(), 1);
        } else {
            prop_assert_eq!(ddmin.iter().collect::<Vec<_>>(), needed.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn halving_asks_less_than_two_queries_for_each_element(
        (n, oracle) in (1_usize..=40).prop_flat_map(|n| (Just(n), oracles(n))),
        weights in proptest::collection::vec(0_u32..100, 40),
    ) {
        let mut asked = 0;
        run(Halving::on(List::weighted(weights[..n].iter().copied())), |kept| {
            asked += 1;
            oracle.judge(kept)
        });
        prop_assert!(asked < 2 * n, "{asked} queries for {n} elements");
    }
}

#[test]
fn a_list_of_a_million_elements_takes_less_than_400_queries() {
    let n = 1_000_000;
    let needed: Vec<usize> = (0..10).map(|k| k * 99_991 + 17).collect();
    let oracle = Oracle::Needs(needed.clone());
    let mut asked = 0;
    let search = run(Halving::on(List::uniform(n)), |kept| {
        asked += 1;
        oracle.judge(kept)
    });
    assert_eq!(search.best().iter().collect::<Vec<_>>(), needed);
    assert!(asked < 400, "{asked}");
}
