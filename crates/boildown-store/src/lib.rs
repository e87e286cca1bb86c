//! The run store: the verdicts of a run in a file, from which a later session resumes.
//!
//! A *run* is the reduction of one input with one property and one set of options: its
//! [`Identity`]. Everything known about it is in one SQLite file under `.boildown/`, beside the
//! result; `docs/reference/store.md` describes the file. When the same command is started again, it
//! finds the file and resumes: the search starts from its beginning, and every query that was
//! answered before is answered from the file.
//!
//! 1. [`StoreFolder::beside`] locks the folder for this process.
//! 2. [`StoreFolder::find`] looks for the run, and reports what differs from the previous one.
//! 3. [`StoredRun::recording`] replays the baseline runs.
//! 4. [`StoredRun::begin`] starts a session, which writes to the [`RunStore`].
//!
//! A session never needs the store: when the store cannot be written any more, the session
//! continues without it.
//!
//! # Example
//! Open a store, learn a verdict, and recall it in a later session:
//! ```
//! use std::time::Duration;
//!
//! use boildown_oracle::{Answer, Verdict};
//! use boildown_store::{
//!     Identity, Improvement, Provenance, ResumeStatus, RunDescription, StoreFolder,
//!     fingerprint_of,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let input = b"the whole input";
//! let mut identity = Identity::default();
//! identity.add("the command", "/src/test.sh {}");
//! identity.add_hash("the input", input);
//! let description = RunDescription {
//!     name: "in.txt",
//!     input: Improvement {
//!         query: 0,
//!         content: fingerprint_of(input),
//!         bytes: input.len(),
//!         tokens: Some(3),
//!         elapsed: Duration::ZERO,
//!         text: Some(input[..].into()),
//!     },
//!     property: "the test exits with 0".to_owned(),
//!     flags: "--exit 0".to_owned(),
//!     time_limit: Duration::from_secs(5),
//!     version: "0.1.0",
//!     choices: &[],
//!     provenance: Provenance::default(),
//! };
//!
//! let folder = StoreFolder::beside(&dir.path().join("in.min.txt"))?;
//! let (run, status) = folder.find(identity.clone())?;
//! assert!(matches!(status, ResumeStatus::FirstRun));
//! let store = run.begin(&folder, &description)?;
//! let candidate = fingerprint_of(b"the input");
//! store.learn(candidate, &Answer { verdict: Verdict::Interesting, run: None });
//! drop(store);
//!
//! let (run, status) = folder.find(identity)?;
//! assert!(matches!(status, ResumeStatus::Resumed { verdicts: 1 }));
//! let store = run.begin(&folder, &description)?;
//! let recalled = store.recall(candidate).expect("the verdict is in the file");
//! assert_eq!(recalled.verdict, Verdict::Interesting);
//! assert!(recalled.is_earlier);
//! # Ok(())
//! # }
//! ```

mod choice;
mod content_filter;
mod details;
mod distrusted;
mod end_reason;
mod error;
mod file_state;
mod history;
mod identity;
mod input_runs;
mod known_results;
mod known_verdicts;
mod last_session;
mod provenance;
mod record;
mod recording;
mod schema;
mod store_folder;
mod stored_run;
mod surroundings;
mod watched_files;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use boildown_search::Fingerprint;
use rusqlite::{Connection, OptionalExtension as _};

use boildown_exec::remove_tree;
use boildown_oracle::{Answer, Outcome, Verdict};
use content_filter::ContentFilter;
use record::{RejectedOutput, VerdictRecord, read_outcome, read_verdict};
use watched_files::WatchedFiles;
use writer::Writer;

pub use details::SessionDetails;
pub use distrusted::Distrusted;
pub use end_reason::EndReason;
pub use error::StoreError;
pub use history::{RunHistory, StoredImprovement};
pub use identity::Identity;
pub use input_runs::InputRuns;
pub use known_results::KnownResults;
pub use known_verdicts::{KnownStatus, KnownVerdicts};
pub use last_session::LastSession;
pub use provenance::{Provenance, SealKey, access_of_store, is_sealed};
pub use record::{Improvement, StartedPass, fingerprint_of};
pub use recording::BaselineRecording;
pub use store_folder::{FOLDER, StoreFolder};
pub use stored_run::{ResumeStatus, ResumedBest, RunDescription, StoredRun};
pub use surroundings::{
    IdentifiedFile, add_surroundings, add_surroundings_from, mentioned_variables,
};
pub use writer::Ending;

/// The store of a run during a session. Dropping it writes all pending records.
#[derive(Debug)]
pub struct RunStore {
    file: PathBuf,
    /// `None` after the file could not be read.
    reader: Mutex<Option<Connection>>,
    /// Which candidates may have a verdict in the file.
    filter: ContentFilter,
    /// The error of reading, until [`take_error`](Self::take_error) returns it.
    read_error: Mutex<Option<StoreError>>,
    writer: Writer,
    /// The number of this session in the file.
    session: i64,
    /// Verdicts from the stores of others.
    known: Vec<KnownVerdicts>,
    /// Whether the verdicts of others are not used any more.
    known_are_left_out: AtomicBool,
    /// Whether the session has started over, without what earlier ones found.
    has_started_over: AtomicBool,
    /// The query of the last improvement in the file when the session began. Earlier improvements
    /// are found again and not written again.
    last_improvement: u64,
    /// The largest query of an improvement in the file.
    largest_query: AtomicU64,
    /// The query of the last pass in the file when the session began.
    last_pass: Option<u64>,
    /// The queries after which earlier sessions skipped a pass, in order.
    skipped_passes: Vec<u64>,
    /// Whether the session before this one ran to its end.
    has_finished: bool,
    watched: WatchedFiles,
}

/// A verdict from the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recalled {
    /// The verdict.
    pub verdict: Verdict,
    /// The outcome of the run that the verdict was derived from, if there was one.
    pub outcome: Option<Outcome>,
    /// Whether the verdict was recorded by an earlier session.
    pub is_earlier: bool,
    /// Whether the verdict is from the store of another run, and not in the file.
    pub is_of_others: bool,
}

impl RunStore {
    /// Adds verdicts from the store of another session. They are not written to the file.
    #[must_use]
    pub fn with_known(mut self, known: impl IntoIterator<Item = KnownVerdicts>) -> Self {
        self.known.extend(known);
        self
    }

    /// Returns the verdict on the candidate with this content, if it is in the file or known from
    /// another session.
    ///
    /// If the file cannot be read, nothing of it is known from then on; see
    /// [`take_error`](Self::take_error).
    pub fn recall(&self, content: Fingerprint) -> Option<Recalled> {
        self.recall_own(content).or_else(|| {
            let known = self.known.iter().filter(|_| self.uses_known());
            let (verdict, outcome) = known.into_iter().find_map(|known| known.get(content))?;
            Some(Recalled {
                verdict,
                outcome,
                is_earlier: true,
                is_of_others: true,
            })
        })
    }

    /// Returns whether verdicts from the stores of other runs are used.
    pub fn uses_known(&self) -> bool {
        !self.known.is_empty() && !self.known_are_left_out.load(Ordering::Relaxed)
    }

    fn recall_own(&self, content: Fingerprint) -> Option<Recalled> {
        if !self.filter.may_have(content) {
            return None;
        }
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        match look_up(reader.as_ref()?, content) {
            Ok(found) => found.map(|stored| Recalled {
                verdict: stored.verdict,
                outcome: stored.outcome,
                is_earlier: stored.session != self.session,
                is_of_others: false,
            }),
            Err(error) => {
                *reader = None;
                let mut read_error =
                    (self.read_error.lock()).unwrap_or_else(PoisonError::into_inner);
                *read_error = Some(StoreError::from_database("read", &self.file)(error));
                None
            }
        }
    }

    /// Records the answer on the candidate with this content. Returns at once; the record is
    /// written later.
    pub fn learn(&self, content: Fingerprint, answer: &Answer) {
        self.filter.add(content);
        let output = RejectedOutput::new(content, answer);
        (self.writer).verdict(VerdictRecord::new(content, answer), output);
    }

    /// Returns the number of verdicts recorded so far. From the first call on, verdicts have to be
    /// [confirmed](Self::confirm).
    pub fn recorded(&self) -> u64 {
        self.writer.recorded()
    }

    /// Confirms the first `verdicts` verdicts: the property held in a run that began after they
    /// were recorded, so they were found in an intact environment.
    pub fn confirm(&self, verdicts: u64) {
        self.writer.confirm(verdicts);
    }

    /// Removes all verdicts that were not confirmed, of this session and of earlier ones. Returns
    /// how many, once they are not in the file any more.
    pub fn forget_unconfirmed(&self) -> u64 {
        self.writer.forget_unconfirmed()
    }

    /// Records the best result so far. Returns once it is in the file, so the file knows every
    /// content that the result file has ever had.
    pub fn improve(&self, improvement: Improvement) {
        if improvement.query > self.resumed_to() {
            self.write(improvement);
        }
    }

    /// Records a result that takes the place of all before it, though the search may have received
    /// fewer verdicts than at one of them: an earlier result turned out to be wrong, or the search
    /// started again. The next session begins with it.
    pub fn supersede(&self, improvement: Improvement) {
        let next = self.largest_query.load(Ordering::Relaxed) + 1;
        let query = improvement.query.max(next);
        self.write(Improvement {
            query,
            ..improvement
        });
    }

    fn write(&self, improvement: Improvement) {
        (self.largest_query).fetch_max(improvement.query, Ordering::Relaxed);
        // Before the improvement, which is then in the file with it.
        let written = self.watched.take_changed();
        if !written.is_empty() {
            self.writer.add(|batch| batch.written_files.extend(written));
        }
        self.writer.improvement(improvement);
    }

    /// Returns the query of the last improvement of the earlier sessions that this one repeats.
    fn resumed_to(&self) -> u64 {
        match self.has_started_over() {
            true => 0,
            false => self.last_improvement,
        }
    }

    fn has_started_over(&self) -> bool {
        self.has_started_over.load(Ordering::Relaxed)
    }

    /// Begins the run again: removes all improvements except the input, and the verdicts that a run
    /// has shown to be wrong now, with all of the same origin. Returns the number of these
    /// verdicts, once they are not in the file any more.
    pub fn start_over(&self, distrusted: Distrusted) -> u64 {
        self.has_started_over.store(true, Ordering::Relaxed);
        let left_out = self.uses_known().then_some(&self.known);
        let known = left_out.into_iter().flatten().map(KnownVerdicts::count);
        let known: usize = known.sum();
        self.known_are_left_out.store(true, Ordering::Relaxed);
        let removed = self.writer.start_over(distrusted);
        // Improvements from now on have queries from 1 on.
        self.largest_query.store(0, Ordering::Relaxed);
        removed + known as u64
    }

    /// Records that a pass was skipped after this query.
    pub fn skip_pass(&self, query: u64) {
        self.writer.add(|batch| batch.skipped_passes.push(query));
    }

    /// Records that a pass started, unless an earlier session has.
    pub fn start_pass(&self, pass: StartedPass) {
        let last = self.last_pass.filter(|_| !self.has_started_over());
        if last.is_none_or(|last| pass.query > last) {
            self.writer.add(|batch| batch.passes.push(pass));
        }
    }

    /// Records the first or the last event of the session, as JSON. Replaces one of this name.
    pub fn record_event(&self, name: &'static str, json: String) {
        self.writer.add(|batch| batch.ends.push((name, json)));
    }

    /// Returns the queries after which earlier sessions skipped a pass, in order.
    pub fn skipped_passes(&self) -> &[u64] {
        match self.has_started_over() {
            true => &[],
            false => &self.skipped_passes,
        }
    }

    /// Returns whether the session before this one ran to its end, which confirmed its result.
    pub fn has_finished(&self) -> bool {
        self.has_finished
    }

    /// Records how the session ended.
    pub fn end(&self, ending: Ending) {
        self.writer.ending(ending);
    }

    /// Removes the store if that makes room for a result of this size: a result is worth more than
    /// the verdicts that led to it. Returns whether it was removed.
    pub fn make_room_for(&self, bytes: usize) -> bool {
        let files = ["-wal", "-shm", ""].map(|suffix| {
            let mut path = self.file.clone().into_os_string();
            path.push(suffix);
            PathBuf::from(path)
        });
        let sizes = files
            .iter()
            .map(|file| Some(file.symlink_metadata().ok()?.len()));
        if sizes.flatten().sum::<u64>() <= bytes as u64 {
            return false;
        }
        *(self.reader.lock()).unwrap_or_else(PoisonError::into_inner) = None;
        let path = self.file.clone();
        self.writer.give_up(StoreError::GivenUp { path });
        let removed = files
            .iter()
            .filter(|file| file.symlink_metadata().is_ok() && remove_tree(file).is_ok());
        removed.count() > 0
    }

    /// Returns, once, the error because of which nothing is read or written any more.
    pub fn take_error(&self) -> Option<StoreError> {
        let mut read_error = (self.read_error.lock()).unwrap_or_else(PoisonError::into_inner);
        read_error.take().or_else(|| self.writer.take_error())
    }

    /// Returns the path of the file.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// Reads a verdict from the database.
fn look_up(reader: &Connection, content: Fingerprint) -> rusqlite::Result<Option<StoredVerdict>> {
    let found: Option<(i64, Option<String>, i64, i64)> = reader
        .prepare_cached(
            "SELECT verdict, outcome, session, checked FROM verdicts WHERE content = ?1",
        )?
        .query_row([content.bits().to_le_bytes()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    // A row with a wrong checksum is damaged, and is treated as missing.
    Ok(found.and_then(|(code, outcome, session, checksum)| {
        let verdict = read_verdict(code)?;
        let outcome = outcome.as_deref().and_then(read_outcome);
        (VerdictRecord::checksum(content, verdict) == checksum).then_some(StoredVerdict {
            verdict,
            outcome,
            session,
        })
    }))
}

/// A row of the table of verdicts.
struct StoredVerdict {
    verdict: Verdict,
    outcome: Option<Outcome>,
    /// The session that recorded it.
    session: i64,
}
