//! The run store: what a run has learned, in a file that outlives it.
//!
//! A run is one property of one input, reduced in one way: its [`Identity`]. Everything known about it is in one SQLite file under
//! `.boildown/`, beside the result; `docs/store.md` describes the file. The same command finds it again and goes on: the search
//! starts from its beginning, and every question that was answered before is answered from the file.
//!
//! 1. [`Place::beside`] takes the place for this process alone.
//! 2. [`Place::find`] looks for the run, or says what differs from the one before.
//! 3. [`Found::tape`] plays back the runs on the input.
//! 4. [`Found::begin`] starts to write.
//!
//! Nobody depends on it: when it cannot be written any more, the run goes on without it.

mod error;
mod find;
mod identity;
mod place;
mod record;
mod schema;
mod surroundings;
mod tape;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use boildown_search::Fingerprint;
use rusqlite::{Connection, OptionalExtension as _};

use crate::{Answer, Outcome, Verdict};
use record::{Kept, read_outcome, read_verdict};
use writer::Writer;

pub use error::StoreError;
pub use find::{Best, Found, News, Start};
pub use identity::Identity;
pub use place::{FOLDER, Place};
pub use record::{Improvement, fingerprint_of};
pub use surroundings::add_surroundings;
pub use tape::Tape;
pub use writer::Ending;

/// What is known of a run, while it goes on. Dropping it writes what is left to write.
#[derive(Debug)]
pub struct RunStore {
    file: PathBuf,
    /// `None` when there is nothing to recall, or it cannot be read.
    reader: Mutex<Option<Connection>>,
    /// Why it cannot be read, until somebody asked.
    unreadable: Mutex<Option<StoreError>>,
    writer: Writer,
    session: i64,
    /// How many improvements are in the file already: those up to this question.
    improved: u64,
    left: Vec<u64>,
}

/// A verdict that was given before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recalled {
    /// The verdict.
    pub verdict: Verdict,
    /// How the run ended that it was read off, if there was one.
    pub outcome: Option<Outcome>,
    /// Whether an earlier session gave it, not this one.
    pub is_earlier: bool,
}

impl RunStore {
    /// Returns the verdict on this content, when it was given before.
    #[must_use]
    pub fn recall(&self, content: Fingerprint) -> Option<Recalled> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        match look_up(reader.as_ref()?, content) {
            Ok(found) => found.map(|(verdict, outcome, session)| Recalled {
                verdict,
                outcome,
                is_earlier: session != self.session,
            }),
            Err(error) => {
                *reader = None;
                let mut unreadable =
                    (self.unreadable.lock()).unwrap_or_else(PoisonError::into_inner);
                *unreadable = Some(StoreError::of("read", &self.file)(error));
                None
            }
        }
    }

    /// Remembers the answer on this content. Returns at once.
    pub fn learn(&self, content: Fingerprint, answer: &Answer) {
        self.writer.verdict(Kept::new(content, answer));
    }

    /// Remembers what is the best now. Returns once it is in the file, so that whatever was ever found in the place of the result is known.
    pub fn improve(&self, improvement: Improvement) {
        if improvement.question > self.improved {
            self.writer.improvement(improvement);
        }
    }

    /// Remembers that a pass was left after so many questions.
    pub fn leave(&self, question: u64) {
        self.writer.leave(question);
    }

    /// Returns after how many questions earlier sessions left a pass, in order.
    #[must_use]
    pub fn left(&self) -> &[u64] {
        &self.left
    }

    /// Remembers how the session ended.
    pub fn end(&self, ending: Ending) {
        self.writer.ending(ending);
    }

    /// Returns why nothing is remembered from now on, once.
    #[must_use]
    pub fn trouble(&self) -> Option<StoreError> {
        let mut unreadable = (self.unreadable.lock()).unwrap_or_else(PoisonError::into_inner);
        unreadable.take().or_else(|| self.writer.trouble())
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// Returns the verdict, how its run ended, and the session that gave it.
fn look_up(reader: &Connection, content: Fingerprint) -> rusqlite::Result<Option<Row>> {
    let found: Option<(i64, Option<String>, i64, i64)> = reader
        .prepare_cached(
            "SELECT verdict, outcome, session, checked FROM verdicts WHERE content = ?1",
        )?
        .query_row([content.bits().to_le_bytes()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    // What is not as it was written was never answered.
    Ok(found.and_then(|(code, outcome, session, checked)| {
        let verdict = read_verdict(code)?;
        let outcome = outcome.as_deref().and_then(read_outcome);
        (Kept::checked(content, verdict) == checked).then_some((verdict, outcome, session))
    }))
}

type Row = (Verdict, Option<Outcome>, i64);
