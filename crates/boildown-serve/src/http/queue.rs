//! The jobs of a service, in a database of SQLite.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::job_state::{JobPhase, JobState};

/// The jobs, in the order in which they were asked for.
#[derive(Debug)]
pub(super) struct Queue {
    connection: Mutex<Connection>,
}

/// A job as it is stored.
#[derive(Debug)]
pub(super) struct StoredJob {
    pub(super) id: i64,
    pub(super) name: String,
    /// In seconds since 1970.
    pub(super) created: i64,
    pub(super) state: JobPhase,
    pub(super) words: Vec<String>,
    /// Whether an earlier service had it at work.
    pub(super) is_resumed: bool,
    /// What became of it, once it has ended.
    pub(super) end: Option<JobState>,
}

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        created INTEGER NOT NULL,
        state TEXT NOT NULL,
        words TEXT NOT NULL,
        is_resumed INTEGER NOT NULL DEFAULT 0,
        end TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, id);
    UPDATE jobs SET state = 'waiting', is_resumed = 1 WHERE state = 'running';
";

const COLUMNS: &str = "id, name, created, state, words, is_resumed, end";

impl Queue {
    /// Opens the database of a service that ended in whatever way. What was at work waits again.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job that has no files yet; returns its number.
    pub(super) fn add(&self, name: &str, words: &[String], created: i64) -> rusqlite::Result<i64> {
        let connection = self.connection();
        let words = Value::from(words).to_string();
        connection.execute(
            "INSERT INTO jobs (name, created, state, words) VALUES (?1, ?2, 'new', ?3)",
            params![name, created, words],
        )?;
        Ok(connection.last_insert_rowid())
    }

    /// Moves a job from one state to another one. Returns whether it was in the first.
    pub(super) fn move_on(&self, id: i64, from: JobPhase, to: JobPhase) -> rusqlite::Result<bool> {
        let update = "UPDATE jobs SET state = ?3 WHERE id = ?1 AND state = ?2";
        Ok(self.connection().execute(update, params![id, from, to])? > 0)
    }

    /// Takes the job that has waited longest: it is running now.
    pub(super) fn take(&self) -> rusqlite::Result<Option<StoredJob>> {
        let take = format!(
            "UPDATE jobs SET state = 'running' WHERE id =
             (SELECT id FROM jobs WHERE state = 'waiting' ORDER BY id LIMIT 1) RETURNING {COLUMNS}"
        );
        self.connection().query_row(&take, [], read).optional()
    }

    /// Stores what became of a job.
    pub(super) fn end(&self, id: i64, end: &JobState) -> rusqlite::Result<()> {
        let update = "UPDATE jobs SET state = ?2, end = ?3 WHERE id = ?1";
        self.connection()
            .execute(update, params![id, end.state, end.json().to_string()])?;
        Ok(())
    }

    pub(super) fn remove(&self, id: i64) -> rusqlite::Result<()> {
        self.connection()
            .execute("DELETE FROM jobs WHERE id = ?1", [id])?;
        Ok(())
    }

    pub(super) fn get(&self, id: i64) -> rusqlite::Result<Option<StoredJob>> {
        let select = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?1");
        self.connection().query_row(&select, [id], read).optional()
    }

    /// Returns the latest jobs, the last one first.
    pub(super) fn latest(&self, most: usize) -> rusqlite::Result<Vec<StoredJob>> {
        let connection = self.connection();
        let select =
            format!("SELECT {COLUMNS} FROM jobs WHERE state <> 'new' ORDER BY id DESC LIMIT ?1");
        let mut statement = connection.prepare(&select)?;
        let jobs = statement.query_map([i64::try_from(most).unwrap_or(i64::MAX)], read)?;
        jobs.collect()
    }

    /// Returns the numbers of the jobs in a state.
    pub(super) fn in_state(&self, state: JobPhase) -> rusqlite::Result<Vec<i64>> {
        let connection = self.connection();
        let mut statement = connection.prepare("SELECT id FROM jobs WHERE state = ?1")?;
        let ids = statement.query_map([state], |row| row.get(0))?;
        ids.collect()
    }

    /// Returns the number of jobs that wait.
    pub(super) fn waiting(&self) -> rusqlite::Result<i64> {
        let count = "SELECT count(*) FROM jobs WHERE state = 'waiting'";
        self.connection().query_row(count, [], |row| row.get(0))
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredJob> {
    let words: String = row.get(4)?;
    let end: Option<String> = row.get(6)?;
    Ok(StoredJob {
        id: row.get(0)?,
        name: row.get(1)?,
        created: row.get(2)?,
        state: row.get(3)?,
        words: serde_json::from_str(&words).unwrap_or_default(),
        is_resumed: row.get(5)?,
        end: end.and_then(|end| serde_json::from_str(&end).ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_at_work_waits_again_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.sqlite");
        let queue = Queue::open(&path).unwrap();
        let words = ["reduce".to_owned()];
        let [first, second, third] = [1, 2, 3].map(|time| queue.add("a", &words, time).unwrap());
        for id in [first, second] {
            assert!(queue.move_on(id, JobPhase::New, JobPhase::Waiting).unwrap());
        }
        assert_eq!(queue.take().unwrap().map(|job| job.id), Some(first));
        let end = JobState {
            state: JobPhase::Finished,
            ..JobState::default()
        };
        queue.end(first, &end).unwrap();
        let taken = queue.take().unwrap().unwrap();
        assert!(taken.id == second && !taken.is_resumed);
        drop(queue);
        let queue = Queue::open(&path).unwrap();
        let taken = queue.take().unwrap().unwrap();
        assert!(taken.id == second && taken.is_resumed && taken.words == words);
        assert!(queue.take().unwrap().is_none(), "the third has no files");
        assert_eq!(queue.in_state(JobPhase::New).unwrap(), [third]);
        assert_eq!(queue.get(first).unwrap().unwrap().state, JobPhase::Finished);
    }
}
