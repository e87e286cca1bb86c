//! Phases of a culprit search: searches over sets of changes, one after the other.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use boildown_changes::{ChangesError, Configuration};
use boildown_driver::{Budget, Config, Drive, Spent};
use boildown_oracle::{Answer, Interrupt, Oracle, OracleError, Verdict};
use boildown_search::{Fingerprint, Fingerprinted as _, Search, Subset, Told};
use boildown_show::{CulpritEvent, StopReason};

use super::counts::CulpritCounts;
use super::outcome_rule::UnresolvedReason;
use super::tree_oracle::{TreeAnswer, TreeOracle};
use crate::config::SessionConfig;
use crate::event::Event;
use crate::runner::{self, Reporter, Task};

/// Makes the files of a set of changes. Called on all threads.
pub(super) type MakeFiles<'a> = dyn Fn(&Subset) -> MadeFiles + Send + Sync + 'a;

/// The files of a set of changes, or why they need not be tested.
pub(super) type MadeFiles = Result<Result<Configuration, UnresolvedReason>, ChangesError>;

/// Oracle over sets of changes: makes their files and tests those.
struct ChangeSetOracle<'a> {
    trees: &'a TreeOracle,
    make_files: &'a MakeFiles<'a>,
    sought: Sought,
    /// How sets were answered, by their content.
    answers: Mutex<HashMap<Fingerprint, SetAnswer>>,
}

/// What sets of changes a phase searches for, by the files that are made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// Those whose files make the difference.
    Difference,
    /// Those whose files do not.
    Repair,
}

impl Sought {
    fn verdict(self, verdict: Verdict) -> Verdict {
        match (self, verdict) {
            (Self::Repair, Verdict::Interesting) => Verdict::Uninteresting,
            (Self::Repair, Verdict::Uninteresting) => Verdict::Interesting,
            _ => verdict,
        }
    }
}

/// How a set of changes was answered.
#[derive(Debug, Clone, Copy)]
struct SetAnswer {
    /// Why it has no verdict, if it has none.
    reason: Option<UnresolvedReason>,
    source: AnswerSource,
}

/// Where the answer on a set of changes comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerSource {
    /// A run, of this session or of an earlier one.
    Run,
    /// The set makes files that this session has run before.
    SameFiles,
    /// It was rejected without a run.
    Rejected,
}

impl Oracle<Subset> for ChangeSetOracle<'_> {
    fn judge(&self, set: &Subset, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let made = (self.make_files)(set).map_err(|error| OracleError::Candidate {
            source: error.into(),
        })?;
        let (answer, source) = match made {
            Ok(configuration) => (
                self.trees.judge(&configuration, interrupt)?,
                AnswerSource::Run,
            ),
            Err(reason) => (
                TreeAnswer {
                    verdict: Verdict::Unresolved,
                    reason: Some(reason),
                    run: None,
                },
                AnswerSource::Rejected,
            ),
        };
        self.record(set, answer.reason, source);
        Ok(Answer {
            verdict: self.sought.verdict(answer.verdict),
            run: answer.run,
        })
    }
}

impl ChangeSetOracle<'_> {
    /// Returns the verdict on a set if no run is needed for it.
    fn known(&self, set: &Subset) -> Option<Verdict> {
        // A set whose files cannot be made is left to `judge`, which returns the error.
        match (self.make_files)(set).ok()? {
            Ok(configuration) => {
                let source = match self.trees.has_judged(&configuration) {
                    true => AnswerSource::SameFiles,
                    false => AnswerSource::Run,
                };
                let answer = self.trees.known(&configuration)?;
                self.record(set, answer.reason, source);
                Some(self.sought.verdict(answer.verdict))
            }
            Err(reason) => {
                self.record(set, Some(reason), AnswerSource::Rejected);
                Some(Verdict::Unresolved)
            }
        }
    }

    fn record(&self, set: &Subset, reason: Option<UnresolvedReason>, source: AnswerSource) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        // What was rejected in one place may be rejected while it runs.
        let source = match reason {
            Some(reason) if reason.needs_no_run() => AnswerSource::Rejected,
            _ => source,
        };
        answers.insert(set.fingerprint(), SetAnswer { reason, source });
    }

    /// Returns how the set with this content was answered.
    fn answer(&self, content: Fingerprint) -> SetAnswer {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.get(&content).copied();
        known.unwrap_or(SetAnswer {
            reason: None,
            source: AnswerSource::Run,
        })
    }
}

/// Runs the phases of a culprit search within one budget.
pub(super) struct Phases<'a> {
    config: &'a SessionConfig,
    counter: Counter<'a>,
    reporter: Reporter<'a>,
    sought: Sought,
}

/// Counts what all phases have spent.
struct Counter<'a> {
    trees: &'a TreeOracle,
    started: Instant,
    /// Only the tests, the unresolved and the rejected ones; the rest is computed when it is
    /// needed.
    counts: CulpritCounts,
    /// The limit on tests.
    most_queries: Option<u64>,
}

impl Counter<'_> {
    fn is_at_limit(&self) -> bool {
        (self.most_queries).is_some_and(|most| self.counts.queries >= most)
    }

    /// Counts an answer. A verdict that was recalled without a reason counts as exit code 125.
    fn count(&mut self, verdict: Verdict, answer: SetAnswer) {
        let reason = answer.reason.unwrap_or(UnresolvedReason::Exited125);
        let counts = &mut self.counts;
        match answer.source {
            AnswerSource::Run => {
                counts.queries += 1;
                if verdict == Verdict::Unresolved {
                    *counts.unresolved.entry(reason).or_default() += 1;
                }
            }
            AnswerSource::SameFiles => {}
            AnswerSource::Rejected => *counts.rejected.entry(reason).or_default() += 1,
        }
    }

    fn counts(&self) -> CulpritCounts {
        CulpritCounts {
            runs: self.trees.runner().runs(),
            recalled: self.trees.recalled(),
            elapsed: self.started.elapsed(),
            ..self.counts.clone()
        }
    }
}

impl<'a> Phases<'a> {
    pub(super) fn new(
        trees: &'a TreeOracle,
        config: &'a SessionConfig,
        on_event: &'a mut dyn FnMut(&Event),
    ) -> Self {
        Self {
            config,
            counter: Counter {
                trees,
                started: Instant::now(),
                counts: CulpritCounts::default(),
                most_queries: config.budget.queries,
            },
            reporter: Reporter::new(on_event, config.store.as_deref()),
            sought: Sought::Difference,
        }
    }

    /// Sets what the next phases search for.
    pub(super) fn seek(&mut self, sought: Sought) {
        self.sought = sought;
    }

    pub(super) fn trees(&self) -> &'a TreeOracle {
        self.counter.trees
    }

    pub(super) fn reporter(&mut self) -> &mut Reporter<'a> {
        &mut self.reporter
    }

    /// Reports what the record of the search holds.
    pub(super) fn report(&mut self, event: CulpritEvent) {
        self.reporter.report(&Event::Culprit(event));
    }

    /// Returns what all phases have spent so far.
    pub(super) fn counts(&self) -> CulpritCounts {
        self.counter.counts()
    }

    /// Returns the options of the next phase: with the rest of the budget but for tests, of which
    /// the driver would count other ones, and without a memory, because the same set means other
    /// files in another phase.
    fn driver_config(&self) -> Config {
        let spent = Spent {
            elapsed: self.counter.started.elapsed(),
            ..Spent::default()
        };
        Config {
            budget: Budget {
                queries: None,
                ..self.config.budget.without(&spent)
            },
            ..self.config.driver_without_memory()
        }
    }

    /// Counts a test that was made outside of [`run`](Self::run), and reports it. Returns why to
    /// stop, if a limit is reached.
    pub(super) fn count_one(&mut self, answer: &TreeAnswer) -> Option<StopReason> {
        let counts = &mut self.counter.counts;
        counts.queries += 1;
        if let Some(reason) = answer.reason {
            *counts.unresolved.entry(reason).or_default() += 1;
        }
        let counts = self.counter.counts();
        self.reporter.report(&counts.tick());
        let left = self.driver_config().budget;
        if answer.reason == Some(UnresolvedReason::Interrupted) {
            Some(self.config.interruption())
        } else if self.counter.is_at_limit() {
            Some(StopReason::QueryLimit)
        } else if left.time.is_some_and(|left| left.is_zero()) {
            Some(StopReason::TimeLimit)
        } else {
            None
        }
    }

    /// Returns why a search stops that is interrupted now.
    pub(super) fn interruption(&self) -> StopReason {
        self.config.interruption()
    }

    /// Runs one search until it finishes or stops, and reports the events that `on_verdict` makes
    /// after each verdict. Returns the search, and why it stopped.
    pub(super) fn run<S: Search<Candidate = Subset>>(
        &mut self,
        search: S,
        make_files: &MakeFiles<'_>,
        on_verdict: impl FnMut(&S, &CulpritCounts) -> Vec<Event>,
    ) -> Result<(S, Option<StopReason>), OracleError> {
        let sets = ChangeSetOracle {
            trees: self.counter.trees,
            make_files,
            sought: self.sought,
            answers: Mutex::default(),
        };
        let config = self.driver_config();
        std::thread::scope(|scope| {
            let mut drive = Drive::start(scope, search, &sets, &config);
            let mut task = PhaseTask {
                sets: &sets,
                counter: &mut self.counter,
                on_verdict,
            };
            let stopped = runner::run(&mut drive, &mut task, &mut self.reporter)?;
            Ok((drive.search().clone(), stopped))
        })
    }
}

/// One phase at work.
struct PhaseTask<'p, 'a, F> {
    sets: &'p ChangeSetOracle<'p>,
    counter: &'p mut Counter<'a>,
    on_verdict: F,
}

impl<S, F> Task<S> for PhaseTask<'_, '_, F>
where
    S: Search<Candidate = Subset>,
    F: FnMut(&S, &CulpritCounts) -> Vec<Event>,
{
    fn before_step(&mut self, drive: &mut Drive<S>, _: &mut Reporter<'_>) -> Option<StopReason> {
        let is_over =
            self.counter.is_at_limit() && drive.is_settled() && drive.search().ask().is_some();
        is_over.then_some(StopReason::QueryLimit)
    }

    fn known(&self, set: &Subset) -> Option<Verdict> {
        self.sets.known(set)
    }

    fn after_verdict(
        &mut self,
        told: &Told<Subset>,
        drive: &Drive<S>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<StopReason>, OracleError> {
        (self.counter).count(told.verdict, self.sets.answer(told.fingerprint));
        let counts = self.counter.counts();
        for event in (self.on_verdict)(drive.search(), &counts) {
            reporter.report(&event);
        }
        reporter.report(&counts.tick());
        Ok(None)
    }

    fn tick(&self, _: &Drive<S>) -> Event {
        self.counter.counts().tick()
    }
}
