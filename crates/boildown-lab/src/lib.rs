//! A laboratory for delta-debugging algorithms: which asks least, and what is left?
//!
//! A [`workload`] is a list with an oracle made from a seed, or a [`recorded`] text with the tokens it needs. [`simulate`] runs any
//! search over it with any number of workers, in virtual time. The [`experiments`] put algorithms side by side, the
//! [`statistics`] say whether a difference is more than chance, and each result is a [`Report`]: a table, CSV, a page of HTML.
//!
//! Nothing here does any I/O, and the same seed gives the same bytes.
//!
//! ```
//! use boildown_lab::experiments::{Contestant, compare};
//! use boildown_lab::Report as _;
//! use boildown_search::list::{Algorithm, DdminOptions};
//!
//! let contestants = [Algorithm::Ddmin(DdminOptions::PAPER), Algorithm::HALVING].map(Contestant::from);
//! let shapes = ["independent:needed=0.1".parse()?];
//! let setup = compare::Setup { length: 60, problems: 3, ..Default::default() };
//! let result = compare::run(&contestants, &shapes, &setup);
//! assert!(result.table().contains("halving"));
//! # Ok::<(), String>(())
//! ```
#![warn(clippy::disallowed_methods)]

mod dice;
pub mod experiments;
mod parallel;
pub mod recorded;
mod report;
pub mod simulate;
pub mod statistics;
pub mod workload;

pub use report::Report;
