//! Warm runs: the program is started once for each worker, and forks for each candidate.
//!
//! * [`WarmExecutor`] is the executor: it has a harness for each worker, compares its runs with
//!   fresh ones, and gives up when they differ.
//! * `harness.rs` is one harness: a process that answers requests ([`ServedProcess`]).
//! * `protocol.rs` is what is said: a line of JSON for a request, and one for its answer.
//! * `harness_start.rs` starts the harnesses that boildown brings ([`WarmProgram`]), and others.
//! * `sitecustomize.py`, `ruby.rb` and `node.js` make a program fork before its script begins,
//!   `zygote.c` before its `main`. `Harness.java` loads the classes of a program for each run.
//!
//! [`ServedProcess`]: crate::spawn::ServedProcess

mod executor;
mod harness;
mod harness_start;
mod protocol;

pub use executor::{WarmExecutor, WarmStatus};
pub use harness_start::{HarnessKind, WarmProgram};
