//! Batches of queries that are asked about together.

use boildown_search::list::{Adaptive, Halving, List, Sweep};
use boildown_search::literature::list::Ddmin;
use boildown_search::{
    Batches, Fingerprint, Fingerprinted, Fixpoint, ListSearch, Planner, Query, Search, Subset,
    Verdict, run,
};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::oracles::{Check, Oracle, every_search, oracles, width};

/// Checks that the queries that a search calls certain are asked, whatever it is told.
struct CertainQueriesAreAsked(Vec<u8>);

impl Check for CertainQueriesAreAsked {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        let mut verdicts = self.0.iter().cycle();
        let mut budget = 2_000;
        while search.ask().is_some() && budget > 0 {
            for (index, certain) in search.certain().into_iter().enumerate() {
                budget -= 1;
                let asked = search.ask().map(|query| query.candidate);
                if asked.as_ref() != Some(&certain.candidate) {
                    return Err(format!(
                        "{index}: certain {:?}, asked {asked:?}",
                        certain.candidate
                    ));
                }
                match verdicts.next() {
                    Some(0) => search.tell(Verdict::Interesting),
                    Some(1) => search.tell(Verdict::Unresolved),
                    Some(2) => search.skip(),
                    _ => search.tell(Verdict::Uninteresting),
                }
            }
        }
        Ok(())
    }
}

/// Checks that a search in batches of one query asks the same queries as alone.
fn asks_the_same_alone<S: ListSearch>(search: S, oracle: &Oracle) -> Result<(), TestCaseError> {
    let mut alone = search.clone();
    let mut batches = Batches::new(search, width(1));
    while let Some(query) = alone.ask() {
        let same = batches.ask().map(|query| query.candidate);
        prop_assert_eq!(same.as_ref(), Some(&query.candidate));
        let verdict = oracle.judge(&query.candidate);
        alone.tell(verdict);
        batches.tell(verdict);
        prop_assert_eq!(batches.best(), alone.best());
    }
    prop_assert!(batches.ask().is_none());
    Ok(())
}

proptest! {
    #[test]
    fn certain_queries_are_asked_whatever_the_verdicts(
        n in 1_usize..16,
        verdicts in proptest::collection::vec(0_u8..6, 1..40),
    ) {
        every_search(&List::uniform(n), &CertainQueriesAreAsked(verdicts))?;
    }

    #[test]
    fn batches_of_one_query_change_nothing(
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
    fn a_sweep_in_batches_ends_1_minimal(
        (n, oracle) in (1_usize..=12).prop_flat_map(|n| (Just(n), oracles(n))),
        at_once in 1_usize..8,
    ) {
        let sweep = Batches::new(Sweep::on(List::uniform(n)), width(at_once));
        let best = run(sweep, |kept| oracle.judge(kept)).best();
        prop_assert_eq!(oracle.judge(&best), Verdict::Interesting);
        for element in best.iter() {
            let without = best.without(std::iter::once(element..element + 1));
            prop_assert_ne!(oracle.judge(&without), Verdict::Interesting);
        }
    }
}

#[test]
fn the_longest_prefix_of_the_hits_that_is_interesting_is_merged() {
    // Any one of the four elements can be deleted, and any two but 1 and 2.
    let mut batches = Batches::new(Sweep::on(List::uniform(4)), width(4));
    let mut asked = Vec::new();
    while let Some(query) = batches.ask() {
        let kept: Vec<usize> = query.candidate.iter().collect();
        let hit = kept.contains(&1) || kept.contains(&2);
        asked.push((kept, hit));
        batches.tell(if hit {
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
        // All four together, then three or two of them from the right.
        (&[], false),
        (&[0, 1], true),
        (&[0], false),
        // The last sweep asks again about the one that was left out; a planner knows the answer.
        (&[0], false),
    ];
    let asked: Vec<(&[usize], bool)> = asked.iter().map(|(kept, hit)| (&kept[..], *hit)).collect();
    assert_eq!(asked[..8], expected);
    assert_eq!(batches.best(), Subset::full(4).only(1..2));
}

#[test]
fn certain_queries_keep_as_many_workers_busy_without_a_guess() {
    let sweep = Batches::new(Sweep::on(List::uniform(200)), width(50));
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
fn after_the_certain_queries_the_likeliest_answers_are_guessed() {
    // Nothing can be deleted, as a sweep expects: two batches are in flight, and the guess about
    // the second one is right.
    let sweep = Batches::new(Sweep::on(List::uniform(100)), width(50));
    let mut planner = Planner::new(sweep);
    let tickets: Vec<_> = (0..100).filter_map(|_| planner.next()).collect();
    for ticket in &tickets {
        planner.answer(ticket.id, Verdict::Uninteresting);
    }
    assert_eq!(std::iter::from_fn(|| planner.advance()).count(), 100);
    assert!(planner.is_finished());
}

#[test]
fn a_deferred_hit_is_not_taken_for_a_miss_later() {
    // Four equal letters: many subsets have the same text, and the fingerprint is that of the text.
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
    struct Texts(Fixpoint<Batches<Sweep>>);
    impl Search for Texts {
        type Candidate = Text;
        fn ask(&self) -> Option<Query<Text>> {
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
        let sweep = Batches::new(Sweep::on(List::uniform(6)), width(at_once));
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
    fn a_best_result_never_grows_in_batches(
        (n, oracle) in (1_usize..16).prop_flat_map(|n| (Just(n), oracles(n))),
        at_once in 1_usize..8,
    ) {
        let mut sweep = Batches::new(Sweep::on(List::uniform(n)), width(at_once));
        let mut best = n;
        while let Some(query) = sweep.ask() {
            sweep.tell(oracle.judge(&query.candidate));
            let now = sweep.best().count();
            prop_assert!(now <= best, "{now} after {best}");
            best = now;
        }
    }
}
