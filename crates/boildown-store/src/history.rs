//! The improvements of a run, read without a lock, to be shown to the user.

use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_search::Fingerprint;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::stored_run::{content, unsigned};
use super::{StoreError, fingerprint_of, schema};

/// A run in the store, with its improvements, the input first.
#[derive(Debug)]
pub struct RunHistory {
    file: PathBuf,
    pub(super) database: Connection,
    improvements: Vec<StoredImprovement>,
}

/// A candidate that was the best result for some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredImprovement {
    /// The number of queries that were answered before; 0 for the input.
    pub query: u64,
    /// The fingerprint of its content.
    pub content: Fingerprint,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its number of tokens, if they were counted.
    pub tokens: Option<u64>,
    /// The number of its session.
    pub session: i64,
    /// The time since its session began.
    pub elapsed: Duration,
    /// Whether its bytes are stored.
    pub has_text: bool,
}

impl RunHistory {
    /// Reads the improvements in the file of a run.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn read(file: &Path) -> Result<Self, StoreError> {
        let database = schema::open_to_read(file)?;
        schema::check_format(&database, file)?;
        let improvements =
            read_improvements(&database).map_err(StoreError::from_database("read", file))?;
        Ok(Self {
            file: file.to_owned(),
            database,
            improvements,
        })
    }

    /// Returns the improvements, in the order in which they were found.
    pub fn improvements(&self) -> &[StoredImprovement] {
        &self.improvements
    }

    /// Returns the bytes of an improvement; `None` when they are not stored, or damaged.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn text(&self, improvement: &StoredImprovement) -> Result<Option<Vec<u8>>, StoreError> {
        let query = i64::try_from(improvement.query).unwrap_or(i64::MAX);
        let text: Option<Option<Vec<u8>>> = self
            .database
            .query_row(
                "SELECT text FROM improvements WHERE question = ?1",
                params![query],
                |row| row.get(0),
            )
            .optional()
            .map_err(self.failed())?;
        let text = text.flatten();
        Ok(text.filter(|text| fingerprint_of(text) == improvement.content))
    }

    pub(super) fn failed(&self) -> impl Fn(rusqlite::Error) -> StoreError {
        StoreError::from_database("read", &self.file)
    }
}

fn read_improvements(database: &Connection) -> rusqlite::Result<Vec<StoredImprovement>> {
    database
        .prepare(
            "SELECT question, content, bytes, tokens, seconds, text IS NOT NULL, session \
             FROM improvements ORDER BY question",
        )?
        .query_map([], |row| {
            let tokens: Option<i64> = row.get(3)?;
            let seconds: Option<f64> = row.get(4)?;
            Ok(StoredImprovement {
                query: unsigned(row, 0)?,
                content: content(row, 1)?,
                bytes: unsigned(row, 2)?,
                tokens: tokens.and_then(|tokens| tokens.try_into().ok()),
                elapsed: Duration::try_from_secs_f64(seconds.unwrap_or(0.0)).unwrap_or_default(),
                has_text: row.get(5)?,
                session: row.get(6)?,
            })
        })?
        .collect()
}
