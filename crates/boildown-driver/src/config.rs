//! Options of a drive, and the memory of verdicts that it may use.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::{Answer, Interrupt, InterruptCause, Verdict};
use boildown_search::Fingerprint;

use crate::budget::{Budget, StopReason};

/// Options of a drive.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The number of candidates that are run at the same time; 0 means 1. Changes the time, never
    /// the result.
    pub jobs: usize,
    /// How many of these are run on other machines, and do not use the processors of this one.
    pub jobs_elsewhere: usize,
    /// The limits at which to stop before the search has finished.
    pub budget: Budget,
    /// Stops the drive from another thread. Without one, only the budget stops it early.
    pub interrupt: Option<Interrupt>,
    /// Answers that are known already. New answers are recorded there.
    pub memory: Option<Arc<dyn VerdictMemory>>,
    /// Decides whether interesting candidates count, in the order of the search.
    pub review: Option<Arc<dyn VerdictReview>>,
    /// Reads how the processors of this machine are used, if that is known. With it, fewer
    /// candidates than `jobs` are run at a time while they keep all processors busy.
    pub processor_use: Option<ReadProcessorUse>,
}

/// A reading of how the processors are used.
pub type ReadProcessorUse = fn() -> Option<ProcessorUse>;

/// How the processors of this machine are used.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessorUse {
    /// The processor time of all runs on this machine that have ended.
    pub runs: Duration,
    /// The processor time of this process.
    pub own: Duration,
    /// The tasks of all programs, except the reading thread, that now have a processor or wait for
    /// one, for each processor of the machine.
    pub queue: f64,
}

impl Config {
    /// Returns why the drive has to stop, if its handle was triggered.
    pub(crate) fn interruption(&self) -> Option<StopReason> {
        Some(match self.interrupt.as_ref()?.cause()? {
            InterruptCause::Asked => StopReason::Interrupted,
            InterruptCause::TimeLimit => StopReason::TimeLimit,
        })
    }
}

/// A memory of verdicts, by the content of the candidate.
///
/// The driver looks up every candidate before it runs it, and records every answer that counts.
/// An answer that may be due to the load of the system (cut short by a limit while other
/// candidates ran) is not recorded; its candidate is run again, alone.
///
/// A memory must return the verdicts that were recorded: a search that is driven over the answers
/// of an earlier drive then asks the same queries again. That is how a stopped search is resumed.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use boildown_driver::{RecalledVerdict, VerdictMemory};
/// use boildown_oracle::{Answer, Verdict};
/// use boildown_search::Fingerprint;
///
/// /// Verdicts of this process.
/// #[derive(Debug, Default)]
/// struct InMemory(Mutex<HashMap<Fingerprint, Verdict>>);
///
/// impl VerdictMemory for InMemory {
///     fn recall(&self, content: Fingerprint) -> Option<RecalledVerdict> {
///         let verdict = *self.0.lock().unwrap().get(&content)?;
///         Some(RecalledVerdict { verdict, is_earlier: false })
///     }
///
///     fn record(&self, content: Fingerprint, answer: &Answer) {
///         self.0.lock().unwrap().insert(content, answer.verdict);
///     }
/// }
/// ```
pub trait VerdictMemory: Debug + Send + Sync {
    /// Returns the verdict on this content, if one was recorded.
    fn recall(&self, content: Fingerprint) -> Option<RecalledVerdict>;

    /// Records the answer on this content. Must return soon: the driver waits for it.
    fn record(&self, content: Fingerprint, answer: &Answer);
}

/// Decides whether an interesting candidate counts, when the search is about to receive its
/// verdict.
///
/// The search receives verdicts in an order that does not depend on the number of workers. So a
/// review may compare a candidate with the ones that counted before, which an oracle may not. An
/// interesting verdict is recorded in the [memory](VerdictMemory) only after its review.
pub trait VerdictReview: Debug + Send + Sync {
    /// Returns whether the candidate of this content counts. It is uninteresting otherwise.
    fn counts(&self, content: Fingerprint) -> bool;
}

/// A verdict from a [`VerdictMemory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecalledVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether an earlier session recorded it. [`Spent::recalled`](crate::Spent::recalled) counts
    /// these only.
    pub is_earlier: bool,
}
