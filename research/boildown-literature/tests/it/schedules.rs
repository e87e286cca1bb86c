//! The tree schedules: their queries on small trees, their guarantees and their costs.

use boildown_literature::list::{Ddmin, DdminOptions};
use boildown_literature::tree::{
    Hdd, Hddr, HddrOrder, HoistingHdd, KnownSchedule, LastNode, Nodes, Pardis, Perses, Siblings,
};
use boildown_search::algorithms::{Algorithm, Schedule};
use boildown_search::list::{Halving, Sweep};
use boildown_search::{
    AnyListSearch, Fixpoint, ListSearch, Search, Sequence, Subset, Verdict, run,
};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::groves::{Fits, Grove, Plain, groves};
use crate::guarantees::{ClonesAreIndependent, EndsOnAnyVerdicts, EndsWell};
use crate::oracles::{COMPLEMENTS_ONLY, Check, Oracle, oracles};
use crate::workers::SameAtAnyNumber;

fn verdict(hit: bool) -> Verdict {
    if hit {
        Verdict::Interesting
    } else {
        Verdict::Uninteresting
    }
}

/// Runs a search, and returns the text of each new query and of the result.
fn trace(
    grove: &Grove,
    search: impl Search<Candidate = Subset>,
    hits: impl Fn(&str) -> bool,
) -> (Vec<String>, String) {
    let mut asked = Vec::new();
    let best = run(search, |kept| {
        let text = grove.text(kept);
        let hit = hits(&text);
        asked.push(text);
        verdict(hit)
    })
    .best();
    (asked, grove.text(&best))
}

fn has<'a>(needed: &'a str) -> impl Fn(&str) -> bool + 'a {
    |text| needed.chars().all(|token| text.contains(token))
}

/// The new queries of a schedule, and its result.
#[derive(Clone, Copy)]
struct Expected<'a> {
    queries: &'a [&'a str],
    left: &'a str,
}

/// Checks the new queries of a schedule and its result.
#[track_caller]
fn check<S: Search<Candidate = Subset>>(
    grove: &Grove,
    needed: &str,
    start: impl FnOnce(&Grove) -> S,
    expected: Expected<'_>,
) {
    let (asked, best) = trace(grove, start(grove), has(needed));
    assert_eq!(
        (
            asked.iter().map(String::as_str).collect::<Vec<_>>(),
            best.as_str()
        ),
        (expected.queries.to_vec(), expected.left)
    );
}

#[test]
fn hdd_minimises_level_by_level_and_tries_to_delete_the_last_node_of_a_level() {
    check(
        &Grove::new("[ab[cd]][e[fg]]", Fits::SameKind),
        "cf",
        |grove| Hdd::new(Ddmin::on, grove.tree.clone(), grove.full(), Nodes::All),
        Expected {
            queries: &[
                // The two blocks.
                "abcd", "efg",
                // a, b and a block of the one, e and a block of the other.
                "ab", "cdefg", "cd", "e", "fg", "cdfg",
                // The leaves of both inner blocks.
                "c", "d", "f", "g", "dfg", "cfg", "cg", "cf",
            ],
            left: "cf",
        },
    );
    check(
        &Grove::new("a[bc]", Fits::SameKind),
        "",
        |grove| Hdd::new(Ddmin::on, grove.tree.clone(), grove.full(), Nodes::All),
        Expected {
            queries: &["a", ""],
            left: "",
        },
    );
}

#[test]
fn hdd_of_the_paper_keeps_the_last_node_of_a_level() {
    check(
        &Grove::new("a[bc]", Fits::SameKind),
        "",
        |grove| {
            Hdd::new(Ddmin::on, grove.tree.clone(), grove.full(), Nodes::All)
                .with_last_node(LastNode::Stays)
        },
        Expected {
            queries: &["a"],
            left: "a",
        },
    );
}

#[test]
fn hdd_deletes_a_separator_with_its_element() {
    check(
        &Grove::new("a,b,c,d", Fits::SameKind),
        "bd",
        |grove| Hdd::new(Halving::on, grove.tree.clone(), grove.full(), Nodes::All),
        Expected {
            queries: &["", "a,b", "a,b,c", "a,b,d", "d", "a,d", "b,d"],
            left: "b,d",
        },
    );
}

#[test]
fn coarse_hdd_keeps_nodes_that_the_syntax_needs_and_reduces_their_children() {
    // Of the three children of the braces, only the extra can be deleted; in the inner list, d can.
    check(
        &Grove::new("a{bX[cd]}e", Fits::SameKind),
        "c",
        |grove| {
            Hdd::new(
                Halving::on,
                grove.tree.clone(),
                grove.full(),
                Nodes::Neutral,
            )
        },
        Expected {
            queries: &["", "abXcd", "a", "bXcd", "bcd", "b", "bc"],
            left: "bc",
        },
    );
}

#[test]
fn hddr_minimises_the_children_of_one_node_at_a_time_in_four_orders() {
    let orders = [
        // The last block down to its leaves, then the first.
        (
            "hddr",
            vec![
                "", "abcd", "efg", "abcde", "abcdfg", "abcdf", "f", "abf", "cdf", "cf",
            ],
        ),
        // The first block down to its leaves, then the last.
        (
            "hddr:append=reversed",
            vec![
                "", "abcd", "efg", "abefg", "cdefg", "cefg", "c", "ce", "cfg", "cf",
            ],
        ),
        // Level by level, first blocks first.
        (
            "hddr:pop=first",
            vec![
                "", "abcd", "efg", "abefg", "cdefg", "cd", "cde", "cdfg", "fg", "cfg", "c", "cf",
            ],
        ),
        // Level by level, last blocks first.
        (
            "hddr:pop=first,append=reversed",
            vec![
                "", "abcd", "efg", "abcde", "abcdfg", "fg", "abfg", "cdfg", "cd", "cdf", "f", "cf",
            ],
        ),
    ];
    for (name, queries) in orders {
        let schedule = boildown_literature::algorithms()
            .parse_schedule(name)
            .unwrap();
        check(
            &Grove::new("[ab[cd]][e[fg]]", Fits::SameKind),
            "cf",
            |grove| schedule.start(Algorithm::halving(), grove.tree.clone(), grove.full(), 1),
            Expected {
                queries: &queries,
                left: "cf",
            },
        );
    }
}

#[test]
fn hoisting_replaces_a_node_by_the_nearest_one_of_the_same_kind_and_restarts_the_level() {
    // After the deletions of a level, replacing the outer call by its first argument misses, and by
    // its second one hits.
    check(
        &Grove::new("(x(y(ab))(c))z", Fits::SameKind),
        "c",
        |grove| HoistingHdd::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &["", "(x(y(ab))(c))", "(y(ab))", "(c)", "()"],
            left: "(c)",
        },
    );
    // A hoisted node is replaced again by one below it.
    check(
        &Grove::new("(a(b(c)))", Fits::SameKind),
        "c",
        |grove| HoistingHdd::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &["", "(b(c))", "(c)", "()"],
            left: "(c)",
        },
    );
}

#[test]
fn perses_takes_the_heaviest_node_and_tries_the_lightest_replacement_that_fits() {
    check(
        &Grove::new("a[b(c(de)f)]g", Fits::SameKind),
        "e",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &[
                // The root is replaced by the only other list, then its elements are reduced.
                "b(c(de)f)",
                "",
                "b",
                "(c(de)f)",
                // The outer call is replaced by the inner one, then its arguments are reduced.
                "(de)",
                "()",
                "(d)",
                "(e)",
            ],
            left: "(e)",
        },
    );
}

#[test]
fn perses_splices_a_list_into_a_slot_that_takes_several_nodes() {
    // No single node below the root is interesting, but the list in the round brackets is.
    check(
        &Grove::new("x(ab)", Fits::Anything),
        "ab",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &["x", "a", "b", "ab", ""],
            left: "ab",
        },
    );
}

#[test]
fn perses_deletes_an_extra_and_considers_every_slot_of_a_chain() {
    // The list holds only the call, so nodes that fit the call's slot fit.
    check(
        &Grove::new("[((d),c)]", Fits::SameKind),
        "d",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &["", "(d)", "()"],
            left: "(d)",
        },
    );
    check(
        &Grove::new("aXb", Fits::SameKind),
        "a",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &["", "a"],
            left: "a",
        },
    );
    check(
        &Grove::new("aXb", Fits::SameKind),
        "ab",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        Expected {
            queries: &["", "a", "b", "ab"],
            left: "ab",
        },
    );
}

#[test]
fn pardis_tests_the_heaviest_deletable_node_and_after_a_miss_adds_its_descendants() {
    let start = |siblings| {
        move |grove: &Grove| Pardis::new(Halving::on, grove.tree.clone(), grove.full(), siblings)
    };
    check(
        &Grove::new("a[bc][d[ef]]", Fits::SameKind),
        "e",
        start(Siblings::Alone),
        // By weight 3, 2, 2, then the leaves, last ones first.
        Expected {
            queries: &["abc", "abcd", "adef", "ade", "ad", "ae", "e"],
            left: "e",
        },
    );
    check(
        &Grove::new("a[bc][d[ef]]", Fits::SameKind),
        "e",
        start(Siblings::Together),
        // e and f are reduced as a list.
        Expected {
            queries: &["abc", "abcd", "adef", "ad", "ade", "ae", "e"],
            left: "e",
        },
    );
    // Siblings of another weight stay, and keep their separators.
    check(
        &Grove::new("a,[bc],d,e", Fits::SameKind),
        "bd",
        start(Siblings::Together),
        Expected {
            queries: &["a,d,e", "bc", "a,bc", "a,bc,d", "bc,d", ",d", "b,d"],
            left: "b,d",
        },
    );
}

#[test]
fn schedules_are_parsed_from_their_names() {
    let parse = |text: &str| boildown_literature::algorithms().parse_schedule(text);
    let parsed = parse("hddr:pop=last,append=reversed").unwrap();
    assert_eq!(parsed.to_string(), "hddr:append=reversed");
    assert_eq!(Schedule::default().to_string(), "boildown");
    assert!(parse("hddr:pop=middle").is_err());
    assert!(parse("hddr:").is_err());
    assert!(parse("greedy").is_err());
}

/// The default schedule, and those of the literature.
fn all() -> Vec<Schedule> {
    let known = KnownSchedule::ALL.into_iter().map(Schedule::from);
    std::iter::once(Schedule::default()).chain(known).collect()
}

/// Runs a check on every schedule, with several list algorithms.
fn every_schedule(text: &str, check: &impl Check) -> Result<(), TestCaseError> {
    let grove = Grove::parse(text);
    for schedule in all() {
        for algorithm in [
            Algorithm::default(),
            Algorithm::with::<Ddmin>(DdminOptions::PAPER),
            Algorithm::of::<Sweep>(),
        ] {
            check
                .check(begin(&schedule, &algorithm, &grove))
                .map_err(|reason| {
                    TestCaseError::fail(format!("{schedule} by {algorithm}: {reason}"))
                })?;
        }
    }
    Ok(())
}

fn begin(schedule: &Schedule, algorithm: &Algorithm, grove: &Grove) -> AnyListSearch {
    schedule.start(algorithm.clone(), grove.tree.clone(), grove.full(), 1)
}

/// A tree and an oracle over its tokens.
fn cases(plain: Plain) -> impl Strategy<Value = (String, Oracle)> {
    groves(plain).prop_flat_map(|text| {
        let tokens = Grove::parse(&text).tokens.len();
        (Just(text), oracles(tokens))
    })
}

/// Checks that every best result was told `Interesting`.
struct BestWasInteresting(Vec<u8>);

impl Check for BestWasInteresting {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        let mut verdicts = self.0.iter().cycle();
        let mut interesting = vec![search.best()];
        for _ in 0..20_000 {
            let Some(query) = search.ask() else {
                return Ok(());
            };
            match verdicts.next() {
                Some(0) => {
                    search.tell(Verdict::Interesting);
                    interesting.push(query.candidate);
                }
                Some(1) => search.tell(Verdict::Unresolved),
                _ => search.tell(Verdict::Uninteresting),
            }
            let best = search.best();
            if !interesting.contains(&best) {
                return Err(format!("{best:?} was never told to be interesting"));
            }
        }
        Err("still asking after 20,000 verdicts".to_owned())
    }
}

proptest! {
    #[test]
    fn every_schedule_ends_with_an_interesting_set((text, oracle) in cases(Plain::No)) {
        every_schedule(&text, &EndsWell(oracle))?;
    }

    #[test]
    fn every_schedule_ends_on_arbitrary_verdicts(
        text in groves(Plain::No),
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        every_schedule(&text, &EndsOnAnyVerdicts(verdicts))?;
    }

    #[test]
    fn every_best_result_was_interesting(
        text in groves(Plain::No),
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        every_schedule(&text, &BestWasInteresting(verdicts))?;
    }

    #[test]
    fn clones_of_a_schedule_are_independent((text, oracle) in cases(Plain::No)) {
        every_schedule(&text, &ClonesAreIndependent(oracle))?;
    }

    #[test]
    fn hdd_star_and_hddr_to_a_fixed_point_end_1_tree_minimal((text, oracle) in cases(Plain::Yes)) {
        let grove = Grove::parse(&text);
        let (tree, full) = (|| grove.tree.clone(), || grove.full());
        for algorithm in [Algorithm::default(), Algorithm::with::<Ddmin>(DdminOptions::PAPER), Algorithm::with::<Ddmin>(COMPLEMENTS_ONLY), Algorithm::of::<Sweep>()] {
            let judge = |kept: &Subset| oracle.judge(kept);
            let results = [
                run(Schedule::from(KnownSchedule::HddStar).start(algorithm.clone(), tree(), full(), 1), judge).best(),
                run(Fixpoint::new(Hddr::new(algorithm.clone(), tree(), full(), HddrOrder::default())), judge).best(),
                run(Fixpoint::new(HoistingHdd::new(algorithm.clone(), tree(), full())), judge).best(),
            ];
            for best in results {
                for node in grove.tree.nodes.iter().skip(1) {
                    let without = best.without([node.tokens()]);
                    prop_assert!(without == best || oracle.judge(&without) != Verdict::Interesting);
                }
            }
        }
    }

    #[test]
    fn every_schedule_and_a_sweep_over_the_units_end_1_tree_minimal((text, oracle) in cases(Plain::No)) {
        let grove = Grove::parse(&text);
        let units = grove.tree.units();
        for schedule in all() {
            let search = begin(&schedule, &Algorithm::default(), &grove);
            let sweep = Sweep::units(grove.full(), units.iter().map(|unit| vec![unit.clone()]));
            let best = run(Sequence::new(search, sweep), |kept| oracle.judge(kept)).best();
            for unit in units.iter().filter(|unit| best.count_in((*unit).clone()) > 0) {
                prop_assert_ne!(oracle.judge(&best.without([unit.clone()])), Verdict::Interesting);
            }
        }
    }

    #[test]
    fn a_schedule_can_be_restarted_from_a_smaller_subset((text, oracle) in cases(Plain::No)) {
        let grove = Grove::parse(&text);
        let judge = |kept: &Subset| oracle.judge(kept);
        fn twice<S: ListSearch>(search: S, judge: impl Fn(&Subset) -> Verdict) -> (Subset, Subset) {
            let first = run(search, &judge);
            let (best, mut again) = (first.best(), first.clone());
            again.restart(best.clone());
            (best, run(again, &judge).best())
        }
        let (tree, full) = (|| grove.tree.clone(), || grove.full());
        let results = [
            twice(Hdd::new(Halving::on, tree(), full(), Nodes::Neutral), judge),
            twice(Hddr::new(Halving::on, tree(), full(), HddrOrder::default()), judge),
            twice(HoistingHdd::new(Halving::on, tree(), full()), judge),
            twice(Perses::new(Halving::on, tree(), full()), judge),
            twice(Pardis::new(Halving::on, tree(), full(), Siblings::Together), judge),
        ];
        for (first, second) in results {
            prop_assert_eq!(judge(&second), Verdict::Interesting);
            prop_assert!(second.count() <= first.count());
            prop_assert!(second.iter().all(|token| first.contains(token)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_schedule_asks_the_same_at_any_number_of_workers(
        (text, oracle) in cases(Plain::No),
        delays in any::<u64>(),
    ) {
        every_schedule(&text, &SameAtAnyNumber { oracle, delays })?;
    }
}

/// A list of `blocks` lists of `leaves` leaves.
fn wide(blocks: usize, leaves: usize) -> Grove {
    Grove::new(
        &format!("[{}]", "a".repeat(leaves)).repeat(blocks),
        Fits::SameKind,
    )
}

#[test]
fn a_wide_tree_of_300_000_tokens_is_searched_quickly() {
    let needed = vec![17, 123_456, 299_998];
    let oracle = Oracle::Needs(needed.clone());
    let (deep, flat) = (
        wide(600, 500),
        Grove::new(&"a".repeat(300_000), Fits::SameKind),
    );
    for schedule in all() {
        for grove in [&deep, &flat] {
            let name = schedule.to_string();
            let is_one_by_one = name == "pardis";
            // Its groups are as small as sigma says: 30,000 of them here.
            let is_by_groups = name == "probdd-tree";
            if (is_one_by_one || is_by_groups) && std::ptr::eq(grove, &raw const flat) {
                continue;
            }
            let mut asked = 0;
            let best = run(begin(&schedule, &Algorithm::default(), grove), |kept| {
                asked += 1;
                oracle.judge(kept)
            })
            .best();
            assert_eq!(best.iter().collect::<Vec<_>>(), needed, "{schedule}");
            let most = match name.as_str() {
                // One for every block, and one for every leaf of three blocks.
                "pardis" => 2_100,
                // Each of the 600 blocks fits the slot of the root.
                "hdd-hoist" => 700,
                // Groups of ten blocks, then of ten leaves.
                "probdd-tree" => 300,
                _ => 240,
            };
            assert!(asked <= most, "{schedule}: {asked}");
        }
    }
}

#[test]
fn a_list_of_which_every_second_element_stays_is_searched_quickly() {
    // A query is a few cuts from the last hit, not thousands from the start.
    let grove = wide(1, 40_000);
    let mut search = begin(
        &KnownSchedule::Hdd(LastNode::Tried).into(),
        &Algorithm::default(),
        &grove,
    );
    let (mut asked, mut left) = (0, 40_000);
    while search.ask().is_some() {
        asked += 1;
        // Halving reaches single leaves again and again, from right to left.
        let single = search
            .ask()
            .is_some_and(|query| query.candidate.count() + 1 == left);
        let hit = single && asked % 2 == 0;
        left -= usize::from(hit);
        search.tell(verdict(hit));
    }
    assert!(search.best().count() < 30_000);
    assert_eq!(search.best().count(), left);
}

#[test]
fn the_levels_of_a_chain_are_minimised_as_a_list() {
    // Like a chain of operators, (((a+b)+c)+d): each level can replace the one around it.
    let (levels, needed) = (64, [0, 20, 21, 50]);
    let text = format!("{}{{a}}{}", "{".repeat(levels), "b}".repeat(levels));
    let grove = Grove::new(&text, Fits::SameKind);
    let oracle = Oracle::Needs(needed.to_vec());
    let mut asked = 0;
    let search = begin(&Schedule::default(), &Algorithm::default(), &grove);
    let best = run(search, |kept| {
        asked += 1;
        oracle.judge(kept)
    })
    .best();
    assert!(best.iter().eq(needed), "left {best:?}");
    assert_eq!(asked, 26);
}

#[test]
fn a_nest_of_5_000_levels_is_searched_quickly() {
    let depth = 5_000;
    let grove = Grove::new(
        &format!("{}[a]{}", "(".repeat(depth), ")".repeat(depth)),
        Fits::SameKind,
    );
    let oracle = Oracle::Needs(vec![depth]);
    for schedule in all() {
        let mut asked = 0;
        let best = run(begin(&schedule, &Algorithm::default(), &grove), |kept| {
            asked += 1;
            oracle.judge(kept)
        })
        .best();
        assert!(best.contains(depth), "{schedule}: {asked}");
    }
}

/// Returns the number of queries of each schedule with two list algorithms, and the number of
/// tokens left.
fn table(shape: &str, text: &str, needed: &dyn Fn(&Subset) -> bool) -> String {
    let grove = Grove::new(text, Fits::SameKind);
    let mut lines = String::new();
    for schedule in all() {
        lines += &format!("{shape:20}{:34}", schedule.to_string());
        for algorithm in [
            Algorithm::default(),
            Algorithm::with::<Ddmin>(DdminOptions::PAPER),
        ] {
            let mut asked = 0;
            let best = run(begin(&schedule, &algorithm, &grove), |kept| {
                asked += 1;
                verdict(needed(kept))
            })
            .best();
            lines += &format!("{:14}", format!("{asked} -> {}", best.count()));
        }
        lines.truncate(lines.trim_end().len());
        lines.push('\n');
    }
    lines
}

#[test]
fn queries_asked_by_each_schedule_and_tokens_left() {
    let needs = |needed: &'static [usize]| {
        move |kept: &Subset| needed.iter().all(|&token| kept.contains(token))
    };
    let functions = "(a,b)[cd(e)f[gh]ij]X".repeat(12);
    let nest = format!("{}x{}", "a(b".repeat(12), "c)d".repeat(12));
    let arguments = format!("f((a,b),c,(d){})", ",(a,[bc]),d".repeat(10));
    let tables = [
        table("needs two leaves", &functions, &needs(&[70, 171])),
        table("needs nothing", &functions, &needs(&[])),
        table("needs every list", &functions, &|kept| {
            (0..12).all(|list| kept.contains(list * 16 + 9))
        }),
        table("a leaf in a nest", &nest, &needs(&[36])),
        table("uses the one before", &functions, &|kept| {
            // Each function needs the name of the one before it; the fourth is needed.
            let named = |function: usize| kept.contains(function * 16);
            named(3) && (1..12).all(|function| !named(function) || named(function - 1))
        }),
        table("an argument", &arguments, &needs(&[30])),
    ];
    let header = format!("{:54}{:14}{}\n", "", "halving", "ddmin");
    insta::assert_snapshot!(header + &tables.concat());
}
