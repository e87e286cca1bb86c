//! What the list machines with options promise, at any width and on long lists.

use std::num::NonZeroUsize;

use boildown_search::list::{
    Bisection, Ddmin, DdminOptions, Direction, Halving, KnownMisses, List, NMinimal, Naive, Order,
    Resume, Subsets, Sweep, Wddmin,
};
use boildown_search::{Epochs, Fixpoint, Restart, Search, Sequence, Subset, Verdict, Wide, run};
use proptest::prelude::*;

use crate::oracles::{Oracle, PICIRE, oracles};

fn width(width: usize) -> NonZeroUsize {
    NonZeroUsize::new(width).expect("no width is 0")
}

/// Every variant of ddmin.
fn ddmin_variants() -> Vec<DdminOptions> {
    let directions = [Direction::Forwards, Direction::Backwards];
    let mut variants = Vec::new();
    for subsets in [Subsets::Try, Subsets::Skip] {
        for subset_direction in directions {
            for complement_direction in directions {
                for resume in [Resume::Restart, Resume::Onwards] {
                    variants.push(DdminOptions {
                        subsets,
                        subset_direction,
                        complement_direction,
                        resume,
                    });
                }
            }
        }
    }
    variants
}

/// Whether dropping any 1 to `n` elements is no hit; when more than `smallest` are left.
fn is_n_minimal(best: &Subset, oracle: &Oracle, n: usize, smallest: usize) -> bool {
    let elements: Vec<usize> = best.iter().collect();
    elements.len() <= smallest
        || (1_u32..1 << elements.len())
            .filter(|deleted| deleted.count_ones() as usize <= n)
            .all(|deleted| {
                let deleted =
                    (elements.iter().enumerate()).filter(|(place, _)| deleted >> place & 1 == 1);
                let mut without = best.without(deleted.map(|(_, &element)| element..element + 1));
                without.commit();
                oracle.judge(&without) != Verdict::Interesting
            })
}

/// The questions of a search, with repeats.
fn questions<S: Search<Candidate = Subset>>(mut machine: S, oracle: &Oracle) -> Vec<Subset> {
    let mut asked = Vec::new();
    while let Some(question) = machine.ask() {
        machine.tell(oracle.judge(&question.candidate));
        asked.push(question.candidate);
    }
    asked
}

/// Asks what the machine asks when it asks for one at a time, and at any width ends with what `good` accepts.
fn check_widths<M: Wide + Restart>(
    machine: &M,
    oracle: &Oracle,
    good: impl Fn(&Subset) -> bool,
) -> Result<(), TestCaseError> {
    let alone = questions(machine.clone(), oracle);
    prop_assert_eq!(
        questions(Epochs::new(machine.clone(), width(1)), oracle),
        alone
    );
    for wide in [1, 2, 3, 8, 100] {
        let best = run(Epochs::new(machine.clone(), width(wide)), |kept| {
            oracle.judge(kept)
        })
        .best();
        prop_assert_eq!(oracle.judge(&best), Verdict::Interesting);
        prop_assert!(good(&best), "{wide} at once: {best:?}");
    }
    Ok(())
}

fn instances() -> impl Strategy<Value = (usize, Oracle)> {
    (1_usize..=10).prop_flat_map(|n| (Just(n), oracles(n)))
}

proptest! {
    #[test]
    fn naive_and_wddmin_and_every_ddmin_end_1_minimal_at_any_width((n, oracle) in instances(), weights in proptest::collection::vec(0_u32..20, 10)) {
        let naive = run(Naive::on(List::uniform(n)), |kept| oracle.judge(kept)).best();
        prop_assert!(is_n_minimal(&naive, &oracle, 1, 0), "naive: {naive:?}");
        let wddmin = Wddmin::on(List::weighted(weights[..n].iter().copied()));
        check_widths(&wddmin, &oracle, |best| is_n_minimal(best, &oracle, 1, 0))?;
        for options in ddmin_variants() {
            let ddmin = Ddmin::with_options(List::uniform(n), options);
            check_widths(&ddmin, &oracle, |best| is_n_minimal(best, &oracle, 1, 1) && best.count() > 0)?;
        }
    }

    #[test]
    fn n_minimal_is_n_minimal_at_any_width((n, oracle) in instances()) {
        for most in 1..=3 {
            let machine = NMinimal::with_most(List::uniform(n), width(most));
            check_widths(&machine, &oracle, |best| is_n_minimal(best, &oracle, most, 0))?;
        }
    }

    #[test]
    fn halving_in_any_order_asks_what_it_asks_and_less_than_twice_the_elements(
        (n, oracle) in (1_usize..=40).prop_flat_map(|n| (Just(n), oracles(n))),
        weights in proptest::collection::vec(0_u32..100, 40),
    ) {
        for order in [Order::Depth, Order::Breadth] {
            for direction in [Direction::Forwards, Direction::Backwards] {
                let machine = Halving::with_order(List::weighted(weights[..n].iter().copied()), order, direction);
                let asked = questions(machine.clone(), &oracle).len();
                prop_assert!(asked < 2 * n, "{asked} questions for {n} elements");
                check_widths(&machine, &oracle, |_| true)?;
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
        for order in [Order::Depth, Order::Breadth] {
            for direction in [Direction::Forwards, Direction::Backwards] {
                let halved = run(Halving::with_order(list.clone(), order, direction), |kept| oracle.judge(kept)).best();
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
    fn knowing_misses_changes_the_odds_and_no_question((n, oracle) in instances()) {
        let repeated = Fixpoint::new(Ddmin::on(List::uniform(n)));
        let knowing = Fixpoint::new(KnownMisses::new(Ddmin::on(List::uniform(n))));
        prop_assert_eq!(questions(knowing, &oracle), questions(repeated, &oracle));
    }

    #[test]
    fn knowing_misses_is_as_wide_as_the_machine((n, oracle) in instances()) {
        let machine = Sweep::on(List::uniform(n));
        let known = questions(Epochs::new(KnownMisses::new(machine.clone()), width(4)), &oracle);
        prop_assert_eq!(known, questions(Epochs::new(machine.clone(), width(4)), &oracle));
        check_widths(&KnownMisses::skipping(machine, 0.15), &oracle, |_| true)?;
    }

    #[test]
    fn bisection_leaves_what_neither_half_of_is_interesting((n, oracle) in instances()) {
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

/// Runs a machine on a list of a million elements of which ten are needed, and returns how many questions it asked.
#[track_caller]
fn a_million<S: Search<Candidate = Subset>>(machine: impl Fn(List) -> S) -> usize {
    let needed: Vec<usize> = (0..10).map(|k| k * 99_991 + 17).collect();
    let oracle = Oracle::Needs(needed.clone());
    let mut asked = 0;
    let search = run(machine(List::uniform(1_000_000)), |kept| {
        asked += 1;
        oracle.judge(kept)
    });
    assert_eq!(search.best().iter().collect::<Vec<_>>(), needed);
    asked
}

#[test]
fn a_million_elements_of_which_ten_are_needed_are_searched_in_a_moment() {
    let halving = |order, direction| move |list| Halving::with_order(list, order, direction);
    assert!(a_million(halving(Order::Depth, Direction::Forwards)) < 400);
    assert!(a_million(halving(Order::Breadth, Direction::Forwards)) < 400);
    assert!(a_million(halving(Order::Breadth, Direction::Backwards)) < 400);
    assert!(
        a_million(|list| Sequence::new(Halving::on(list.clone()), NMinimal::on(list)))
            < 400 + 10 * 11 / 2
    );
    // Where little is needed these are far from their worst case.
    assert!(a_million(Ddmin::on) < 1_600);
    assert!(a_million(Wddmin::on) < 1_600);
    assert!(a_million(|list| Ddmin::with_options(list, PICIRE)) < 600);
    assert!(a_million(|list| KnownMisses::skipping(Ddmin::on(list), 0.1)) < 400);
}

#[test]
fn a_queue_as_long_as_the_list_is_cheap_to_clone() {
    let n = 100_000;
    let mut machine = Halving::with_order(List::uniform(n), Order::Breadth, Direction::Backwards);
    let mut asked = 0;
    while machine.ask().is_some() {
        asked += 1;
        let before = machine.clone();
        machine.tell(Verdict::Uninteresting);
        drop(before);
    }
    assert_eq!(asked, 2 * n - 1);
}

/// Random numbers that are the same everywhere.
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

    /// A list as in the simulation of the WDD paper, and what is needed of it: every token has the same chance of being removable.
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
fn wddmin_asks_about_a_fifth_less_than_ddmin_where_what_is_heavy_is_needed() {
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
    // The paper: 23 % fewer over 5,000 lists. How weights are drawn and whether repeats count decide between 15 and 40 %.
    let ratio = ratios / f64::from(lists);
    assert!((0.72..0.88).contains(&ratio), "{ratio}");
}
