//! Parts of the last event of a reduction: how the failure of candidates differed from that of the
//! input.

use std::path::Path;

use boildown_session::{ChangedForm, RefusedCandidate};
use serde::Serialize;

/// A candidate that was refused because of a new error.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RefusedJson {
    /// Its size in bytes.
    bytes: u64,
    /// The error.
    error: String,
}

impl From<&RefusedCandidate> for RefusedJson {
    fn from(refused: &RefusedCandidate) -> Self {
        Self {
            bytes: refused.bytes as u64,
            error: refused.error.to_string(),
        }
    }
}

/// The step since which a failure has another form than on the input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ChangedFormJson {
    /// The number of the improvement, from 1.
    step: u64,
    /// Improvements in all.
    steps: u64,
    /// Bytes after that step.
    bytes: u64,
    /// The form before: the crash or errors that the output reports, and how the command ended.
    before: String,
    /// The form since.
    after: String,
    /// The file with the last result before that step; null if it was not kept.
    kept: Option<String>,
}

impl ChangedFormJson {
    pub(crate) fn new(changed: &ChangedForm, kept: Option<&Path>) -> Self {
        Self {
            kept: kept.map(|kept| kept.to_string_lossy().into_owned()),
            step: changed.step,
            steps: changed.steps,
            bytes: changed.bytes as u64,
            before: changed.before.to_string(),
            after: changed.after.to_string(),
        }
    }
}
