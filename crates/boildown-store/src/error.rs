//! Errors of the run store.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// A reason why the run store cannot be used. Except for [`Busy`](Self::Busy) and
/// [`NotOurs`](Self::NotOurs), a session can continue without the store.
///
/// Messages are fragments that fit "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run writes its result to the same file.
    #[error("write {}: another boildown{} is writing to it", output.display(), process_text(*process))]
    Busy {
        /// The result file.
        output: PathBuf,
        /// The process id of the other run, if known.
        process: Option<u32>,
    },
    /// There is something in the place of the store that boildown has not made, or that would lead
    /// elsewhere.
    #[error("use {} for the run store: {what}", path.display())]
    NotOurs {
        /// The file or directory.
        path: PathBuf,
        /// The reason, such as "it is a link".
        what: &'static str,
    },
    /// A newer version of boildown wrote it.
    #[error("read {}: it was written by a newer version of boildown (format {format}); use that version or remove the file", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        format: i64,
    },
    /// It took the room on the disk that the result needed.
    #[error("keep {}: it was removed, because the disk has no room for it and the result", path.display())]
    GivenUp {
        /// The file that was removed.
        path: PathBuf,
    },
    /// The content of the file is not what boildown wrote.
    #[error("read {}: it is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The system or the database reported an error.
    #[error("{action} {}", path.display())]
    Unusable {
        /// What was tried: "read", "write" …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system or the database.
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

    pub(super) fn damaged(path: &Path, damage: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            source: damage.into().into(),
        }
    }

    /// Returns a function that converts an error of the database, which distinguishes damage from
    /// other errors.
    pub(super) fn from_database(
        action: &'static str,
        path: &Path,
    ) -> impl Fn(rusqlite::Error) -> Self {
        move |error| {
            let path = path.to_owned();
            let is_invalid_value = matches!(
                &error,
                rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::Utf8Error(..)
                    | rusqlite::Error::SqlInputError { .. }
            );
            // `Unknown` is reported for invalid SQL. Our SQL is valid, so the tables have changed.
            let is_damage = is_invalid_value
                || matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
                );
            let source = error.into();
            if is_damage {
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
