//! Sessions: reductions, isolations and culprit searches, from the check of the input to the
//! result.
//!
//! A session drives one search with [`boildown_driver`], keeps the best result on disk, records
//! every verdict in a run store, and reports what happens as [`Event`]s. There are three kinds,
//! which share one loop:
//!
//! * A *reduction* ([`reduce()`], [`reduce_with_restarts`]) takes a file that has the property, and
//!   returns the smallest file that it finds with it.
//! * An *isolation* ([`isolate()`]) takes a file that passes and one that fails, and returns the
//!   smallest difference that it finds between two such files.
//! * A *culprit search* ([`changes`]) takes a good and a bad state of a folder, and returns the
//!   smallest set of changes that it finds to break the good one.
//!
//! A [`triage`] runs many inputs, and a reduction for each group of them that fails in the
//! same way.
//!
//! Before a session, [`prepare`] deduces the property, chooses the sandbox and looks for earlier
//! sessions, and [`BaselineCheck`] runs the command on the inputs: the property must hold on the
//! input, and not on everything. It also measures how often a flaky property holds.
//!
//! The result of a session depends on the search and on the verdicts, never on the number of
//! workers.
//!
//! # Example
//! Reduces a text to the lines that are needed, without a file or a store:
//!
//! ```
//! use boildown_oracle::{FnOracle, Verdict};
//! use boildown_session::{ReduceOptions, SessionConfig, reduce};
//! use boildown_reduce::{Strategy, reduction};
//!
//! let input = b"one\ntwo\nthree\nfour\n".as_slice().into();
//! let oracle = FnOracle::new(|text: &[u8]| match text.starts_with(b"t") && text.len() > 2 {
//!     true => Verdict::Interesting,
//!     false => Verdict::Uninteresting,
//! });
//! let (summary, best) = reduce(
//!     reduction(&input, None, boildown_formats::strategy()),
//!     &oracle,
//!     &ReduceOptions::default(),
//!     &SessionConfig::default(),
//!     &mut |_| {},
//! )?;
//! assert!(summary.one_minimal);
//! assert_eq!(best.len(), 3);
//! # Ok::<_, boildown_oracle::OracleError>(())
//! ```

mod baseline;
mod bytes_oracle;
pub mod changes;
mod config;
mod event;
mod isolate;
pub mod prepare;
mod reduce;
mod repeated_test;
mod runner;
pub mod triage;

pub use baseline::{Baseline, BaselineCheck, BaselineError, MeasureRate, Side, default_time_limit};
pub use config::{SessionConfig, StoreMemory};
pub use event::{Event, Progress, Summary};
pub use isolate::{SideFiles, isolate};
pub use reduce::{
    ConfirmingRuns, FailureForm, FlakyInput, InputForm, MeasuredEnds, MeasuringEffort,
    ObjectiveReview, OracleStage, ReduceOptions, Reduced, ReductionPlan, RefusedForms,
    ResultOutput, SkipPass, TargetSize, fingerprint_of_folder, reduce, reduce_with_restarts,
    write_in_room_of,
};
pub use repeated_test::{RepeatedTest, RunStats};
