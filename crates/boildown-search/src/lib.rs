//! Delta debugging and test-case reduction algorithms as state machines.
//!
//! A [`Search`] asks [queries](Query) and is told [verdicts](Verdict). It does no I/O and knows
//! nothing of files, processes, clocks or threads, so the same algorithm runs with a closure, a
//! command or a cluster as its oracle. The [`Planner`] runs any search with any number of workers,
//! to the same result.
//!
//! # Example
//! [`minimize()`] is the short form for a list and a closure. The long form, with an algorithm of
//! your choice:
//!
//! ```
//! use boildown_search::list::{Halving, List, Sweep};
//! use boildown_search::{Search, Sequence, Verdict, run};
//!
//! // Which of these numbers are needed for a sum of at least 12?
//! let numbers = [1, 5, 2, 7, 4];
//! let list = List::uniform(numbers.len());
//! let search = Sequence::new(Halving::on(list.clone()), Sweep::on(list));
//! let search = run(search, |kept| {
//!     match kept.iter().map(|index| numbers[index]).sum::<i32>() {
//!         12.. => Verdict::Interesting,
//!         _ => Verdict::Uninteresting,
//!     }
//! });
//! let needed: Vec<i32> = search.best().iter().map(|index| numbers[index]).collect();
//! assert_eq!(needed, [5, 7]);
//! ```
//!
//! # Modules
//! | for | take |
//! |---|---|
//! | a list of elements | [`minimize()`], [`usual`], or [`list`]: an algorithm, then `Sweep` |
//! | a tree, such as a syntax tree | [`tree`]: a list algorithm on every sibling list |
//! | the changes between a passing and a failing state | [`changes`]: dd+, bisection, isolation |
//! | elements that require each other | [`graph`] |
//! | an algorithm chosen by its name | [`algorithms`] |
//! | a property that holds only in some runs | [`flaky`] |
//! | searches made of searches | [`combine`] |
//! | how monotone a property was | [`assumptions`] |
//!
//! The algorithms of the literature, such as ddmin, ProbDD, HDD and Perses, are in the crate
//! `boildown-literature`.
#![warn(clippy::disallowed_methods)]

pub mod algorithms;
pub mod assumptions;
pub mod changes;
pub mod combine;
mod fingerprint;
pub mod flaky;
pub mod graph;
pub mod list;
mod list_search;
mod minimize;
pub mod odds;
mod planner;
mod proposals;
mod search;
mod subset;
pub mod tree;
mod verdict;

pub use combine::{FirstThatWorks, Fixpoint, Sequence};
pub use fingerprint::{Fingerprint, Fingerprinted};
pub use list_search::{AnyListSearch, ListSearch};
pub use minimize::{minimize, minimize_with, usual};
pub use planner::{LookAhead, Planner, QueryId, Ticket, Told, run};
pub use proposals::Proposals;
pub use search::{Query, Search};
pub use subset::Subset;
pub use verdict::Verdict;
