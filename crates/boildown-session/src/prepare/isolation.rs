//! Preparation of an isolation: deduces what failing and passing mean, chooses the sandbox and
//! checks both files.

use std::sync::Arc;

use boildown_exec::{PassFailOracle, Runner, check_set_up};
use boildown_oracle::{
    Answer, Capture, Deduction, ExitSpec, Expectation, Interrupt, Oracle, OracleError, Outcome,
    Property, Run, Verdict, deduce,
};
use boildown_search::flaky::RepeatPolicy;
use boildown_store::BaselineRecording;

use super::choice::{self, ChosenProperty, KeptFrames, PropertyChoice};
use super::error::PreparationError;
use super::event::PrepareEvent;
use super::reduction::{ATTEMPTS, PreparationSetup, RUNS_TO_SEE};
use super::sandbox;
use crate::reduce::runs_until_hit;
use crate::{Baseline, BaselineError, default_time_limit};

/// The two files of an isolation.
#[derive(Debug)]
pub struct GoodAndBad {
    /// The file on which the command passes.
    pub good: Arc<[u8]>,
    /// The file on which it fails.
    pub bad: Arc<[u8]>,
}

/// An isolation that can begin.
#[derive(Debug)]
pub struct PreparedIsolation {
    /// Decides whether a candidate is interesting.
    pub oracle: PassFailOracle,
    /// What the runs on the input showed.
    pub baseline: Baseline,
}

/// An oracle that repeats a run that took too long: one that does so once is no sign of chance.
struct PatientOracle<'a>(&'a PassFailOracle);

impl Oracle for PatientOracle<'_> {
    fn judge(&self, input: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let answer = self.0.judge(input, interrupt)?;
        let run = answer.run.as_ref();
        let timed_out = run.is_some_and(|run| run.outcome == Outcome::TimedOut);
        match timed_out && !answer.verdict.is_interesting() {
            true => self.0.judge(input, interrupt),
            false => Ok(answer),
        }
    }
}

impl PreparationSetup<'_> {
    /// Prepares an isolation of the difference between two files. Runs in the recording are not
    /// repeated.
    ///
    /// # Errors
    /// [`PreparationError`] says why the isolation cannot begin.
    pub fn prepare_isolation(
        &self,
        files: &GoodAndBad,
        recording: &BaselineRecording,
        choice: &mut PropertyChoice<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<PreparedIsolation, PreparationError> {
        let mut runner = self.with_stated_limits(self.runner);
        let limit = runner.limits.timeout;
        let what = "running the command on the bad file";
        on_event(PrepareEvent::Running { what, limit });
        let on_bad = self.run_until_it_fails(&runner, &files.bad, recording)?;
        if !self.is_flaky && choice.others.is_none() && choice.remembered.is_none() {
            choice.others = Some(self.compare(&runner, &files.bad, &on_bad)?);
        }
        let chosen = self.failing(&files.bad, &on_bad, choice)?;
        let failing = chosen.property.clone();
        let what = "running the command on the good file";
        on_event(PrepareEvent::Running { what, limit });
        let on_good = self.run_outside(&runner, &files.good, recording)?;
        let passing = self.passing(&on_good, &failing)?;
        on_event(PrepareEvent::Failing(&failing));
        chosen.report_next(on_event);
        on_event(PrepareEvent::Passing(&passing));
        for (property, input) in [(&failing, &files.bad), (&passing, &files.good)] {
            let trial = self.trial(&runner);
            if let Some(loosened) = trial.loosen(property, input, on_event)? {
                runner = loosened;
            }
        }
        let mut oracle = PassFailOracle {
            runner,
            failing,
            passing,
        };
        let what = "running the command on both files again";
        on_event(PrepareEvent::Running { what, limit });
        let patient = PatientOracle(&oracle);
        let recorded = recording.wrap(&patient);
        let baseline = (self.baseline(&recorded)).check_both_sides(&files.good, &files.bad)?;
        drop(recorded);
        let slowest = baseline.stats.slowest.max(on_good.took).max(on_bad.took);
        if !self.timeout_is_stated && oracle.failing.hang().is_none() {
            oracle.runner = oracle.runner.with_timeout(default_time_limit(slowest));
        }
        if recording.is_replay() {
            let what = "running the command on both files, to see whether they still differ";
            on_event(PrepareEvent::Running { what, limit });
            self.check_still_differ(&oracle, files, baseline.repeat_policy)?;
        }
        Ok(PreparedIsolation { oracle, baseline })
    }

    /// Checks that the bad file, which failed in earlier sessions, still does, and that the good
    /// one still passes.
    fn check_still_differ(
        &self,
        oracle: &PassFailOracle,
        files: &GoodAndBad,
        policy: RepeatPolicy,
    ) -> Result<(), PreparationError> {
        let run = |input: &[u8]| oracle.runner.run(input, Capture::Output, self.interrupt);
        let mut on_bad = run(&files.bad)?;
        for _ in 1..runs_until_hit(policy, RUNS_TO_SEE) {
            if oracle.failing.verdict(&on_bad).is_interesting() || on_bad.outcome.is_cut_short() {
                break;
            }
            on_bad = run(&files.bad)?;
        }
        check_set_up(
            &on_bad,
            &oracle.runner.command,
            &oracle.runner.file,
            self.stated.as_ref(),
        )?;
        if !oracle.failing.verdict(&on_bad).is_interesting() {
            let run = Box::new(on_bad);
            return Err(BaselineError::HoldsNoMore { run }.into());
        }
        let on_good = run(&files.good)?;
        match oracle.passing.verdict(&on_good).is_interesting() {
            true => Ok(()),
            false => Err(PreparationError::GoodDoesNotPass {
                run: Box::new(on_good),
            }),
        }
    }

    /// Returns a run on the bad file; of a flaky command the first that fails, or the last attempt.
    fn run_until_it_fails(
        &self,
        runner: &Runner,
        bad: &[u8],
        recording: &BaselineRecording,
    ) -> Result<Run, OracleError> {
        let mut run = self.run_outside(runner, bad, recording)?;
        let fails = |run: &Run| match &self.stated {
            Some(property) => property.verdict(run).is_interesting(),
            None => deduce(run).is_some(),
        };
        for _ in 1..ATTEMPTS {
            if !self.is_flaky || fails(&run) {
                break;
            }
            run = self.run_outside(runner, bad, recording)?;
        }
        Ok(run)
    }

    /// Runs the command outside the sandbox, where the user has seen the failure; in the sandbox
    /// the command might only complain about a file that it may not write.
    fn run_outside(
        &self,
        runner: &Runner,
        input: &[u8],
        recording: &BaselineRecording,
    ) -> Result<Run, OracleError> {
        let run = self.run(&sandbox::without_sandbox(runner), input, recording)?;
        check_set_up(&run, &runner.command, &runner.file, self.stated.as_ref())?;
        Ok(run)
    }

    /// Returns what a run on the bad file shows, without preparing anything.
    ///
    /// # Errors
    /// [`PreparationError`] says why nothing can be deduced.
    pub fn deduce_failing(
        &self,
        bad: &[u8],
        recording: &BaselineRecording,
        frames: KeptFrames,
    ) -> Result<Deduction, PreparationError> {
        let on_bad = self.run_until_it_fails(self.runner, bad, recording)?;
        let others = self.compare(self.runner, bad, &on_bad)?;
        choice::deduction(&on_bad, Some(&others), frames, &self.input_file(bad))
    }

    /// Returns what failing means: the stated property, or else what the run on the bad file shows.
    fn failing(
        &self,
        bad: &[u8],
        on_bad: &Run,
        choice: &mut PropertyChoice<'_>,
    ) -> Result<ChosenProperty, PreparationError> {
        match &self.stated {
            None => choice.choose(on_bad, &self.input_file(bad)),
            Some(property) if property.verdict(on_bad).is_interesting() => {
                Ok(property.clone().into())
            }
            Some(_) => Err(BaselineError::NotInteresting {
                run: Some(Box::new(on_bad.clone())),
            }
            .into()),
        }
    }

    /// Returns what passing means: what the run on the good file shows. Of a test script that is
    /// the exit code alone.
    fn passing(&self, on_good: &Run, failing: &Property) -> Result<Property, PreparationError> {
        let run = || Box::new(on_good.clone());
        let exit = ExitSpec::of_outcome(on_good.outcome).map(Expectation::Exit);
        let exit = Property::new(exit.into_iter().collect());
        let passing = match failing.verdict(on_good) {
            Verdict::Uninteresting if self.is_test_script => exit,
            Verdict::Uninteresting => deduce(on_good).or(exit),
            Verdict::Interesting => {
                return Err(PreparationError::GoodFailsToo {
                    run: run(),
                    failing: failing.clone(),
                });
            }
            Verdict::Unresolved => None,
        };
        passing.ok_or_else(|| PreparationError::GoodDoesNotPass { run: run() })
    }
}
