//! Why nothing can be remembered.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why nothing can be remembered. Only [`Busy`](Self::Busy) is a reason not to go on.
///
/// Messages are fragments that fit "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run writes its result to the same file.
    #[error("write {}: another boildown{} is at work on it", output.display(), process_text(*process))]
    Busy {
        /// The result.
        output: PathBuf,
        /// The other run's process, when it is known.
        process: Option<u32>,
    },
    /// A newer version of boildown wrote it.
    #[error("read {}: it was written by a newer version of boildown (format {format})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        format: i64,
    },
    /// What is in the file is not what was written.
    #[error("read {}: it is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The system or the database refused.
    #[error("{action} {}", path.display())]
    Unusable {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What it said.
        source: Box<dyn Error + Send + Sync>,
    },
}

fn process_text(process: Option<u32>) -> String {
    process.map_or_else(String::new, |id| format!(" (process {id})"))
}

impl StoreError {
    pub(super) fn unusable(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Unusable {
            action,
            path: path.to_owned(),
            source: source.into(),
        }
    }

    pub(super) fn damaged(path: &Path, complaint: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            source: complaint.into().into(),
        }
    }

    /// Sorts an error of the database.
    pub(super) fn of(action: &'static str, path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        move |error| {
            let path = path.to_owned();
            let of_a_value = matches!(
                &error,
                rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::Utf8Error(..)
                    | rusqlite::Error::SqlInputError { .. }
            );
            // `Unknown` is a query that makes no sense. Ours do, so it is the tables that are not ours any more.
            let damage = of_a_value
                || matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
                );
            let source = error.into();
            if damage {
                Self::Damaged { path, source }
            } else {
                Self::Unusable {
                    action,
                    path,
                    source,
                }
            }
        }
    }
}
