//! Sessions, passes, verdicts and outputs of a run, read without a lock, to be shown to the user.

use std::collections::HashMap;
use std::time::Duration;

use boildown_oracle::{Outcome, Run, Verdict};
use boildown_search::Fingerprint;
use boildown_show::{PassRecord, VerdictRecord};
use rusqlite::Row;

use super::last_session::read_ending;
use super::record::{read_outcome, read_verdict};
use super::stored_run::{content, read_recording, unsigned};
use super::{Ending, RunHistory, StoreError, look_up};

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
    pub ending: Option<Ending>,
    /// The sum of the durations of the runs whose verdicts it recorded.
    pub running: Duration,
    /// Its first event as JSON, if it is stored.
    pub started_event: Option<String>,
    /// Its last event as JSON, if it is stored.
    pub finished_event: Option<String>,
}

impl RunHistory {
    /// Returns the sessions, in the order in which they began.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionDetails>, StoreError> {
        self.read_sessions().map_err(self.failed())
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
                "SELECT ending, questions, runs, recalled, seconds, id, version, started \
                 FROM sessions ORDER BY id",
            )?
            .query_map([], |row| {
                let id = row.get(5)?;
                let running = running.get(&id).copied().unwrap_or(0);
                Ok(SessionDetails {
                    id,
                    version: row.get(6)?,
                    started: unsigned(row, 7)?,
                    ending: read_ending(row)?,
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
    pub fn passes(&self) -> Result<Vec<PassRecord>, StoreError> {
        self.rows_of(
            "passes",
            "SELECT question, name, seconds FROM passes ORDER BY question",
            |row| {
                let elapsed = Duration::try_from_secs_f64(row.get(2)?).unwrap_or_default();
                Ok(PassRecord {
                    test: unsigned(row, 0)?,
                    name: row.get(1)?,
                    seconds: elapsed.as_secs_f64(),
                })
            },
        )
    }

    /// Returns how many verdicts there are of each kind, the most frequent first.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn verdicts(&self) -> Result<Vec<VerdictRecord>, StoreError> {
        let rows: Vec<Option<VerdictRecord>> = self.rows_of(
            "verdicts",
            "SELECT verdict, outcome, count(*), coalesce(sum(micros), 0) FROM verdicts \
             GROUP BY verdict, outcome ORDER BY 3 DESC, 1, 2",
            |row| {
                let outcome: Option<String> = row.get(1)?;
                let outcome = outcome.as_deref().and_then(read_outcome);
                let Some(verdict) = read_verdict(row.get(0)?) else {
                    return Ok(None);
                };
                Ok(Some(VerdictRecord {
                    verdict: verdict.into(),
                    outcome: outcome.map_or_else(|| "not run".to_owned(), |it| it.to_string()),
                    count: unsigned(row, 2)?,
                    seconds: Duration::from_micros(unsigned(row, 3)?).as_secs_f64(),
                }))
            },
        )?;
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
        let found = look_up(&self.database, content).map_err(self.failed())?;
        Ok(found.map(|stored| (stored.verdict, stored.outcome)))
    }

    /// Returns the last lines that rejected candidates printed, as far as they are stored. Files of
    /// the first versions have none.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn outputs(&self) -> Result<HashMap<Fingerprint, Vec<u8>>, StoreError> {
        let sql = "SELECT content, lines FROM outputs";
        self.rows_of("outputs", sql, |row| Ok((content(row, 0)?, row.get(1)?)))
    }

    /// Returns the runs on the input before the search, in order, with their verdicts. The verdict
    /// of the first one is unresolved when the property was deduced from it.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn baseline(&self, input: Fingerprint) -> Result<Vec<(Verdict, Run)>, StoreError> {
        let runs = read_recording(&self.database).map_err(self.failed())?;
        let runs = runs.unwrap_or_default().into_iter();
        let on_input = runs.filter(|run| run.content == input);
        Ok(on_input
            .filter_map(|run| Some((run.answer.verdict, run.answer.run?)))
            .collect())
    }

    /// Returns what a query finds in a table; nothing if the file has no such table.
    fn rows_of<T, C: Default + FromIterator<T>>(
        &self,
        table: &str,
        sql: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, StoreError> {
        let rows = || {
            if !self.database.table_exists(None, table)? {
                return Ok(C::default());
            }
            self.database.prepare(sql)?.query_map([], read)?.collect()
        };
        rows().map_err(self.failed())
    }
}
