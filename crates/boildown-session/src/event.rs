//! Events that a session reports, and the summary at its end.

use std::sync::Arc;
use std::time::Duration;

use boildown_changes::{ChangeUnit, Configuration};
use boildown_driver::Spent;
use boildown_oracle::{Interrupt, InterruptCause, Property, Run, Verdict};
use boildown_search::assumptions::AssumptionCounts;
use boildown_search::flaky::{RepeatPolicy, RunCounts};
use boildown_show::{
    ChangedFormRecord, CulpritEvent, PartialCauseRecord, RefusedRecord, StopReason,
};
use boildown_store::{Distrusted, EndReason, Ending, RunStore, StoreError};

use crate::changes::{CulpritCounts, EndRates};
use crate::prepare::Loosening;
use crate::triage::TriageEvent;

/// Something that happened in a session. Everything that shows a session is a consumer of these.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// From now on nothing is recorded in the run store, so the session cannot be resumed.
    StoreFailed {
        /// The error of the run store.
        error: Arc<StoreError>,
    },

    /// The search began another pass (of a reduction), or works on other units (of an isolation).
    PassStarted {
        /// The name of the pass or of the units.
        name: &'static str,
        /// What was spent before it.
        spent: Spent,
    },
    /// The search received a verdict.
    Tested {
        /// The verdict.
        verdict: Verdict,
        /// The progress before the verdict is used.
        progress: Progress,
    },
    /// The bytes of a new best result. [`Event::Improved`] follows.
    NewBest(Arc<[u8]>),
    /// There is a new best result; it is on disk already.
    Improved(Progress),
    /// The command is about to run on the best result again, to see that the property holds.
    Confirming,
    /// Time passed. Lets a reduction or an isolation show its progress.
    Tick(Progress),
    /// Time passed on the way to the next test: a result is read, or candidates are parsed.
    Planning(Progress),
    /// The property holds neither on the best result nor on the input any more: something around
    /// the command has changed. The reduction stops.
    EnvironmentChanged {
        /// The number of verdicts that were removed from the run store, because the property was
        /// not seen to hold after them.
        forgotten: u64,
    },
    /// A run showed that verdicts of earlier sessions, or of other runs, are wrong now: something
    /// that the command depends on has changed. The reduction or isolation starts over without
    /// them.
    VerdictsOutdated {
        /// The number of verdicts that are not used any more.
        forgotten: u64,
        /// The verdicts.
        distrusted: Distrusted,
    },
    /// The property turned out to hold on the input in some runs only. The reduction continues with
    /// a sequential test of each candidate.
    BecameFlaky {
        /// The policy for runs of a candidate from now on.
        policy: RepeatPolicy,
        /// The runs on the input.
        input: RunCounts,
    },
    /// A repeated run of the best result showed that the property does not hold on it. The
    /// reduction continues from the last result on which it did.
    PropertyLost {
        /// The size of that result, in bytes.
        bytes: usize,
        /// The number of runs of each candidate from now on.
        runs: u32,
    },

    /// The check of the two states of a culprit search ran one of them.
    EndpointRun {
        /// Whether it was the good state.
        is_good: bool,
        /// The outcome of the run.
        run: Run,
    },
    /// The failure was read off the bad state of a culprit search: states are bad that have it.
    FailureRead(Property),
    /// Runs on the two states of a culprit search disagree. From now on a state counts as bad when
    /// it is as often as the second state.
    RatesMeasured(EndRates),
    /// The two states of a culprit search are good and bad only when the command may write to more
    /// places than the sandbox allowed.
    SandboxLoosened(Loosening),
    /// What the record of a culprit search holds as it is.
    Culprit(CulpritEvent),
    /// A bisection of the history has come this far.
    BisectionProgress {
        /// The number of commits that may be the culprit.
        suspects: usize,
        /// About how many more tests it takes.
        tests: usize,
    },
    /// A culprit search has finished one layer of the tree of changes.
    LayerFinished {
        /// The kind of the units of the layer.
        layer: ChangeUnit,
        /// Number of units before.
        before: usize,
        /// Number of units left.
        left: usize,
        /// The cost of the session so far.
        counts: CulpritCounts,
        /// The files without the changes that are left.
        old: Configuration,
        /// The files with the changes that are left and no others. These files are bad.
        new: Configuration,
    },
    /// The first bad revision is as before without the culprit: other changes that make the
    /// difference are searched next.
    OtherCauseNeeded {
        /// The revision.
        revision: String,
    },
    /// The smallest changes with the property fail in another way than all changes: they are
    /// searched again for a set that fails alike.
    PartFailsOtherwise(PartialCauseRecord),
    /// No commit that changes one of the stated paths is to blame: all are searched.
    SearchWidened,
    /// Runs on a state disagree: it begins again with repeated runs.
    RunsDisagree {
        /// The state.
        name: String,
    },
    /// A fresh tree had another verdict than one that was used before. Each run has a fresh tree
    /// from now on.
    GoingOnInFreshTrees,

    /// Something happened in a triage.
    Triage(TriageEvent),
}

impl Event {
    /// Returns the event of one search of a session with the progress since the first one: what was
    /// spent includes `earlier`, and the size before is `bytes_before`.
    pub(crate) fn with_totals(&self, bytes_before: usize, earlier: Spent) -> Self {
        let whole = |progress: &Progress| Progress {
            bytes_before,
            ..*progress
        };
        self.mapped(whole, |spent| earlier.plus(spent))
    }

    /// Returns the event with this number of runs: a drive counts one for each answer, and an
    /// oracle that repeats runs makes more of them.
    #[must_use]
    pub fn with_runs(&self, runs: u64) -> Self {
        self.mapped(|progress| *progress, |spent| Spent { runs, ..spent })
    }

    /// Returns the event with another progress, and with another cost in it.
    fn mapped(
        &self,
        progress: impl Fn(&Progress) -> Progress,
        cost: impl Fn(Spent) -> Spent,
    ) -> Self {
        let mapped = |before: &Progress| Progress {
            spent: cost(before.spent),
            ..progress(before)
        };
        match self {
            Self::Improved(progress) => Self::Improved(mapped(progress)),
            Self::Tick(progress) => Self::Tick(mapped(progress)),
            Self::Planning(progress) => Self::Planning(mapped(progress)),
            Self::Tested { verdict, progress } => Self::Tested {
                verdict: *verdict,
                progress: mapped(progress),
            },
            Self::PassStarted { name, spent } => Self::PassStarted {
                name,
                spent: cost(*spent),
            },
            event => event.clone(),
        }
    }
}

/// Leaves out the verdicts of others, or else all of earlier sessions.
pub(crate) fn start_over(store: &RunStore) -> Event {
    let distrusted = match store.uses_known() {
        true => Distrusted::OfOthers,
        false => Distrusted::Earlier,
    };
    let forgotten = store.start_over(distrusted);
    Event::VerdictsOutdated {
        forgotten,
        distrusted,
    }
}

/// The progress of a reduction or an isolation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Bytes of the input. In an isolation: bytes in which the two inputs differ.
    pub bytes_before: usize,
    /// Bytes of the best result. In an isolation: bytes in which the two sides differ.
    pub bytes: usize,
    /// Tokens of the best result, if the current pass works on tokens, not on lines or bytes.
    pub tokens: Option<usize>,
    /// The cost of the session so far.
    pub spent: Spent,
    /// Time since the last improvement, or since the beginning.
    pub since_improved: Duration,
    /// About how many tests there are until the search is finished, if none of them is
    /// interesting. Known in the last round of a reduction only.
    pub tests_left: Option<u64>,
}

/// The summary of a reduction or an isolation that has ended.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The progress at the end.
    pub progress: Progress,
    /// Why it stopped early; `None` if the search finished.
    pub stopped: Option<StopReason>,
    /// Whether the search finished with a pass that verified that its result is 1-minimal.
    pub one_minimal: bool,
    /// The number of tokens of the input, if the search has counted them.
    pub tokens_before: Option<usize>,
    /// All runs of the session on the result, if it was confirmed.
    pub confirmed: Option<RunCounts>,
    /// Whether the same command would resume from here.
    pub resumable: bool,
    /// An input of a few characters that has the property too, though it is no reduction of the
    /// input.
    pub trivial: Option<Arc<[u8]>>,
    /// The step since which the failure has another form than on the input, if it has.
    pub changed_form: Option<ChangedFormRecord>,
    /// The last result before that step, on which the command fails as on the input.
    pub before_change: Option<Arc<[u8]>>,
    /// A candidate that is smaller than the result, and was refused because it also has an error
    /// that the input does not have.
    pub refused: Option<RefusedRecord>,
    /// How far the verdicts of a reduction agree with the assumptions of delta debugging.
    pub assumptions: AssumptionCounts,
}

impl Summary {
    /// Makes this the summary of a reduction that found a better text at its very end.
    pub(crate) fn improve_to(&mut self, best: &[u8]) {
        self.progress.bytes = best.len();
        (self.progress.tokens, self.confirmed) = (None, None);
    }

    /// Records in the store how the session ended.
    pub(crate) fn record(&self, store: &RunStore) {
        self.record_as(EndReason::Finished, store);
    }

    /// Records how a session ended whose search started again without the verdicts of the store.
    pub(crate) fn record_anew(&self, store: &RunStore) {
        self.record_as(EndReason::FinishedAnew, store);
    }

    fn record_as(&self, finished: EndReason, store: &RunStore) {
        let spent = self.progress.spent;
        store.end(Ending {
            why: self.stopped.map_or(finished, EndReason::Stopped),
            queries: spent.queries,
            runs: spent.runs,
            recalled: spent.recalled,
            elapsed: spent.elapsed,
        });
    }
}

/// Returns the reason behind a handle that was triggered.
pub(crate) fn stopped_by(interrupt: &Interrupt) -> StopReason {
    match interrupt.cause() {
        Some(InterruptCause::TimeLimit) => StopReason::TimeLimit,
        Some(InterruptCause::Asked) | None => StopReason::Interrupted,
    }
}

/// Returns why a session stops whose drive has stopped.
pub(crate) fn stop_of_drive(reason: boildown_driver::StopReason) -> StopReason {
    match reason {
        boildown_driver::StopReason::Interrupted => StopReason::Interrupted,
        boildown_driver::StopReason::QueryLimit => StopReason::QueryLimit,
        boildown_driver::StopReason::TimeLimit => StopReason::TimeLimit,
    }
}
