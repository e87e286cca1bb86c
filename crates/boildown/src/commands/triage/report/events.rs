//! The events of `boildown triage --json`.

use boildown_session::triage::TriageEvent;
use serde::Serialize;

use super::summary::TriageSummaryJson;
use crate::report::json_events::SCHEMA;

/// A line that `boildown triage --json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum TriageLine {
    /// A note or a warning.
    Note {
        /// The text, which may have several lines.
        text: String,
    },
    /// The triage begins: the inputs are known.
    TriageStarted {
        /// The version of the schema of these events.
        schema: u32,
        /// The version of boildown.
        version: String,
        /// Files with inputs.
        files: usize,
        /// Different contents.
        distinct: usize,
        /// The layout of the folder.
        layout: String,
    },
    /// Inputs were run. Printed for about every hundredth part of them.
    Scanned {
        /// Inputs that were run.
        done: usize,
        /// All inputs.
        all: usize,
    },
    /// The inputs are grouped.
    Grouped {
        /// The number of groups.
        groups: usize,
    },
    /// The reduction of the example of a group begins, or continues.
    GroupStarted {
        /// The number of the group before merging, from 1.
        number: usize,
        /// The failure.
        failure: String,
        /// The size of the example in bytes.
        bytes: usize,
        /// Seconds after which another group has its turn; null without a limit.
        seconds: Option<f64>,
    },
    /// The reduction of the example of a group ended, for now or for good.
    GroupFinished {
        /// The number of the group before merging, from 1.
        number: usize,
        /// The failure.
        failure: String,
        /// The size of the input in bytes.
        bytes_before: usize,
        /// The size of the example in bytes.
        bytes: usize,
        /// Whether nothing is left to do.
        finished: bool,
    },
    /// The end, with the whole report.
    TriageFinished(Box<TriageSummaryJson>),
}

impl TriageLine {
    /// Returns the line for an event; `None` for one that is not printed.
    pub(super) fn of_event(event: &TriageEvent<'_>) -> Option<Self> {
        Some(match event {
            TriageEvent::Inputs {
                files,
                distinct,
                layout,
            } => Self::TriageStarted {
                schema: SCHEMA,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                files: *files,
                distinct: *distinct,
                layout: layout.name().to_owned(),
            },
            &TriageEvent::Scanned { done, all } => {
                if done % (all / 100).max(1) != 0 && done != all {
                    return None;
                }
                Self::Scanned { done, all }
            }
            TriageEvent::Grouped { groups } => Self::Grouped { groups: *groups },
            TriageEvent::Reducing {
                number,
                key,
                bytes,
                limit,
                ..
            } => Self::GroupStarted {
                number: *number,
                failure: key.to_string(),
                bytes: *bytes,
                seconds: limit.map(|limit| limit.as_secs_f64()),
            },
            TriageEvent::Reduced {
                number,
                key,
                before,
                bytes,
                is_finished,
            } => Self::GroupFinished {
                number: *number,
                failure: key.to_string(),
                bytes_before: *before,
                bytes: *bytes,
                finished: *is_finished,
            },
            _ => return None,
        })
    }
}
