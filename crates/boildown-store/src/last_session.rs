//! The last session of a run, read without a lock, to be explained to the user.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use boildown_show::ChoiceRecord;
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::choice::read_choices;
use super::{EndReason, Ending, FOLDER, StoreError, schema};

/// The last session that worked on a run.
#[derive(Debug, Clone)]
pub struct LastSession {
    /// The file of the run.
    pub file: PathBuf,
    /// The name of the result: that of the folder in which the file lies.
    pub result: OsString,
    /// The base name of the input, with replacement characters where it is not UTF-8.
    pub input: String,
    /// The property in readable form.
    pub property: String,
    /// The property as command-line flags.
    pub flags: String,
    /// The time limit of a run.
    pub time_limit: Duration,
    /// The command and the options that belong to the identity of the run, by name.
    pub identity: Vec<(String, String)>,
    /// The version of boildown that ran the session.
    pub version: String,
    /// When the session began.
    pub started: SystemTime,
    /// How it ended; `None` if it is still running, or was killed.
    pub ending: Option<Ending>,
    /// The choices of the session. Empty in files of the first versions.
    pub choices: Vec<ChoiceRecord>,
    /// Bytes of the input.
    pub bytes_before: u64,
    /// Bytes of the best result so far.
    pub bytes_after: u64,
}

impl LastSession {
    /// Returns what the identity of the run states under this name.
    pub fn stated(&self, name: &str) -> Option<&str> {
        let mut pairs = self.identity.iter();
        let (_, value) = pairs.find(|(what, _)| what == name)?;
        Some(value)
    }

    /// Returns the session that began last in a directory with results. `name` is that of an
    /// input or a result; without it, any run is meant. `None` when there is no such run.
    ///
    /// # Errors
    /// [`StoreError`] when the file of that run cannot be read.
    pub fn find(dir: &Path, name: Option<&OsStr>) -> Result<Option<Self>, StoreError> {
        Self::find_where(dir, |session| {
            name.is_none_or(|name| session.is_named(name))
        })
    }

    /// Returns the session that began last, of those in a directory with results that are meant.
    ///
    /// # Errors
    /// [`StoreError`] when there is none, and the file of a run cannot be read.
    pub fn find_where(
        dir: &Path,
        is_meant: impl Fn(&Self) -> bool,
    ) -> Result<Option<Self>, StoreError> {
        let mut last: Option<Self> = None;
        let mut error = None;
        for file in files(&dir.join(FOLDER)) {
            match Self::read(&file) {
                Ok(Some(session)) => {
                    if is_meant(&session)
                        && last
                            .as_ref()
                            .is_none_or(|last| last.started <= session.started)
                    {
                        last = Some(session);
                    }
                }
                Ok(None) => {}
                Err(found) => error = Some(found),
            }
        }
        match (last, error) {
            (Some(last), _) => Ok(Some(last)),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }

    /// Returns the last session that worked on the run in this file. `None` when there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn of_store(file: &Path) -> Result<Option<Self>, StoreError> {
        Self::read(file)
    }

    /// Returns the time since the session began.
    pub fn age(&self) -> Duration {
        let now = SystemTime::now();
        now.duration_since(self.started).unwrap_or_default()
    }

    fn is_named(&self, name: &OsStr) -> bool {
        self.result == name || self.input == name.to_string_lossy()
    }

    fn read(file: &Path) -> Result<Option<Self>, StoreError> {
        let database = schema::open_to_read(file)?;
        if schema::is_empty(&database, file)? {
            return Ok(None);
        }
        schema::check_format(&database, file)?;
        let fail = StoreError::from_database("read", file);
        read_last(&database, file).map_err(fail)
    }
}

/// Returns the files of all runs, oldest change first.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<(Option<SystemTime>, PathBuf)> = entries(folder)
        .flat_map(|result| entries(&result.path()))
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new("db")))
        .map(|path| {
            (
                fs::metadata(&path).and_then(|data| data.modified()).ok(),
                path,
            )
        })
        .collect();
    files.sort_unstable();
    files.into_iter().map(|(_, path)| path).collect()
}

fn read_last(database: &Connection, file: &Path) -> rusqlite::Result<Option<LastSession>> {
    let run = database
        .query_row(
            "SELECT input, property, flags, time_limit FROM run",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, seconds(row, 3)?)),
        )
        .optional()?;
    let session = database
        .query_row(
            "SELECT ending, questions, runs, recalled, seconds, id, version, started \
             FROM sessions ORDER BY id DESC LIMIT 1",
            [],
            |row| Ok((row.get(5)?, row.get(6)?, row.get(7)?, read_ending(row)?)),
        )
        .optional()?;
    let (Some((input, property, flags, time_limit)), Some((id, version, started, ending))) =
        (run, session)
    else {
        return Ok(None);
    };
    let size = |order: &str| -> rusqlite::Result<u64> {
        let sql = format!("SELECT bytes FROM improvements ORDER BY question {order} LIMIT 1");
        let bytes: Option<i64> = database.query_row(&sql, [], |row| row.get(0)).optional()?;
        Ok(bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or(0))
    };
    let identity = database
        .prepare("SELECT what, value FROM identity ORDER BY what")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let started: i64 = started;
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    Ok(Some(LastSession {
        file: file.to_owned(),
        result: folder.to_owned(),
        input,
        property,
        flags,
        time_limit,
        identity,
        version,
        started: SystemTime::UNIX_EPOCH
            + Duration::from_secs(started.try_into().unwrap_or_default()),
        ending,
        choices: read_choices(database, id)?,
        bytes_before: size("ASC")?,
        bytes_after: size("DESC")?,
    }))
}

/// Reads how a session ended from the first columns of a row.
pub(super) fn read_ending(row: &Row<'_>) -> rusqlite::Result<Option<Ending>> {
    let Some(why) = row.get::<_, Option<String>>(0)? else {
        return Ok(None);
    };
    let number = |column: usize| -> rusqlite::Result<u64> {
        let number: Option<i64> = row.get(column)?;
        Ok(number
            .and_then(|number| number.try_into().ok())
            .unwrap_or(0))
    };
    Ok(Some(Ending {
        why: EndReason::from_name(&why),
        queries: number(1)?,
        runs: number(2)?,
        recalled: number(3)?,
        elapsed: seconds(row, 4)?,
    }))
}

fn seconds(row: &Row<'_>, column: usize) -> rusqlite::Result<Duration> {
    let seconds: Option<f64> = row.get(column)?;
    Ok(Duration::try_from_secs_f64(seconds.unwrap_or(0.0)).unwrap_or_default())
}
