//! Oracles over sets of elements, and lists of all searches for checks of every search.

use boildown_literature::list::{
    ActiveCoarsen, Bisection, Cdd, CddOptions, Ddmin, DdminOptions, KnownMisses, NMinimal, Naive,
    ProbDd, ProbDdOptions, Resume, Sigma, SigmaEstimate, SplitFactor, Subsets, Ties, WProbDd,
    WProbDdOptions, Wddmin,
};
use boildown_search::changes::{Dd, SimpleDd};
use boildown_search::changes::{DdPlus, Isolate, UnionPolicy};
use boildown_search::list::{
    Adaptive, Direction, GroupTesting, Halving, HalvingOptions, HalvingOrder, List, Sweep,
};
use boildown_search::{
    Fingerprint, Fingerprinted as _, FirstThatWorks, Fixpoint, Search, Sequence, Subset, Verdict,
};
use proptest::prelude::*;

use crate::any_search::AnySearch;

/// An oracle as a pure function of the kept elements. The full set is always interesting.
#[derive(Debug, Clone)]
pub(crate) enum Oracle {
    /// Interesting if all of these are kept: monotone and unambiguous.
    Needs(Vec<usize>),
    /// Interesting if the roots are kept, and for every kept user what it uses: not monotone.
    DefUse {
        roots: Vec<usize>,
        uses: Vec<(usize, usize)>,
    },
    /// A pseudo-random verdict for every set.
    Chaos(u64),
    /// Like `Needs`, but a pseudo-random share of all sets but the empty and the full one is
    /// unresolved.
    Murky { needed: Vec<usize>, seed: u64 },
}

impl Oracle {
    pub(crate) fn judge(&self, kept: &Subset) -> Verdict {
        let hit = match self {
            Self::Needs(needed) => needed.iter().all(|&element| kept.contains(element)),
            Self::DefUse { roots, uses } => {
                roots.iter().all(|&root| kept.contains(root))
                    && uses
                        .iter()
                        .all(|&(user, used)| !kept.contains(user) || kept.contains(used))
            }
            Self::Chaos(seed) => {
                if kept.count() == kept.universe() {
                    return Verdict::Interesting;
                }
                return match coin(kept.fingerprint(), *seed) % 5 {
                    0 | 1 => Verdict::Interesting,
                    2 => Verdict::Unresolved,
                    _ => Verdict::Uninteresting,
                };
            }
            Self::Murky { needed, seed } => {
                let certain = [0, kept.universe()].contains(&kept.count());
                // The share of unresolved sets depends on the seed.
                if !certain && coin(kept.fingerprint(), *seed) % 8 < seed % 8 {
                    return Verdict::Unresolved;
                }
                needed.iter().all(|&element| kept.contains(element))
            }
        };
        if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }
}

/// Returns a number that depends only on the content and the seed.
pub(crate) fn coin(content: Fingerprint, seed: u64) -> u64 {
    let text = format!("{content:?}{seed}");
    text.bytes()
        .fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte))
                .wrapping_mul(0x0100_0000_01b3)
                .rotate_left(23)
        })
        >> 7
}

/// Returns oracles over `n` elements.
pub(crate) fn oracles(n: usize) -> impl Strategy<Value = Oracle> {
    let element = 0..n;
    prop_oneof![
        proptest::collection::vec(element.clone(), 0..n.min(6)).prop_map(Oracle::Needs),
        (
            proptest::collection::vec(element.clone(), 1..3),
            proptest::collection::vec((element.clone(), element), 0..2 * n),
        )
            .prop_map(|(roots, uses)| Oracle::DefUse { roots, uses }),
        any::<u64>().prop_map(Oracle::Chaos),
        murky(n),
    ]
}

/// Returns oracles over `n` elements that agree with one set of needed elements wherever they are
/// resolved.
pub(crate) fn murky(n: usize) -> impl Strategy<Value = Oracle> {
    let needed = proptest::collection::btree_set(0..n, 1..=n.min(4));
    (needed, any::<u64>()).prop_map(|(needed, seed)| Oracle::Murky {
        needed: needed.into_iter().collect(),
        seed,
    })
}

/// A check that applies to every search.
pub(crate) trait Check {
    /// Returns the reason of a failure. `search` is at its start.
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String>;

    /// Does the same for a search of any type.
    fn check(&self, search: impl Search<Candidate = Subset>) -> Result<(), String> {
        self.check_any(AnySearch::new(search))
    }
}

/// Runs a check on every search that finds the changes that cause a failure.
pub(crate) fn every_dd(
    start: &Subset,
    check: &impl Check,
) -> Result<Vec<&'static str>, TestCaseError> {
    let nothing = start.without([0..start.universe()]);
    let (dd, dd_plus) = (Dd::on(start.clone()), DdPlus::on(start.clone()));
    name_failures(vec![
        ("simpledd", check.check(SimpleDd::on(start.clone()))),
        ("dd", check.check(dd.clone())),
        ("dd+", check.check(dd_plus.clone())),
        (
            "dd+, trusting unions",
            check.check(DdPlus::with_union_policy(start.clone(), UnionPolicy::Trust)),
        ),
        (
            "dd between two",
            check.check(Isolate::between(nothing, start.clone())),
        ),
        (
            "dd, then dd+",
            check.check(Sequence::new(dd, dd_plus.clone())),
        ),
        ("dd+ to a fixed point", check.check(Fixpoint::new(dd_plus))),
    ])
}

pub(crate) const COMPLEMENTS_ONLY: DdminOptions = DdminOptions {
    subsets: Subsets::Skip,
    subset_direction: Direction::Forwards,
    complement_direction: Direction::Forwards,
    resume: Resume::Restart,
    split: SplitFactor::HALVES,
};

/// The options recommended by the authors of Picire.
pub(crate) const PICIRE: DdminOptions = DdminOptions {
    complement_direction: Direction::Backwards,
    resume: Resume::Onwards,
    ..COMPLEMENTS_ONLY
};

pub(crate) const FOURTHS: DdminOptions = DdminOptions {
    split: SplitFactor::new(4).expect("4 is at least 2"),
    ..DdminOptions::PAPER
};

/// Runs a check on the other list searches.
fn more_searches(list: &List, check: &impl Check) -> Vec<Outcome> {
    let list = || list.clone();
    let onwards = DdminOptions {
        resume: Resume::Onwards,
        ..DdminOptions::default()
    };
    let breadth = Halving::with_options(
        list(),
        HalvingOptions {
            order: HalvingOrder::Breadth,
            direction: Direction::Backwards,
        },
    );
    vec![
        ("naive", check.check(Naive::on(list()))),
        ("bisection", check.check(Bisection::on(list()))),
        (
            "ddmin, onwards",
            check.check(Ddmin::with_options(list(), onwards)),
        ),
        (
            "ddmin, in fourths",
            check.check(Ddmin::with_options(list(), FOURTHS)),
        ),
        (
            "ddmin, as in Picire",
            check.check(Ddmin::with_options(list(), PICIRE)),
        ),
        (
            "ddmin to a fixed point",
            check.check(Fixpoint::new(Ddmin::on(list()))),
        ),
        ("wddmin", check.check(Wddmin::on(list()))),
        (
            "halving, left to right",
            check.check(Halving::with_options(
                list(),
                HalvingOptions {
                    order: HalvingOrder::Depth,
                    direction: Direction::Forwards,
                },
            )),
        ),
        ("halving, breadth-first", check.check(breadth)),
        (
            "halving, then pairs",
            check.check(Sequence::new(Halving::on(list()), NMinimal::on(list()))),
        ),
        (
            "sweep, knowing misses",
            check.check(KnownMisses::new(Sweep::on(list()))),
        ),
        (
            "ddmin, skipping known misses",
            check.check(KnownMisses::skipping(Ddmin::on(list()), 0.1)),
        ),
    ]
}

/// Runs a check on the probabilistic list searches.
fn probabilistic(list: &List, check: &impl Check) -> Vec<Outcome> {
    let list = || list.clone();
    vec![
        ("probdd", check.check(ProbDd::on(list()))),
        (
            "probdd, a quarter, left to right",
            check.check(ProbDd::with_options(
                list(),
                ProbDdOptions {
                    sigma: Sigma::QUARTER,
                    ties: Ties::First,
                    ..ProbDdOptions::DEFAULT
                },
            )),
        ),
        (
            "probdd, sigma from answers",
            check.check(ProbDd::with_options(
                list(),
                ProbDdOptions {
                    estimate: SigmaEstimate::Answers,
                    ..ProbDdOptions::DEFAULT
                },
            )),
        ),
        ("wprobdd", check.check(WProbDd::on(list()))),
        (
            "wprobdd, a quarter",
            check.check(WProbDd::with_options(
                list(),
                WProbDdOptions {
                    sigma: Sigma::QUARTER,
                    ..WProbDdOptions::DEFAULT
                },
            )),
        ),
        ("cdd", check.check(Cdd::on(list()))),
        (
            "cdd, a quarter, left to right",
            check.check(Cdd::with_options(
                list(),
                CddOptions {
                    sigma: Sigma::QUARTER,
                    direction: Direction::Forwards,
                    ..CddOptions::DEFAULT
                },
            )),
        ),
        ("coarsen", check.check(ActiveCoarsen::on(list()))),
        (
            "coarsen, another seed",
            check.check(ActiveCoarsen::with_seed(list(), 42)),
        ),
    ]
}

/// Runs a check on every list search and on the combinators.
pub(crate) fn every_search(
    list: &List,
    check: &impl Check,
) -> Result<Vec<&'static str>, TestCaseError> {
    let (halving, sweep, adaptive) = (
        Halving::on(list.clone()),
        Sweep::on(list.clone()),
        Adaptive::on(list.clone()),
    );
    let pairs = Sweep::windows(list.kept.clone(), 2);
    let mut outcomes = vec![
        ("halving", check.check(halving.clone())),
        ("sweep", check.check(sweep.clone())),
        ("group testing", check.check(GroupTesting::on(list.clone()))),
        ("adaptive", check.check(adaptive.clone())),
        ("ddmin", check.check(Ddmin::on(list.clone()))),
        (
            "ddmin, complements only",
            check.check(Ddmin::with_options(list.clone(), COMPLEMENTS_ONLY)),
        ),
        (
            "halving, then sweep",
            check.check(Sequence::new(halving.clone(), sweep.clone())),
        ),
        (
            "adaptive to a fixed point",
            check.check(Fixpoint::new(adaptive)),
        ),
        (
            "sweep of pairs, or else halving",
            check.check(FirstThatWorks::new(pairs, halving)),
        ),
    ];
    outcomes.extend(more_searches(list, check));
    outcomes.extend(probabilistic(list, check));
    name_failures(outcomes)
}

/// The outcome of a check, with the name of the search.
type Outcome = (&'static str, Result<(), String>);

/// Returns the names of the searches, unless a check failed.
fn name_failures(outcomes: Vec<Outcome>) -> Result<Vec<&'static str>, TestCaseError> {
    let passed = |(name, outcome): Outcome| match outcome {
        Ok(()) => Ok(name),
        Err(reason) => Err(TestCaseError::fail(format!("{name}: {reason}"))),
    };
    outcomes.into_iter().map(passed).collect()
}
