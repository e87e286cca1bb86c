//! Sessions, passes, verdicts and outputs of a run, read without a lock, to be shown to the user.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_oracle::{Outcome, Run, Verdict};
use boildown_search::Fingerprint;
use rusqlite::{Connection, Row};

use super::record::{StartedPass, read_outcome, read_verdict};
use super::stored_run::{content, read_recording, unsigned};
use super::{EndReason, StoreError, look_up, schema};

/// A session of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionDetails {
    /// Its number in the file.
    pub id: i64,
    /// The version of boildown.
    pub version: String,
    /// When it began, in seconds since 1970.
    pub started: u64,
    /// How it ended; `None` if it is still running, or was killed.
    pub ending: Option<EndReason>,
    /// Its duration, if it ended.
    pub elapsed: Option<Duration>,
    /// The number of queries that its search was answered.
    pub queries: u64,
    /// The number of runs of the oracle.
    pub runs: u64,
    /// The number of queries that were answered from the store.
    pub recalled: u64,
    /// The sum of the durations of the runs whose verdicts it recorded.
    pub running: Duration,
    /// Its first event as JSON, if it is stored.
    pub started_event: Option<String>,
    /// Its last event as JSON, if it is stored.
    pub finished_event: Option<String>,
}

/// Verdicts with the same outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVerdicts {
    /// The verdict.
    pub verdict: Verdict,
    /// The outcome of the runs, if there was one.
    pub outcome: Option<Outcome>,
    /// Their number.
    pub count: u64,
    /// The sum of the durations of the runs.
    pub running: Duration,
}

/// A run in the store.
#[derive(Debug)]
pub struct RunDetails {
    file: PathBuf,
    database: Connection,
}

impl RunDetails {
    /// Opens the file of a run.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let database = schema::open_to_read(file)?;
        schema::check_format(&database, file)?;
        Ok(Self {
            file: file.to_owned(),
            database,
        })
    }

    /// Returns the sessions, in the order in which they began.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionDetails>, StoreError> {
        self.read_sessions().map_err(self.fail())
    }

    fn read_sessions(&self) -> rusqlite::Result<Vec<SessionDetails>> {
        let running: HashMap<i64, i64> = self
            .database
            .prepare("SELECT session, coalesce(sum(micros), 0) FROM verdicts GROUP BY session")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let mut events = HashMap::new();
        if self.database.table_exists(None, "ends")? {
            let mut query = (self.database).prepare("SELECT session, event, json FROM ends")?;
            let rows = query.query_map([], |row| {
                Ok(((row.get(0)?, row.get::<_, String>(1)?), row.get(2)?))
            })?;
            events = rows.collect::<Result<HashMap<(i64, String), String>, _>>()?;
        }
        self.database
            .prepare(
                "SELECT id, version, started, ending, seconds, questions, runs, recalled \
                 FROM sessions ORDER BY id",
            )?
            .query_map([], |row| {
                let id = row.get(0)?;
                let elapsed: Option<f64> = row.get(4)?;
                let running = running.get(&id).copied().unwrap_or(0);
                Ok(SessionDetails {
                    id,
                    version: row.get(1)?,
                    started: unsigned(row, 2)?,
                    ending: (row.get::<_, Option<String>>(3)?)
                        .map(|name| EndReason::from_name(&name)),
                    elapsed: elapsed.and_then(|time| Duration::try_from_secs_f64(time).ok()),
                    queries: optional(row, 5)?,
                    runs: optional(row, 6)?,
                    recalled: optional(row, 7)?,
                    running: Duration::from_micros(running.try_into().unwrap_or(0)),
                    started_event: events.remove(&(id, "started".to_owned())),
                    finished_event: events.remove(&(id, "finished".to_owned())),
                })
            })?
            .collect()
    }

    /// Returns the passes, in the order in which they began. Files of the first versions have none.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn passes(&self) -> Result<Vec<StartedPass>, StoreError> {
        self.read_passes().map_err(self.fail())
    }

    fn read_passes(&self) -> rusqlite::Result<Vec<StartedPass>> {
        if !self.database.table_exists(None, "passes")? {
            return Ok(Vec::new());
        }
        self.database
            .prepare("SELECT question, name, seconds FROM passes ORDER BY question")?
            .query_map([], |row| {
                Ok(StartedPass {
                    query: unsigned(row, 0)?,
                    name: row.get(1)?,
                    elapsed: Duration::try_from_secs_f64(row.get(2)?).unwrap_or_default(),
                })
            })?
            .collect()
    }

    /// Returns how many verdicts there are of each kind, the most frequent first.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn verdicts(&self) -> Result<Vec<StoredVerdicts>, StoreError> {
        self.read_verdicts().map_err(self.fail())
    }

    fn read_verdicts(&self) -> rusqlite::Result<Vec<StoredVerdicts>> {
        let rows: Vec<Option<StoredVerdicts>> = self
            .database
            .prepare(
                "SELECT verdict, outcome, count(*), coalesce(sum(micros), 0) FROM verdicts \
                 GROUP BY verdict, outcome ORDER BY 3 DESC, 1, 2",
            )?
            .query_map([], |row| {
                let outcome: Option<String> = row.get(1)?;
                let Some(verdict) = read_verdict(row.get(0)?) else {
                    return Ok(None);
                };
                Ok(Some(StoredVerdicts {
                    verdict,
                    outcome: outcome.as_deref().and_then(read_outcome),
                    count: unsigned(row, 2)?,
                    running: Duration::from_micros(unsigned(row, 3)?),
                }))
            })?
            .collect::<Result<_, _>>()?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Returns the verdict on a content, and the outcome of its run.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn verdict(
        &self,
        content: Fingerprint,
    ) -> Result<Option<(Verdict, Option<Outcome>)>, StoreError> {
        let found = look_up(&self.database, content).map_err(self.fail())?;
        Ok(found.map(|stored| (stored.verdict, stored.outcome)))
    }

    /// Returns the last lines that rejected candidates printed, as far as they are stored. Files of
    /// the first versions have none.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn outputs(&self) -> Result<HashMap<Fingerprint, Vec<u8>>, StoreError> {
        self.read_outputs().map_err(self.fail())
    }

    fn read_outputs(&self) -> rusqlite::Result<HashMap<Fingerprint, Vec<u8>>> {
        if !self.database.table_exists(None, "outputs")? {
            return Ok(HashMap::new());
        }
        self.database
            .prepare("SELECT content, lines FROM outputs")?
            .query_map([], |row| Ok((content(row, 0)?, row.get(1)?)))?
            .collect()
    }

    /// Returns the runs on the input before the search, in order, with their verdicts. The verdict
    /// of the first one is unresolved when the property was deduced from it.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn baseline(&self, input: Fingerprint) -> Result<Vec<(Verdict, Run)>, StoreError> {
        let runs = read_recording(&self.database).map_err(self.fail())?;
        let runs = runs.unwrap_or_default().into_iter();
        let on_input = runs.filter(|run| run.content == input);
        Ok(on_input
            .filter_map(|run| Some((run.answer.verdict, run.answer.run?)))
            .collect())
    }

    fn fail(&self) -> impl FnOnce(rusqlite::Error) -> StoreError {
        StoreError::from_database("read", &self.file)
    }
}

fn optional(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: Option<i64> = row.get(column)?;
    Ok(number
        .and_then(|number| number.try_into().ok())
        .unwrap_or(0))
}
