//! A thread that writes records in batches, so that no query waits for the disk.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::distrusted::Distrusted;
use super::record::{
    Improvement, RejectedOutput, StartedPass, VerdictRecord, code, micros, outcome_text,
};
use super::{EndReason, SealKey, StoreError, provenance, watched_files};

/// The longest time that a record waits to be written.
const MAX_DELAY: Duration = Duration::from_millis(250);

/// The number of verdicts with which a batch is written at once.
const FULL_BATCH: usize = 1 << 12;

/// The maximum number of waiting verdicts. When the disk hangs, further verdicts are dropped,
/// because testing a candidate again costs less than unlimited memory.
const MAX_WAITING: usize = 1 << 18;

/// The maximum size of a text that is stored, in bytes.
const MAX_TEXT: usize = 256 << 20;

/// The number of rejected candidates whose output is stored: the last ones.
const MAX_OUTPUTS: u64 = 1 << 13;

/// The handle of the writing thread. Dropping it writes all waiting records.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    /// `None` once it has been waited for.
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Signalled when there is something to write, or the batch became urgent.
    wake: Condvar,
    /// Signalled when a batch was written, or writing has failed.
    written: Condvar,
}

#[derive(Debug, Default)]
struct State {
    batch: Batch,
    /// The number of records pushed so far.
    pushed: u64,
    /// The number of these records that are in the file.
    committed: u64,
    /// The number of the last verdict. Numbers increase over the sessions of a run.
    last_verdict: u64,
    /// The number of the last confirmed verdict; `None` if verdicts need not be confirmed.
    confirmed: Option<u64>,
    /// The number of verdicts that were removed.
    forgotten: u64,
    /// Whether a thread waits for the batch to be written.
    is_urgent: bool,
    /// Whether the handle is being dropped.
    is_closing: bool,
    /// Whether writing has failed. Nothing is written any more then.
    is_broken: bool,
    /// The error of writing, until [`Writer::take_error`] returns it.
    error: Option<StoreError>,
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    verdicts: Vec<VerdictRecord>,
    /// Whether unconfirmed verdicts are to be removed.
    forgets: bool,
    /// Whether the run begins again, without these verdicts. Comes before all records.
    starts_over: Option<Distrusted>,
    improvements: Vec<Improvement>,
    /// The queries after which a pass was skipped.
    pub(super) skipped_passes: Vec<u64>,
    outputs: Vec<RejectedOutput>,
    pub(super) passes: Vec<StartedPass>,
    /// Files that runs write, so that they are not watched any longer.
    pub(super) written_files: Vec<String>,
    /// The first and the last event of the session: the name and the JSON.
    pub(super) ends: Vec<(&'static str, String)>,
    ending: Option<Ending>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// The reason.
    pub why: EndReason,
    /// The number of queries of the search that were answered.
    pub queries: u64,
    /// The number of runs of the oracle.
    pub runs: u64,
    /// The number of queries that were answered from the store.
    pub recalled: u64,
    /// The duration of the session.
    pub elapsed: Duration,
}

impl Shared {
    /// Waits until the batch is in the file, or writing has failed.
    fn write_now<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.pushed += 1;
        let mine = state.pushed;
        state.is_urgent = true;
        self.wake.notify_one();
        while state.committed < mine && !state.is_broken {
            state = (self.written.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Starts the thread for one session. The database has to have its tables.
    pub(super) fn start(start: WriterStart) -> Self {
        let shared = Arc::new(Shared::default());
        shared.lock().last_verdict = start.last_verdict;
        let for_thread = Arc::clone(&shared);
        let path = start.file.clone();
        let thread = std::thread::Builder::new().spawn(move || work(&for_thread, start));
        let thread = thread.map_err(|source| {
            // Without it nothing is remembered, and the search continues.
            let mut state = shared.lock();
            state.is_broken = true;
            state.error = Some(StoreError::unusable("write", &path, source));
        });
        Self {
            shared,
            thread: Mutex::new(thread.ok()),
        }
    }

    pub(super) fn verdict(&self, record: VerdictRecord, output: Option<RejectedOutput>) {
        let mut state = self.shared.lock();
        if state.is_broken || state.batch.verdicts.len() >= MAX_WAITING {
            return;
        }
        state.batch.outputs.extend(output);
        state.pushed += 1;
        state.last_verdict += 1;
        state.batch.verdicts.push(record);
        // The thread wakes for the first verdict, and then waits until the batch is full or old.
        if state.batch.verdicts.len() == 1 || state.batch.verdicts.len() == FULL_BATCH {
            self.shared.wake.notify_one();
        }
    }

    /// Returns once the improvement and all earlier records are in the file, or writing has failed.
    pub(super) fn improvement(&self, improvement: Improvement) {
        let mut state = self.shared.lock();
        if state.is_broken {
            return;
        }
        state.batch.improvements.push(improvement);
        drop(self.shared.write_now(state));
    }

    pub(super) fn recorded(&self) -> u64 {
        let mut state = self.shared.lock();
        // What earlier sessions left unconfirmed stays so until a run hits.
        state.confirmed.get_or_insert(0);
        state.last_verdict
    }

    pub(super) fn confirm(&self, verdicts: u64) {
        let mut state = self.shared.lock();
        state.confirmed = state.confirmed.max(Some(verdicts));
    }

    /// Returns once the verdicts are removed from the file, or writing has failed.
    pub(super) fn forget_unconfirmed(&self) -> u64 {
        let mut state = self.shared.lock();
        if state.is_broken {
            return 0;
        }
        let before = state.forgotten;
        state.batch.forgets = true;
        self.shared.write_now(state).forgotten - before
    }

    /// Returns once what earlier sessions found is removed from the file, or writing has failed.
    /// Returns the number of verdicts among it.
    pub(super) fn start_over(&self, distrusted: Distrusted) -> u64 {
        let mut state = self.shared.lock();
        if state.is_broken {
            return 0;
        }
        // What is in the file later than this batch belongs to the new beginning.
        state = self.shared.write_now(state);
        let before = state.forgotten;
        state.batch.starts_over = Some(distrusted);
        self.shared.write_now(state).forgotten - before
    }

    /// Adds something to the next batch.
    pub(super) fn add(&self, add: impl FnOnce(&mut Batch)) {
        let mut state = self.shared.lock();
        if !state.is_broken {
            state.pushed += 1;
            add(&mut state.batch);
            self.shared.wake.notify_one();
        }
    }

    pub(super) fn ending(&self, ending: Ending) {
        let mut state = self.shared.lock();
        state.pushed += 1;
        state.batch.ending = Some(ending);
    }

    /// Closes the file. Nothing is written any more then; [`take_error`](Self::take_error) returns
    /// the reason.
    pub(super) fn give_up(&self, reason: StoreError) {
        let mut state = self.shared.lock();
        state.is_broken = true;
        state.batch = Batch::default();
        drop(state);
        self.shared.written.notify_all();
        self.close();
        self.shared.lock().error = Some(reason);
    }

    /// Writes the waiting records, and closes the file.
    fn close(&self) {
        self.shared.lock().is_closing = true;
        self.shared.wake.notify_one();
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // A panic has been printed. Candidates without a record are tested again next time.
            thread.join().ok();
        }
    }

    /// Returns the error of writing, once.
    pub(super) fn take_error(&self) -> Option<StoreError> {
        self.shared.lock().error.take()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

/// What the thread writes to, and as what.
pub(super) struct WriterStart {
    pub(super) database: Connection,
    pub(super) file: PathBuf,
    pub(super) session: i64,
    /// The largest number of an unconfirmed verdict in the file.
    pub(super) last_verdict: u64,
    /// The key of the user, with which the file is sealed.
    pub(super) key: Option<SealKey>,
}

/// Writes batches until the handle is dropped or writing fails.
fn work(shared: &Shared, mut start: WriterStart) {
    loop {
        let next = next_batch(shared);
        let written = write(&mut start, &next);
        let mut state = shared.lock();
        match written {
            Ok(forgotten) => {
                state.committed = next.last_record;
                state.forgotten += forgotten;
            }
            Err(error) => {
                state.error = Some(StoreError::from_database("write", &start.file)(error));
                state.is_broken = true;
                state.batch = Batch::default();
            }
        }
        let is_end = next.is_last || state.is_broken;
        drop(state);
        shared.written.notify_all();
        if is_end {
            return;
        }
    }
}

/// Waits until a batch has to be written: it is full, old or urgent, or the handle is being
/// dropped.
fn next_batch(shared: &Shared) -> NextBatch {
    let mut state = shared.lock();
    while state.pushed == state.committed && !state.is_closing {
        state = (shared.wake.wait(state)).unwrap_or_else(PoisonError::into_inner);
    }
    let since = Instant::now();
    while !state.is_urgent && !state.is_closing && state.batch.verdicts.len() < FULL_BATCH {
        let left = MAX_DELAY.saturating_sub(since.elapsed());
        if left.is_zero() {
            break;
        }
        let waited = shared.wake.wait_timeout(state, left);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    state.is_urgent = false;
    NextBatch {
        batch: std::mem::take(&mut state.batch),
        last_record: state.pushed,
        last_verdict: state.last_verdict,
        confirmed: state.confirmed,
        is_last: state.is_closing,
    }
}

/// A batch to write.
struct NextBatch {
    batch: Batch,
    /// The number of its last record.
    last_record: u64,
    /// The number of its last verdict.
    last_verdict: u64,
    /// The number of the last confirmed verdict; `None` if verdicts need not be confirmed.
    confirmed: Option<u64>,
    /// Whether no batch follows.
    is_last: bool,
}

/// Writes a batch. Returns how many verdicts it removes.
fn write(start: &mut WriterStart, next: &NextBatch) -> rusqlite::Result<u64> {
    let session = start.session;
    let transaction = start.database.transaction()?;
    let batch = &next.batch;
    let removed = match batch.starts_over {
        Some(distrusted) => remove_earlier(&transaction, session, distrusted)?,
        None => 0,
    };
    for record in &batch.verdicts {
        write_verdict(&transaction, session, record)?;
    }
    let forgotten = match next.confirmed {
        Some(confirmed) => write_confirmations(&transaction, next, confirmed)?,
        None => 0,
    };
    for improvement in &batch.improvements {
        write_improvement(&transaction, session, improvement)?;
    }
    write_outputs(&transaction, &batch.outputs)?;
    for pass in &batch.passes {
        transaction
            .prepare_cached("INSERT OR REPLACE INTO passes VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![
                number(pass.query),
                pass.name,
                pass.elapsed.as_secs_f64(),
                session
            ])?;
    }
    watched_files::forget(&transaction, &batch.written_files)?;
    for (event, json) in &batch.ends {
        transaction.execute(
            "INSERT OR REPLACE INTO ends VALUES (?1, ?2, ?3)",
            params![session, event, json],
        )?;
    }
    for &query in &batch.skipped_passes {
        transaction.execute(
            "INSERT INTO leaves (question, session) VALUES (?1, ?2)",
            params![number(query), session],
        )?;
    }
    if let Some(ending) = batch.ending {
        transaction.execute(
            "UPDATE sessions SET ending = ?2, questions = ?3, runs = ?4, recalled = ?5, seconds = ?6 WHERE id = ?1",
            params![
                session,
                ending.why.name(),
                number(ending.queries),
                number(ending.runs),
                number(ending.recalled),
                ending.elapsed.as_secs_f64(),
            ],
        )?;
    }
    let changes_sealed = !batch.improvements.is_empty() || !batch.ends.is_empty();
    if let Some(key) = start.key.as_ref().filter(|_| changes_sealed) {
        provenance::seal(&transaction, key)?;
    }
    transaction.commit()?;
    Ok(forgotten + removed)
}

/// Removes what earlier sessions found, and the improvements of this one. Returns the number of
/// verdicts among it.
fn remove_earlier(
    database: &Connection,
    session: i64,
    distrusted: Distrusted,
) -> rusqlite::Result<u64> {
    database.execute("DELETE FROM improvements WHERE question > 0", [])?;
    database.execute("DELETE FROM passes", [])?;
    database.execute("DELETE FROM leaves", [])?;
    if distrusted == Distrusted::OfOthers {
        return Ok(0);
    }
    let of_earlier = "DELETE FROM verdicts WHERE session <> ?1";
    Ok(database.execute(of_earlier, [session])? as u64)
}

/// Writes outputs in the places of the oldest ones.
fn write_outputs(database: &Connection, outputs: &[RejectedOutput]) -> rusqlite::Result<()> {
    if outputs.is_empty() {
        return Ok(());
    }
    let last: i64 =
        database.query_row("SELECT coalesce(max(number), 0) FROM outputs", [], |row| {
            row.get(0)
        })?;
    for (next, output) in (last + 1..).zip(outputs) {
        database
            .prepare_cached("INSERT OR REPLACE INTO outputs VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![
                next.rem_euclid(number(MAX_OUTPUTS)),
                next,
                output.content.bits().to_le_bytes(),
                output.lines,
            ])?;
    }
    Ok(())
}

/// Writes which verdicts are not confirmed, and removes them if the batch says so. Returns how many
/// were removed.
fn write_confirmations(
    database: &Connection,
    next: &NextBatch,
    confirmed: u64,
) -> rusqlite::Result<u64> {
    database
        .prepare_cached("DELETE FROM unconfirmed WHERE number <= ?1")?
        .execute([number(confirmed)])?;
    let first = next.last_verdict + 1 - next.batch.verdicts.len() as u64;
    let numbered = (first..).zip(&next.batch.verdicts);
    for (verdict, record) in numbered.filter(|(verdict, _)| *verdict > confirmed) {
        database
            .prepare_cached("INSERT OR REPLACE INTO unconfirmed VALUES (?1, ?2)")?
            .execute(params![
                number(verdict),
                record.content.bits().to_le_bytes()
            ])?;
    }
    if !next.batch.forgets {
        return Ok(0);
    }
    forget_unconfirmed(database)
}

/// Removes all verdicts that are not confirmed. Returns how many.
pub(super) fn forget_unconfirmed(database: &Connection) -> rusqlite::Result<u64> {
    let forgotten = database.execute(
        "DELETE FROM verdicts WHERE content IN (SELECT content FROM unconfirmed)",
        [],
    )?;
    database.execute("DELETE FROM unconfirmed", [])?;
    Ok(forgotten as u64)
}

/// Writes a verdict, unless the file has one on this content, which the search has used.
pub(super) fn write_verdict(
    database: &Connection,
    session: i64,
    record: &VerdictRecord,
) -> rusqlite::Result<()> {
    database
        .prepare_cached(
            "INSERT INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            record.content.bits().to_le_bytes(),
            code(record.verdict),
            record.outcome.map(outcome_text),
            record.took.map(micros),
            session,
            VerdictRecord::checksum(record.content, record.verdict),
        ])?;
    Ok(())
}

/// Writes an improvement. Removes the text of the previous one unless it is a milestone.
pub(super) fn write_improvement(
    database: &Connection,
    session: i64,
    improvement: &Improvement,
) -> rusqlite::Result<()> {
    let stored_texts: Vec<(i64, i64)> = database
        .prepare_cached(
            "SELECT question, bytes FROM improvements WHERE text IS NOT NULL ORDER BY question DESC LIMIT 2",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    if let [(query, bytes), (_, before)] = stored_texts[..]
        && !is_milestone(before, bytes)
    {
        database
            .prepare_cached("UPDATE improvements SET text = NULL WHERE question = ?1")?
            .execute([query])?;
    }
    let text = improvement.text.as_deref();
    database
        .prepare_cached("INSERT OR REPLACE INTO improvements VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![
            number(improvement.query),
            improvement.content.bits().to_le_bytes(),
            number(improvement.bytes as u64),
            improvement.tokens.map(|tokens| number(tokens as u64)),
            improvement.elapsed.as_secs_f64(),
            session,
            text.filter(|text| text.len() <= MAX_TEXT),
        ])?;
    Ok(())
}

/// Returns whether a text is so much smaller than the stored one before it that it is kept as a
/// milestone. All milestones together are at most twice as large as the input, plus 8 MiB.
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
