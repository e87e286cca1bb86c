//! Searches that know which element requires which, on small graphs against brute force.

use boildown_literature::graph::{BrokenPolicy, Chisel, Closed, Rejecting};
use boildown_literature::list::{Ddmin, Subsets};
use boildown_search::graph::{BinaryReduction, Requirements};
use boildown_search::list::{Adaptive, Halving, List, Sweep};
use boildown_search::{ListSearch as _, Search, Sequence, Subset, Verdict, run};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::guarantees::{ClonesAreIndependent, EndsOnAnyVerdicts, EndsWell};
use crate::oracles::{COMPLEMENTS_ONLY, Check, Oracle, oracles};
use crate::workers::SameAtAnyNumber;

type Edges = Vec<(usize, usize)>;

/// Requirements between `n` elements, including cycles.
fn edges(n: usize) -> impl Strategy<Value = Edges> {
    proptest::collection::vec((0..n, 0..n), 0..2 * n)
}

/// A list with requirements, and an oracle that is independent of them.
fn problems(n: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (usize, Edges, Oracle)> {
    n.prop_flat_map(|n| (Just(n), edges(n), oracles(n)))
}

/// A list with requirements, and needed elements.
fn needs(n: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (usize, Edges, Vec<usize>)> {
    n.prop_flat_map(|n| (Just(n), edges(n), proptest::collection::vec(0..n, 0..5)))
}

fn subset_from_mask(n: usize, mask: usize) -> Subset {
    Subset::full(n).without((0..n).filter(|e| mask >> e & 1 == 0).map(|e| e..e + 1))
}

fn is_closed(mask: usize, edges: &[(usize, usize)]) -> bool {
    edges
        .iter()
        .all(|(user, used)| mask >> user & 1 == 0 || mask >> used & 1 == 1)
}

/// Runs a check on the searches that only ask about closed sets.
fn every_closed_search(
    list: &List,
    requirements: &Requirements,
    check: &impl Check,
) -> Result<(), TestCaseError> {
    let (list, known) = (|| list.clone(), || requirements.clone());
    let (halving, sweep) = (Halving::on(list()), Sweep::on(list()));
    let binary = BinaryReduction::on(list(), known());
    let closed_halving = Closed::new(halving.clone(), known());
    let swept = Closed::new(sweep.clone(), known());
    let rejecting = Rejecting::new(halving.clone(), known(), BrokenPolicy::Skip);
    let rejecting_sweep = Rejecting::new(sweep.clone(), known(), BrokenPolicy::Skip);
    let outcomes = [
        ("binary", check.check(binary.clone())),
        ("closed halving", check.check(closed_halving)),
        ("closed sweep", check.check(swept.clone())),
        (
            "closed adaptive",
            check.check(Closed::new(Adaptive::on(list()), known())),
        ),
        (
            "closed ddmin",
            check.check(Closed::new(Ddmin::on(list()), known())),
        ),
        ("rejecting halving", check.check(rejecting)),
        ("rejecting sweep", check.check(rejecting_sweep)),
        ("chisel", check.check(Chisel::on(list(), known()))),
        (
            "chisel, complements only",
            check.check(Chisel::with_subsets(list(), known(), Subsets::Skip)),
        ),
        (
            "binary, then closed sweep",
            check.check(Sequence::new(binary, swept)),
        ),
    ];
    for (name, outcome) in outcomes {
        outcome.map_err(|reason| TestCaseError::fail(format!("{name}: {reason}")))?;
    }
    Ok(())
}

/// Runs a check on every search that knows requirements.
fn every_graph_search(
    list: &List,
    requirements: &Requirements,
    check: &impl Check,
) -> Result<(), TestCaseError> {
    every_closed_search(list, requirements, check)?;
    let warned = |search| Rejecting::new(search, requirements.clone(), BrokenPolicy::Ask);
    check
        .check(warned(Halving::on(list.clone())))
        .map_err(|reason| TestCaseError::fail(format!("warned halving: {reason}")))
}

/// Checks that every candidate and the result are closed among the elements of the start.
struct AllClosed {
    requirements: Requirements,
    oracle: Oracle,
}

impl Check for AllClosed {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        let start = search.best();
        while let Some(query) = search.ask() {
            if !self.requirements.is_closed_in(&query.candidate, &start) {
                return Err(format!("asked about {:?}", query.candidate));
            }
            search.tell(self.oracle.judge(&query.candidate));
        }
        let best = search.best();
        if self.requirements.is_closed_in(&best, &start) {
            Ok(())
        } else {
            Err(format!("ended with {best:?}"))
        }
    }
}

proptest! {
    #[test]
    fn closures_and_largest_closed_subsets_agree_with_brute_force(
        (n, edges) in (1_usize..=10).prop_flat_map(|n| (Just(n), edges(n))),
        (mask, whole) in (any::<usize>(), any::<usize>()),
    ) {
        let all = (1 << n) - 1;
        let (mask, whole) = (mask & whole & all, whole & all);
        let requirements = Requirements::new(n, edges.iter().copied());
        let set = subset_from_mask(n, mask);
        prop_assert_eq!(requirements.is_closed(&set), is_closed(mask, &edges));
        let inside = |whole: usize| -> Vec<(usize, usize)> {
            edges.iter().copied().filter(|(_, used)| whole >> used & 1 == 1).collect()
        };
        prop_assert_eq!(requirements.is_closed_in(&set, &subset_from_mask(n, whole)), is_closed(mask, &inside(whole)));
        // Unions and intersections of closed sets are closed, so these are the largest and the
        // smallest closed set.
        let largest = |edges: &[(usize, usize)]| {
            (0..=all).filter(|&other| other & !mask == 0 && is_closed(other, edges)).fold(0, |union, other| union | other)
        };
        prop_assert_eq!(requirements.largest_closed(&set), subset_from_mask(n, largest(&edges)));
        let in_whole = requirements.largest_closed_in(&set, &subset_from_mask(n, whole));
        prop_assert_eq!(in_whole, subset_from_mask(n, largest(&inside(whole))));
        let smallest = (0..=all).filter(|&other| mask & !other == 0 && is_closed(other, &edges)).fold(all, |both, other| both & other);
        prop_assert_eq!(requirements.closure(set.iter()), subset_from_mask(n, smallest));
    }

    #[test]
    fn every_graph_search_ends_with_an_interesting_set((n, edges, oracle) in problems(1..=12)) {
        every_graph_search(&List::uniform(n), &Requirements::new(n, edges), &EndsWell(oracle))?;
    }

    #[test]
    fn every_graph_search_ends_on_arbitrary_and_contradictory_verdicts(
        (n, edges) in (1_usize..12).prop_flat_map(|n| (Just(n), edges(n))),
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        every_graph_search(&List::uniform(n), &Requirements::new(n, edges), &EndsOnAnyVerdicts(verdicts))?;
    }

    #[test]
    fn asking_and_cloning_change_nothing((n, edges, oracle) in problems(1..=12)) {
        every_graph_search(&List::uniform(n), &Requirements::new(n, edges), &ClonesAreIndependent(oracle))?;
    }

    #[test]
    fn every_candidate_is_closed_among_the_elements_of_the_start(
        (n, edges, oracle) in problems(1..=12),
        start in any::<usize>(),
    ) {
        let requirements = Requirements::new(n, edges);
        let check = AllClosed { requirements: requirements.clone(), oracle };
        every_closed_search(&List::uniform(n), &requirements, &check)?;
        let list = List { kept: subset_from_mask(n, start), ..List::uniform(n) };
        every_closed_search(&list, &requirements, &check)?;
    }

    #[test]
    fn a_needed_closed_set_is_the_result((n, edges, needed) in needs(1..=12)) {
        let requirements = Requirements::new(n, edges);
        let minimum = requirements.closure(needed.iter().copied());
        let oracle = Oracle::Needs(minimum.iter().collect());
        let list = List::uniform(n);
        let binary = BinaryReduction::on(list.clone(), requirements.clone());
        prop_assert_eq!(run(binary, |kept| oracle.judge(kept)).best(), minimum.clone());
        let closed = Closed::new(Halving::on(list), requirements);
        prop_assert_eq!(run(closed, |kept| oracle.judge(kept)).best(), minimum);
    }

    #[test]
    fn binary_reduction_takes_logarithmic_queries_for_each_required_closure((n, edges, needed) in needs(1..=40)) {
        let requirements = Requirements::new(n, edges);
        let oracle = Oracle::Needs(requirements.closure(needed.iter().copied()).iter().collect());
        let mut closures: Vec<Vec<usize>> = (0..n).map(|element| requirements.closure([element]).iter().collect()).collect();
        closures.sort();
        closures.dedup();
        let mut search = BinaryReduction::on(List::uniform(n), requirements);
        let mut asked = 0;
        while let Some(query) = search.ask() {
            asked += 1;
            search.tell(oracle.judge(&query.candidate));
        }
        let logarithm = closures.len().next_power_of_two().ilog2() as usize;
        prop_assert!(asked <= needed.len() * (logarithm + 1) + 1, "{asked} for {} of {}", needed.len(), closures.len());
    }

    #[test]
    fn no_single_closed_deletion_is_left((n, edges, oracle) in problems(1..=12)) {
        let requirements = Requirements::new(n, edges);
        let list = List::uniform(n);
        let sweep = Closed::new(Sweep::on(list.clone()), requirements.clone());
        let sequence = Sequence::new(BinaryReduction::on(list, requirements.clone()), sweep.clone());
        let results = [
            run(sweep, |kept| oracle.judge(kept)).best(),
            run(sequence, |kept| oracle.judge(kept)).best(),
        ];
        for best in results {
            for element in best.iter() {
                let without = requirements.largest_closed_in(&best.without([element..element + 1]), &best);
                prop_assert_ne!(oracle.judge(&without), Verdict::Interesting, "{} of {:?}", element, best);
            }
        }
    }

    #[test]
    fn no_single_deletion_that_breaks_no_requirement_is_left((n, edges, oracle) in problems(1..=12)) {
        let requirements = Requirements::new(n, edges);
        let list = List::uniform(n);
        let rejecting = Rejecting::new(Sweep::on(list.clone()), requirements.clone(), BrokenPolicy::Skip);
        let chisel = Chisel::on(list.clone(), requirements.clone());
        let complements = Chisel::with_subsets(list, requirements.clone(), Subsets::Skip);
        let results = [
            run(rejecting, |kept| oracle.judge(kept)).best(),
            run(chisel, |kept| oracle.judge(kept)).best(),
            run(complements, |kept| oracle.judge(kept)).best(),
        ];
        for best in results {
            for element in best.iter() {
                let without = best.without([element..element + 1]);
                if requirements.is_closed_in(&without, &best) {
                    prop_assert_ne!(oracle.judge(&without), Verdict::Interesting, "{} of {:?}", element, best);
                }
            }
        }
    }

    #[test]
    fn without_rejection_or_requirements_the_queries_are_those_of_the_search_inside((n, edges, oracle) in problems(1..=12)) {
        let search = Sequence::new(Halving::on(List::uniform(n)), Sweep::on(List::uniform(n)));
        let own = queries(search.clone(), &oracle);
        let watched = Rejecting::new(search.clone(), Requirements::new(n, edges), BrokenPolicy::Ask);
        prop_assert_eq!(&queries(watched, &oracle), &own);
        let none = Requirements::new(n, []);
        prop_assert_eq!(&queries(Closed::new(search.clone(), none.clone()), &oracle), &own);
        prop_assert_eq!(&queries(Rejecting::new(search, none, BrokenPolicy::Skip), &oracle), &own);
    }
}

proptest! {
    // Each case runs dozens of searches with up to 64 workers.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_number_of_workers_tells_the_same_verdicts_in_the_same_order(
        (n, edges, oracle) in problems(1..=12),
        weights in proptest::collection::vec(1_u32..50, 12),
        delays in any::<u64>(),
    ) {
        let list = List::weighted(weights[..n].iter().copied());
        every_graph_search(&list, &Requirements::new(n, edges), &SameAtAnyNumber { oracle, delays })?;
    }
}

fn queries<S: Search<Candidate = Subset>>(mut search: S, oracle: &Oracle) -> Vec<Subset> {
    let mut asked = Vec::new();
    while let Some(query) = search.ask() {
        search.tell(oracle.judge(&query.candidate));
        asked.push(query.candidate);
    }
    asked
}

#[test]
fn a_search_can_be_restarted_from_a_set_that_is_not_closed() {
    let requirements = Requirements::new(4, [(3, 0), (2, 1), (1, 2)]);
    let mut binary = BinaryReduction::on(List::uniform(4), requirements);
    binary.restart(Subset::full(4).without([0..1, 2..3]));
    let oracle = Oracle::Needs(vec![3]);
    let best = run(binary, |kept| oracle.judge(kept)).best();
    assert_eq!(best.iter().collect::<Vec<_>>(), [3]);
}

#[test]
fn a_million_elements_with_requirements_take_few_queries() {
    let n = 1_000_000;
    // Each element that is not a multiple of five requires the nearest multiple before it.
    let user_edges = (0..n).filter(|e| e % 5 != 0).map(|e| (e, e / 5 * 5));
    let requirements = Requirements::new(n, user_edges);
    let needed: Vec<usize> = (0..10).map(|k| k * 99_990 + 17).collect();
    let minimum = requirements.closure(needed);
    let oracle = Oracle::Needs(minimum.iter().collect());
    let count = |search: Result<Closed<Halving>, BinaryReduction>| {
        let mut asked = 0;
        let mut judge = |kept: &Subset| {
            asked += 1;
            oracle.judge(kept)
        };
        let best = match search {
            Ok(closed) => run(closed, &mut judge).best(),
            Err(binary) => run(binary, &mut judge).best(),
        };
        assert_eq!(best, minimum);
        asked
    };
    let list = List::uniform(n);
    let halving = count(Ok(Closed::new(
        Halving::on(list.clone()),
        requirements.clone(),
    )));
    assert!(halving < 450, "{halving}");
    let binary = count(Err(BinaryReduction::on(list, requirements)));
    assert!(binary <= 10 * 21 + 1, "{binary}");
}

/// Records the number of queries without repeats, and of elements left.
struct CountWithoutRepeats<'a> {
    oracle: &'a Oracle,
    lines: std::cell::RefCell<String>,
}

impl Check for CountWithoutRepeats<'_> {
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String> {
        let mut asked = 0;
        let best = run(search, |kept| {
            asked += 1;
            self.oracle.judge(kept)
        })
        .best();
        let cell = format!("{asked} -> {}", best.count());
        self.lines.borrow_mut().push_str(&format!("{cell:12}"));
        Ok(())
    }
}

/// Returns the query counts of the searches in one line. `known` are the requirements that the
/// searches know.
fn count_line(shape: &str, roots: &[usize], uses: &Edges, known: &Edges) -> String {
    let oracle = Oracle::DefUse {
        roots: roots.to_vec(),
        uses: uses.clone(),
    };
    let count = CountWithoutRepeats {
        oracle: &oracle,
        lines: std::cell::RefCell::new(format!("{shape:22}")),
    };
    let list = List::uniform(120);
    let known = Requirements::new(120, known.iter().copied());
    let halving = Halving::on(list.clone());
    let swept = Sequence::new(halving.clone(), Sweep::on(list.clone()));
    let sweep = Closed::new(Sweep::on(list.clone()), known.clone());
    let binary = BinaryReduction::on(list.clone(), known.clone());
    let ddmin = Ddmin::with_options(list.clone(), COMPLEMENTS_ONLY);
    let chisel = |subsets| Chisel::with_subsets(list.clone(), known.clone(), subsets);
    let reject = |search| Rejecting::new(search, known.clone(), BrokenPolicy::Skip);
    let outcomes = [
        count.check(halving.clone()),
        count.check(Closed::new(halving.clone(), known.clone())),
        count.check(reject(halving)),
        count.check(binary.clone()),
        count.check(swept.clone()),
        count.check(Closed::new(swept, known.clone())),
        count.check(Sequence::new(binary, sweep)),
        count.check(ddmin.clone()),
        count.check(Closed::new(ddmin, known.clone())),
        count.check(chisel(Subsets::Skip)),
        count.check(chisel(Subsets::Try)),
    ];
    assert!(outcomes.iter().all(Result::is_ok), "counting cannot fail");
    count.lines.into_inner().trim_end().to_owned() + "\n"
}

#[test]
fn queries_asked_and_elements_left_where_uses_need_definitions() {
    let draw = |seed: u64, below: usize| -> usize {
        let bits = crate::oracles::coin(boildown_search::Fingerprint::new(u128::from(seed)), 11);
        usize::try_from(bits % below as u64).expect("below a usize")
    };
    let chain: Edges = (1..120).map(|user| (user, user - 1)).collect();
    // Half of the elements require an earlier one.
    let one_use: Edges = (1..120)
        .filter(|&user| draw(user as u64, 2) == 0)
        .map(|user| (user, draw(user as u64 + 1_000, user)))
        .collect();
    let later_use: Edges = (one_use.iter())
        .map(|(user, used)| (119 - user, 119 - used))
        .collect();
    let two_uses: Edges = (1..120_usize)
        .flat_map(|user| [(user, 2_000), (user, 3_000)])
        .map(|(user, seed)| {
            (
                user,
                user - 1 - draw(user as u64 + seed, user.div_ceil(4).min(20)),
            )
        })
        .collect();
    // Groups of four that require each other, each group with another one.
    let rings: Edges = (0..120)
        .map(|user| (user, user / 4 * 4 + (user + 1) % 4))
        .chain((1..30).map(|ring| (ring * 4, draw(ring as u64 + 4_000, ring) * 4)))
        .collect();
    let star: Edges = (1..120).map(|user| (user, 0)).collect();
    // Pairs at a distance that can only be deleted together.
    let pairs: Edges = (0..120)
        .filter(|one| one % 20 < 10)
        .flat_map(|one| [(one, one + 10), (one + 10, one)])
        .collect();
    let roots: Vec<usize> = (0..4).map(|root| draw(root + 5_000, 120)).collect();
    let half: Edges = one_use.iter().copied().step_by(2).collect();
    let shapes = [
        count_line("uses the one before", &[9], &chain, &chain),
        count_line("half use one earlier", &roots, &one_use, &one_use),
        count_line("half of that is known", &roots, &one_use, &half),
        count_line("half use one later", &roots, &later_use, &later_use),
        count_line("all use two earlier", &roots, &two_uses, &two_uses),
        count_line("rings of four", &roots, &rings, &rings),
        count_line("all use the first", &roots, &star, &star),
        count_line("pairs at a distance", &roots, &pairs, &pairs),
    ];
    let header = "                      halving     closed      rejecting   binary      halving+sw. closed      \
                  binary+cl.  complements closed      chisel      with subsets\n";
    insta::assert_snapshot!(format!("{header}{}", shapes.concat()));
}

#[test]
fn a_chain_of_100_000_elements_does_not_overflow_the_stack() {
    let n = 100_000;
    let requirements = Requirements::new(n, (1..n).map(|user| (user, user - 1)));
    let all = Subset::full(n);
    assert_eq!(requirements.closure([n - 1]), all);
    assert_eq!(
        requirements.largest_closed(&all.without([5..6])),
        all.only(0..5)
    );
    let oracle = Oracle::Needs(vec![777]);
    let list = List::uniform(n);
    let closed = Closed::new(Halving::on(list.clone()), requirements.clone());
    assert_eq!(
        run(closed, |kept| oracle.judge(kept)).best(),
        all.only(0..778)
    );
    let chisel = Chisel::on(list, requirements);
    assert_eq!(
        run(chisel, |kept| oracle.judge(kept)).best(),
        all.only(0..778)
    );
}
