//! The events that the model of the view takes.

use std::sync::Arc;
use std::time::Duration;

use crate::step_history::StepRow;

/// Something that happened in a session, or that was measured of it.
#[derive(Debug, Clone)]
pub enum ViewEvent {
    /// The search begins.
    Started(SessionFacts),
    /// The search began another pass.
    PassStarted(&'static str),
    /// The search received a verdict: whether the candidate was interesting.
    Tested(Measured, bool),
    /// There is a new best test case.
    Improved(Measured, Arc<[u8]>),
    /// Time passed.
    Progress(Measured),
    /// The search is on its way to its next test.
    Planning(Measured),
    /// The user waits for this.
    Working(String),
    /// A note or a warning.
    Note(String),
    /// The secondary failures so far, the most important first.
    Failures(Vec<FailureRow>),
    /// The results that are stored, the input first.
    Steps(Vec<StepRow>),
    /// The texts before and after the step to a result; `None` if one is not stored.
    StepTexts(usize, Option<[Arc<[u8]>; 2]>),
    /// What each worker runs.
    Workers(Vec<WorkerRow>),
    /// The last lines that the command printed on the best test case; `None` if it did not run on
    /// it yet.
    Output(Option<Arc<[u8]>>),
    /// Whether the workers wait for the user to continue.
    Paused(bool),
}

/// What does not change during a session.
#[derive(Debug, Clone, Default)]
pub struct SessionFacts {
    /// The input, as the user named it.
    pub input: String,
    /// The file with the best result.
    pub output: String,
    /// The language of the input, if it is known.
    pub language: Option<String>,
    /// The size of the input, in bytes.
    pub bytes: u64,
    /// The input.
    pub original: Arc<[u8]>,
    /// The command that fails on the result, for a shell.
    pub command: String,
    /// The property that is preserved.
    pub property: String,
    /// Whether another failure can be reduced next.
    pub can_switch: bool,
    /// Whether the reduction can continue from an earlier result.
    pub can_restart: bool,
}

/// The state of a session at some moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measured {
    /// Time since the beginning.
    pub elapsed: Duration,
    /// Verdicts that the search received.
    pub tests: u64,
    /// Verdicts that came from earlier sessions.
    pub recalled: u64,
    /// Executions of the command.
    pub runs: u64,
    /// Bytes of the best result.
    pub bytes: u64,
    /// Tokens of the best result, if the pass at work counts them.
    pub tokens: Option<u64>,
    /// Time since the last improvement.
    pub since_improved: Duration,
    /// About how many tests there are until the end, if none of them is interesting.
    pub tests_left: Option<u64>,
}

/// Candidates that fail in another way than the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureRow {
    /// The name that stands for the failure on a command line; `None` for that of the input.
    pub name: Option<String>,
    /// The signature of the failure, if it is known.
    pub signature: String,
    /// The file with the smallest of them.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// The number of runs that failed in this way.
    pub runs: u64,
}

/// What a worker does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerRow {
    /// The time since its run began; `None` while it waits for a candidate.
    pub running: Option<Duration>,
    /// The size of the candidate, in bytes.
    pub bytes: u64,
    /// What the candidate was made of: the best test case when its run began.
    pub base: Arc<[u8]>,
    /// The bytes of it that the candidate lacks, from the first to the last; `None` when they were
    /// not computed.
    pub lacks: Option<std::ops::Range<usize>>,
}
