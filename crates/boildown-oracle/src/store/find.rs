//! Finding what an earlier session left, and beginning a new one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use boildown_search::Fingerprint;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::record::{Entry, Improvement, Kept, code, micros, outcome_text, read_verdict};
use super::writer::{Writer, write_improvement, write_verdict};
use super::{Identity, Place, RunStore, StoreError, Tape, fingerprint_of, place, schema};
use crate::{Answer, Outcome, Verdict};

/// A run that was looked for. There may be nothing known of it yet.
#[derive(Debug)]
pub struct Found {
    file: PathBuf,
    identity: Identity,
    tape: Tape,
    best: Option<Best>,
    /// The question of the last improvement that is known.
    improved: u64,
    /// After how many questions passes were left.
    left: Vec<u64>,
    is_new: bool,
}

/// What is worth telling about what was found.
#[derive(Debug)]
#[non_exhaustive]
pub enum News {
    /// Nothing: the first run.
    Nothing,
    /// This very run was begun before.
    Resumed {
        /// How many verdicts are known.
        verdicts: u64,
    },
    /// The run before this one was another one, of which nothing can be used.
    Changed {
        /// What differs, by the names in the identities.
        what: Vec<String>,
        /// How many verdicts are known of that other run.
        verdicts: u64,
    },
    /// The file was damaged, and was put aside.
    Damaged {
        /// Where it is now.
        aside: PathBuf,
        /// What is wrong with it.
        error: StoreError,
    },
}

/// The best text that earlier sessions found.
#[derive(Debug, Clone)]
pub struct Best {
    /// After how many questions.
    pub question: u64,
    /// The text.
    pub text: Arc<[u8]>,
    /// Its tokens, when anybody counted them.
    pub tokens: Option<usize>,
}

/// What is known when a run begins.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    /// The base name of the input.
    pub name: &'a str,
    /// The input.
    pub input: Improvement,
    /// The property, for people.
    pub property: String,
    /// The same as flags of the command line.
    pub flags: String,
    /// How long a run may take.
    pub time_limit: Duration,
    /// The version of boildown.
    pub version: &'static str,
}

impl Place {
    /// Looks for the run with this identity.
    ///
    /// # Errors
    /// [`StoreError`] when there is one that cannot be used, nor be put aside.
    pub fn find(&self, identity: Identity) -> Result<(Found, News), StoreError> {
        let file = self.file(&identity.digest());
        let mut found = Found {
            file,
            identity,
            tape: Tape::default(),
            best: None,
            improved: 0,
            left: Vec::new(),
            is_new: true,
        };
        if !found.file.exists() {
            let news = self.newest_other(&found.identity).unwrap_or(News::Nothing);
            return Ok((found, news));
        }
        match found.read() {
            Ok(Some(verdicts)) => Ok((found, News::Resumed { verdicts })),
            Ok(None) => Ok((found, News::Nothing)),
            Err(error @ StoreError::Damaged { .. }) => {
                let aside = place::set_aside(&found.file)
                    .map_err(|error| StoreError::unusable("rename", &found.file, error))?;
                Ok((found, News::Damaged { aside, error }))
            }
            Err(error) => Err(error),
        }
    }

    /// Forgets everything about the run with this identity.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] when its file cannot be removed.
    pub fn forget(&self, identity: &Identity) -> Result<(), StoreError> {
        let file = self.file(&identity.digest());
        place::remove(&file).map_err(|error| StoreError::unusable("remove", &file, error))
    }

    /// What the last run was, when it was another one. A file that cannot be read is none.
    fn newest_other(&self, identity: &Identity) -> Option<News> {
        let file = self.files().into_iter().next()?;
        let database = schema::open_to_read(&file).ok()?;
        schema::check(&database, &file).ok()?;
        let other = read_identity(&database).ok()?;
        Some(News::Changed {
            what: identity.differences(&other),
            verdicts: count_verdicts(&database).ok()?,
        })
    }
}

impl Found {
    /// Returns the runs on the input that earlier sessions made, and records new ones.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Returns the best text that earlier sessions found.
    #[must_use]
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// Returns whether this content was ever put in the place of the result.
    #[must_use]
    pub fn knows(&self, content: Fingerprint) -> bool {
        let known = || {
            schema::open_to_read(&self.file)
                .ok()?
                .query_row(
                    "SELECT EXISTS (SELECT * FROM improvements WHERE content = ?1)",
                    [content.bits().to_le_bytes()],
                    |row| row.get(0),
                )
                .ok()
        };
        !self.is_new && known().unwrap_or(false)
    }

    /// Begins a session: from now on, everything is written.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be written.
    pub fn begin(self, place: &Place, start: &Start<'_>) -> Result<RunStore, StoreError> {
        if self.is_new {
            place.make_room();
        }
        let mut database = schema::open(&self.file)?;
        let session = (self.write_start(&mut database, start))
            .map_err(StoreError::of("write", &self.file))?;
        let reader = schema::open_to_read(&self.file)?;
        Ok(RunStore {
            writer: Writer::start(database, self.file.clone(), session),
            reader: Mutex::new(Some(reader)),
            unreadable: Mutex::default(),
            session,
            file: self.file,
            improved: self.improved,
            left: self.left,
        })
    }

    /// Returns the number of the new session.
    fn write_start(&self, database: &mut Connection, start: &Start<'_>) -> rusqlite::Result<i64> {
        let transaction = database.transaction()?;
        if self.is_new {
            schema::create(&transaction)?;
            transaction.execute(
                "INSERT INTO run VALUES (?1, ?2, ?3, ?4)",
                params![
                    start.name,
                    start.property,
                    start.flags,
                    start.time_limit.as_secs_f64()
                ],
            )?;
            for pair in self.identity.pairs() {
                transaction.execute("INSERT INTO identity VALUES (?1, ?2)", pair)?;
            }
        }
        schema::complete(&transaction)?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        transaction.execute(
            "INSERT INTO sessions (version, started) VALUES (?1, ?2)",
            params![
                start.version,
                i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(0)
            ],
        )?;
        let session = transaction.last_insert_rowid();
        if self.is_new {
            write_tape(&transaction, &self.tape)?;
            for kept in settled(&self.tape.entries(), start.input.content) {
                write_verdict(&transaction, session, &kept)?;
            }
            write_improvement(&transaction, session, &start.input)?;
        }
        transaction.commit()?;
        Ok(session)
    }

    /// Reads what earlier sessions left; returns how many verdicts there are, or `None` when a session was killed before it had
    /// written anything.
    fn read(&mut self) -> Result<Option<u64>, StoreError> {
        // For writing, because what a killed session left is put in order first.
        let database = schema::open(&self.file)?;
        if schema::is_empty(&database, &self.file)? {
            return Ok(None);
        }
        schema::check(&database, &self.file)?;
        let fail = StoreError::of("read", &self.file);
        if read_identity(&database).map_err(&fail)?.digest() != self.identity.digest() {
            let complaint = "it says that it is another run";
            return Err(StoreError::damaged(&self.file, complaint));
        }
        let entries = read_tape(&database).map_err(&fail)?;
        let entries = entries.ok_or_else(|| {
            StoreError::damaged(&self.file, "a run on the input is not as it was written")
        })?;
        let (improved, best) = read_best(&database).map_err(&fail)?;
        let verdicts = count_verdicts(&database).map_err(&fail)?;
        self.tape = Tape::of(entries);
        self.improved = improved;
        self.best = best;
        self.left = read_leaves(&database).map_err(&fail)?;
        self.is_new = false;
        Ok(Some(verdicts))
    }
}

/// The answers on other contents than the input that were tried before the search, such as nothing at all: it may ask about them too.
///
/// What was interesting once was not in the end, or there would be no search. A run that was cut short is no answer yet: the time
/// limit is only known after these runs.
fn settled(entries: &[Entry], input: Fingerprint) -> Vec<Kept> {
    let others = entries.iter().filter(|entry| entry.content != input);
    others
        .map(|entry| Kept::new(entry.content, &entry.answer))
        .filter(|kept| {
            let same = entries.iter().filter(|entry| entry.content == kept.content);
            let mut verdicts = same.map(|entry| entry.answer.verdict);
            kept.verdict != Verdict::Interesting
                && !kept.outcome.is_some_and(Outcome::is_cut_short)
                && verdicts.all(|verdict| verdict == kept.verdict)
        })
        .collect()
}

fn count_verdicts(database: &Connection) -> rusqlite::Result<u64> {
    database.query_row("SELECT count(*) FROM verdicts", [], |row| unsigned(row, 0))
}

fn read_identity(database: &Connection) -> rusqlite::Result<Identity> {
    database
        .prepare("SELECT what, value FROM identity ORDER BY what")?
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?
        .collect()
}

fn write_tape(database: &Connection, tape: &Tape) -> rusqlite::Result<()> {
    for (number, entry) in (1_i64..).zip(tape.entries()) {
        let run = entry.answer.run.as_ref();
        database.execute(
            "INSERT INTO baseline VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                number,
                entry.content.bits().to_le_bytes(),
                code(entry.answer.verdict),
                run.map(|run| outcome_text(run.outcome)),
                run.map(|run| micros(run.took)),
                run.map_or(&[][..], |run| &run.stdout),
                run.map_or(&[][..], |run| &run.stderr),
                entry.checked(),
            ],
        )?;
    }
    Ok(())
}

/// Returns the runs on the input; `None` when they are not as they were written.
fn read_tape(database: &Connection) -> rusqlite::Result<Option<Vec<Entry>>> {
    database
        .prepare("SELECT content, verdict, outcome, micros, stdout, stderr, checked FROM baseline ORDER BY number")?
        .query_map([], |row| {
            let outcome: Option<String> = row.get(2)?;
            let run = Entry::run(outcome.as_deref(), row.get(3)?, row.get(4)?, row.get(5)?);
            let entry = read_verdict(row.get(1)?).map(|verdict| Answer { verdict, run });
            let content = content(row, 0)?;
            let checked: i64 = row.get(6)?;
            let entry = entry.map(|answer| Entry { content, answer });
            Ok(entry.filter(|entry| entry.checked() == checked))
        })?
        .collect()
}

/// Returns after how many questions passes were left, in order.
fn read_leaves(database: &Connection) -> rusqlite::Result<Vec<u64>> {
    if !database.table_exists(None, "leaves")? {
        return Ok(Vec::new());
    }
    database
        .prepare("SELECT question FROM leaves ORDER BY number")?
        .query_map([], |row| unsigned(row, 0))?
        .collect()
}

/// Returns the question of the last improvement, and its text when that is there and as it was written.
fn read_best(database: &Connection) -> rusqlite::Result<(u64, Option<Best>)> {
    let last = database
        .query_row(
            "SELECT question, content, tokens, text FROM improvements ORDER BY question DESC LIMIT 1",
            [],
            |row| {
                let (question, content) = (unsigned(row, 0)?, content(row, 1)?);
                let tokens: Option<i64> = row.get(2)?;
                let text: Option<Vec<u8>> = row.get(3)?;
                let text = text.filter(|text| fingerprint_of(text) == content);
                let best = text.map(|text| Best {
                    question,
                    text: text.into(),
                    tokens: tokens.and_then(|tokens| tokens.try_into().ok()),
                });
                Ok((question, best))
            },
        )
        .optional()?;
    Ok(last.unwrap_or_default())
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn content(row: &Row<'_>, column: usize) -> rusqlite::Result<Fingerprint> {
    let bytes: Vec<u8> = row.get(column)?;
    let bits = bytes.try_into().map_err(|_| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, "not 16 bytes".into())
    })?;
    Ok(Fingerprint::new(u128::from_le_bytes(bits)))
}
