//! The tree schedules: what each asks on small trees, what all promise, and what they cost.

use std::num::NonZeroUsize;

use boildown_search::list::{
    Algorithm, Ddmin, DdminOptions, Halving, InEpochs, List, Minimise, Sweep,
};
use boildown_search::tree::{
    Hdd, Hddr, HoistingHdd, Nodes, Order, Pardis, Perses, Schedule, Siblings,
};
use boildown_search::{Epochs, Fixpoint, Restart, Search, Sequence, Subset, Verdict, run};
use proptest::prelude::*;

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

/// Runs a search, and returns the text of each new question and of what is left.
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
    |text| needed.chars().all(|atom| text.contains(atom))
}

/// Checks the new questions of a schedule, and what it leaves.
#[track_caller]
fn check<S: Search<Candidate = Subset>>(
    (text, fits): (&str, Fits),
    needed: &str,
    start: impl FnOnce(&Grove) -> S,
    (questions, left): (&[&str], &str),
) {
    let grove = Grove::new(text, fits);
    let (asked, best) = trace(&grove, start(&grove), has(needed));
    assert_eq!(
        (
            asked.iter().map(String::as_str).collect::<Vec<_>>(),
            best.as_str()
        ),
        (questions.to_vec(), left)
    );
}

#[test]
fn hdd_minimises_level_by_level_and_tries_the_last_node_of_a_level_too() {
    check(
        ("[ab[cd]][e[fg]]", Fits::SameKind),
        "cf",
        |grove| Hdd::new(Ddmin::on, grove.tree.clone(), grove.full(), Nodes::All),
        (
            &[
                // The two blocks.
                "abcd", "efg",
                // a, b and a block of the one, e and a block of the other.
                "ab", "cdefg", "cd", "e", "fg", "cdfg",
                // The leaves of both inner blocks.
                "c", "d", "f", "g", "dfg", "cfg", "cg", "cf",
            ],
            "cf",
        ),
    );
    check(
        ("a[bc]", Fits::SameKind),
        "",
        |grove| Hdd::new(Ddmin::on, grove.tree.clone(), grove.full(), Nodes::All),
        (&["a", ""], ""),
    );
}

#[test]
fn hdd_lets_a_separator_go_with_its_element() {
    check(
        ("a,b,c,d", Fits::SameKind),
        "bd",
        |grove| Hdd::new(Halving::on, grove.tree.clone(), grove.full(), Nodes::All),
        (&["", "a,b", "a,b,c", "a,b,d", "d", "a,d", "b,d"], "b,d"),
    );
}

#[test]
fn coarse_hdd_leaves_what_the_syntax_needs_but_looks_below_it() {
    // Of the three fixed parts of the braces only the extra may go; below the inner row, d may.
    check(
        ("a{bX[cd]}e", Fits::SameKind),
        "c",
        |grove| {
            Hdd::new(
                Halving::on,
                grove.tree.clone(),
                grove.full(),
                Nodes::Neutral,
            )
        },
        (&["", "abXcd", "a", "bXcd", "bcd", "b", "bc"], "bc"),
    );
}

#[test]
fn hddr_minimises_the_children_of_one_node_at_a_time_in_four_orders() {
    let orders = [
        // The last block to its leaves, then the first.
        (
            "hddr",
            vec![
                "", "abcd", "efg", "abcde", "abcdfg", "abcdf", "f", "abf", "cdf", "cf",
            ],
        ),
        // The first block to its leaves, then the last.
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
    for (name, questions) in orders {
        let schedule: Schedule = name.parse().unwrap();
        check(
            ("[ab[cd]][e[fg]]", Fits::SameKind),
            "cf",
            |grove| {
                schedule.start(
                    InEpochs::of_one(Halving::on),
                    grove.tree.clone(),
                    grove.full(),
                    1,
                )
            },
            (&questions, "cf"),
        );
    }
}

#[test]
fn hoisting_lifts_the_nearest_node_of_the_same_kind_and_starts_the_level_over() {
    // After each level's deletions: the outer call gives way to the inner one, its first argument does not.
    check(
        ("(x(y(ab))(c))z", Fits::SameKind),
        "c",
        |grove| HoistingHdd::new(Halving::on, grove.tree.clone(), grove.full()),
        (&["", "(x(y(ab))(c))", "(y(ab))", "(c)", "()"], "(c)"),
    );
    // What is hoisted gives way to what is below it.
    check(
        ("(a(b(c)))", Fits::SameKind),
        "c",
        |grove| HoistingHdd::new(Halving::on, grove.tree.clone(), grove.full()),
        (&["", "(b(c))", "(c)", "()"], "(c)"),
    );
}

#[test]
fn perses_takes_the_heaviest_from_its_queue_and_replaces_by_the_lightest_that_fits() {
    check(
        ("a[b(c(de)f)]g", Fits::SameKind),
        "e",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        (
            &[
                // The root by the only other row, then its elements.
                "b(c(de)f)",
                "",
                "b",
                "(c(de)f)",
                // The outer call by the inner one, then its arguments.
                "(de)",
                "()",
                "(d)",
                "(e)",
            ],
            "(e)",
        ),
    );
}

#[test]
fn perses_splices_a_list_where_several_nodes_may_stand() {
    // No single node below the root will do, but the row of the round brackets.
    check(
        ("x(ab)", Fits::Anything),
        "ab",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        (&["x", "a", "b", "ab", ""], "ab"),
    );
}

#[test]
fn perses_deletes_an_extra_and_minds_every_place_of_a_chain() {
    // The row holds nothing but the call, so what fits the call's place fits.
    check(
        ("[((d),c)]", Fits::SameKind),
        "d",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        (&["", "(d)", "()"], "(d)"),
    );
    check(
        ("aXb", Fits::SameKind),
        "a",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        (&["", "a"], "a"),
    );
    check(
        ("aXb", Fits::SameKind),
        "ab",
        |grove| Perses::new(Halving::on, grove.tree.clone(), grove.full()),
        (&["", "a", "b", "ab"], "ab"),
    );
}

#[test]
fn pardis_asks_about_the_heaviest_node_that_can_go_and_a_miss_brings_in_what_is_below() {
    let start = |siblings| {
        move |grove: &Grove| Pardis::new(Halving::on, grove.tree.clone(), grove.full(), siblings)
    };
    check(
        ("a[bc][d[ef]]", Fits::SameKind),
        "e",
        start(Siblings::Alone),
        // By weight 3, 2, 2, then the leaves, last ones first.
        (&["abc", "abcd", "adef", "ade", "ad", "ae", "e"], "e"),
    );
    check(
        ("a[bc][d[ef]]", Fits::SameKind),
        "e",
        start(Siblings::Together),
        // e and f are reduced as a list.
        (&["abc", "abcd", "adef", "ad", "ade", "ae", "e"], "e"),
    );
    // Siblings of another weight stay, and keep their separators.
    check(
        ("a,[bc],d,e", Fits::SameKind),
        "bd",
        start(Siblings::Together),
        (
            &["a,d,e", "bc", "a,bc", "a,bc,d", "bc,d", ",d", "b,d"],
            "b,d",
        ),
    );
}

#[test]
fn schedules_are_known_by_name() {
    for schedule in Schedule::ALL {
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }
    assert_eq!(
        "hddr:pop=last,append=reversed"
            .parse::<Schedule>()
            .unwrap()
            .to_string(),
        "hddr:append=reversed"
    );
    assert_eq!(Schedule::default().to_string(), "boildown");
    assert!("hddr:pop=middle".parse::<Schedule>().is_err());
    assert!("hddr:".parse::<Schedule>().is_err());
    assert!("greedy".parse::<Schedule>().is_err());
}

/// Runs a check on every schedule with some list algorithms, one of them wide.
fn every_schedule(text: &str, check: &impl Check) -> Result<(), TestCaseError> {
    let grove = Grove::of(text);
    let wide = |list: List| Epochs::new(Halving::on(list), NonZeroUsize::MIN.saturating_add(3));
    for schedule in Schedule::ALL {
        let mut outcomes = vec![(
            "wide".to_owned(),
            check.check(begin(schedule, wide, &grove)),
        )];
        for algorithm in [
            Algorithm::default(),
            Algorithm::Ddmin(DdminOptions::PAPER),
            Algorithm::Sweep,
        ] {
            outcomes.push((
                algorithm.to_string(),
                check.check(begin(schedule, algorithm, &grove)),
            ));
        }
        for (name, outcome) in outcomes {
            outcome
                .map_err(|reason| TestCaseError::fail(format!("{schedule} by {name}: {reason}")))?;
        }
    }
    Ok(())
}

fn begin<A: Minimise>(
    schedule: Schedule,
    algorithm: A,
    grove: &Grove,
) -> impl Search<Candidate = Subset> + use<A> {
    schedule.start(
        InEpochs::of_one(algorithm),
        grove.tree.clone(),
        grove.full(),
        1,
    )
}

/// A tree and an oracle over its atoms.
fn cases(plain: Plain) -> impl Strategy<Value = (String, Oracle)> {
    groves(plain).prop_flat_map(|text| {
        let atoms = Grove::of(&text).atoms.len();
        (Just(text), oracles(atoms))
    })
}

/// What it asks next is what it said was certain, whatever it hears; and every result was told `Interesting`.
struct CertainIsCertain(Vec<u8>);

impl Check for CertainIsCertain {
    fn check<S: Search<Candidate = Subset>>(&self, mut machine: S) -> Result<(), String> {
        let mut verdicts = self.0.iter().cycle();
        let mut asked = 0;
        let mut interesting = vec![machine.best()];
        loop {
            let certain = machine.certain();
            if certain.is_empty() && machine.ask().is_none() {
                return Ok(());
            }
            for expected in certain {
                asked += 1;
                let question = machine.ask().map(|question| question.candidate);
                if asked > 20_000 || question.as_ref() != Some(&expected.candidate) {
                    return Err(format!(
                        "question {asked} is {question:?}, not {expected:?}"
                    ));
                }
                match verdicts.next() {
                    Some(0) => {
                        machine.tell(Verdict::Interesting);
                        interesting.push(expected.candidate);
                    }
                    Some(1) => machine.tell(Verdict::Unresolved),
                    _ => machine.tell(Verdict::Uninteresting),
                }
                let best = machine.best();
                if !interesting.contains(&best) {
                    return Err(format!("{best:?} was never told to be interesting"));
                }
            }
        }
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
    fn what_is_certain_is_asked_and_what_is_best_was_interesting(
        text in groves(Plain::No),
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        every_schedule(&text, &CertainIsCertain(verdicts))?;
    }

    #[test]
    fn clones_of_a_schedule_are_independent((text, oracle) in cases(Plain::No)) {
        every_schedule(&text, &ClonesAreIndependent(oracle))?;
    }

    #[test]
    fn hdd_star_and_hddr_to_a_fixed_point_end_1_tree_minimal((text, oracle) in cases(Plain::Yes)) {
        let grove = Grove::of(&text);
        let (tree, full) = (|| grove.tree.clone(), || grove.full());
        for algorithm in [Algorithm::default(), Algorithm::Ddmin(DdminOptions::PAPER), Algorithm::Ddmin(COMPLEMENTS_ONLY), Algorithm::Sweep] {
            let judge = |kept: &Subset| oracle.judge(kept);
            let results = [
                run(Schedule::HddStar.start(InEpochs::of_one(algorithm), tree(), full(), 1), judge).best(),
                run(Fixpoint::new(Hddr::new(algorithm, tree(), full(), Order::default())), judge).best(),
                run(Fixpoint::new(HoistingHdd::new(algorithm, tree(), full())), judge).best(),
            ];
            for best in results {
                for node in grove.tree.nodes.iter().skip(1) {
                    let without = best.without([node.atoms.clone()]);
                    prop_assert!(without == best || oracle.judge(&without) != Verdict::Interesting);
                }
            }
        }
    }

    #[test]
    fn every_schedule_and_a_sweep_over_the_units_end_1_tree_minimal((text, oracle) in cases(Plain::No)) {
        let grove = Grove::of(&text);
        let units = grove.tree.units();
        for schedule in Schedule::ALL {
            let machine = begin(schedule, Algorithm::default(), &grove);
            let sweep = Sweep::units(grove.full(), units.iter().map(|unit| vec![unit.clone()]));
            let best = run(Sequence::new(machine, sweep), |kept| oracle.judge(kept)).best();
            for unit in units.iter().filter(|unit| best.count_in((*unit).clone()) > 0) {
                prop_assert_ne!(oracle.judge(&best.without([unit.clone()])), Verdict::Interesting);
            }
        }
    }

    #[test]
    fn a_schedule_can_be_started_over_from_less((text, oracle) in cases(Plain::No)) {
        let grove = Grove::of(&text);
        let judge = |kept: &Subset| oracle.judge(kept);
        fn twice<S: Restart<Candidate = Subset>>(machine: S, judge: impl Fn(&Subset) -> Verdict) -> (Subset, Subset) {
            let first = run(machine, &judge);
            let (best, mut again) = (first.best(), first.clone());
            again.restart(best.clone());
            (best, run(again, &judge).best())
        }
        let (tree, full) = (|| grove.tree.clone(), || grove.full());
        let results = [
            twice(Hdd::new(Halving::on, tree(), full(), Nodes::Neutral), judge),
            twice(Hddr::new(Halving::on, tree(), full(), Order::default()), judge),
            twice(HoistingHdd::new(Halving::on, tree(), full()), judge),
            twice(Perses::new(Halving::on, tree(), full()), judge),
            twice(Pardis::new(Halving::on, tree(), full(), Siblings::Together), judge),
        ];
        for (first, second) in results {
            prop_assert_eq!(judge(&second), Verdict::Interesting);
            prop_assert!(second.count() <= first.count());
            prop_assert!(second.iter().all(|atom| first.contains(atom)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_schedule_tells_the_same_at_any_number_of_workers(
        (text, oracle) in cases(Plain::No),
        delays in any::<u64>(),
    ) {
        every_schedule(&text, &SameAtAnyNumber { oracle, delays })?;
    }
}

/// A row of `blocks` rows of `leaves` leaves.
fn wide(blocks: usize, leaves: usize) -> Grove {
    Grove::new(
        &format!("[{}]", "a".repeat(leaves)).repeat(blocks),
        Fits::SameKind,
    )
}

#[test]
fn a_wide_tree_of_300_000_atoms_is_searched_in_a_moment() {
    let needed = vec![17, 123_456, 299_998];
    let oracle = Oracle::Needs(needed.clone());
    let (deep, flat) = (
        wide(600, 500),
        Grove::new(&"a".repeat(300_000), Fits::SameKind),
    );
    for schedule in Schedule::ALL {
        for grove in [&deep, &flat] {
            let is_one_by_one = schedule == Schedule::Pardis(Siblings::Alone);
            if is_one_by_one && std::ptr::eq(grove, &raw const flat) {
                continue;
            }
            let mut asked = 0;
            let best = run(begin(schedule, Algorithm::default(), grove), |kept| {
                asked += 1;
                oracle.judge(kept)
            })
            .best();
            assert_eq!(best.iter().collect::<Vec<_>>(), needed, "{schedule}");
            let most = match schedule {
                // Every block for itself, and every leaf of three blocks.
                Schedule::Pardis(Siblings::Alone) => 2_100,
                // Each of the 600 blocks might take the place of the root.
                Schedule::HddHoist => 700,
                _ => 240,
            };
            assert!(asked <= most, "{schedule}: {asked}");
        }
    }
}

#[test]
fn a_row_that_stays_in_pieces_is_no_burden() {
    // Every second leaf stays: a question is a few cuts from the last hit, not thousands from the start.
    let grove = wide(1, 40_000);
    let mut machine = begin(Schedule::Hdd, Algorithm::default(), &grove);
    let (mut asked, mut left) = (0, 40_000);
    while machine.ask().is_some() {
        asked += 1;
        // Halving goes from right to left and comes to single leaves in turn.
        let single = machine
            .ask()
            .is_some_and(|question| question.candidate.count() + 1 == left);
        let hit = single && asked % 2 == 0;
        left -= usize::from(hit);
        machine.tell(verdict(hit));
    }
    assert!(machine.best().count() < 30_000);
    assert_eq!(machine.best().count(), left);
}

#[test]
fn the_levels_of_a_spine_are_minimised_as_a_list() {
    // Like a chain of operators, (((a+b)+c)+d): each level takes the place of the one around it.
    let (levels, needed) = (64, [0, 20, 21, 50]);
    let text = format!("{}{{a}}{}", "{".repeat(levels), "b}".repeat(levels));
    let grove = Grove::new(&text, Fits::SameKind);
    let oracle = Oracle::Needs(needed.to_vec());
    let mut asked = 0;
    let search = begin(Schedule::Boildown, Algorithm::default(), &grove);
    let best = run(search, |kept| {
        asked += 1;
        oracle.judge(kept)
    })
    .best();
    assert!(best.iter().eq(needed), "left {best:?}");
    assert_eq!(asked, 26);
}

#[test]
fn a_nest_of_5_000_levels_is_searched_in_a_moment() {
    let depth = 5_000;
    let grove = Grove::new(
        &format!("{}[a]{}", "(".repeat(depth), ")".repeat(depth)),
        Fits::SameKind,
    );
    let oracle = Oracle::Needs(vec![depth]);
    for schedule in Schedule::ALL {
        let mut asked = 0;
        let best = run(begin(schedule, Algorithm::default(), &grove), |kept| {
            asked += 1;
            oracle.judge(kept)
        })
        .best();
        assert!(best.contains(depth), "{schedule}: {asked}");
    }
}

/// How many questions each schedule asks with a list minimiser, and how many atoms it leaves.
fn table(shape: &str, text: &str, needed: &dyn Fn(&Subset) -> bool) -> String {
    let grove = Grove::new(text, Fits::SameKind);
    let mut lines = String::new();
    for schedule in Schedule::ALL {
        lines += &format!("{shape:20}{:34}", schedule.to_string());
        for algorithm in [Algorithm::default(), Algorithm::Ddmin(DdminOptions::PAPER)] {
            let mut asked = 0;
            let best = run(begin(schedule, algorithm, &grove), |kept| {
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
fn questions_asked_by_each_schedule_and_atoms_left() {
    let needs = |needed: &'static [usize]| {
        move |kept: &Subset| needed.iter().all(|&atom| kept.contains(atom))
    };
    let functions = "(a,b)[cd(e)f[gh]ij]X".repeat(12);
    let nest = format!("{}x{}", "a(b".repeat(12), "c)d".repeat(12));
    let arguments = format!("f((a,b),c,(d){})", ",(a,[bc]),d".repeat(10));
    let tables = [
        table("needs two leaves", &functions, &needs(&[70, 171])),
        table("needs nothing", &functions, &needs(&[])),
        table("needs every row", &functions, &|kept| {
            (0..12).all(|row| kept.contains(row * 16 + 9))
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
