//! The vocabulary of testing: properties, outcomes, verdicts, and the [`Oracle`] trait.
//!
//! An oracle decides whether a candidate is interesting. Three types keep facts, meaning and
//! failures apart:
//!
//! * An [`Outcome`] is a fact: how a run ended.
//! * A [`Verdict`] is what an outcome means to a search. A [`Property`] is the pure function from a
//!   [`Run`] to a verdict.
//! * An [`OracleError`] says that a candidate could not be tested at all. It never becomes a
//!   verdict.
//!
//! The other parts:
//!
//! * [`FnOracle`] makes an oracle of a closure; [`RepeatedOracle`] tests each candidate several
//!   times, for flaky properties.
//! * [`deduce()`] reads a property from the first run when the user stated none. A [`Signature`]
//!   distinguishes one crash from another.
//! * [`Interrupt`] stops runs from another thread.
//!
//! This crate runs no command, reads no file and opens no database: `boildown-exec` runs commands,
//! `boildown-store` remembers verdicts.
//!
//! # Example
//! An oracle made of a closure:
//! ```
//! use boildown_oracle::{FnOracle, Interrupt, Oracle, Verdict};
//!
//! let oracle = FnOracle::new(|candidate: &[u8]| {
//!     if candidate.contains(&b'x') { Verdict::Interesting } else { Verdict::Uninteresting }
//! });
//! let answer = oracle.judge(b"int x;", &Interrupt::new()?)?;
//! assert_eq!(answer.verdict, Verdict::Interesting);
//! # Ok::<(), boildown_oracle::OracleError>(())
//! ```
//!
//! A property, as a user states it with `--exit SIGSEGV --stderr 'bad magic'`, and the one that is
//! deduced from a run:
//! ```
//! use std::time::Duration;
//!
//! use boildown_oracle::{Expectation, Outcome, Property, Run, Verdict, deduce};
//!
//! let run = Run {
//!     outcome: Outcome::Signalled(11),
//!     stdout: Vec::new(),
//!     stderr: b"tool: in.bin: bad magic 0x7f\n".to_vec(),
//!     took: Duration::from_millis(3),
//! };
//! let stated = Property::new(vec![
//!     Expectation::Exit("SIGSEGV".parse()?),
//!     Expectation::Stderr("bad magic".parse()?),
//! ])
//! .expect("a property needs at least one expectation");
//! assert_eq!(stated.verdict(&run), Verdict::Interesting);
//!
//! let deduced = deduce(&run).expect("the run failed");
//! assert_eq!(
//!     deduced.flags(),
//!     r"--exit SIGSEGV --stderr '^tool: in\.bin: bad magic 0[xX][0-9a-fA-F]+$'"
//! );
//! # Ok::<(), boildown_oracle::OracleError>(())
//! ```
#![warn(clippy::disallowed_methods)]

mod deduce;
mod duration;
mod error;
mod interrupt;
mod oracle;
mod outcome;
mod property;
mod repeated;
pub mod shell;
mod signal;
mod stable_hash;
mod words;

pub use boildown_search::Verdict;
pub use deduce::{
    Deduction, InputFile, OtherRuns, Signature, SourcePosition, Symptom, deduce, errors_of_runs,
    failing_tests, failure_line, is_named_by, is_of_kind, reported_lines, top_functions,
};
pub use duration::parse_duration;
pub use error::OracleError;
pub use interrupt::{Interrupt, InterruptCause};
pub use oracle::{Answer, FnOracle, Oracle};
pub use outcome::{Capture, Outcome, Resource, Run};
pub use property::{
    ExitSpec, Expectation, Extreme, Measure, MeasureList, Measured, Objective, Pattern, Property,
    RunUsage, TextMeasure, parse_bytes,
};
pub use repeated::{RepeatedOracle, WithoutRechecks};
pub use words::has_word;
