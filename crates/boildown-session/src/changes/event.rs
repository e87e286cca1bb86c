//! What a search for changes says while it works, and what it comes to.

use std::sync::Arc;

use boildown_changes::{Commit, Configuration, Layer, Stat};
use boildown_oracle::store::StoreError;
use boildown_oracle::{Run, Verdict};

use super::phase::Tally;
use super::rule::Reason;
use crate::Stopped;

/// Something that happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ChangesEvent {
    /// A run of one of the two states, before the search.
    Baseline {
        /// Which: the one that works, or the other.
        good: bool,
        /// What happened.
        run: Run,
    },
    /// The history between the two states is known: so many steps.
    History {
        /// From state to state.
        steps: usize,
    },
    /// History alone says no more: it happens between these two.
    Narrowed {
        /// The last state that is known to be good.
        passing: String,
        /// The first one that is known to be bad.
        failing: String,
        /// The commits between them.
        commits: Vec<Commit>,
        /// What it took so far.
        tally: Tally,
    },
    /// What is left after a level was searched.
    Level {
        /// Of what the level is made.
        layer: Layer,
        /// How many there were and are left.
        before: usize,
        /// How many are left.
        left: usize,
        /// What it took so far.
        tally: Tally,
        /// The files without what is left.
        old: Configuration,
        /// The files with what is left, and no other change: these are bad.
        new: Configuration,
    },
    /// The culprit does nothing without something older; it is looked for.
    Older {
        /// The last state on which the culprit alone does nothing.
        passing: String,
        /// The first one on which it breaks.
        failing: String,
    },
    /// The states are what they were said to be only when the command may write to more.
    Loosened(Loosened),
    /// From now on nothing is remembered beyond this session.
    Forgetful {
        /// Why.
        why: Arc<StoreError>,
    },
    /// Nothing in particular.
    Progress(Tally),
}

/// What a command is allowed in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loosened {
    /// To write temporary files where everybody's are.
    Temporary,
    /// Everything: there is no sandbox.
    Everything,
}

/// How many there are of each layer.
pub type Counts = Vec<(Layer, usize)>;

/// What was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The state that the patch applies to.
    pub base: String,
    /// Whether that is the good state as the user gave it.
    pub base_is_good: bool,
    /// The files of the base.
    pub before: Configuration,
    /// The files of the base with the culprit.
    pub after: Configuration,
    /// How much the culprit changes.
    pub stat: Stat,
    /// How many of each layer it holds, from the coarsest.
    pub counts: Counts,
    /// The commits that it comes from, the oldest first; none when there is no history.
    pub commits: Vec<Commit>,
    /// Whether it undoes those commits: on the way from good to bad they are left behind.
    pub undone: bool,
    /// What a run in a fresh tree said of the culprit alone.
    pub confirmed: Trial,
    /// What the culprit does on the good state, when the patch applies to another one.
    pub on_good: Option<Trial>,
    /// What the bad state does without the culprit.
    pub repair: Trial,
    /// What happens without each of its parts, when it has several.
    pub parts: Vec<Part>,
    /// How the culprit's run failed.
    pub run: Option<Run>,
    /// Why the search was stopped, if it was.
    pub stopped: Option<Stopped>,
    /// What it took.
    pub tally: Tally,
    /// Files of trees that commands changed or removed; they were put back.
    pub restored: u64,
}

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// What it means.
    pub verdict: Verdict,
    /// Why nobody can tell.
    pub reason: Option<Reason>,
}

/// A part of the culprit.
#[derive(Debug, Clone)]
pub struct Part {
    /// Where it is: a file, and a line of it when there is one.
    pub place: String,
    /// What happens without it: it passes, or nobody can tell.
    pub without: Verdict,
}
