//! The delta-debugging algorithms of the literature, on the traits of [`boildown_search`].
//!
//! No default reduction runs them. They are here to be compared and used: [`list`] and [`tree`]
//! algorithms can be chosen by name, from a registry that has [`LITERATURE`], in the laboratory, in
//! Python, and on the command line of a program that is built with `lab`. [`graph`] is a library.
//!
//! Each algorithm is one file that owns its name, parameters, guarantee, cost and source. The
//! documentation of its type names the paper in full, and states where the implementation differs
//! from it.
//!
//! ```
//! use boildown_search::list::{List, ListAlgorithm as _};
//! use boildown_search::{Search as _, Verdict, run};
//!
//! let algorithm = boildown_literature::algorithms().parse_list("probdd:sigma=0.25")?;
//! let search = run(algorithm.on(List::uniform(100)), |kept| {
//!     match kept.contains(7) && kept.contains(42) {
//!         true => Verdict::Interesting,
//!         false => Verdict::Uninteresting,
//!     }
//! });
//! assert_eq!(search.best().iter().collect::<Vec<_>>(), [7, 42]);
//! assert_eq!(algorithm.to_string(), "probdd:sigma=0.25");
//! # Ok::<(), String>(())
//! ```
//!
//! # Adding an algorithm
//! Write its search in a file of its own under `list/`, implement
//! [`Registered`](boildown_search::algorithms::Registered) there, and add a line to [`LITERATURE`].
//!
//! # Lists
//! | name | type | paper |
//! |---|---|---|
//! | `ddmin` | [`Ddmin`] | Zeller, Hildebrandt, IEEE TSE 2002 |
//! | `ddmin:split=N` | the same | Kiss: split factor, IEEE Access 2020 |
//! | `ddmin*` | the same, in a [`Fixpoint`] | Vince: DD*, A-TEST 2022 |
//! | `wddmin` | [`Wddmin`] | Zhou et al.: WDD, ICSE 2025 |
//! | `probdd` | [`ProbDd`] | Wang et al.: ProbDD, ESEC/FSE 2021 |
//! | `wprobdd` | [`WProbDd`] | Zhou et al.: WDD, ICSE 2025 |
//! | `cdd` | [`Cdd`] | Zhang et al.: CDD, ICSE 2025 |
//! | `coarsen` | [`ActiveCoarsen`] | Liang, Tripp, Naik, POPL 2011 |
//! | `pma` | [`KnownMisses`] of `Ddmin` | after Tao, Xue, EASE 2025 |
//! | `n-minimal` | [`NMinimal`] | Zeller, Hildebrandt, IEEE TSE 2002 |
//! | `bisection` | [`Bisection`] | lecture notes, for comparison |
//! | `naive` | [`Naive`] | textbooks, for comparison |
//!
//! # Trees
//! | name | type | paper |
//! |---|---|---|
//! | `hdd`, `hdd*` | [`Hdd`](tree::Hdd) | Misherghi, Su: HDD, ICSE 2006 |
//! | `hdd-coarse` | [`Hdd`](tree::Hdd) of some nodes | Hodovan, Kiss, Gyimothy, ICSME 2017 |
//! | `hddr` | [`Hddr`](tree::Hddr) | Kiss, Hodovan, Gyimothy: `HDDr`, A-TEST 2018 |
//! | `hdd-hoist` | [`HoistingHdd`](tree::HoistingHdd) | Vince et al., AST 2021 |
//! | `perses` | [`Perses`](tree::Perses) | Sun et al.: Perses, ICSE 2018 |
//! | `pardis`, `pardis-hybrid` | [`Pardis`](tree::Pardis) | Gharachorlu, Sumner, FASE 2019 |
//! | `probdd-tree` | [`TreeProbDd`](tree::TreeProbDd) | after Wang et al., ESEC/FSE 2021, §7 |
//!
//! Every schedule can weigh nodes by [`NodeWeights`](tree::NodeWeights), after Tao, Xue: SADD.
//!
//! # Elements that require each other
//! | type | paper |
//! |---|---|
//! | [`Closed`] list search | after Kalhauge, Palsberg: J-Reduce, ESEC/FSE 2019 |
//! | [`Chisel`] | after Heo et al.: CHISEL, CCS 2018 |
//! | [`Rejecting`] list search | after the same paper |
#![warn(clippy::disallowed_methods)]

pub mod graph;
pub mod list;
pub mod tree;

use boildown_search::Fixpoint;
use boildown_search::algorithms::{AlgorithmSet, Algorithms, ListEntry};

use graph::{Chisel, Closed, Rejecting};
use list::{
    ActiveCoarsen, Bisection, Cdd, Ddmin, KnownMisses, NMinimal, Naive, ProbDd, WProbDd, Wddmin,
};
use tree::KnownSchedule;

/// The algorithms of this crate.
pub const LITERATURE: AlgorithmSet = AlgorithmSet {
    lists: &[
        ListEntry::of::<Ddmin>(),
        ListEntry::of::<Fixpoint<Ddmin>>(),
        ListEntry::of::<Wddmin>(),
        ListEntry::of::<ProbDd>(),
        ListEntry::of::<WProbDd>(),
        ListEntry::of::<Cdd>(),
        ListEntry::of::<ActiveCoarsen>(),
        ListEntry::of::<KnownMisses<Ddmin>>(),
        ListEntry::of::<Bisection>(),
        ListEntry::of::<Naive>(),
        ListEntry::of::<NMinimal>(),
    ],
    schedules: KnownSchedule::ENTRIES,
    others: &[Closed::<()>::ENTRY, Rejecting::<()>::ENTRY, Chisel::ENTRY],
};

/// Returns the registry of all algorithms: those of [`boildown_search`] and [`LITERATURE`].
#[must_use]
pub fn algorithms() -> Algorithms {
    Algorithms::default().with(LITERATURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_complete_and_names_unique_and_parsed() {
        algorithms().check();
    }

    #[test]
    fn a_name_with_parameters_is_written_as_it_was_parsed() {
        let lists = [
            "ddmin:subsets=skip,direction=backwards,resume=onwards",
            "ddmin*:resume=onwards,split=3",
            "probdd:sigma=0.25,ties=first,estimate=answers",
            "wprobdd:sigma=0.01,ties=stable,prefix=longest,estimate=lists",
            "cdd:sigma=0.3,direction=forwards",
            "probdd:ties=random,seed=7",
            "coarsen:seed=7",
            "pma:threshold=0.5",
            "n-minimal:n=3",
        ];
        for name in lists {
            let algorithm = algorithms().parse_list(name).expect(name);
            assert_eq!(algorithm.to_string(), name);
        }
        for schedule in KnownSchedule::ALL {
            let name = schedule.to_string();
            let parsed = algorithms().parse_schedule(&name).expect(&name);
            assert_eq!(parsed.to_string(), name);
        }
    }

    #[test]
    fn only_algorithms_that_draw_random_numbers_have_another_seed() {
        let reseeded = |name: &str| {
            let algorithm = algorithms().parse_list(name).expect(name);
            algorithm.reseeded(3).map(|other| other.to_string())
        };
        let expected = [
            ("coarsen", Some("coarsen:seed=3")),
            ("coarsen:seed=7", Some("coarsen:seed=10")),
            ("probdd:ties=random", Some("probdd:ties=random,seed=3")),
            (
                "wprobdd:sigma=0.2,ties=random",
                Some("wprobdd:sigma=0.2,ties=random,seed=3"),
            ),
            ("probdd:seed=7", None),
            ("wprobdd:ties=stable", None),
            ("ddmin", None),
            ("halving", None),
        ];
        for (name, other) in expected {
            assert_eq!(reseeded(name).as_deref(), other, "{name}");
        }
    }

    #[test]
    fn parse_errors_name_what_is_allowed() {
        let error = |text: &str| algorithms().parse_list(text).expect_err(text);
        assert!(error("dmin").starts_with("there is no `dmin` among halving, group-testing,"));
        assert_eq!(
            error("cdd:sigma=2"),
            "sigma has to be a probability between 0 and 1, not `2`"
        );
        assert_eq!(
            error("ddmin:split=1"),
            "split has to be a whole number of at least 2, not `1`"
        );
        assert_eq!(error("cdd:sigma=0.1,sigma=0.2"), "`sigma` is there twice");
        assert_eq!(
            error("ddmin:backwards"),
            "`backwards` is not of the form `parameter=value`"
        );
        assert_eq!(
            algorithms().parse_schedule("hddr:pop=both"),
            Err("pop has to be one of last, first, not `both`".to_owned())
        );
    }
}
