//! Reports of reductions: a page, JSON and Markdown about one run, the files of a bug report, and a
//! page about a triage.
//!
//! Everything here is made of a [`ReductionRecord`], which the caller reads from a run store, or of
//! a [`TriageRecord`]. The same record gives the same bytes. Inputs, outputs of programs and names
//! are hostile: all of them are escaped.
//!
//! - `model.rs`: the record
//! - `escape.rs`, `format.rs`: texts, numbers and times to be shown
//! - `difference.rs`: differences of texts, and the fate of each byte of the input
//! - `drawing/`: curves and the tree map, as SVG
//! - `page/`: the page, and the templates of all pages
//! - `bug/`: the files of a bug report
//! - `triage/`: the record of a triage, and its page
//! - `json.rs`, `markdown.rs`: the other formats
#![warn(clippy::disallowed_methods)]

mod bug;
mod difference;
mod drawing;
mod escape;
mod format;
mod json;
mod markdown;
mod model;
mod page;
#[cfg(test)]
mod sample;
mod triage;

pub use bug::{
    BugCommand, BugScripts, BugText, CaseForm, GrepPattern, PatternError, ScriptCheck, ScriptPart,
    command_case, grep_pattern, interesting, readme, reproduce,
};
pub use json::json;
pub use markdown::markdown;
pub use model::{
    ChoiceRecord, ClaimRecord, OtherFailureRecord, PartRecord, PassFigures, PassRecord, RateRecord,
    ReductionRecord, RemainingReason, RemainingRecord, RemainingUnit, RepeatabilityRecord,
    SessionRecord, StepRecord, TestedRemoval, ToolRecord, VerdictRecord,
};
pub use page::{live_page, page};
pub use triage::{
    TriageRecord, TriagedExampleRecord, TriagedGroupRecord, TriagedInputRecord, triage_page,
};
