//! Triage of failing inputs: which inputs of a fuzzer's folder are crashes, which of them fail in
//! the same way, and how a budget is divided among the groups.
//!
//! - `folder_layout.rs`: which files of a folder are failing inputs, by their names
//! - `failure_key.rs`: what distinguishes one failure from another
//! - `assessment.rs`: what several runs of an input show
//! - `grouping.rs`: the inputs of each failure, and groups with equal canonical forms
//! - `schedule.rs`: which group is reduced next, and for how long
//! - `quality.rs`: precision and recall of a grouping against known labels
#![warn(clippy::disallowed_methods)]

mod assessment;
mod failure_key;
mod folder_layout;
mod grouping;
mod quality;
mod schedule;

pub use assessment::{Assessment, RunPlan};
pub use failure_key::{FailureClass, FailureKey};
pub use folder_layout::{FolderLayout, LayoutChoice};
pub use grouping::{FailureGroup, GroupedInput, group_by_failure, merge_by_form, merge_by_message};
pub use quality::PairQuality;
pub use schedule::{GroupProgress, Schedule, Slice};
