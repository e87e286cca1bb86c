//! Restarts of a reduction, with more runs per candidate, after the property was lost.

use std::sync::Arc;

use boildown_driver::Spent;
use boildown_oracle::{Oracle, OracleError, RepeatedOracle};
use boildown_reduce::Reduction;
use boildown_search::assumptions::AssumptionCounts;
use boildown_search::flaky::{RepeatPolicy, RunCounts};
use boildown_show::StopReason;
use boildown_store::RunStore;

use super::environment::EnvironmentCheck;
use super::failure_form::{FailureForm, FormObserver, RefusedForms};
use super::later_history::LaterHistory;
use super::options::ReduceOptions;
use super::proposals::ProposalPhase;
use super::run::reduce_in;
use super::stages::{OracleStage, StagedOracle};
use crate::config::SessionConfig;
use crate::event::{Event, Summary, start_over};
use crate::repeated_test::{RepeatedTest, RunStats};

/// Runs of each candidate after the property was lost for the first and the second time.
const RUNS_AFTER_LOSS: [u32; 2] = [4, 16];

/// The most rounds of proposals of other programs, each followed by a search.
const PROPOSAL_ROUNDS: u32 = 20;

/// A reduction that can be started from any text.
pub struct ReductionPlan<'a> {
    /// The text to reduce.
    pub input: &'a Arc<[u8]>,
    /// Makes the search that reduces a text.
    pub start: &'a dyn Fn(&Arc<[u8]>) -> Reduction,
    /// Decides whether a text is interesting, in one run.
    pub oracle: &'a dyn Oracle,
    /// Shows the runs to a user.
    pub watch: Option<&'a dyn OracleStage>,
    /// Measures interesting texts, if the reduction has an objective.
    pub review: Option<&'a dyn OracleStage>,
    /// The number of runs of a candidate before the property is lost for the first time.
    pub repeat_policy: RepeatPolicy,
    /// The form of the failure on the input, to be compared with that of candidates.
    pub failure: Option<&'a FailureForm>,
    /// The forms that are refused.
    pub refused: RefusedForms,
}

impl std::fmt::Debug for ReductionPlan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReductionPlan")
            .field("repeat_policy", &self.repeat_policy)
            .finish_non_exhaustive()
    }
}

/// The result of a reduction.
#[derive(Debug)]
pub struct Reduced {
    /// The summary of the reduction, with everything that was spent.
    pub summary: Summary,
    /// The best text.
    pub best: Arc<[u8]>,
    /// Candidates on which the property held in one run and not in another, since it was last lost.
    pub contradictions: u64,
    /// What was measured when the property, which seemed to hold always, turned out to be flaky.
    pub flaky: Option<FlakyInput>,
}

/// The number of runs that show whether the property is flaky on the text to start again from.
const SAMPLE: u32 = 24;

/// Runs a reduction like [`reduce`](super::reduce), and stops when the environment has changed.
///
/// If the property is lost, the last confirmed text is run some more times. If the property is
/// flaky on it and on the input, the reduction starts again from there with a sequential test of
/// each candidate. Otherwise it starts again with several runs of each candidate: 4, and after a
/// second loss 16. After a third loss, the property counts as flaky in any case.
///
/// # Errors
/// As [`reduce`](super::reduce).
pub fn reduce_with_restarts(
    plan: &ReductionPlan<'_>,
    options: ReduceOptions,
    config: SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<Reduced, OracleError> {
    let observer =
        (plan.failure).map(|failure| FormObserver::new(failure, plan.refused, plan.input));
    let form = observer.as_ref().map(|it| it as &dyn OracleStage);
    let stages: Vec<_> = [plan.watch, plan.review, form]
        .into_iter()
        .flatten()
        .collect();
    let oracle = &StagedOracle {
        oracle: plan.oracle,
        stages: &stages,
    };
    let plan = &ReductionPlan { oracle, ..*plan };
    reduce_observed(plan, observer.as_ref(), options, config, on_event)
}

/// Runs a reduction whose oracle has all stages of one run.
fn reduce_observed(
    plan: &ReductionPlan<'_>,
    observer: Option<&FormObserver<'_>>,
    mut options: ReduceOptions,
    mut config: SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<Reduced, OracleError> {
    let (store, form) = (config.store.clone(), options.form);
    let bytes_before = form.size(plan.input);
    let (mut text, mut repeat_policy) = (Arc::clone(plan.input), plan.repeat_policy);
    let (mut total, mut runs_after_loss) = (Spent::default(), RUNS_AFTER_LOSS.iter());
    let (mut flaky, mut tokens_before, mut rounds) = (None, None, 0..PROPOSAL_ROUNDS);
    let mut assumptions = AssumptionCounts::default();
    loop {
        let repeating = RepeatedOracle::new(plan.oracle, repeat_policy);
        let store_left_out = store.as_deref().filter(|_| config.store.is_none());
        let mut history = store_left_out.map(|store| LaterHistory::new(store, total));
        let mut report_total = |event: &Event| {
            let event = event.with_runs(repeating.runs());
            let event = event.with_totals(bytes_before, total);
            history
                .iter_mut()
                .for_each(|history| history.record(&event));
            on_event(&event);
        };
        let (oracle, setup) = ((&repeating, repeat_policy), (&options, &config));
        let (mut summary, mut best) =
            plan.search(&text, observer, oracle, setup, &mut report_total)?;
        summary.progress.spent.runs = repeating.runs();
        summary.confirmed = summary.confirmed.map(|_| repeating.runs_on(&best[..]));
        config.budget = config.budget.without(&summary.progress.spent);
        total = total.plus(summary.progress.spent);
        assumptions += summary.assumptions;
        // Later searches start from smaller texts.
        let tokens_of_input = *tokens_before.get_or_insert(summary.tokens_before);
        let is_lost = summary.stopped == Some(StopReason::PropertyLost);
        let has_differed = forget_warm_verdicts(&options, store.as_deref());
        if has_differed && (summary.stopped.is_none() || is_lost) {
            distrust(&mut options, &mut config);
            text = best;
            continue;
        }
        let (setup, later) = ((&mut options, &mut config), &mut runs_after_loss);
        let why = (summary.stopped, store.as_ref());
        if let Some(again) = plan.restart(why, &best, setup, later, on_event)? {
            (text, repeat_policy) = (again.text, again.policy);
            flaky = again.flaky.or(flaky);
            continue;
        }
        if summary.stopped.is_none() && rounds.next().is_some() {
            let mut report_total =
                |event: &Event| on_event(&event.with_totals(bytes_before, total));
            let (setup, store) = ((&options, &config), store.as_deref());
            let phase = ProposalPhase::new(&repeating, setup, store, total, &best);
            let (improved, spent) = propose(phase, &mut summary, &mut report_total)?;
            (config.budget, total) = (config.budget.without(&spent), total.plus(spent));
            if improved != best {
                config.memory = config.store.take().or(config.memory);
                options.resumed_best = None;
                (text, best) = (Arc::clone(&improved), improved);
                if summary.stopped.is_none() {
                    continue;
                }
            }
        }
        summary.resumable |= config.memory.is_some();
        if let Some(scratch) = &options.scratch {
            total.runs = scratch.command_runs();
        }
        summary.progress.spent = total;
        summary.progress.bytes_before = bytes_before;
        match (history, store.as_deref()) {
            (Some(history), _) => history.end(&best, &summary),
            // The search has recorded its own part.
            (None, Some(store)) => summary.record(store),
            (None, None) => {}
        }
        summary.tokens_before = tokens_of_input;
        summary.assumptions = assumptions;
        return Ok(Reduced {
            summary,
            best,
            contradictions: repeating.contradictions(),
            flaky,
        });
    }
}

/// Uses neither the store nor its best result any more, because verdicts in it may be wrong.
fn distrust(options: &mut ReduceOptions, config: &mut SessionConfig) {
    (options.resumed_best, config.store, config.memory) = (None, None, None);
}

/// Removes from the store what was found since warm and fresh runs last agreed, if they have
/// differed since. Returns whether they have.
fn forget_warm_verdicts(options: &ReduceOptions, store: Option<&RunStore>) -> bool {
    let has_differed = (options.warm.as_ref()).is_some_and(|warm| warm.take_difference());
    if has_differed {
        let _ = store.map(RunStore::forget_unconfirmed);
    }
    has_differed
}

/// Lets other programs propose candidates. Returns the best text then, and what was spent.
fn propose(
    mut phase: ProposalPhase<'_>,
    summary: &mut Summary,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Arc<[u8]>, Spent), OracleError> {
    let before = Arc::clone(&phase.best);
    summary.stopped = phase.run(on_event)?;
    summary.one_minimal &= summary.stopped.is_none();
    if phase.best != before {
        summary.improve_to(&phase.best);
    }
    Ok((phase.best, phase.spent))
}

/// How a reduction starts again after the property was lost.
struct Again {
    text: Arc<[u8]>,
    policy: RepeatPolicy,
    /// What was measured, if the property turned out to be flaky.
    flaky: Option<FlakyInput>,
}

/// A flaky property, as it was noticed during the reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlakyInput {
    /// The policy for runs of a candidate.
    pub policy: RepeatPolicy,
    /// The runs on the input.
    pub input: RunCounts,
}

/// A start of the reduction of a flaky property.
struct FlakyRestart {
    flaky: FlakyInput,
    text: Arc<[u8]>,
}

impl ReductionPlan<'_> {
    /// Runs the search that reduces `text`.
    fn search(
        &self,
        text: &Arc<[u8]>,
        observer: Option<&FormObserver<'_>>,
        (repeating, policy): (&RepeatedOracle<&dyn Oracle>, RepeatPolicy),
        (options, config): (&ReduceOptions, &SessionConfig),
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(Summary, Arc<[u8]>), OracleError> {
        let (confirming, runs_on) = (repeating.without_rechecks(), |text: &[u8]| {
            repeating.runs_on(text)
        });
        let environment = EnvironmentCheck {
            oracle: self.oracle,
            confirming: &confirming,
            runs_on: &runs_on,
            input: self.input,
            policy,
            start: Some(self.start),
        };
        let search = (self.start)(text);
        let environment = Some(environment);
        reduce_in(
            environment,
            observer,
            search,
            repeating,
            options,
            config,
            on_event,
        )
    }

    /// Returns how to start again, if the search stopped for a reason to do so.
    fn restart(
        &self,
        (stopped, store): (Option<StopReason>, Option<&Arc<RunStore>>),
        best: &Arc<[u8]>,
        (options, config): (&mut ReduceOptions, &mut SessionConfig),
        runs_after_loss: &mut std::slice::Iter<'_, u32>,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Option<Again>, OracleError> {
        match (stopped, store) {
            (Some(StopReason::PropertyLost), _) => {
                self.restart_after_loss(best, (options, config), runs_after_loss, on_event)
            }
            (Some(StopReason::VerdictsOutdated), Some(store)) => {
                on_event(&start_over(store));
                // A result that has the property stays until there is a smaller one.
                options.at_hand = (best != self.input).then(|| Arc::clone(best));
                (options.resumed_best, config.memory) = (None, None);
                config.store = Some(Arc::clone(store));
                Ok(Some(Again {
                    text: Arc::clone(self.input),
                    policy: self.repeat_policy,
                    flaky: None,
                }))
            }
            _ => Ok(None),
        }
    }

    /// Returns how to start again from the last confirmed text; `None` after too many losses.
    fn restart_after_loss(
        &self,
        best: &Arc<[u8]>,
        (options, config): (&mut ReduceOptions, &mut SessionConfig),
        runs_after_loss: &mut std::slice::Iter<'_, u32>,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Option<Again>, OracleError> {
        let is_last = runs_after_loss.len() == 0;
        if let Some(restart) = self.restart_as_flaky(best, config, is_last)? {
            let FlakyInput { policy, input } = restart.flaky;
            on_event(&Event::BecameFlaky { policy, input });
            if let Some(output) = options.output.as_ref().filter(|_| restart.text != *best) {
                output.write(&restart.text, config.store.as_deref())?;
            }
            options.confirm = false;
            distrust(options, config);
            return Ok(Some(Again {
                text: restart.text,
                policy,
                flaky: Some(restart.flaky),
            }));
        }
        let Some(&runs) = runs_after_loss.next() else {
            return Ok(None);
        };
        on_event(&Event::PropertyLost {
            bytes: options.form.size(best),
            runs,
        });
        distrust(options, config);
        Ok(Some(Again {
            text: Arc::clone(best),
            policy: RepeatPolicy::all_of(runs),
            flaky: None,
        }))
    }

    /// Measures the rate of a property that was lost. Returns `None` when it seems to hold always
    /// on `text` or on the input (unless this is the last loss that is tolerated), or so rarely
    /// that candidates could not be told apart.
    ///
    /// The reduction starts again from `text` if the property holds on it as often as on the input.
    fn restart_as_flaky(
        &self,
        text: &Arc<[u8]>,
        config: &SessionConfig,
        is_last: bool,
    ) -> Result<Option<FlakyRestart>, OracleError> {
        let interrupt = config.interrupt_handle()?;
        let test = |candidate| RepeatedTest {
            oracle: self.oracle,
            candidate,
            jobs: config.jobs,
            interrupt: &interrupt,
        };
        let is_input = text == self.input;
        let measured = || {
            let mut on_text = RunStats::default();
            test(&**text).run(SAMPLE, &mut on_text)?;
            if !is_input && !is_last && !on_text.counts.is_mixed() {
                return Ok((None, on_text));
            }
            let before = if is_input {
                on_text
            } else {
                RunStats::default()
            };
            let on_input = test(&**self.input).measure_rate(before)?;
            let on_text = match is_input {
                true => on_input,
                false => test(&**text).measure_rate(on_text)?,
            };
            Ok((Some(on_input.counts), on_text))
        };
        let (input, on_text) = match measured() {
            Ok((Some(input), on_text)) if is_last || input.is_mixed() => (input, on_text.counts),
            Ok(_) | Err(OracleError::Interrupted) => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_kept = on_text.interval().high >= input.interval().low;
        let text = Arc::clone(if is_kept { text } else { self.input });
        Ok(RepeatPolicy::for_rate(input).map(|policy| FlakyRestart {
            flaky: FlakyInput { policy, input },
            text,
        }))
    }
}
