//! Triage: runs every input of a folder, groups those that fail in the same way, reduces one of
//! each group, and merges groups whose reduced examples have the same canonical form.
//!
//! [`Triage::run`] does all of it. Each step continues where an earlier session was stopped: runs
//! on inputs are in [`InputRuns`](boildown_store::InputRuns), and each reduction has a run store of
//! its own.

mod failure_test;
mod group_reduction;
mod report;
mod scan;
mod session;
mod verification;

pub use failure_test::FailureTest;
pub use report::{
    ExampleState, GroupReport, InputReport, MergeRule, TriageEvent, TriageOutcome, TriageReport,
};
pub use scan::TriageInput;
pub use session::{Triage, TriageError};
