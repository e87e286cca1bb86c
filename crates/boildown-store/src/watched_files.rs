//! Files that a script names and that may decide the verdicts of a run.
//!
//! They are no part of the identity, because a run may write some of them, such as a log. A file
//! that is the same before and after the baseline runs is recorded with the run; when it differs in
//! a later session, the verdicts of earlier ones are not believed. A file that changes while a
//! session is at work is not recorded any longer.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, params};

use crate::file_state::{stamp, watched_value};

/// The files of a run, each with its size and time.
#[derive(Debug, Default)]
pub(super) struct WatchedFiles(Mutex<Vec<(String, Option<String>)>>);

impl WatchedFiles {
    /// Returns the files that are recorded with the run.
    pub(super) fn begin(database: &Connection) -> rusqlite::Result<Self> {
        let files = read(database)?.into_iter();
        let stamped = files.map(|(file, _)| {
            let stamp = stamp(Path::new(&file));
            (file, stamp)
        });
        Ok(Self(Mutex::new(stamped.collect())))
    }

    /// Returns the files that have changed since the session began, once.
    pub(super) fn take_changed(&self) -> Vec<String> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_changed =
            |(file, before): &mut (String, Option<String>)| stamp(Path::new(file)) != *before;
        files
            .extract_if(.., has_changed)
            .map(|(file, _)| file)
            .collect()
    }
}

/// Records files with a new run, if they are still as they were before the baseline runs.
pub(super) fn record<'a>(
    database: &Connection,
    files: impl Iterator<Item = (&'a str, &'a str)>,
) -> rusqlite::Result<()> {
    for (file, before) in files {
        if watched_value(Path::new(file)).as_deref() == Some(before) {
            database.execute(
                "INSERT OR REPLACE INTO files VALUES (?1, ?2)",
                params![file, before],
            )?;
        }
    }
    Ok(())
}

/// Returns the recorded files that differ now.
pub(super) fn changed(database: &Connection) -> rusqlite::Result<Vec<String>> {
    let files = read(database)?.into_iter();
    let differs =
        |(file, before): &(String, String)| watched_value(Path::new(file)).as_ref() != Some(before);
    Ok(files.filter(differs).map(|(file, _)| file).collect())
}

/// Removes files from the record.
pub(super) fn forget(database: &Connection, files: &[String]) -> rusqlite::Result<()> {
    for file in files {
        database.execute("DELETE FROM files WHERE path = ?1", [file])?;
    }
    Ok(())
}

fn read(database: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    if !database.table_exists(None, "files")? {
        return Ok(Vec::new());
    }
    database
        .prepare("SELECT path, value FROM files ORDER BY path")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
