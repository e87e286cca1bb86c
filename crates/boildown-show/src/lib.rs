//! Reports of reductions: a page, JSON and Markdown about one run, the files of a bug report, and a
//! page about a triage.
//!
//! Everything here is made of a [`ReductionRecord`], which the caller reads from a run store, or of
//! a [`TriageSummary`]. The same record gives the same bytes. Inputs, outputs of programs and names
//! are hostile: all of them are escaped.
//!
//! - `record/`: the events of a session, as they are printed and stored
//! - `model.rs`: all that is known of a reduction
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
mod record;
#[cfg(test)]
mod sample;
mod triage;

pub use bug::{
    BugCommand, BugScripts, BugText, CaseForm, GrepPattern, PatternError, ScriptCheck, ScriptPart,
    command_case, grep_pattern, interesting, readme, reproduce,
};
pub use escape::{Visible, visible_json};
pub use format::{clock, count, grouped, size};
pub use json::json;
pub use markdown::{code, fenced, inline, markdown};
pub use model::{
    FormChange, PartRecord, PassFigures, PassRecord, ReductionRecord, RemainingReason,
    RemainingRecord, RemainingUnit, SessionRecord, StepRecord, TestedRemoval, ToolRecord,
    VerdictRecord,
};
pub use page::{live_page, page};
pub use record::{
    AgreementRecord, AssumptionsRecord, ChangedFormRecord, CheckRecord, ChoiceRecord, ClaimRecord,
    CommitRecord, CulpritEvent, CulpritFinished, DifferenceRecord, ExpectationKind,
    ExpectationRecord, FailureEvent, HeartbeatEvent, IsolationFinished, JsonValue, LastEvent,
    ObjectiveRecord, OptionsRecord, OtherCauseRecord, OtherFailureRecord, OutputDifferenceRecord,
    PartialCauseRecord, PartialStatementRecord, PatchPartRecord, ProgressEvent, RateRecord,
    ReductionFinished, RefusedRecord, RemainingWordRecord, RepeatabilityRecord, SCHEMA,
    SessionEvent, SpentRecord, StartedEvent, StopReason, TestedState, TriageCounts, TriageExample,
    TriageGroup, TriageLine, TriagePosition, TriageSummary, TriagedInput, TrialRecord,
    UnreadableFile, VerdictName, WordChangeRecord, version,
};
pub use triage::{ShownExample, triage_page};
