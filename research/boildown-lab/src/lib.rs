//! A laboratory for delta-debugging algorithms: it counts the tests that each of them needs, and
//! the elements that each of them keeps.
//!
//! - A [`workload`] is a synthetic list with a simulated oracle, made from a seed. A
//!   [`recorded`] input is a real program with a set of tokens that it needs.
//! - [`recorded_lists`] are lists that reductions of real inputs met, with the verdicts of the real
//!   command.
//! - [`simulate`] runs any search over it with any number of workers, in virtual time.
//! - The [`experiments`] compare algorithms side by side, and the [`statistics`] tell whether a
//!   difference is significant.
//! - Each result is a [`Report`]: a table of plain text, CSV, or an HTML page with plots.
//!
//! This crate does no I/O, and the same seed gives the same bytes on every machine.
//!
//! # Example
//! Compare ddmin with halving on three lists of 60 elements, a tenth of which are needed.
//!
//! ```
//! use boildown_lab::Report as _;
//! use boildown_lab::experiments::{Contestant, compare};
//! use boildown_literature::list::Ddmin;
//! use boildown_search::algorithms::Algorithm;
//!
//! let contestants = [Algorithm::of::<Ddmin>(), Algorithm::halving()].map(Contestant::from);
//! let shapes = ["independent:needed=0.1".parse()?];
//! let setup = compare::CompareSetup {
//!     length: 60,
//!     problems: 3,
//!     ..Default::default()
//! };
//! let result = compare::run(&contestants, &shapes, &setup);
//! assert!(result.table().contains("halving"));
//!
//! // Halving needs fewer tests than ddmin, the first contestant, on the first kind of list.
//! let tests = result.queries(0, 1);
//! assert!(tests.geometric.is_some_and(|ratio| ratio < 1.0));
//! # Ok::<(), String>(())
//! ```
#![warn(clippy::disallowed_methods)]

pub mod experiments;
mod parallel;
pub mod recorded;
pub mod recorded_lists;
mod report;
mod rng;
pub mod simulate;
pub mod statistics;
pub mod workload;

pub use report::Report;
