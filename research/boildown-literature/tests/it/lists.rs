//! Guarantees of the list searches with options, and on long lists.

use std::num::NonZeroUsize;

use boildown_literature::list::{
    Bisection, Ddmin, DdminOptions, KnownMisses, NMinimal, Naive, Resume, SplitFactor, Subsets,
    Wddmin,
};
use boildown_search::list::{Direction, Halving, HalvingOptions, HalvingOrder, List, Sweep};
use boildown_search::{Fixpoint, Search, Sequence, Subset, Verdict, run};
use proptest::prelude::*;

use crate::oracles::{Oracle, PICIRE, oracles};

/// Every variant of ddmin.
fn ddmin_variants() -> Vec<DdminOptions> {
    let directions = [Direction::Forwards, Direction::Backwards];
    let mut variants = Vec::new();
    for subsets in [Subsets::Try, Subsets::Skip] {
        for subset_direction in directions {
            for complement_direction in directions {
                for resume in [Resume::Restart, Resume::Onwards] {
                    for split in [2, 3, 7].map(SplitFactor::new) {
                        variants.push(DdminOptions {
                            subsets,
                            subset_direction,
                            complement_direction,
                            resume,
                            split: split.expect("a factor of at least 2"),
                        });
                    }
                }
            }
        }
    }
    variants
}

/// Returns whether no deletion of 1 to `n` elements is a hit. Lists of at most `smallest` elements
/// are accepted.
fn is_n_minimal(best: &Subset, oracle: &Oracle, n: usize, smallest: usize) -> bool {
    let elements: Vec<usize> = best.iter().collect();
    elements.len() <= smallest
        || (1_u32..1 << elements.len())
            .filter(|deleted| deleted.count_ones() as usize <= n)
            .all(|deleted| {
                let deleted =
                    (elements.iter().enumerate()).filter(|(index, _)| deleted >> index & 1 == 1);
                let mut without = best.without(deleted.map(|(_, &element)| element..element + 1));
                without.commit();
                oracle.judge(&without) != Verdict::Interesting
            })
}

/// Returns the queries of a search, including repeated ones.
fn queries<S: Search<Candidate = Subset>>(mut search: S, oracle: &Oracle) -> Vec<Subset> {
    let mut asked = Vec::new();
    while let Some(query) = search.ask() {
        search.tell(oracle.judge(&query.candidate));
        asked.push(query.candidate);
    }
    asked
}

/// Returns the result of a search, which has to be interesting.
fn result(
    search: impl Search<Candidate = Subset>,
    oracle: &Oracle,
) -> Result<Subset, TestCaseError> {
    let best = run(search, |kept| oracle.judge(kept)).best();
    prop_assert_eq!(oracle.judge(&best), Verdict::Interesting);
    Ok(best)
}

fn instances() -> impl Strategy<Value = (usize, Oracle)> {
    (1_usize..=10).prop_flat_map(|n| (Just(n), oracles(n)))
}

proptest! {
    #[test]
    fn naive_wddmin_and_every_ddmin_end_1_minimal((n, oracle) in instances(), weights in proptest::collection::vec(0_u32..20, 10)) {
        let naive = run(Naive::on(List::uniform(n)), |kept| oracle.judge(kept)).best();
        prop_assert!(is_n_minimal(&naive, &oracle, 1, 0), "naive: {naive:?}");
        let wddmin = Wddmin::on(List::weighted(weights[..n].iter().copied()));
        let best = result(wddmin, &oracle)?;
        prop_assert!(is_n_minimal(&best, &oracle, 1, 0), "wddmin: {best:?}");
        for options in ddmin_variants() {
            let ddmin = Ddmin::with_options(List::uniform(n), options);
            let best = result(ddmin, &oracle)?;
            prop_assert!(is_n_minimal(&best, &oracle, 1, 1) && best.count() > 0, "ddmin: {best:?}");
        }
    }

    #[test]
    fn n_minimal_ends_n_minimal((n, oracle) in instances()) {
        for most in 1..=3 {
            let at_most = NonZeroUsize::new(most).expect("at least 1");
            let best = result(NMinimal::with_most(List::uniform(n), at_most), &oracle)?;
            prop_assert!(is_n_minimal(&best, &oracle, most, 0), "{most}: {best:?}");
        }
    }

    #[test]
    fn halving_in_any_order_asks_less_than_two_queries_for_each_element(
        (n, oracle) in (1_usize..=40).prop_flat_map(|n| (Just(n), oracles(n))),
        weights in proptest::collection::vec(0_u32..100, 40),
    ) {
        for order in [HalvingOrder::Depth, HalvingOrder::Breadth] {
            for direction in [Direction::Forwards, Direction::Backwards] {
                let search = Halving::with_options(List::weighted(weights[..n].iter().copied()), HalvingOptions { order, direction });
                let asked = queries(search.clone(), &oracle).len();
                prop_assert!(asked < 2 * n, "{asked} queries for {n} elements");
                result(search, &oracle)?;
            }
        }
    }

    #[test]
    fn a_monotone_unambiguous_oracle_leaves_exactly_the_needed_elements(
        (n, needed) in (1_usize..=12).prop_flat_map(|n| (Just(n), proptest::collection::btree_set(0..n, 1..=n))),
    ) {
        let list = List::uniform(n);
        let oracle = Oracle::Needs(needed.iter().copied().collect());
        let left = |best: Subset| best.iter().collect::<Vec<_>>();
        let expected: Vec<usize> = needed.into_iter().collect();
        for order in [HalvingOrder::Depth, HalvingOrder::Breadth] {
            for direction in [Direction::Forwards, Direction::Backwards] {
                let halved = run(Halving::with_options(list.clone(), HalvingOptions { order, direction }), |kept| oracle.judge(kept)).best();
                prop_assert_eq!(left(halved), expected.clone());
            }
        }
        for options in ddmin_variants() {
            let ddmin = KnownMisses::skipping(Ddmin::with_options(list.clone(), options), 1.0);
            prop_assert_eq!(left(run(ddmin, |kept| oracle.judge(kept)).best()), expected.clone());
        }
        let wddmin = KnownMisses::skipping(Wddmin::on(list.clone()), 1.0);
        prop_assert_eq!(left(run(wddmin, |kept| oracle.judge(kept)).best()), expected.clone());
        let pairs = KnownMisses::skipping(NMinimal::on(list), 1.0);
        prop_assert_eq!(left(run(pairs, |kept| oracle.judge(kept)).best()), expected);
    }

    #[test]
    fn known_misses_change_the_odds_and_no_query((n, oracle) in instances()) {
        let repeated = Fixpoint::new(Ddmin::on(List::uniform(n)));
        let knowing = Fixpoint::new(KnownMisses::new(Ddmin::on(List::uniform(n))));
        prop_assert_eq!(queries(knowing, &oracle), queries(repeated, &oracle));
    }

    #[test]
    fn skipping_subsets_of_known_misses_ends_with_an_interesting_set((n, oracle) in instances()) {
        result(KnownMisses::skipping(Sweep::on(List::uniform(n)), 0.15), &oracle)?;
    }

    #[test]
    fn bisection_ends_when_neither_half_is_interesting((n, oracle) in instances()) {
        let best = run(Bisection::on(List::uniform(n)), |kept| oracle.judge(kept)).best();
        let elements: Vec<usize> = best.iter().collect();
        prop_assert!(!elements.is_empty());
        prop_assert_eq!(elements[elements.len() - 1] - elements[0] + 1, elements.len(), "a run of neighbours");
        if let [first, .., last] = elements[..] {
            let middle = first.midpoint(last + 1);
            for half in [first..middle, middle..last + 1] {
                prop_assert_ne!(oracle.judge(&best.only(half)), Verdict::Interesting);
            }
        }
    }
}

/// Runs a search on a list of a million elements of which ten are needed, and returns the number of
/// queries.
#[track_caller]
fn a_million<S: Search<Candidate = Subset>>(search: impl Fn(List) -> S) -> usize {
    let needed: Vec<usize> = (0..10).map(|k| k * 99_991 + 17).collect();
    let oracle = Oracle::Needs(needed.clone());
    let mut asked = 0;
    let search = run(search(List::uniform(1_000_000)), |kept| {
        asked += 1;
        oracle.judge(kept)
    });
    assert_eq!(search.best().iter().collect::<Vec<_>>(), needed);
    asked
}

#[test]
fn ten_needed_elements_in_a_million_take_few_queries() {
    let halving = |order, direction| {
        move |list| Halving::with_options(list, HalvingOptions { order, direction })
    };
    assert!(a_million(halving(HalvingOrder::Depth, Direction::Forwards)) < 400);
    assert!(a_million(halving(HalvingOrder::Breadth, Direction::Forwards)) < 400);
    assert!(a_million(halving(HalvingOrder::Breadth, Direction::Backwards)) < 400);
    assert!(
        a_million(|list| Sequence::new(Halving::on(list.clone()), NMinimal::on(list)))
            < 400 + 10 * 11 / 2
    );
    // With few needed elements these are far from their worst case.
    assert!(a_million(Ddmin::on) < 1_600);
    assert!(a_million(Wddmin::on) < 1_600);
    assert!(a_million(|list| Ddmin::with_options(list, PICIRE)) < 600);
    assert!(a_million(|list| KnownMisses::skipping(Ddmin::on(list), 0.1)) < 400);
}

#[test]
fn a_queue_as_long_as_the_list_is_cheap_to_clone() {
    let n = 100_000;
    let mut search = Halving::with_options(
        List::uniform(n),
        HalvingOptions {
            order: HalvingOrder::Breadth,
            direction: Direction::Backwards,
        },
    );
    let mut asked = 0;
    while search.ask().is_some() {
        asked += 1;
        let before = search.clone();
        search.tell(Verdict::Uninteresting);
        drop(before);
    }
    assert_eq!(asked, 2 * n - 1);
}

/// Pseudo-random numbers that are the same on every platform.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005))
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn share(&mut self) -> f64 {
        const SHARES: u32 = 1_000_000;
        let share = u32::try_from(self.below(SHARES as usize)).expect("below a million");
        f64::from(share) / f64::from(SHARES)
    }

    /// Returns a list as in the simulation of the WDD paper, and its needed elements: every token
    /// is removable with the same probability.
    fn wdd_list(&mut self) -> (List, Vec<usize>) {
        let n = 2 + self.below(999);
        let mut weights = vec![1_u32; n];
        for _ in 0..self.below(9 * n + 1) {
            weights[self.below(n)] += 1;
        }
        let token_goes = self.share();
        let goes = |weight: u32| (0..weight).fold(1.0, |odds, _| odds * token_goes);
        let needed = (0..n)
            .filter(|&element| self.share() >= goes(weights[element]))
            .collect();
        (List::weighted(weights), needed)
    }
}

#[test]
fn wddmin_asks_a_fifth_fewer_queries_than_ddmin_when_heavy_elements_are_needed() {
    let mut random = Random(12_345);
    let lists = 20_u32;
    let mut ratios = 0.0;
    for _ in 0..lists {
        let (list, needed) = random.wdd_list();
        let oracle = Oracle::Needs(needed.clone());
        let count = |best: &Subset, asked: u32| {
            assert!(
                best.iter().eq(needed.iter().copied()) || needed.is_empty() && best.count() == 1
            );
            f64::from(asked)
        };
        let (mut ddmin, mut wddmin) = (0, 0);
        let judge = |asked: &mut u32, kept: &Subset| {
            *asked += 1;
            oracle.judge(kept)
        };
        let best = run(Ddmin::on(list.clone()), |kept| judge(&mut ddmin, kept)).best();
        let of_ddmin = count(&best, ddmin);
        let best = run(Wddmin::on(list), |kept| judge(&mut wddmin, kept)).best();
        ratios += count(&best, wddmin) / of_ddmin;
    }
    // The paper reports 23 % fewer over 5,000 lists. Depending on how weights are drawn and whether
    // repeats count, the figure is between 15 and 40 %.
    let ratio = ratios / f64::from(lists);
    assert!((0.72..0.88).contains(&ratio), "{ratio}");
}
