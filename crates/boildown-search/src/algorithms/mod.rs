//! The registry of algorithms: names as they are typed, and a table of all algorithms.
//!
//! Each algorithm owns its name, parameters, guarantee, cost and source, in the file of its search.
//! This module only lists the algorithms, and parses and writes names such as
//! `probdd:sigma=0.25,ties=first`.
//!
//! ```
//! use boildown_search::algorithms::Algorithm;
//! use boildown_search::list::{List, ListAlgorithm as _};
//! use boildown_search::{Search as _, Verdict, run};
//!
//! let algorithm: Algorithm = "probdd:sigma=0.25".parse()?;
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
//! # Adding a list algorithm
//! Write its search in a file of its own under `literature/list/`, implement `Registered` there,
//! and add a line to `algorithms/list.rs`.

pub mod catalogue;
pub(crate) mod entry;
mod list;
pub(crate) mod names;
mod tree;

pub use list::Algorithm;
pub use tree::Schedule;
