//! A thread that writes in batches, so that no question waits for the disk.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::StoreError;
use super::record::{Improvement, Kept, code, micros, outcome_text};

/// How long an answer may wait to be written.
const PATIENCE: Duration = Duration::from_millis(250);

/// A batch of so many is written at once.
const ENOUGH: usize = 1 << 12;

/// More do not wait: the disk hangs, and to ask again later costs less than memory without end.
const MOST: usize = 1 << 18;

/// Longer texts are not kept.
const LONGEST: usize = 256 << 20;

/// The writing end of the file.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to write, or to hurry for.
    wake: Condvar,
    /// Something was written, or never will be.
    written: Condvar,
}

#[derive(Debug, Default)]
struct State {
    batch: Batch,
    /// How many records were ever pushed, and how many of these are in the file.
    pushed: u64,
    committed: u64,
    /// Somebody waits.
    hurry: bool,
    closing: bool,
    /// Nothing is written any more.
    broken: bool,
    /// Why, until somebody asked.
    trouble: Option<StoreError>,
}

#[derive(Debug, Default)]
struct Batch {
    verdicts: Vec<Kept>,
    improvements: Vec<Improvement>,
    /// After how many questions a pass was left.
    leaves: Vec<u64>,
    ending: Option<Ending>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    /// Why, in a word or two.
    pub why: &'static str,
    /// Questions of the search that were answered.
    pub questions: u64,
    /// Runs of the oracle.
    pub runs: u64,
    /// Questions that an earlier session had the answer to.
    pub recalled: u64,
    /// How long it took.
    pub elapsed: Duration,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Starts writing into a file that has its tables, for one session of it.
    pub(super) fn start(database: Connection, file: PathBuf, session: i64) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::spawn(move || work(&theirs, database, &file, session));
        Self {
            shared,
            thread: Some(thread),
        }
    }

    pub(super) fn verdict(&self, kept: Kept) {
        let mut state = self.shared.lock();
        if state.broken || state.batch.verdicts.len() >= MOST {
            return;
        }
        state.pushed += 1;
        state.batch.verdicts.push(kept);
        // It wakes for the first one, and then waits for more.
        if state.batch.verdicts.len() == 1 || state.batch.verdicts.len() == ENOUGH {
            self.shared.wake.notify_one();
        }
    }

    /// Returns once it is in the file, and all before it, or nothing is written any more.
    pub(super) fn improvement(&self, improvement: Improvement) {
        let mut state = self.shared.lock();
        if state.broken {
            return;
        }
        state.pushed += 1;
        state.batch.improvements.push(improvement);
        let mine = state.pushed;
        state.hurry = true;
        self.shared.wake.notify_one();
        while state.committed < mine && !state.broken {
            state = self
                .shared
                .written
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn leave(&self, question: u64) {
        let mut state = self.shared.lock();
        if !state.broken {
            state.pushed += 1;
            state.batch.leaves.push(question);
            self.shared.wake.notify_one();
        }
    }

    pub(super) fn ending(&self, ending: Ending) {
        let mut state = self.shared.lock();
        state.pushed += 1;
        state.batch.ending = Some(ending);
    }

    /// Returns why nothing is written any more, once.
    pub(super) fn trouble(&self) -> Option<StoreError> {
        self.shared.lock().trouble.take()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed; what was asked is asked again next time.
            thread.join().ok();
        }
    }
}

fn work(shared: &Shared, mut database: Connection, file: &std::path::Path, session: i64) {
    loop {
        let (batch, last, closing) = next_batch(shared);
        let done = write(&mut database, session, &batch);
        let mut state = shared.lock();
        match done {
            Ok(()) => state.committed = last,
            Err(error) => {
                state.trouble = Some(StoreError::of("write", file)(error));
                state.broken = true;
                state.batch = Batch::default();
            }
        }
        let end = closing || state.broken;
        drop(state);
        shared.written.notify_all();
        if end {
            return;
        }
    }
}

/// Waits until there is a batch worth writing. Returns it, the number of its last record, and whether it is the last.
fn next_batch(shared: &Shared) -> (Batch, u64, bool) {
    let mut state = shared.lock();
    while state.pushed == state.committed && !state.closing {
        state = (shared.wake.wait(state)).unwrap_or_else(PoisonError::into_inner);
    }
    let since = Instant::now();
    while !state.hurry && !state.closing && state.batch.verdicts.len() < ENOUGH {
        let left = PATIENCE.saturating_sub(since.elapsed());
        if left.is_zero() {
            break;
        }
        let waited = shared.wake.wait_timeout(state, left);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    state.hurry = false;
    (
        std::mem::take(&mut state.batch),
        state.pushed,
        state.closing,
    )
}

fn write(database: &mut Connection, session: i64, batch: &Batch) -> rusqlite::Result<()> {
    let transaction = database.transaction()?;
    for kept in &batch.verdicts {
        write_verdict(&transaction, session, kept)?;
    }
    for improvement in &batch.improvements {
        write_improvement(&transaction, session, improvement)?;
    }
    for &question in &batch.leaves {
        transaction.execute(
            "INSERT INTO leaves (question, session) VALUES (?1, ?2)",
            params![number(question), session],
        )?;
    }
    if let Some(ending) = batch.ending {
        transaction.execute(
            "UPDATE sessions SET ending = ?2, questions = ?3, runs = ?4, recalled = ?5, seconds = ?6 WHERE id = ?1",
            params![
                session,
                ending.why,
                number(ending.questions),
                number(ending.runs),
                number(ending.recalled),
                ending.elapsed.as_secs_f64(),
            ],
        )?;
    }
    transaction.commit()
}

/// Writes a verdict, unless there is one already: the search heard that.
pub(super) fn write_verdict(
    database: &Connection,
    session: i64,
    kept: &Kept,
) -> rusqlite::Result<()> {
    database
        .prepare_cached(
            "INSERT INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            kept.content.bits().to_le_bytes(),
            code(kept.verdict),
            kept.outcome.map(outcome_text),
            kept.took.map(micros),
            session,
            Kept::checked(kept.content, kept.verdict),
        ])?;
    Ok(())
}

/// Writes an improvement, and drops the text before it unless that is worth keeping as a picture on the way.
pub(super) fn write_improvement(
    database: &Connection,
    session: i64,
    improvement: &Improvement,
) -> rusqlite::Result<()> {
    let pictures: Vec<(i64, i64)> = database
        .prepare_cached(
            "SELECT question, bytes FROM improvements WHERE text IS NOT NULL ORDER BY question DESC LIMIT 2",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    if let [(question, bytes), (_, before)] = pictures[..]
        && !is_milestone(before, bytes)
    {
        database
            .prepare_cached("UPDATE improvements SET text = NULL WHERE question = ?1")?
            .execute([question])?;
    }
    let text = improvement.text.as_deref();
    database
        .prepare_cached("INSERT OR REPLACE INTO improvements VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![
            number(improvement.question),
            improvement.content.bits().to_le_bytes(),
            number(improvement.bytes as u64),
            improvement.tokens.map(|tokens| number(tokens as u64)),
            improvement.elapsed.as_secs_f64(),
            session,
            text.filter(|text| text.len() <= LONGEST),
        ])?;
    Ok(())
}

/// Whether a text is so much smaller than the picture before it that it is kept as one too: all pictures together are then no
/// larger than twice the input and 8 MiB.
fn is_milestone(before: i64, bytes: i64) -> bool {
    if before > 1 << 20 {
        bytes <= before / 2
    } else {
        bytes <= before - before / 8
    }
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
