//! The reduction of the example of a group, in slices of time.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_document::Language;
use boildown_driver::Budget;
use boildown_exec::{Access, LocalOracle, fsx};
use boildown_oracle::{ExitSpec, Expectation, Interrupt, OracleError, Property, Run};
use boildown_reduce::{NamePolicy, Strategy, TrivialInputs, reduction};
use boildown_show::StopReason;
use boildown_store::{
    EndReason, Ending, Identity, Improvement, Provenance, RunDescription, RunStore,
};
use boildown_triage::FailureKey;

use super::failure_test::{FailureTest, GroupOracle};
use crate::prepare::{EarlierSessions, PrepareEvent, SessionStore};
use crate::{
    Baseline, BaselineCheck, BaselineError, Event, MeasureRate, ReduceOptions, Reduced,
    ReductionPlan, RefusedForms, ResultOutput, SessionConfig, default_time_limit,
    reduce_with_restarts,
};

/// The reduction of the example of a group.
pub(super) struct GroupReduction<'a> {
    pub(super) test: &'a FailureTest,
    pub(super) key: &'a FailureKey,
    /// The run that showed the failure.
    pub(super) run: &'a Run,
    /// Whether the example fails in some runs only.
    pub(super) is_flaky: bool,
    pub(super) input: &'a Arc<[u8]>,
    pub(super) language: Option<&'static Language>,
    /// The file that holds the best result so far.
    pub(super) output: &'a Path,
    /// What runs depend on, but for the input.
    pub(super) identity: &'a Identity,
    /// What the result may permit.
    pub(super) access: Access,
    pub(super) provenance: &'a Provenance,
    pub(super) jobs: usize,
    pub(super) interrupt: &'a Interrupt,
}

/// The end of a slice of a reduction.
pub(super) struct SliceResult {
    pub(super) best: Arc<[u8]>,
    pub(super) tests: u64,
    pub(super) end: SliceEnd,
}

/// Why a slice ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SliceEnd {
    Finished,
    TimeLimit,
    Interrupted,
    /// The example cannot be reduced; a clause says why.
    Impossible(String),
}

impl SliceEnd {
    fn of_reduction(stopped: Option<StopReason>) -> Self {
        match stopped {
            None
            | Some(
                StopReason::SmallEnough
                | StopReason::Plateau
                | StopReason::Borderline
                | StopReason::PropertyLost
                | StopReason::VerdictsOutdated,
            ) => Self::Finished,
            Some(StopReason::Interrupted) => Self::Interrupted,
            Some(StopReason::TimeLimit | StopReason::QueryLimit) => Self::TimeLimit,
            Some(StopReason::EnvironmentChanged) => {
                Self::Impossible("the input stopped failing during the reduction".to_owned())
            }
        }
    }
}

impl GroupReduction<'_> {
    /// Reduces the example for some time, or to the end. A later slice continues where this one
    /// ends.
    pub(super) fn slice(
        &self,
        time: Option<Duration>,
        on_event: &mut dyn FnMut(&Event),
        on_note: &mut dyn FnMut(String),
    ) -> Result<SliceResult, OracleError> {
        let earlier = self.earlier(on_note);
        let local = LocalOracle::new(self.test.runner.clone(), self.property()).with_output();
        let baseline = match self.check(local.clone(), &earlier) {
            Ok(baseline) => baseline,
            Err(BaselineError::Oracle(OracleError::Interrupted)) => {
                return Ok(self.unreduced(SliceEnd::Interrupted));
            }
            Err(BaselineError::Oracle(error)) => return Err(error),
            Err(error) => return Ok(self.unreduced(SliceEnd::Impossible(error.to_string()))),
        };
        let resumed_best = earlier.best().cloned();
        let session = self.begin(earlier, on_note);
        let (store, resumed_best) = match session.store.clone() {
            Some(store) => (Some(store), resumed_best),
            None => (None, None),
        };
        let smallest = resumed_best.as_ref().map_or(self.input, |best| &best.text);
        if let Some(store) = store.as_ref().filter(|store| store.has_finished()) {
            end_again(store);
            return Ok(SliceResult {
                best: Arc::clone(smallest),
                tests: 0,
                end: SliceEnd::Finished,
            });
        }
        fsx::write_durable(self.output, smallest, self.access)?;
        let slowest = baseline.stats.slowest;
        let oracle = match self.test.runner.limits.timeout {
            limit if limit < default_time_limit(slowest) => local,
            _ => local.with_adaptive_timeout(slowest, default_time_limit),
        };
        let reduced = self.reduce(
            &self.oracle(oracle),
            &baseline,
            ReduceOptions {
                output: Some(ResultOutput::File {
                    path: self.output.to_owned(),
                    access: self.access,
                }),
                known_results: session.known_results(),
                resumed_best: resumed_best.clone(),
                confirm: !self.is_flaky,
                ..ReduceOptions::default()
            },
            SessionConfig {
                jobs: self.jobs,
                budget: Budget {
                    queries: None,
                    time,
                },
                interrupt: Some(self.interrupt.clone()),
                store,
                ..SessionConfig::default()
            },
            on_event,
        )?;
        // A short slice may end before the search has passed what an earlier one found.
        let best = match resumed_best {
            Some(earlier)
                if reduced.summary.stopped.is_some() && earlier.text.len() < reduced.best.len() =>
            {
                earlier.text
            }
            _ => reduced.best,
        };
        Ok(SliceResult {
            best,
            tests: reduced.summary.progress.spent.queries,
            end: SliceEnd::of_reduction(reduced.summary.stopped),
        })
    }

    fn reduce(
        &self,
        oracle: &GroupOracle<'_, LocalOracle>,
        baseline: &Baseline,
        options: ReduceOptions,
        config: SessionConfig,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Reduced, OracleError> {
        let strategy = Strategy {
            names: NamePolicy::Canonical,
            trivial: TrivialInputs::Untried,
            ..boildown_formats::strategy()
        };
        let start = |text: &Arc<[u8]>| reduction(text, self.language, strategy.clone());
        let plan = ReductionPlan {
            input: self.input,
            start: &start,
            oracle,
            watch: None,
            review: None,
            repeat_policy: baseline.repeat_policy,
            failure: None,
            refused: RefusedForms::None,
        };
        reduce_with_restarts(&plan, options, config, on_event)
    }

    fn oracle(&self, oracle: LocalOracle) -> GroupOracle<'_, LocalOracle> {
        GroupOracle {
            oracle,
            test: self.test,
            key: self.key,
        }
    }

    /// Returns the part of the property that the status of a run shows. The rest is the key.
    fn property(&self) -> Property {
        let stated = self.test.stated.clone();
        let of_status = || {
            let status = ExitSpec::of_outcome(self.run.outcome).map(Expectation::Exit);
            let hang = Expectation::Hangs(self.test.runner.limits.timeout);
            Property::new(vec![status.unwrap_or(hang)])
        };
        stated.or_else(of_status).expect("it has an expectation")
    }

    fn check(
        &self,
        local: LocalOracle,
        earlier: &EarlierSessions,
    ) -> Result<Baseline, BaselineError> {
        let oracle = self.oracle(local);
        let recorded = earlier.recording().wrap(&oracle);
        let check = BaselineCheck {
            oracle: &recorded,
            measure_rate: MeasureRate::stated(self.is_flaky),
            rejects_more_often: false,
            jobs: self.jobs,
            interrupt: self.interrupt,
        };
        let baseline = check.check_input(self.input, None, 0)?;
        check.check_empty(baseline.repeat_policy, None)?;
        Ok(baseline)
    }

    fn earlier(&self, on_note: &mut dyn FnMut(String)) -> EarlierSessions {
        let mut on_event = |event: PrepareEvent<'_>| note_of(&event, on_note);
        let mut identity = self.identity.clone();
        identity.add_hash("the input", self.input);
        identity.add("the failure", format!("{:?}", self.key));
        let language = self.language.map_or("none", |language| language.name);
        identity.add("--language", language);
        EarlierSessions::beside(self.output, identity, false, &mut on_event).unwrap_or_else(
            |error| {
                on_event(PrepareEvent::NotRemembered(&error));
                EarlierSessions::default()
            },
        )
    }

    fn begin(&self, earlier: EarlierSessions, on_note: &mut dyn FnMut(String)) -> SessionStore {
        let name = self
            .output
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let property = self.property();
        let start = RunDescription {
            name: &name,
            input: Improvement::of_text(self.input, 0, Duration::ZERO),
            property: format!("{property}; {}", self.key),
            flags: property.flags(),
            time_limit: self.test.runner.limits.timeout,
            version: env!("CARGO_PKG_VERSION"),
            choices: &[],
            provenance: self.provenance.clone(),
        };
        earlier.begin(&start, &mut |event| note_of(&event, on_note))
    }

    fn unreduced(&self, end: SliceEnd) -> SliceResult {
        SliceResult {
            best: Arc::clone(self.input),
            tests: 0,
            end,
        }
    }
}

/// Records the end of a session that found the reduction finished: the next one looks at it.
fn end_again(store: &RunStore) {
    store.end(Ending {
        why: EndReason::Finished,
        queries: 0,
        runs: 0,
        recalled: 0,
        elapsed: Duration::ZERO,
    });
}

/// Passes on what the user has to know of a store that cannot be used.
fn note_of(event: &PrepareEvent<'_>, on_note: &mut dyn FnMut(String)) {
    if let PrepareEvent::NotRemembered(error) = event {
        on_note(format!("this reduction cannot be resumed: {error}"));
    }
}
