//! The state of a job, and the events of boildown that it is made of.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of a job as clients get it. What is not known is left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct JobState {
    pub(crate) state: JobPhase,
    /// Path of the best result.
    pub(crate) output: Option<String>,
    pub(crate) bytes_before: Option<u64>,
    pub(crate) bytes: Option<u64>,
    pub(crate) tokens: Option<u64>,
    /// While it runs.
    pub(crate) pass: Option<String>,
    pub(crate) tests: Option<u64>,
    pub(crate) seconds: Option<f64>,
    /// The last event, as boildown printed it: `finished` or `error`.
    pub(crate) end: Option<Value>,
    pub(crate) notes: Vec<String>,
    /// What was printed to standard error, if there was no last event.
    pub(crate) messages: Option<String>,
}

/// The phase of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobPhase {
    /// It has no files yet.
    #[default]
    New,
    Waiting,
    Running,
    Finished,
    Stopped,
    Failed,
}

/// An event of boildown, as far as a state is made of it.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum HeardEvent {
    Started {
        output: Option<String>,
        bytes: Option<u64>,
    },
    #[serde(alias = "level")]
    Pass {
        name: Option<String>,
    },
    #[serde(alias = "narrowed")]
    Improved {
        bytes: Option<u64>,
        tokens: Option<u64>,
        tests: Option<u64>,
        seconds: Option<f64>,
    },
    Progress {
        tests: Option<u64>,
        seconds: Option<f64>,
    },
    Finished,
    Error,
    Note {
        text: String,
    },
    #[serde(other)]
    Other,
}

impl JobState {
    /// Returns the state as an object.
    pub(crate) fn json(&self) -> Value {
        let mut told = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = told.as_object_mut() {
            let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
            fields.retain(|_, value| !value.is_null() && !is_empty(value));
        }
        told
    }
}

#[cfg(feature = "http")]
mod stored {
    use rusqlite::ToSql;
    use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

    use super::JobPhase;

    impl ToSql for JobPhase {
        fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
            let name = serde_json::to_value(self).unwrap_or_default();
            Ok(name.as_str().unwrap_or_default().to_owned().into())
        }
    }

    impl FromSql for JobPhase {
        fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
            serde_json::from_value(value.as_str()?.into()).map_err(|_| FromSqlError::InvalidType)
        }
    }
}
