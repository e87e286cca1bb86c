//! Properties, outcomes, verdicts, and the one way to run a command.
//!
//! Three types are kept apart from end to end. An [`Outcome`] is a fact: what a run did. A [`Verdict`] is what that
//! means to a search, and a [`Property`] is the pure function between the two. An [`OracleError`] is neither: it says that
//! the question could not be asked at all, and it never becomes a verdict.
//!
//! * [`spawn::run`] runs one command and leaves nothing behind, whatever the command does.
//! * [`Scratch`] gives every run a fresh directory that holds only the candidate.
//! * [`CommandLine`] is what the user typed, ready to be run on any candidate.
//! * [`Runner`] puts the three together, and [`LocalOracle`] adds a [`Property`] to judge by.
//! * [`deduce()`] reads a property off the first run when the user stated none.
//! * [`store`] remembers what a run has learned, so that it can go on after any end.

mod cancel;
mod command_line;
mod deduce;
mod duration;
mod error;
pub mod fsx;
mod local;
mod oracle;
mod others;
mod outcome;
mod pass_or_fail;
mod property;
mod repeating;
mod scratch;
pub mod shell;
mod signal;
pub mod spawn;
pub mod store;

pub use boildown_search::Verdict;
pub use cancel::Cancel;
pub use command_line::{CommandLine, Feed, Typed};
pub use deduce::{Signature, deduce};
pub use duration::parse_duration;
pub use error::OracleError;
pub use local::{LocalOracle, Runner, check_set_up};
pub use oracle::{Answer, FnOracle, Oracle};
pub use others::{Other, Others, Watching};
pub use outcome::{Outcome, Resource, Run};
pub use pass_or_fail::PassOrFail;
pub use property::{ExitSpec, Expectation, Pattern, Property};
pub use repeating::Repeating;
pub use scratch::{CandidateFile, RunDir, Scratch};
