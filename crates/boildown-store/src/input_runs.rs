//! The runs of a triage on its inputs, in a file from which a later session continues.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use boildown_oracle::{Answer, Run, Verdict};
use boildown_search::Fingerprint;
use rusqlite::{Connection, params};

use super::record::{BaselineRun, micros, outcome_text};
use super::{Identity, StoreError, StoreFolder, schema};

/// The runs of a command on inputs, each of which is named by its content.
///
/// Whole runs are stored, with their output: what they mean is computed again in each session.
/// Dropping it closes the file.
#[derive(Debug)]
pub struct InputRuns {
    file: PathBuf,
    /// `None` after the file could not be read or written.
    database: Mutex<Option<Connection>>,
    error: Mutex<Option<StoreError>>,
}

/// The extension of the file. Files of reductions have another one.
const EXTENSION: &str = "runs";

const TABLES: &str = "
CREATE TABLE identity (
    what TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (
    content BLOB NOT NULL,
    number INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    micros INTEGER NOT NULL,
    stdout BLOB NOT NULL,
    stderr BLOB NOT NULL,
    checked INTEGER NOT NULL,
    PRIMARY KEY (content, number)
);
";

impl StoreFolder {
    /// Opens the runs on inputs of a triage with this identity, which says all that a run depends
    /// on but for the input. A damaged file is replaced.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be used.
    pub fn input_runs(&self, identity: &Identity) -> Result<InputRuns, StoreError> {
        let identity = &self.salted(identity.clone())?;
        let file = self.input_runs_file(identity);
        if !file.exists() {
            self.remove_oldest_with(EXTENSION);
        }
        self.make_private(&file)?;
        let database = match open(&file, identity) {
            Err(StoreError::Damaged { .. }) => {
                self.remove(&file)
                    .map_err(|error| StoreError::unusable("remove", &file, error))?;
                self.make_private(&file)?;
                open(&file, identity)?
            }
            opened => opened?,
        };
        Ok(InputRuns {
            file,
            database: Mutex::new(Some(database)),
            error: Mutex::default(),
        })
    }

    /// Removes the runs on inputs of the triage with this identity.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] when the file cannot be removed.
    pub fn forget_input_runs(&self, identity: &Identity) -> Result<(), StoreError> {
        let file = self.input_runs_file(&self.salted(identity.clone())?);
        self.remove(&file)
            .map_err(|error| StoreError::unusable("remove", &file, error))
    }

    fn input_runs_file(&self, identity: &Identity) -> PathBuf {
        self.dir()
            .join(format!("{}.{EXTENSION}", identity.digest()))
    }
}

fn open(file: &Path, identity: &Identity) -> Result<Connection, StoreError> {
    let database = schema::open(file)?;
    if schema::is_empty(&database, file)? {
        let create = || {
            let transaction = database.unchecked_transaction()?;
            schema::create_with(&transaction, TABLES)?;
            for pair in identity.pairs() {
                transaction.execute("INSERT INTO identity VALUES (?1, ?2)", pair)?;
            }
            transaction.commit()
        };
        create().map_err(StoreError::from_database("write", file))?;
    }
    schema::check(&database, file)?;
    Ok(database)
}

impl InputRuns {
    /// Returns the stored runs on an input, in order. A damaged record ends them.
    pub fn of_content(&self, content: Fingerprint) -> Vec<Run> {
        let found = self.with_database("read", |database| {
            database
                .prepare_cached(
                    "SELECT outcome, micros, stdout, stderr, checked FROM runs \
                     WHERE content = ?1 ORDER BY number",
                )?
                .query_map([content.bits().to_le_bytes()], |row| {
                    let outcome: String = row.get(0)?;
                    let run = BaselineRun::run_of_columns(
                        Some(&outcome),
                        row.get(1)?,
                        row.get(2)?,
                        row.get(3)?,
                    );
                    let checked: i64 = row.get(4)?;
                    Ok(run.filter(|run| checksum(content, run) == checked))
                })?
                .collect::<rusqlite::Result<Vec<Option<Run>>>>()
        });
        let runs = found.unwrap_or_default().into_iter();
        runs.map_while(|run| run).collect()
    }

    /// Adds a run on an input. It is in the file when this returns, unless the file cannot be
    /// written; see [`take_error`](Self::take_error).
    pub fn add(&self, content: Fingerprint, number: usize, run: &Run) {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.with_database("write", |database| {
            database
                .prepare_cached("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                .execute(params![
                    content.bits().to_le_bytes(),
                    number,
                    outcome_text(run.outcome),
                    micros(run.took),
                    run.stdout,
                    run.stderr,
                    checksum(content, run),
                ])
        });
    }

    /// Returns, once, the error because of which nothing is read or written any more.
    pub fn take_error(&self) -> Option<StoreError> {
        lock(&self.error).take()
    }

    fn with_database<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Option<T> {
        let mut database = lock(&self.database);
        match work(database.as_ref()?) {
            Ok(done) => Some(done),
            Err(error) => {
                *database = None;
                *lock(&self.error) = Some(StoreError::from_database(action, &self.file)(error));
                None
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn checksum(content: Fingerprint, run: &Run) -> i64 {
    let answer = Answer {
        verdict: Verdict::Unresolved,
        run: Some(run.clone()),
    };
    BaselineRun { content, answer }.checksum()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use boildown_oracle::Outcome;

    use super::*;
    use crate::fingerprint_of;

    fn run(stderr: &str) -> Run {
        Run {
            outcome: Outcome::Signalled(11),
            stdout: b"\0out".to_vec(),
            stderr: stderr.into(),
            took: Duration::from_micros(1500),
        }
    }

    fn identity(command: &str) -> Identity {
        let mut identity = Identity::default();
        identity.add("the command", command);
        identity
    }

    #[test]
    fn runs_are_found_again_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("crashes");
        let (a, b) = (fingerprint_of(b"a"), fingerprint_of(b"b"));
        {
            let folder = StoreFolder::beside(&output).unwrap();
            let runs = folder.input_runs(&identity("x")).unwrap();
            runs.add(a, 0, &run("first"));
            runs.add(a, 1, &run("second"));
            runs.add(b, 0, &run("other"));
        }
        let folder = StoreFolder::beside(&output).unwrap();
        let runs = folder.input_runs(&identity("x")).unwrap();
        assert_eq!(runs.of_content(a), [run("first"), run("second")]);
        assert_eq!(runs.of_content(b), [run("other")]);
        assert_eq!(runs.of_content(fingerprint_of(b"c")), []);
        let others = folder.input_runs(&identity("y")).unwrap();
        assert_eq!(others.of_content(a), []);
        assert!(runs.take_error().is_none());
    }

    #[test]
    fn a_changed_record_counts_as_never_written() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StoreFolder::beside(&dir.path().join("crashes")).unwrap();
        let runs = folder.input_runs(&identity("x")).unwrap();
        let content = fingerprint_of(b"a");
        runs.add(content, 0, &run("first"));
        runs.with_database("write", |database| {
            database.execute("UPDATE runs SET stderr = X'00'", [])
        });
        assert_eq!(runs.of_content(content), []);
    }

    #[test]
    fn a_damaged_file_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StoreFolder::beside(&dir.path().join("crashes")).unwrap();
        let file = folder.input_runs(&identity("x")).unwrap().file;
        fs::write(
            &file,
            "no database at all, but long enough to be read as one".repeat(40),
        )
        .unwrap();
        let runs = folder.input_runs(&identity("x")).unwrap();
        let content = fingerprint_of(b"a");
        runs.add(content, 0, &run("first"));
        assert_eq!(runs.of_content(content).len(), 1);
    }
}
