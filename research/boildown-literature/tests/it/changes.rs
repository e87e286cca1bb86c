//! The guarantees of the dd family on small oracles, and its queries in realistic scenarios.

use std::collections::HashSet;

use boildown_search::changes::{Dd, SimpleDd};
use boildown_search::changes::{DdPlus, Decision, DecisionKind, Isolate, UnionPolicy};
use boildown_search::{Fingerprinted as _, Search, Subset, Verdict, run};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::guarantees::{ClonesAreIndependent, EndsOnAnyVerdicts, EndsWell};
use crate::oracles::{Check, Oracle, every_dd, murky, oracles};
use crate::workers::SameAtAnyNumber;

fn elements(set: &Subset) -> Vec<usize> {
    set.iter().collect()
}

/// Returns the elements counted from 0, with runs as ranges: `0-79 81`.
fn shown(set: &Subset) -> String {
    let runs = set.runs().map(|run| match run.len() {
        1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    });
    runs.collect::<Vec<_>>().join(" ")
}

fn nothing(universe: usize) -> Subset {
    Subset::full(universe).without([0..universe])
}

/// Checks that a search asks about no configuration twice, without a planner.
struct NeverRepeats(Oracle);

impl Check for NeverRepeats {
    fn check_any(&self, mut search: AnySearch<'_>) -> Result<(), String> {
        let mut asked = HashSet::new();
        while let Some(query) = search.ask() {
            if !asked.insert(query.candidate.fingerprint()) {
                return Err(format!("asked about {:?} twice", query.candidate));
            }
            search.tell(self.0.judge(&query.candidate));
        }
        Ok(())
    }
}

/// A set of needed elements among `n`, at least one.
fn culprits() -> impl Strategy<Value = (usize, Vec<usize>)> {
    (1_usize..=12)
        .prop_flat_map(|n| (Just(n), proptest::collection::btree_set(0..n, 1..=n)))
        .prop_map(|(n, needed)| (n, needed.into_iter().collect()))
}

fn sized_oracles() -> impl Strategy<Value = (usize, Oracle)> {
    (1_usize..=12).prop_flat_map(|n| (Just(n), oracles(n)))
}

proptest! {
    #[test]
    fn every_dd_ends_with_a_configuration_that_fails((n, oracle) in sized_oracles()) {
        every_dd(&Subset::full(n), &EndsWell(oracle))?;
    }

    #[test]
    fn every_dd_ends_on_arbitrary_and_contradictory_verdicts(
        n in 0_usize..24,
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        every_dd(&Subset::full(n), &EndsOnAnyVerdicts(verdicts))?;
    }

    #[test]
    fn asking_a_dd_and_cloning_it_change_nothing((n, oracle) in sized_oracles()) {
        every_dd(&Subset::full(n), &ClonesAreIndependent(oracle))?;
    }

    #[test]
    fn a_dd_answers_repeats_from_memory((n, oracle) in sized_oracles()) {
        let start = Subset::full(n);
        let check = NeverRepeats(oracle);
        prop_assert_eq!(check.check(SimpleDd::on(start.clone())), Ok(()));
        prop_assert_eq!(check.check(Dd::on(start.clone())), Ok(()));
        prop_assert_eq!(check.check(DdPlus::on(start.clone())), Ok(()));
        prop_assert_eq!(check.check(DdPlus::with_union_policy(start.clone(), UnionPolicy::Trust)), Ok(()));
        prop_assert_eq!(check.check(Isolate::between(nothing(n), start)), Ok(()));
    }

    #[test]
    fn a_monotone_unambiguous_consistent_oracle_leads_to_exactly_the_needed_changes((n, needed) in culprits()) {
        let oracle = Oracle::Needs(needed.clone());
        let mut asked = [Vec::new(), Vec::new()];
        let dd = run(Dd::on(Subset::full(n)), |set| {
            asked[0].push(set.clone());
            oracle.judge(set)
        });
        prop_assert_eq!(elements(&dd.found().expect("finished")), needed.clone());
        let dd_plus = run(DdPlus::on(Subset::full(n)), |set| {
            asked[1].push(set.clone());
            oracle.judge(set)
        });
        prop_assert_eq!(elements(&dd_plus.found().expect("finished")), needed.clone());
        prop_assert_eq!(&asked[0], &asked[1], "dd+ differs from dd only where something is unresolved");
        let halvings = n.next_power_of_two().ilog2() as usize;
        let bound = if needed.len() == 1 { 2 * halvings } else { 2 * (n - 1) };
        prop_assert!(asked[0].len() <= bound, "{} queries", asked[0].len());
        if needed.len() == 1 {
            let simple = run(SimpleDd::on(Subset::full(n)), |set| oracle.judge(set));
            prop_assert_eq!(elements(&simple.found().expect("finished")), needed);
        }
    }

    #[test]
    fn dd_asks_at_most_two_queries_for_each_halving_on_any_oracle((n, oracle) in sized_oracles()) {
        let mut asked = 0;
        run(Dd::on(Subset::full(n)), |set| {
            asked += 1;
            oracle.judge(set)
        });
        prop_assert!(asked <= 2 * (n - 1), "{asked} queries about {n} changes");
    }

    #[test]
    fn dd_plus_and_isolation_are_quadratic_at_worst(
        n in 1_usize..=24,
        verdicts in proptest::collection::vec(prop_oneof![
            1 => Just(Verdict::Interesting),
            3 => Just(Verdict::Uninteresting),
            8 => Just(Verdict::Unresolved),
        ], 1..60),
    ) {
        let count = |asked: &mut usize| {
            *asked += 1;
            verdicts[*asked % verdicts.len()]
        };
        let (mut plus, mut isolate) = (0, 0);
        run(DdPlus::on(Subset::full(n)), |_| count(&mut plus));
        run(Isolate::between(nothing(n), Subset::full(n)), |_| count(&mut isolate));
        let bound = 4 * n * n;
        prop_assert!(plus <= bound && isolate <= bound, "{plus} and {isolate} queries about {n} changes");
    }

    #[test]
    fn dd_plus_finds_no_innocent_change_when_the_verdicts_agree_with_one_set(
        (n, oracle) in (1_usize..=12).prop_flat_map(|n| (Just(n), murky(n))),
    ) {
        let Oracle::Murky { needed, .. } = &oracle else { unreachable!("murky oracles are murky") };
        let search = run(DdPlus::on(Subset::full(n)), |set| oracle.judge(set));
        for decision in search.history() {
            prop_assert!(needed.iter().all(|&e| decision.within.contains(e)), "all of them are in {decision:?}");
            prop_assert!(!needed.iter().all(|&e| decision.applied().contains(e)), "not all are applied in {decision:?}");
            let guilty = decision.part.iter().filter(|e| needed.contains(e)).count();
            match decision.kind {
                DecisionKind::Found => prop_assert_eq!(guilty, 1),
                _ => prop_assert!(guilty > 0, "{decision:?}"),
            }
        }
        let found = search.found().expect("finished");
        prop_assert!(needed.iter().any(|&e| found.contains(e)));
        // Only these decisions can lose a needed change: they keep changes applied that are no
        // longer searched.
        let loses = |decision: &Decision| match decision.kind {
            DecisionKind::Preference => true,
            DecisionKind::TryAgain | DecisionKind::NothingLeft => decision.part != decision.searched,
            _ => false,
        };
        if !search.history().any(loses) {
            prop_assert!(needed.iter().all(|&e| found.contains(e)), "{found:?}");
        }
    }

    #[test]
    fn the_difference_isolated_is_1_minimal_on_any_oracle((n, oracle) in sized_oracles()) {
        let search = run(Isolate::between(nothing(n), Subset::full(n)), |set| oracle.judge(set));
        let (passing, failing) = (search.passing(), search.failing());
        prop_assert_eq!(&search.best(), failing);
        prop_assert_eq!(oracle.judge(failing), Verdict::Interesting);
        prop_assert!(passing.count() == 0 || oracle.judge(passing) == Verdict::Uninteresting);
        let difference: Vec<usize> = search.difference().iter().collect();
        prop_assert_eq!(&elements(&failing.without(passing.runs())), &difference);
        prop_assert_eq!(failing.count(), passing.count() + difference.len());
        prop_assert!(!difference.is_empty());
        if difference.len() > 1 {
            for element in difference {
                let change = [element..element + 1];
                prop_assert_eq!(oracle.judge(&failing.without(change.clone())), Verdict::Unresolved);
                prop_assert_eq!(oracle.judge(&passing.with(change)), Verdict::Unresolved);
            }
        }
    }

    #[test]
    fn without_unresolved_verdicts_one_change_is_isolated_with_one_query_for_each_halving(
        (n, needed) in culprits(),
    ) {
        let oracle = Oracle::Needs(needed.clone());
        let mut asked = 0;
        let search = run(Isolate::between(nothing(n), Subset::full(n)), |set| {
            asked += 1;
            oracle.judge(set)
        });
        prop_assert_eq!(search.difference().len(), 1);
        prop_assert!(search.difference().iter().all(|element| needed.contains(&element)));
        prop_assert!(asked <= n.next_power_of_two().ilog2());
    }
}

proptest! {
    // Each case runs dozens of searches with up to 64 workers.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_dd_asks_the_same_at_any_number_of_workers(
        (n, oracle) in (1_usize..16).prop_flat_map(|n| (Just(n), oracles(n))),
        delays in any::<u64>(),
    ) {
        every_dd(&Subset::full(n), &SameAtAnyNumber { oracle, delays })?;
    }
}

#[test]
fn a_hundred_thousand_changes_are_searched_quickly() {
    let n = 100_000;
    let needed: Vec<usize> = (0..5).map(|k| k * 19_991 + 17).collect();
    let oracle = Oracle::Needs(needed.clone());
    let dd = run(Dd::on(Subset::full(n)), |set| oracle.judge(set));
    assert_eq!(dd.found().as_ref().map(elements), Some(needed.clone()));
    let dd_plus = run(DdPlus::on(Subset::full(n)), |set| oracle.judge(set));
    assert_eq!(dd_plus.found().as_ref().map(elements), Some(needed));
}

#[test]
fn a_list_of_at_most_one_change_is_blamed_without_a_query() {
    for n in [0, 1] {
        let start = Subset::full(n);
        let (dd, dd_plus) = (Dd::on(start.clone()), DdPlus::on(start.clone()));
        assert!(dd.ask().is_none() && dd_plus.ask().is_none());
        assert_eq!(
            (dd.found(), dd_plus.found()),
            (Some(start.clone()), Some(start.clone()))
        );
        assert_eq!(SimpleDd::on(start.clone()).found(), Some(start.clone()));
        let isolate = Isolate::between(nothing(n), start);
        assert!(isolate.ask().is_none());
        assert_eq!(isolate.difference().len(), n);
    }
}

#[test]
fn only_the_changes_of_the_start_are_asked_about() {
    // 0 to 9 and every third of the others are not in the start.
    let start = Subset::full(40)
        .without([0..10])
        .without((12..40).step_by(3).map(|change| change..change + 1));
    let oracle = Oracle::Needs(vec![16, 31]);
    let mut asked = 0;
    let mut judge = |set: &Subset| {
        asked += 1;
        assert_eq!(set.intersection([&start]), *set);
        oracle.judge(set)
    };
    let found = [
        run(Dd::on(start.clone()), &mut judge).found(),
        run(DdPlus::on(start.clone()), &mut judge).found(),
    ];
    assert_eq!(
        found.map(|found| found.as_ref().map(elements)),
        [Some(vec![16, 31]), Some(vec![16, 31])]
    );
    assert!(asked > 0);
}

/// A scenario: the culprits, and the configurations that can be judged.
struct Scenario {
    name: &'static str,
    changes: usize,
    culprits: &'static [usize],
    judged: fn(&Subset) -> bool,
}

impl Scenario {
    fn judge(&self, set: &Subset) -> Verdict {
        if !(self.judged)(set) {
            Verdict::Unresolved
        } else if self.culprits.iter().all(|&culprit| set.contains(culprit)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Runs a search. Configurations that cannot be judged are tested like the others.
    fn run<S: Search<Candidate = Subset>>(&self, search: S) -> (S, String) {
        let (mut asked, mut unresolved) = (0, 0);
        let search = run(search, |set| {
            let verdict = self.judge(set);
            asked += 1;
            unresolved += usize::from(verdict == Verdict::Unresolved);
            verdict
        });
        (search, format!("{asked} ({unresolved}?)"))
    }

    fn line(&self) -> String {
        let start = Subset::full(self.changes);
        let shown = |found: Option<Subset>| shown(&found.expect("finished"));
        let (simple, simple_asked) = self.run(SimpleDd::on(start.clone()));
        let (dd, dd_asked) = self.run(Dd::on(start.clone()));
        let (plus, plus_asked) = self.run(DdPlus::on(start.clone()));
        let (isolate, isolate_asked) = self.run(Isolate::between(nothing(self.changes), start));
        let cells = [
            format!("{simple_asked} {}", shown(simple.found())),
            format!("{dd_asked} {}", shown(dd.found())),
            format!("{plus_asked} {}", shown(plus.found())),
            format!("{isolate_asked} {:?}", isolate.difference()),
        ];
        let cells: String = cells.iter().map(|cell| format!("{cell:26}")).collect();
        format!("{:24}{}\n", self.name, cells.trim_end())
    }
}

/// Configurations can be judged only if they are prefixes of the history.
fn in_date_order(set: &Subset) -> bool {
    set.count() == set.iter().last().map_or(0, |newest| newest + 1)
}

/// Change 20 compiles only with change 70.
fn compiles(set: &Subset) -> bool {
    !set.contains(20) || set.contains(70)
}

const SCENARIOS: [Scenario; 6] = [
    Scenario {
        name: "one culprit",
        changes: 116,
        culprits: &[79],
        judged: |_| true,
    },
    Scenario {
        name: "two that interfere",
        changes: 116,
        culprits: &[30, 80],
        judged: |_| true,
    },
    Scenario {
        name: "one in date order",
        changes: 116,
        culprits: &[79],
        judged: in_date_order,
    },
    Scenario {
        name: "two in date order",
        changes: 116,
        culprits: &[30, 80],
        judged: in_date_order,
    },
    Scenario {
        name: "one that needs another",
        changes: 116,
        culprits: &[20],
        judged: compiles,
    },
    Scenario {
        name: "one beside such a pair",
        changes: 116,
        culprits: &[79],
        judged: compiles,
    },
];

#[test]
fn queries_asked_unresolved_ones_and_changes_blamed() {
    let header = "                        simpledd                  dd                        dd+                       dd between two\n";
    let lines: String = SCENARIOS.iter().map(Scenario::line).collect();
    insta::assert_snapshot!(format!("{header}{lines}"));
}

#[test]
fn configurations_known_to_be_unresolved_can_be_skipped() {
    let [_, _, scenario, ..] = &SCENARIOS;
    let mut search = DdPlus::on(Subset::full(scenario.changes));
    let mut ran = 0;
    while let Some(query) = search.ask() {
        if in_date_order(&query.candidate) {
            ran += 1;
            search.tell(scenario.judge(&query.candidate));
        } else {
            search.skip();
        }
    }
    assert_eq!(search.found().as_ref().map(elements), Some(vec![79]));
    assert_eq!(ran, 7, "as many as a bisection");
}
