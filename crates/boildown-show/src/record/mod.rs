//! The record of a session: the events that `--json` prints and the run store keeps, as they are.
//! `docs/reference/events.schema.json` is generated from them.
//!
//! Names of fields and their values are an interface: they may be added to, but not renamed. The
//! fields of an event are printed in alphabetical order. What an earlier version wrote is read with
//! the names that fields had then; what it did not write has its default value.

mod assumptions;
mod changes;
mod ending;
mod session;
mod triage;

use serde::Serialize;
use serde_json::Value;

pub use assumptions::{AgreementRecord, AssumptionsRecord};
pub use changes::{
    CommitRecord, CulpritEvent, CulpritFinished, OtherCauseRecord, OutputDifferenceRecord,
    PartialCauseRecord, PartialStatementRecord, PatchPartRecord, SpentRecord, TestedState,
    TrialRecord, VerdictName, WordChangeRecord,
};
pub use ending::{ChangedFormRecord, ClaimRecord, FailureEvent, RefusedRecord, StopReason};
pub use session::{
    CheckRecord, ChoiceRecord, DifferenceRecord, ExpectationKind, ExpectationRecord,
    HeartbeatEvent, IsolationFinished, LastEvent, ObjectiveRecord, OptionsRecord,
    OtherFailureRecord, ProgressEvent, RateRecord, ReductionFinished, RemainingWordRecord,
    RepeatabilityRecord, SessionEvent, StartedEvent,
};
pub use triage::{
    TriageCounts, TriageExample, TriageGroup, TriageLine, TriagePosition, TriageSummary,
    TriagedInput, UnreadableFile,
};

/// The version of the schema. It is raised when a field changes its meaning or disappears; new
/// fields and new events do not raise it.
pub const SCHEMA: u32 = 2;

/// An event as JSON.
pub trait JsonValue: Serialize {
    /// Returns the event as a JSON value.
    ///
    /// # Panics
    /// Never: events hold strings, numbers and lists only.
    fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("events hold strings, numbers and lists only")
    }
}

impl<T: Serialize> JsonValue for T {}

/// Returns the version of boildown that writes a record.
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

#[cfg(test)]
pub(crate) mod tests;
