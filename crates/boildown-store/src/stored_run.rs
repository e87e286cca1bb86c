//! Reading what earlier sessions stored, and beginning a new session.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use boildown_search::Fingerprint;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::choice::write_choices;
use super::content_filter::ContentFilter;
use super::record::{
    BaselineRun, Improvement, VerdictRecord, code, micros, outcome_text, read_verdict,
};
use super::watched_files::{self, WatchedFiles};
use super::writer::{Writer, WriterStart, forget_unconfirmed, write_improvement, write_verdict};
use super::{
    BaselineRecording, EndReason, Identity, Provenance, RunStore, SealKey, StoreError, StoreFolder,
    fingerprint_of, provenance, schema,
};
use boildown_oracle::{Answer, Outcome, Verdict};
use boildown_show::ChoiceRecord;

/// A run in the store, or a new run that is not in the store yet.
#[derive(Debug)]
pub struct StoredRun {
    file: PathBuf,
    identity: Identity,
    recording: BaselineRecording,
    best: Option<ResumedBest>,
    /// The flags that state the property of earlier sessions.
    flags: Option<String>,
    /// The query of the last improvement in the file.
    last_improvement: u64,
    /// The queries after which passes were skipped, in order.
    skipped_passes: Vec<u64>,
    /// Whether the last session ran to its end.
    has_finished: bool,
    /// Watched files that differ from what they were before the first session.
    changed_files: Vec<String>,
    is_new: bool,
}

/// Whether a session resumes an earlier one.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResumeStatus {
    /// No: this is the first run.
    FirstRun,
    /// Yes: the same run was begun before.
    Resumed {
        /// The number of known verdicts.
        verdicts: u64,
    },
    /// No: the previous run differs, so its verdicts cannot be used.
    Changed {
        /// The names in the identities whose values differ.
        what: Vec<String>,
        /// The number of verdicts of the previous run.
        verdicts: u64,
    },
    /// No: the file was damaged, and was renamed.
    Damaged {
        /// The new name of the damaged file.
        aside: PathBuf,
        /// The damage.
        error: StoreError,
    },
}

/// The best result of earlier sessions.
#[derive(Debug, Clone)]
pub struct ResumedBest {
    /// The number of queries that were answered before it was found.
    pub query: u64,
    /// The bytes of the result.
    pub text: Arc<[u8]>,
    /// Its number of tokens, if they were counted.
    pub tokens: Option<usize>,
}

/// The description of a run when a session begins.
#[derive(Debug, Clone)]
pub struct RunDescription<'a> {
    /// The base name of the input.
    pub name: &'a str,
    /// The input, as the first improvement.
    pub input: Improvement,
    /// The property in readable form.
    pub property: String,
    /// The property as command-line flags.
    pub flags: String,
    /// The time limit of a run.
    pub time_limit: Duration,
    /// The version of boildown.
    pub version: &'static str,
    /// What this session chose for the user.
    pub choices: &'a [ChoiceRecord],
    /// Who writes the store, and what the input permits.
    pub provenance: Provenance,
}

impl StoreFolder {
    /// Looks for the run with this identity.
    ///
    /// # Errors
    /// [`StoreError`] when its file cannot be used. A damaged file is renamed instead; it is an
    /// error only if that fails.
    pub fn find(&self, identity: Identity) -> Result<(StoredRun, ResumeStatus), StoreError> {
        let identity = self.salted(identity)?;
        let file = self.file(&identity.digest());
        let mut stored = StoredRun {
            file,
            identity,
            recording: BaselineRecording::default(),
            best: None,
            flags: None,
            last_improvement: 0,
            skipped_passes: Vec::new(),
            has_finished: false,
            changed_files: Vec::new(),
            is_new: true,
        };
        if !stored.file.exists() {
            let status = self
                .compare_with_previous(&stored.identity)
                .unwrap_or(ResumeStatus::FirstRun);
            return Ok((stored, status));
        }
        match stored.read() {
            Ok(Some(verdicts)) => Ok((stored, ResumeStatus::Resumed { verdicts })),
            Ok(None) => Ok((stored, ResumeStatus::FirstRun)),
            Err(error @ StoreError::Damaged { .. }) => {
                let aside = self
                    .set_aside(&stored.file)
                    .map_err(|error| StoreError::unusable("rename", &stored.file, error))?;
                Ok((stored, ResumeStatus::Damaged { aside, error }))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether there was a run with this identity.
    pub fn has(&self, identity: &Identity) -> bool {
        let salted = self.salted(identity.clone());
        salted.is_ok_and(|identity| self.file(&identity.digest()).exists())
    }

    /// Removes the file of the run with this identity. Returns the contents that were its results.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] when the file cannot be removed.
    pub fn forget(&self, identity: &Identity) -> Result<Vec<Fingerprint>, StoreError> {
        let identity = self.salted(identity.clone())?;
        let file = self.file(&identity.digest());
        let results = schema::open_to_read(&file).ok().and_then(|database| {
            let mut query = database.prepare("SELECT content FROM improvements").ok()?;
            let results = query.query_map([], |row| content(row, 0)).ok()?;
            results.collect::<Result<_, _>>().ok()
        });
        self.remove(&file)
            .map_err(|error| StoreError::unusable("remove", &file, error))?;
        Ok(results.unwrap_or_default())
    }

    /// Returns how the previous run differs. `None` when there is none, or it cannot be read.
    fn compare_with_previous(&self, identity: &Identity) -> Option<ResumeStatus> {
        let file = self.files().into_iter().next()?;
        let database = schema::open_to_read(&file).ok()?;
        schema::check(&database, &file).ok()?;
        let other = schema::read_identity(&database).ok()?;
        Some(ResumeStatus::Changed {
            what: identity.differences(&other),
            verdicts: count_verdicts(&database).ok()?,
        })
    }
}

impl StoredRun {
    /// Returns the recording of the baseline runs, which replays those of earlier sessions.
    pub fn recording(&self) -> &BaselineRecording {
        &self.recording
    }

    /// Returns this run with the baseline runs of this session.
    #[must_use]
    pub fn with_recording(self, recording: BaselineRecording) -> Self {
        Self { recording, ..self }
    }

    /// Returns what the verdicts of this run depend on.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the files that scripts name and that have changed since the first session, so that
    /// its verdicts are not to be believed.
    pub fn changed_files(&self) -> &[String] {
        &self.changed_files
    }

    /// Removes the verdicts after which the property was not seen to hold: the environment of the
    /// command is not that of earlier sessions now, and may not have been any more at their end.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be written.
    pub fn forget_unconfirmed(&self) -> Result<(), StoreError> {
        if self.is_new {
            return Ok(());
        }
        let database = schema::open(&self.file)?;
        let fail = StoreError::from_database("write", &self.file);
        schema::create_missing(&database).map_err(&fail)?;
        forget_unconfirmed(&database).map_err(&fail)?;
        Ok(())
    }

    /// Returns the flags that state the property of earlier sessions.
    pub fn flags(&self) -> Option<&str> {
        self.flags.as_deref()
    }

    /// Returns the best result of earlier sessions.
    pub fn best(&self) -> Option<&ResumedBest> {
        self.best.as_ref()
    }

    /// Returns whether this run ever had this content as its result.
    pub fn is_known_result(&self, content: Fingerprint) -> bool {
        !self.is_new && schema::has_improvement(&self.file, content)
    }

    /// Begins a session. From now on, records are written to the file.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be written.
    pub fn begin(
        self,
        folder: &StoreFolder,
        description: &RunDescription<'_>,
    ) -> Result<RunStore, StoreError> {
        if self.is_new {
            folder.remove_oldest();
        }
        folder.make_private(&self.file)?;
        let mut database = schema::open(&self.file)?;
        let (session, key) = (self.write_beginning(&mut database, description))
            .map_err(StoreError::from_database("write", &self.file))?;
        let reader = schema::open_to_read(&self.file)?;
        let watched = WatchedFiles::begin(&database)
            .map_err(StoreError::from_database("read", &self.file))?;
        let last_number = database
            .query_row(
                "SELECT coalesce(max(number), 0) FROM unconfirmed",
                [],
                |row| unsigned(row, 0),
            )
            .map_err(StoreError::from_database("read", &self.file))?;
        let last_pass = database
            .query_row("SELECT max(question) FROM passes", [], |row| row.get(0))
            .map_err(StoreError::from_database("read", &self.file))?;
        let last_pass: Option<i64> = last_pass;
        Ok(RunStore {
            last_pass: last_pass.and_then(|query| query.try_into().ok()),
            writer: Writer::start(WriterStart {
                database,
                file: self.file.clone(),
                session,
                last_verdict: last_number,
                key,
            }),
            filter: ContentFilter::read(&reader)
                .map_err(StoreError::from_database("read", &self.file))?,
            reader: Mutex::new(Some(reader)),
            read_error: Mutex::default(),
            session,
            known: Vec::new(),
            known_are_left_out: AtomicBool::new(false),
            has_started_over: AtomicBool::new(false),
            file: self.file,
            largest_query: AtomicU64::new(self.last_improvement),
            last_improvement: self.last_improvement,
            skipped_passes: self.skipped_passes,
            has_finished: self.has_finished,
            watched,
        })
    }

    /// Writes the beginning of a session, and of the run if it is new. Returns the number of the
    /// session, and the key to seal it with: what others began stays theirs.
    fn write_beginning(
        &self,
        database: &mut Connection,
        description: &RunDescription<'_>,
    ) -> rusqlite::Result<(i64, Option<SealKey>)> {
        let transaction = database.transaction()?;
        let key = (description.provenance.key.clone())
            .filter(|key| self.is_new || provenance::has_seal(&transaction, key).unwrap_or(false));
        if self.is_new {
            schema::create(&transaction)?;
            transaction.execute(
                "INSERT INTO run VALUES (?1, ?2, ?3, ?4)",
                params![
                    description.name,
                    description.property,
                    description.flags,
                    description.time_limit.as_secs_f64()
                ],
            )?;
            for pair in self.identity.pairs() {
                transaction.execute("INSERT INTO identity VALUES (?1, ?2)", pair)?;
            }
        }
        schema::create_missing(&transaction)?;
        if self.is_new {
            watched_files::record(&transaction, self.identity.watched())?;
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        transaction.execute(
            "INSERT INTO sessions (version, started) VALUES (?1, ?2)",
            params![
                description.version,
                i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(0)
            ],
        )?;
        let session = transaction.last_insert_rowid();
        write_choices(&transaction, session, description.choices)?;
        if self.is_new {
            write_recording(&transaction, &self.recording)?;
            for record in reusable_verdicts(&self.recording.runs(), description.input.content) {
                write_verdict(&transaction, session, &record)?;
            }
            write_improvement(&transaction, session, &description.input)?;
        }
        let salt = self.identity.salt().map(|salt| salt.0);
        provenance::write_origin(&transaction, description.provenance.access, salt)?;
        if let Some(key) = &key {
            provenance::seal(&transaction, key)?;
        }
        transaction.commit()?;
        Ok((session, key))
    }

    /// Reads the data of earlier sessions. Returns the number of verdicts; `None` when the file is
    /// empty, because a session was killed before it had written anything.
    fn read(&mut self) -> Result<Option<u64>, StoreError> {
        // Opened for writing, because SQLite first recovers the file of a killed session.
        let database = schema::open(&self.file)?;
        if schema::is_empty(&database, &self.file)? {
            return Ok(None);
        }
        schema::check(&database, &self.file)?;
        let fail = StoreError::from_database("read", &self.file);
        if schema::read_identity(&database).map_err(&fail)?.digest() != self.identity.digest() {
            return Err(StoreError::damaged(&self.file, "it belongs to another run"));
        }
        let runs = read_recording(&database).map_err(&fail)?;
        let runs = runs.ok_or_else(|| {
            StoreError::damaged(&self.file, "a baseline run has a wrong checksum")
        })?;
        let (last_improvement, best) = read_best(&database).map_err(&fail)?;
        let verdicts = count_verdicts(&database).map_err(&fail)?;
        self.flags = schema::read_flags(&database).map_err(&fail)?;
        self.recording = BaselineRecording::of_earlier_session(runs);
        self.last_improvement = last_improvement;
        self.best = best;
        self.skipped_passes = read_skipped_passes(&database).map_err(&fail)?;
        self.has_finished = read_has_finished(&database).map_err(&fail)?;
        self.changed_files = watched_files::changed(&database).map_err(&fail)?;
        self.is_new = false;
        Ok(Some(verdicts))
    }
}

/// Returns the verdicts of baseline runs on other contents than the input, such as the empty input.
/// The search may query them too.
///
/// Leaves out contents with different verdicts, and interesting ones: the final verdict on such a
/// content was not interesting, or there would be no search. Also leaves out runs that a limit
/// ended, because the time limit is only known after the baseline runs.
fn reusable_verdicts(runs: &[BaselineRun], input: Fingerprint) -> Vec<VerdictRecord> {
    let others = runs.iter().filter(|run| run.content != input);
    others
        .map(|run| VerdictRecord::new(run.content, &run.answer))
        .filter(|record| {
            let same = runs.iter().filter(|run| run.content == record.content);
            let mut verdicts = same.map(|run| run.answer.verdict);
            record.verdict != Verdict::Interesting
                && !record.outcome.is_some_and(Outcome::is_cut_short)
                && verdicts.all(|verdict| verdict == record.verdict)
        })
        .collect()
}

fn count_verdicts(database: &Connection) -> rusqlite::Result<u64> {
    database.query_row("SELECT count(*) FROM verdicts", [], |row| unsigned(row, 0))
}

fn write_recording(database: &Connection, recording: &BaselineRecording) -> rusqlite::Result<()> {
    for (number, baseline_run) in (1_i64..).zip(recording.runs()) {
        let run = baseline_run.answer.run.as_ref();
        database.execute(
            "INSERT INTO baseline VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                number,
                baseline_run.content.bits().to_le_bytes(),
                code(baseline_run.answer.verdict),
                run.map(|run| outcome_text(run.outcome)),
                run.map(|run| micros(run.took)),
                run.map_or(&[][..], |run| &run.stdout),
                run.map_or(&[][..], |run| &run.stderr),
                baseline_run.checksum(),
            ],
        )?;
    }
    Ok(())
}

/// Returns the baseline runs; `None` when one of them has a wrong checksum.
pub(super) fn read_recording(database: &Connection) -> rusqlite::Result<Option<Vec<BaselineRun>>> {
    database
        .prepare(
            "SELECT content, verdict, outcome, micros, stdout, stderr, checked \
             FROM baseline ORDER BY number",
        )?
        .query_map([], |row| {
            let outcome: Option<String> = row.get(2)?;
            let run = BaselineRun::run_of_columns(
                outcome.as_deref(),
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            );
            let answer = read_verdict(row.get(1)?).map(|verdict| Answer { verdict, run });
            let content = content(row, 0)?;
            let checksum: i64 = row.get(6)?;
            let baseline_run = answer.map(|answer| BaselineRun { content, answer });
            Ok(baseline_run.filter(|run| run.checksum() == checksum))
        })?
        .collect()
}

/// Returns whether the last session ran to its end.
fn read_has_finished(database: &Connection) -> rusqlite::Result<bool> {
    let last = "SELECT ending FROM sessions ORDER BY id DESC LIMIT 1";
    let ending: Option<Option<String>> =
        database.query_row(last, [], |row| row.get(0)).optional()?;
    Ok((ending.flatten()).is_some_and(|ending| ending == EndReason::Finished.name()))
}

/// Returns the queries after which passes were skipped, in order.
fn read_skipped_passes(database: &Connection) -> rusqlite::Result<Vec<u64>> {
    if !database.table_exists(None, "leaves")? {
        return Ok(Vec::new());
    }
    database
        .prepare("SELECT question FROM leaves ORDER BY number")?
        .query_map([], |row| unsigned(row, 0))?
        .collect()
}

/// Returns the query of the last improvement, and the improvement itself if its text is stored and
/// not damaged.
fn read_best(database: &Connection) -> rusqlite::Result<(u64, Option<ResumedBest>)> {
    let last = database
        .query_row(
            "SELECT question, content, tokens, text FROM improvements ORDER BY question DESC LIMIT 1",
            [],
            |row| {
                let (query, content) = (unsigned(row, 0)?, content(row, 1)?);
                let tokens: Option<i64> = row.get(2)?;
                let text: Option<Vec<u8>> = row.get(3)?;
                let text = text.filter(|text| fingerprint_of(text) == content);
                let best = text.map(|text| ResumedBest {
                    query,
                    text: text.into(),
                    tokens: tokens.and_then(|tokens| tokens.try_into().ok()),
                });
                Ok((query, best))
            },
        )
        .optional()?;
    Ok(last.unwrap_or_default())
}

pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

pub(super) fn content(row: &Row<'_>, column: usize) -> rusqlite::Result<Fingerprint> {
    let bytes: Vec<u8> = row.get(column)?;
    let bits = bytes.try_into().map_err(|_| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, "not 16 bytes".into())
    })?;
    Ok(Fingerprint::new(u128::from_le_bytes(bits)))
}
