//! Choice of the place of the runs: alone in a fresh directory, or in a copy of the project.

use std::time::Duration;

use boildown_exec::{ProjectPlan, Runner};
use boildown_oracle::{Capture, Deduction, OracleError, OtherRuns, Property, Run, deduce};
use boildown_store::BaselineRecording;

use super::choice::PropertyChoice;
use super::error::PreparationError;
use super::event::{MoveReason, PrepareEvent};
use super::reduction::{PreparationSetup, PreparedReduction, RUNNING};
use super::sandbox::without_sandbox;
use crate::BaselineError;

/// Runs in one place, of which none shows the failure, before the place is blamed; in the other
/// place, all of as many have to show it. Runs of a failure that occurs in half of them do so in
/// one of a thousand cases.
const TRIES: u32 = 5;

/// The same for runs that take long.
const SLOW_TRIES: u32 = 3;

/// The duration of a run that takes long.
const SLOW: Duration = Duration::from_secs(2);

/// The same for a failure that is stated to be flaky, or was seen to be.
const FLAKY_TRIES: u32 = 10;

/// A reduction that can begin, in the place that was chosen for it.
#[derive(Debug)]
pub struct PlacedReduction {
    /// The reduction.
    pub prepared: PreparedReduction,
    /// Whether candidates are run in a copy of the project.
    pub is_in_project: bool,
    /// The baseline runs.
    pub recording: BaselineRecording,
}

/// Why a reduction cannot begin in either place.
#[derive(Debug)]
pub struct PlaceError {
    /// The error.
    pub error: PreparationError,
    /// Whether it is about runs in the project.
    pub is_in_project: bool,
    /// A run on the input in the other place, if there was one.
    pub elsewhere: Option<Box<Run>>,
}

impl<E: Into<PreparationError>> From<E> for PlaceError {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            is_in_project: false,
            elsewhere: None,
        }
    }
}

/// A place, and the runs that a preparation there begins with.
struct Choice {
    is_in_project: bool,
    runs: Vec<Run>,
    /// A run in the fresh directory if the place is the project, and the other way round.
    elsewhere: Option<Run>,
    /// Whether the failure was seen to be flaky.
    is_flaky: bool,
}

impl PreparationSetup<'_> {
    /// Prepares a reduction in the place where the command fails as it did for the user: alone in a
    /// fresh directory, or in a copy of the project.
    ///
    /// A property is deduced from a run in the project, where the user has seen the failure. If it
    /// does not hold alone, the runs move to the project. They also move if only there the property
    /// depends on the candidate.
    ///
    /// # Errors
    /// [`PlaceError`] says why the reduction cannot begin.
    pub fn prepare_in_either(
        self,
        in_project: &Runner,
        project: &ProjectPlan,
        input: &[u8],
        property: &mut PropertyChoice<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<PlacedReduction, PlaceError> {
        on_event(PrepareEvent::Running {
            what: RUNNING,
            limit: self.with_stated_limits(in_project).limits.timeout,
        });
        let choice = match &self.stated {
            Some(property) => self.choose_by_stated(property, in_project, input)?,
            None => self.choose_by_deduced(in_project, input, property)?,
        };
        let there = PreparationSetup {
            runner: in_project,
            ..self.clone()
        };
        if choice.is_in_project {
            if let Some(alone) = &choice.elsewhere {
                let reason = MoveReason::Differs(alone);
                on_event(PrepareEvent::Moved { project, reason });
            }
            return there.prepare_with(choice, input, property, on_event);
        }
        let seen = choice.runs.first().filter(|_| self.stated.is_none());
        let seen: Vec<Run> = seen.cloned().into_iter().collect();
        let alone = self.prepare_with(choice, input, property, on_event);
        if let Err(PlaceError { error, .. }) = &alone
            && matches!(
                error,
                PreparationError::Baseline(BaselineError::HoldsOnEmpty)
            )
        {
            let choice = Choice {
                is_in_project: true,
                runs: seen,
                elsewhere: None,
                is_flaky: false,
            };
            // The property was shown before.
            let unless_shown = &mut |event: PrepareEvent<'_>| {
                let was_shown = matches!(
                    event,
                    PrepareEvent::Preserving(_) | PrepareEvent::Alternative(_)
                );
                if !was_shown {
                    on_event(event);
                }
            };
            if let Ok(placed) = there.prepare_with(choice, input, property, unless_shown) {
                let reason = MoveReason::HoldsOnEmpty;
                on_event(PrepareEvent::Moved { project, reason });
                return Ok(placed);
            }
        }
        alone
    }

    fn prepare_with(
        mut self,
        choice: Choice,
        input: &[u8],
        property: &mut PropertyChoice<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<PlacedReduction, PlaceError> {
        self.is_flaky |= choice.is_flaky;
        let recording = BaselineRecording::of_runs(input, choice.runs);
        match self.prepare(input, &recording, property, on_event) {
            Ok(prepared) => Ok(PlacedReduction {
                prepared,
                is_in_project: choice.is_in_project,
                recording,
            }),
            Err(error) => Err(PlaceError {
                error,
                is_in_project: choice.is_in_project,
                elsewhere: choice.elsewhere.map(Box::new),
            }),
        }
    }

    /// Chooses by the property that a run in the project shows.
    fn choose_by_deduced(
        &self,
        in_project: &Runner,
        input: &[u8],
        choice: &mut PropertyChoice<'_>,
    ) -> Result<Choice, PlaceError> {
        let (mut seen, mut is_flaky) =
            self.first_run(in_project, input, &BaselineRecording::default())?;
        let outside = without_sandbox(self.runner);
        let mut elsewhere = None;
        if Deduction::of_run(&seen).is_none() && !seen.outcome.is_cut_short() {
            let alone = outside.run(input, Capture::Output, self.interrupt)?;
            if self.is_intermittent(&alone, &outside, input)? {
                (seen, is_flaky) = (alone, true);
            } else {
                elsewhere = Some(Box::new(alone));
            }
        }
        if choice.remembered.is_none() {
            choice.others = Some(self.compare(in_project, input, &seen)?);
        }
        let none = OtherRuns::default();
        let others = choice.others.as_ref().unwrap_or(&none);
        let deduction = Deduction::on_input(
            &seen,
            &choice.frames.read_with(&self.input_file(input)),
            others,
        );
        let Some(property) = deduction.map(|deduction| deduction.property().clone()) else {
            return Err(PlaceError {
                error: PreparationError::NothingToPreserve {
                    run: Box::new(seen),
                },
                is_in_project: true,
                elsewhere,
            });
        };
        let has_sandbox = self.runner.limits.sandbox.is_some();
        // A preparation begins with a run outside the sandbox, and one in it if there is one.
        let runs = |inside: Run| match has_sandbox {
            true => vec![seen.clone(), inside],
            false => vec![seen.clone()],
        };
        let alone = self
            .treating_as_flaky(is_flaky)
            .run_until(&property, self.runner, input)?;
        let is_alone = |alone: Run, is_flaky| Choice {
            is_in_project: false,
            runs: runs(alone),
            elsewhere: None,
            is_flaky,
        };
        if property.verdict(&alone).is_interesting() {
            return Ok(is_alone(alone, is_flaky));
        }
        let there = self
            .treating_as_flaky(is_flaky)
            .run_until(&property, in_project, input)?;
        let holds_there = property.verdict(&there).is_interesting();
        if holds_there && !is_flaky && self.is_flaky_in(&property, in_project, &alone, input)? {
            is_flaky = true;
            let again = self
                .treating_as_flaky(true)
                .run_until(&property, self.runner, input)?;
            if property.verdict(&again).is_interesting() {
                return Ok(is_alone(again, is_flaky));
            }
        }
        let is_because_of_sandbox =
            has_sandbox && !holds_there && self.holds_in(&property, &outside, input)?;
        Ok(match is_because_of_sandbox {
            true => Choice {
                elsewhere: Some(there),
                ..is_alone(alone, is_flaky)
            },
            false => Choice {
                is_in_project: true,
                runs: runs(there),
                elsewhere: Some(alone),
                is_flaky,
            },
        })
    }

    /// Returns this setup for a failure that was seen to be flaky, or as it is.
    fn treating_as_flaky(&self, is_flaky: bool) -> Self {
        Self {
            is_flaky: self.is_flaky || is_flaky,
            ..self.clone()
        }
    }

    /// Chooses by the property that the user stated, and by how the command fails if it holds in
    /// both places.
    fn choose_by_stated(
        &self,
        property: &Property,
        in_project: &Runner,
        input: &[u8],
    ) -> Result<Choice, PlaceError> {
        let alone_runner = &self.with_stated_limits(self.runner);
        let in_project = &self.with_stated_limits(in_project);
        let holds = |run: &Run| property.verdict(run).is_interesting();
        let mut alone = self.run_until(property, alone_runner, input)?;
        if self.is_test_script && holds(&alone) {
            return Ok(Choice {
                is_in_project: false,
                runs: vec![alone],
                elsewhere: None,
                is_flaky: false,
            });
        }
        let there = self.run_until(property, in_project, input)?;
        let is_flaky = !holds(&alone)
            && holds(&there)
            && self.is_flaky_in(property, in_project, &alone, input)?;
        if is_flaky {
            alone = self
                .treating_as_flaky(true)
                .run_until(property, alone_runner, input)?;
        }
        let moves = match (holds(&alone), holds(&there)) {
            (true, true) => fails_differently(&there, &alone),
            (false, true) => true,
            (true, false) => false,
            (false, false) => {
                self.runner.limits.sandbox.is_some()
                    && self.holds_in(property, &without_sandbox(in_project), input)?
                    && !self.holds_in(property, &without_sandbox(alone_runner), input)?
            }
        };
        let (here, elsewhere) = match moves {
            true => (there, alone),
            false => (alone, there),
        };
        Ok(Choice {
            is_in_project: moves,
            runs: vec![here],
            elsewhere: Some(elsewhere),
            is_flaky,
        })
    }

    /// Returns whether the property holds in some runs only in the project, where it held in one,
    /// so that a run elsewhere in which it did not hold proves nothing about the place.
    fn is_flaky_in(
        &self,
        property: &Property,
        in_project: &Runner,
        elsewhere: &Run,
        input: &[u8],
    ) -> Result<bool, OracleError> {
        if self.is_flaky || elsewhere.outcome.is_cut_short() {
            return Ok(false);
        }
        for _ in 1..TRIES {
            let run = in_project.run(input, Capture::Output, self.interrupt)?;
            if !property.verdict(&run).is_interesting() {
                return Ok(true);
            }
            if run.took > SLOW {
                break;
            }
        }
        Ok(false)
    }

    /// Returns whether a run fails, and another one in the same place shows nothing to preserve:
    /// its failure says nothing about the place then, though runs elsewhere succeed.
    fn is_intermittent(
        &self,
        failing: &Run,
        runner: &Runner,
        input: &[u8],
    ) -> Result<bool, OracleError> {
        if deduce(failing).is_none() {
            return Ok(false);
        }
        let tries = if failing.took > SLOW {
            SLOW_TRIES
        } else {
            TRIES
        };
        for _ in 1..tries {
            let run = runner.run(input, Capture::Output, self.interrupt)?;
            if run.outcome.is_cut_short() {
                break;
            }
            if deduce(&run).is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs the command until the property holds, or until it is clear that it does not hold here:
    /// after several runs, or one that fails in another way. Returns the last run.
    fn run_until(
        &self,
        property: &Property,
        runner: &Runner,
        input: &[u8],
    ) -> Result<Run, OracleError> {
        let mut number = 1;
        loop {
            let run = runner.run(input, Capture::Output, self.interrupt)?;
            let is_clear = match self.is_flaky {
                true => false,
                false => self.is_test_script || deduce(&run).is_some(),
            };
            let tries = match (self.is_flaky, run.took > SLOW) {
                (true, _) => FLAKY_TRIES,
                (false, false) => TRIES,
                (false, true) => SLOW_TRIES,
            };
            let slow = run.outcome.is_cut_short();
            if property.verdict(&run).is_interesting() || is_clear || slow || number >= tries {
                return Ok(run);
            }
            number += 1;
        }
    }

    fn holds_in(
        &self,
        property: &Property,
        runner: &Runner,
        input: &[u8],
    ) -> Result<bool, OracleError> {
        let run = self.run_until(property, runner, input)?;
        Ok(property.verdict(&run).is_interesting())
    }
}

/// Returns whether the second run does not show what the first one shows.
fn fails_differently(first: &Run, second: &Run) -> bool {
    match deduce(first) {
        Some(property) => !property.verdict(second).is_interesting(),
        None => first.outcome != second.outcome,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use boildown_exec::spawn::{Limits, Permissions};
    use boildown_exec::{
        CandidateFile, CommandLine, PlanLimits, ProjectRequest, Scratch, StdinContent, TypedCommand,
    };
    use boildown_oracle::Interrupt;

    use super::*;
    use crate::prepare::KeptFrames;

    #[test]
    fn the_first_run_is_announced_before_it_begins() {
        let root = tempfile::tempdir().unwrap();
        let input = root.path().join("in.txt");
        fs::write(&input, "text").unwrap();
        let typed = TypedCommand {
            words: &["false".into()],
            input: &input,
            user_dir: root.path(),
            backup: None,
            stdin: StdinContent::Nothing,
        };
        let runner = Runner {
            project: None,
            command: CommandLine::new(&typed).unwrap(),
            scratch: Arc::new(Scratch::new(root.path()).unwrap()),
            file: CandidateFile::like(&input).unwrap(),
            limits: Limits::default(),
            extra_tests: Vec::new(),
            executor: None,
        };
        let plan = ProjectPlan::new(&ProjectRequest {
            root: root.path(),
            input: &input,
            user_dir: root.path(),
            left_out: &[],
            limits: PlanLimits::CHOSEN,
        });
        let plan = plan.unwrap();
        // No run begins.
        let interrupt = Interrupt::new().unwrap();
        interrupt.trigger();
        for stated in [None, Property::from_flags("--exit 1")] {
            let setup = PreparationSetup {
                runner: &runner,
                permissions: &Permissions::default(),
                stated,
                is_test_script: false,
                is_flaky: false,
                is_strict: false,
                keeps_quantity: false,
                timeout_is_stated: false,
                jobs: 1,
                interrupt: &interrupt,
            };
            let mut property = PropertyChoice {
                remembered: None,
                frames: KeptFrames::Place,
                others: None,
                ask: &mut |_| None,
            };
            let mut announced = Vec::new();
            let placed =
                setup.prepare_in_either(&runner, &plan, b"text", &mut property, &mut |event| {
                    if let PrepareEvent::Running { what, .. } = event {
                        announced.push(what);
                    }
                });
            assert!(placed.is_err());
            assert_eq!(announced, ["running the command on the input"]);
        }
    }
}
