//! One search over sets of changes, run to its end.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use boildown_changes::{ChangesError, Configuration};
use boildown_oracle::{Answer, Cancel, Oracle, OracleError, Verdict};
use boildown_search::{Fingerprint, Fingerprinted as _, Search, Subset};

use super::event::ChangesEvent;
use super::rule::Reason;
use super::trees::{Judgement, Trees};
use crate::{Budget, Config, Drive, Step, Stopped};

/// Makes the files of a set of changes, or says why they are not worth a run.
pub(super) type Make<'a> = dyn Fn(&Subset) -> Made + Send + Sync + 'a;

/// The files of a set of changes, or why they are not worth a run.
pub(super) type Made = Result<Result<Configuration, Reason>, ChangesError>;

/// An oracle over sets of changes.
struct Sets<'a> {
    trees: &'a Trees,
    make: &'a Make<'a>,
    /// Why nobody could tell.
    reasons: Mutex<HashMap<Fingerprint, Reason>>,
}

impl Oracle<Subset> for Sets<'_> {
    fn judge(&self, set: &Subset, cancel: &Cancel) -> Result<Answer, OracleError> {
        let made = (self.make)(set).map_err(|error| OracleError::Candidate {
            source: error.into(),
        })?;
        let Judgement {
            verdict,
            reason,
            run,
        } = match made {
            Ok(configuration) => self.trees.judge(&configuration, cancel)?,
            Err(reason) => Judgement {
                verdict: Verdict::Unresolved,
                reason: Some(reason),
                run: None,
            },
        };
        self.note(set, reason);
        Ok(Answer { verdict, run })
    }
}

impl Sets<'_> {
    /// What is known of a set without a run.
    fn known(&self, set: &Subset) -> Option<Verdict> {
        // What cannot be made is the workers' to report.
        match (self.make)(set).ok()? {
            Ok(configuration) => {
                let judgement = self.trees.known(&configuration)?;
                self.note(set, judgement.reason);
                Some(judgement.verdict)
            }
            Err(reason) => {
                self.note(set, Some(reason));
                Some(Verdict::Unresolved)
            }
        }
    }

    fn note(&self, set: &Subset, reason: Option<Reason>) {
        if let Some(reason) = reason {
            let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
            reasons.insert(set.fingerprint(), reason);
        }
    }
}

/// What all searches have taken together.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Questions that were answered.
    pub questions: u64,
    /// Runs of the command, those included that speculation asked for in vain, and those of the checks.
    pub runs: u64,
    /// Trees whose verdict an earlier session knew.
    pub recalled: u64,
    /// Questions that nobody could answer, by reason.
    pub unresolved: BTreeMap<Reason, u64>,
    /// Time since the beginning.
    pub elapsed: Duration,
}

impl Tally {
    /// Returns how many questions nobody could answer.
    #[must_use]
    pub fn all_unresolved(&self) -> u64 {
        self.unresolved.values().sum()
    }
}

/// Runs searches one after the other, within one budget.
pub(super) struct Phases<'a> {
    pub(super) trees: &'a Trees,
    config: &'a Config,
    started: Instant,
    tally: Tally,
    is_forgetful: bool,
    on_event: &'a mut dyn FnMut(&ChangesEvent),
}

impl<'a> Phases<'a> {
    pub(super) fn new(
        trees: &'a Trees,
        config: &'a Config,
        on_event: &'a mut dyn FnMut(&ChangesEvent),
    ) -> Self {
        Self {
            trees,
            config,
            started: Instant::now(),
            tally: Tally::default(),
            is_forgetful: false,
            on_event,
        }
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            runs: self.trees.runs(),
            recalled: self.trees.recalled(),
            elapsed: self.started.elapsed(),
            ..self.tally.clone()
        }
    }

    /// What is left of the budget. Sets of changes mean something else to the next search: it is trees that are remembered.
    fn config(&self) -> Config {
        let Budget { questions, time } = self.config.budget;
        Config {
            budget: Budget {
                questions: questions.map(|most| most.saturating_sub(self.tally.questions)),
                time: time.map(|most| most.saturating_sub(self.started.elapsed())),
            },
            store: None,
            ..self.config.clone()
        }
    }

    /// Says what the store complains about. One defect may show twice, when reading and when writing.
    pub(super) fn look_after_store(&mut self) {
        if let Some(why) = self.trees.trouble()
            && !std::mem::replace(&mut self.is_forgetful, true)
        {
            let why = Arc::new(why);
            self.say(&ChangesEvent::Forgetful { why });
        }
    }

    pub(super) fn say(&mut self, event: &ChangesEvent) {
        (self.on_event)(event);
    }

    /// Runs a search to its end, and says after every answer what there is to be said. Returns it, and why it was stopped.
    pub(super) fn run<S: Search<Candidate = Subset>>(
        &mut self,
        search: S,
        make: &Make<'_>,
        mut on_told: impl FnMut(&S, &Tally) -> Vec<ChangesEvent>,
    ) -> Result<(S, Option<Stopped>), OracleError> {
        let sets = Sets {
            trees: self.trees,
            make,
            reasons: Mutex::default(),
        };
        let config = self.config();
        std::thread::scope(|scope| {
            let mut drive = Drive::start(scope, search, &sets, &config);
            loop {
                self.look_after_store();
                match drive.step_knowing(&mut |set| sets.known(set))? {
                    Step::Told(told) => {
                        self.tally.questions += 1;
                        if told.verdict == Verdict::Unresolved {
                            let reasons =
                                sets.reasons.lock().unwrap_or_else(PoisonError::into_inner);
                            let reason = reasons.get(&told.fingerprint).copied();
                            let reason = reason.unwrap_or(Reason::SaysSo);
                            *self.tally.unresolved.entry(reason).or_default() += 1;
                        }
                        let tally = self.tally();
                        for event in on_told(drive.search(), &tally) {
                            self.say(&event);
                        }
                        self.say(&ChangesEvent::Progress(tally));
                    }
                    Step::Tick => {
                        let tally = self.tally();
                        self.say(&ChangesEvent::Progress(tally));
                    }
                    Step::Ended(stopped) => return Ok((drive.search().clone(), stopped)),
                }
            }
        })
    }
}
