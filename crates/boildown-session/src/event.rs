//! What a session says while it works.

use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::store::{Ending, RunStore, StoreError};
use boildown_search::flaky::Tally;

use crate::drive::Spent;

/// Something that happened. Every way of showing a session is a consumer of these.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// The search began another pass.
    Pass {
        /// Its name.
        name: &'static str,
    },
    /// There is a new best result; it is on disk already.
    Improved(Progress),
    /// Nothing in particular: a moment to show that time passes.
    Tick(Progress),
    /// Run again, the property did not hold on the best result any more. The search goes on from the last one on which it did.
    Lost {
        /// The size of that one.
        bytes: usize,
        /// How often each candidate is run from now on.
        runs: u32,
    },
    /// From now on nothing is remembered beyond this session.
    Forgetful {
        /// Why.
        why: Arc<StoreError>,
    },
}

/// How far a session has come.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Bytes of the input.
    pub bytes_before: usize,
    /// Bytes of the best result.
    pub bytes: usize,
    /// Tokens of the best result, when the pass at work sees tokens, not lines or bytes.
    pub tokens: Option<usize>,
    /// What it took.
    pub spent: Spent,
    /// Time since the last improvement, or since the beginning.
    pub since_improved: Duration,
}

/// How a session ended.
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    /// The last state of affairs.
    pub progress: Progress,
    /// Why it stopped; `None` when the search finished.
    pub stopped: Option<Stopped>,
    /// Whether the search finished with a sweep that proves its result 1-minimal.
    pub one_minimal: bool,
    /// The runs that made sure of the result, when there were any.
    pub confirmed: Option<Tally>,
    /// Whether the same command would go on from here.
    pub resumable: bool,
}

impl Summary {
    /// Has the store remember how it ended.
    pub(crate) fn remember(&self, store: &RunStore) {
        let spent = self.progress.spent;
        store.end(Ending {
            why: self.stopped.map_or("finished", Stopped::name),
            questions: spent.questions,
            runs: spent.runs,
            recalled: spent.recalled,
            elapsed: spent.elapsed,
        });
    }
}

/// Why a session ended before its search did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody asked for it.
    Interrupted,
    /// The budget of questions is spent.
    Questions,
    /// The time is over.
    Time,
    /// The result is as small as was asked for.
    SmallEnough,
    /// Run again, the property did not hold on the best result any more.
    Lost,
}

impl Stopped {
    /// Returns the reason in a word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Questions => "questions",
            Self::Time => "time",
            Self::SmallEnough => "small enough",
            Self::Lost => "property lost",
        }
    }
}
