//! Preparation of a reduction: deduces the property, chooses the sandbox and checks the baseline.

use std::ops::Range;
use std::time::Duration;

use boildown_exec::spawn::Permissions;
use boildown_exec::{LocalOracle, Runner, check_set_up};
use boildown_oracle::{
    Answer, Capture, Deduction, InputFile, Interrupt, Oracle, OracleError, Property, Run, Verdict,
    reported_lines,
};
use boildown_search::flaky::RepeatPolicy;
use boildown_store::BaselineRecording;

use super::choice::{self, KeptFrames, PropertyChoice};
use super::error::PreparationError;
use super::event::PrepareEvent;
use super::left_behind::file_left_behind;
use super::sandbox::{self, SandboxTrial};
use crate::reduce::runs_until_hit;
use crate::{Baseline, BaselineCheck, BaselineError, FailureForm, MeasureRate, default_time_limit};

/// Runs of a flaky command until one fails, at most.
pub(super) const ATTEMPTS: u32 = 50;

/// Runs without a failure before it is believed that the command succeeds: at a rate of 40 %, all
/// of them succeed in one of 20 cases.
const SILENT_ATTEMPTS: u32 = 6;

/// The time that such runs take together, at most, unless the first one takes longer.
const SILENT_TIME: Duration = Duration::from_secs(10);

/// Runs on the input of a resumed session, at most, that show whether it still fails.
pub(super) const RUNS_TO_SEE: u32 = 3;

/// What the user waits for during the first run.
pub(super) const RUNNING: &str = "running the command on the input";

/// What a reduction or an isolation is prepared from.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says what the user stated"
)]
pub struct PreparationSetup<'a> {
    /// Runs the command.
    pub runner: &'a Runner,
    /// What the sandbox permits.
    pub permissions: &'a Permissions,
    /// The property that the user stated.
    pub stated: Option<Property>,
    /// Whether a test script decides, whose exit code is all that matters.
    pub is_test_script: bool,
    /// Whether the failure is stated to be flaky, or was seen to be.
    pub is_flaky: bool,
    /// Whether candidates that fail far more often than the input are rejected.
    pub is_strict: bool,
    /// Whether a quantity of runs must not become smaller, so that the property alone may hold on
    /// the empty input.
    pub keeps_quantity: bool,
    /// Whether the time limit is stated; otherwise it follows from the baseline runs.
    pub timeout_is_stated: bool,
    /// The most runs at the same time. Does not change the result.
    pub jobs: usize,
    /// Cancels the runs.
    pub interrupt: &'a Interrupt,
}

/// A reduction that can begin.
#[derive(Debug)]
pub struct PreparedReduction {
    /// Decides whether a candidate is interesting.
    pub oracle: LocalOracle,
    /// What the runs on the input showed.
    pub baseline: Baseline,
    /// The form of the failure of the input.
    pub failure: FailureForm,
    /// Sets of lines of the input that its failure reports, as ranges of bytes.
    pub reported_lines: Vec<Vec<Range<usize>>>,
}

impl PreparationSetup<'_> {
    /// Returns what a run on the input shows, without preparing anything. Runs in the recording are
    /// not repeated.
    ///
    /// # Errors
    /// [`PreparationError`] says why nothing can be deduced.
    pub fn deduce(
        &self,
        input: &[u8],
        recording: &BaselineRecording,
        frames: KeptFrames,
    ) -> Result<Deduction, PreparationError> {
        let (first, _) = self.first_run(self.runner, input, recording)?;
        let others = self.compare(self.runner, input, &first)?;
        choice::deduction(&first, Some(&others), frames, &self.input_file(input))
    }

    /// Prepares a reduction of the input. Runs in the recording are not repeated.
    ///
    /// First the property is chosen among those that a run shows, unless it is stated. If it does
    /// not hold in the sandbox but outside, the sandbox is loosened. Then the baseline is checked.
    ///
    /// # Errors
    /// [`PreparationError`] says why the reduction cannot begin.
    pub fn prepare(
        mut self,
        input: &[u8],
        recording: &BaselineRecording,
        choice: &mut PropertyChoice<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<PreparedReduction, PreparationError> {
        let runner = self.with_stated_limits(self.runner);
        let (what, limit) = (RUNNING, runner.limits.timeout);
        on_event(PrepareEvent::Running { what, limit });
        let (mut first, succeeded_before) = self.first_run(&runner, input, recording)?;
        self.is_flaky |= succeeded_before && Deduction::of_run(&first).is_some();
        let chosen = match &self.stated {
            Some(property) => property.clone().into(),
            None => {
                if choice.others.is_none() && choice.remembered.is_none() {
                    choice.others = Some(self.compare(&runner, input, &first)?);
                }
                choice.choose(&first, &self.input_file(input))?
            }
        };
        on_event(PrepareEvent::Preserving(&chosen.property));
        chosen.report_next(on_event);
        let property = chosen.property;
        let deduced_in = (runner.project.as_ref()).filter(|_| self.stated.is_none());
        if let Some(path) =
            deduced_in.and_then(|project| file_left_behind(&property, &first, project))
        {
            return Err(PreparationError::LeftBehind { path });
        }
        let outside = first.clone();
        if self.stated.is_none() && runner.limits.sandbox.is_some() {
            let what = "running the command on the input in the sandbox";
            on_event(PrepareEvent::Running { what, limit });
            first = self.run(&runner, input, recording)?;
        }
        // A run that lacks the property may have failed because of the sandbox.
        let holds = |run: &&Run| property.verdict(run).is_interesting();
        let repeated = choice.others.iter().flat_map(|others| &others.repeated);
        let repeated: Vec<&Run> = repeated.filter(holds).collect();
        let runs: Vec<&Run> = [&first, &outside].into_iter().filter(holds).collect();
        let mut failure = match runs.is_empty() {
            true => FailureForm::of_runs(&[&outside]),
            false => FailureForm::of_runs(&[runs, repeated.clone()].concat()),
        };
        let repeated = if self.is_flaky { 0 } else { repeated.len() };
        if property.is_about_resources() {
            failure = failure.without_outcome();
        }
        let name = runner.file.name.to_string_lossy();
        let reported_lines = reported_lines(&first, &name, input);
        let answer = Answer {
            verdict: property.verdict(&first),
            run: Some(first),
        };
        let mut loosened = None;
        if !answer.verdict.is_interesting() {
            let trial = self.trial(&runner);
            loosened = trial.loosen(&property, input, on_event)?;
        }
        let mut runner = self.runner.clone();
        if let Some(loosened) = &loosened {
            runner.limits.sandbox.clone_from(&loosened.limits.sandbox);
        }
        // Runs of a flaky command until the first failure are not counted: the measured rate would
        // be higher than the real one.
        let is_whole_verdict = loosened.is_none() && self.runner.extra_tests.is_empty();
        let first = (!self.is_flaky && is_whole_verdict).then_some(answer);
        let oracle = LocalOracle::new(runner, property);
        let what = "running the command on the input again";
        on_event(PrepareEvent::Running { what, limit });
        let recorded = recording.wrap(&oracle);
        let baseline = self
            .baseline(&recorded)
            .check_input(input, first, repeated)?;
        drop(recorded);
        let oracle = match self.timeout_is_stated {
            true => oracle,
            false => oracle.with_adaptive_timeout(baseline.stats.slowest, default_time_limit),
        };
        let what = "running the command on an empty file";
        let limit = oracle.time_limit();
        on_event(PrepareEvent::Running { what, limit });
        let recorded = recording.wrap(&oracle);
        let hang = oracle.property().hang();
        let checked = (self.baseline(&recorded)).check_empty(baseline.repeat_policy, hang);
        drop(recorded);
        match checked {
            Err(BaselineError::HoldsOnEmpty) if self.keeps_quantity => {}
            Err(BaselineError::HoldsOnEmpty) => {
                self.check_writes(&oracle, input)?;
                return Err(BaselineError::HoldsOnEmpty.into());
            }
            checked => checked?,
        }
        self.check_still_holds(&oracle, input, recording, baseline.repeat_policy)?;
        Ok(PreparedReduction {
            oracle,
            baseline,
            failure,
            reported_lines,
        })
    }

    /// Checks that the property still holds on the input, if only earlier sessions have run it: the
    /// failure may have been repaired since.
    fn check_still_holds(
        &self,
        oracle: &LocalOracle,
        input: &[u8],
        recording: &BaselineRecording,
        policy: RepeatPolicy,
    ) -> Result<(), PreparationError> {
        if !recording.is_replay() {
            return Ok(());
        }
        let oracle = oracle.clone().with_output();
        let mut last = None;
        for _ in 0..runs_until_hit(policy, RUNS_TO_SEE) {
            let Answer { verdict, run } = oracle.judge(input, self.interrupt)?;
            if verdict.is_interesting() {
                return Ok(());
            }
            let cut_short = run.as_ref().is_some_and(|run| run.outcome.is_cut_short());
            last = run;
            // More of these would take long.
            if cut_short {
                break;
            }
        }
        let run = last.expect("a command was run");
        check_set_up(
            &run,
            &oracle.runner().command,
            &oracle.runner().file,
            self.stated.as_ref(),
        )?;
        Err(BaselineError::HoldsNoMore { run: Box::new(run) }.into())
    }

    /// Checks that the property, which holds on the empty input, does so outside of the sandbox
    /// too.
    fn check_writes(&self, oracle: &LocalOracle, input: &[u8]) -> Result<(), PreparationError> {
        let trial = self.trial(oracle.runner());
        let denied = match self.is_flaky {
            true => None,
            false => trial.denied_path(oracle.property(), input)?,
        };
        denied.map_or(Ok(()), |path| {
            Err(PreparationError::WritesElsewhere { path })
        })
    }

    /// Returns the trial of the sandbox of a runner.
    pub(super) fn trial<'b>(&'b self, runner: &'b Runner) -> SandboxTrial<'b> {
        SandboxTrial {
            runner,
            permissions: self.permissions,
            interrupt: self.interrupt,
            jobs: self.jobs,
        }
    }

    /// Returns the check of the inputs with this oracle.
    pub(super) fn baseline<'b>(&'b self, oracle: &'b dyn Oracle) -> BaselineCheck<'b> {
        BaselineCheck {
            oracle,
            measure_rate: MeasureRate::stated(self.is_flaky),
            rejects_more_often: self.is_strict,
            jobs: self.jobs,
            interrupt: self.interrupt,
        }
    }

    /// Returns the file that a candidate is written to, with this text.
    pub(super) fn input_file<'b>(&'b self, text: &'b [u8]) -> InputFile<'b> {
        InputFile {
            name: self.runner.file.name.to_string_lossy(),
            text,
        }
    }

    /// Returns the runner with the limits that the stated property implies.
    pub(super) fn with_stated_limits(&self, runner: &Runner) -> Runner {
        match &self.stated {
            Some(property) => runner.clone().with_limits_of(property),
            None => runner.clone(),
        }
    }

    /// Returns the run from which a property can be deduced: the first that fails, or the last
    /// attempt; and whether the command succeeded before, so that it is flaky.
    ///
    /// A property is deduced from a run outside the sandbox, where the user has seen the failure;
    /// in the sandbox the command might only complain about a file that it may not write.
    pub(super) fn first_run(
        &self,
        runner: &Runner,
        input: &[u8],
        recording: &BaselineRecording,
    ) -> Result<(Run, bool), OracleError> {
        let runner = match self.stated {
            Some(_) => runner.clone(),
            None => sandbox::without_sandbox(runner),
        };
        let (attempts, time) = match self.is_flaky {
            true => (ATTEMPTS, Duration::MAX),
            false => (SILENT_ATTEMPTS, SILENT_TIME),
        };
        let mut took = Duration::ZERO;
        for attempt in 1.. {
            let run = self.run(&runner, input, recording)?;
            check_set_up(&run, &runner.command, &runner.file, self.stated.as_ref())?;
            took += run.took;
            let is_last = attempt == attempts
                || took > time
                || run.outcome.is_cut_short()
                || recording.is_replay();
            if is_last || self.stated.is_some() || Deduction::of_run(&run).is_some() {
                return Ok((run, attempt > 1));
            }
        }
        unreachable!("the last attempt is returned")
    }

    pub(super) fn run(
        &self,
        runner: &Runner,
        input: &[u8],
        recording: &BaselineRecording,
    ) -> Result<Run, OracleError> {
        let answer = recording.replay_or_ask(input, || {
            let run = Some(runner.run(input, Capture::Output, self.interrupt)?);
            // The property may not be known yet.
            let verdict = Verdict::Unresolved;
            Ok(Answer { verdict, run })
        })?;
        Ok(answer.run.expect("a command was run"))
    }
}
