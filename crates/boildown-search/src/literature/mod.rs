//! Algorithms of the literature that no default reduction runs.
//!
//! They are here to be compared and used: [`list`] and [`tree`] algorithms can be chosen by name on
//! the command line, in the laboratory and through [`algorithms`](crate::algorithms). [`graph`] and
//! [`changes`] are a library.
//!
//! Each algorithm is one file that owns its name, parameters, guarantee, cost and source. The
//! documentation of its type names the paper in full, and states where the implementation differs
//! from it.
//!
//! # Lists
//! | name | type | paper |
//! |---|---|---|
//! | `ddmin` | [`Ddmin`](list::Ddmin) | Zeller, Hildebrandt, IEEE TSE 2002 |
//! | `ddmin:split=N` | the same | Kiss: split factor, IEEE Access 2020 |
//! | `ddmin*` | the same, in a [`Fixpoint`](crate::Fixpoint) | Vince: DD*, A-TEST 2022 |
//! | `wddmin` | [`Wddmin`](list::Wddmin) | Zhou et al.: WDD, ICSE 2025 |
//! | `probdd` | [`ProbDd`](list::ProbDd) | Wang et al.: ProbDD, ESEC/FSE 2021 |
//! | `wprobdd` | [`WProbDd`](list::WProbDd) | Zhou et al.: WDD, ICSE 2025 |
//! | `cdd` | [`Cdd`](list::Cdd) | Zhang et al.: CDD, ICSE 2025 |
//! | `coarsen` | [`ActiveCoarsen`](list::ActiveCoarsen) | Liang, Tripp, Naik, POPL 2011 |
//! | `pma` | [`KnownMisses`](list::KnownMisses) of `Ddmin` | after Tao, Xue, EASE 2025 |
//! | `n-minimal` | [`NMinimal`](list::NMinimal) | Zeller, Hildebrandt, IEEE TSE 2002 |
//! | `bisection` | [`Bisection`](list::Bisection) | lecture notes, for comparison |
//! | `naive` | [`Naive`](list::Naive) | textbooks, for comparison |
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
//! | [`BinaryReduction`](graph::BinaryReduction) | Kalhauge, Palsberg: J-Reduce, ESEC/FSE 2019 |
//! | [`Closed`](graph::Closed) list search | after the same paper |
//! | [`Chisel`](graph::Chisel) | after Heo et al.: CHISEL, CCS 2018 |
//! | [`Rejecting`](graph::Rejecting) list search | after the same paper |
//!
//! # Changes
//! | type | paper |
//! |---|---|
//! | [`SimpleDd`](changes::SimpleDd) | seminar literature, the step before dd |
//! | [`Dd`](changes::Dd) | Zeller: Yesterday, My Program Worked, ESEC/FSE 1999 |

pub mod changes;
pub mod graph;
pub mod list;
pub mod tree;
