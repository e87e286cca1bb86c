//! Warm runs: the program is started once for each worker, and forks for each candidate.
//!
//! * [`WarmExecutor`] is the executor: it has a harness for each worker, compares its runs with
//!   fresh ones, and gives up when they differ.
//! * `harness.rs` is one harness: a process that answers requests ([`ServedProcess`]).
//! * `protocol.rs` is what is said: a line of JSON for a request, and one for its answer.
//! * `sitecustomize.py` is the harness that boildown brings: it makes a Python program fork before
//!   its script begins.
//!
//! [`ServedProcess`]: crate::spawn::ServedProcess

mod executor;
mod harness;
mod protocol;

pub use executor::{HarnessKind, WarmExecutor, WarmStatus};
