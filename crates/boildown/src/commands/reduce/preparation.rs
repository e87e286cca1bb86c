//! The runs before a reduction, and what to say when it cannot begin.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_exec::spawn::Permissions;
use boildown_exec::{CommandLine, Project, Runner, StdinContent, TypedCommand};
use boildown_oracle::shell::quote;
use boildown_oracle::{Capture, Deduction, Outcome, Property, Run};
use boildown_session::BaselineError;
use boildown_session::prepare::{
    Flakiness, PlaceError, PlacedReduction, PreparationError, PreparationSetup, PrepareEvent,
    PreparedReduction, PropertyChoice,
};
use boildown_store::BaselineRecording;

use super::history::ReductionHistory;
use super::subject::Subject;
use crate::error::{CliError, ExitKind};
use crate::explain::{
    HOLDS_NO_MORE_HINT, ended, limit_hint, not_as_expected, output_hints, repeat_hint,
    repeat_in_place_hint, unnamed_candidate_hint,
};
use crate::habits::{
    cure_of_command, cure_of_hang, cure_of_success, cure_of_unnamed, swapped, with_script_hint,
};
use crate::input::script_likeness;
use crate::job::Job;
use crate::project::{RunPlace, RunPlaces};
use crate::report::format::{EscapedPath as _, clock};
use crate::report::reporter::Reporter;
use crate::script_hints::reads_original;
use crate::session::Session;
use crate::{choices, deduced};

/// What is wrong with an input whose run does not have the stated property.
const HOLDS_NOT: &str = "the property does not hold on the input";

/// The time limit of a trial of another command.
const TRIAL_LIMIT: Duration = Duration::from_secs(10);

/// The runs before a reduction.
pub(super) struct Preparation<'a> {
    job: Job<'a>,
    /// Whether the input is a single file or folder.
    is_single: bool,
    places: &'a RunPlaces<'a>,
    /// Runs candidates alone.
    runner: Runner,
    permissions: Permissions,
}

impl<'a> Preparation<'a> {
    /// Returns the runs, after those of the extra tests.
    pub(super) fn new(
        job: Job<'a>,
        subject: &Subject,
        places: &'a RunPlaces<'a>,
        history: &ReductionHistory<'_>,
        session: &mut Session<'_>,
    ) -> Result<Self, CliError> {
        Ok(Self {
            job,
            is_single: subject.inputs.len() == 1,
            places,
            runner: job.runner_at(&history.place, &history.input, session.reporter())?,
            permissions: job.permissions(),
        })
    }

    /// Chooses the place of the runs, deduces the property, and checks the input.
    pub(super) fn prepare(
        &self,
        history: &mut ReductionHistory<'_>,
        session: &mut Session<'_>,
    ) -> Result<(PreparedReduction, Flakiness), CliError> {
        let job = self.job;
        let place = history.place.clone();
        let is_chosen = matches!(place, RunPlace::Either(_));
        let (mut prepared, loosened) = job.prepare(session, |earlier, choice, on_event| {
            if let RunPlace::Either(project) = &place {
                let prepared = self.prepare_in_either(project, &history.input, choice, on_event)?;
                let place = match prepared.is_in_project {
                    true => RunPlace::Project(Arc::clone(project)),
                    false => RunPlace::Alone,
                };
                history.settle(job.input, place, prepared.recording, earlier);
                return Ok(prepared.prepared);
            }
            let (input, runner) = (&history.input, place.runner(self.runner.clone()));
            let setup = job.setup(&runner, &self.permissions);
            let prepared = setup.prepare(input, earlier.recording(), choice, on_event);
            prepared.map_err(|error| {
                if let PreparationError::Baseline(BaselineError::HoldsNoMore { .. }) = &error {
                    earlier.forget_unconfirmed();
                }
                self.error(error, input, place.project().is_some())
            })
        })?;
        let is_stated = job.runs.within.is_some();
        session.choose([choices::place(&history.place, is_stated, is_chosen)]);
        let property = prepared.oracle.property();
        let flakiness = job.choose(session, property, &prepared.baseline, loosened);
        if job.is_strict {
            compare_forms(&mut prepared, session.reporter());
        }
        Ok((prepared, flakiness))
    }

    fn prepare_in_either(
        &self,
        project: &Arc<Project>,
        input: &Arc<[u8]>,
        choice: &mut PropertyChoice<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<PlacedReduction, CliError> {
        let in_project = self.runner.clone().within(Arc::clone(project));
        let setup = self.job.setup(&self.runner, &self.permissions);
        let placed = setup.prepare_in_either(&in_project, project.plan(), input, choice, on_event);
        placed.map_err(|error| {
            let PlaceError {
                error,
                is_in_project,
                elsewhere,
            } = error;
            let root = project.plan().root().escaped();
            let same = match &error {
                PreparationError::NothingToPreserve { run } => Some(run.outcome),
                _ => None,
            };
            let elsewhere = elsewhere.filter(|run| Some(run.outcome) != same);
            let both = elsewhere.map(|run| match is_in_project {
                true => format!(
                    "that was in a copy of {root}; alone in a fresh directory, the command {} \
                     (--within none runs it there)",
                    ended(&run)
                ),
                false => format!("in a copy of {root}, the command {}", ended(&run)),
            });
            self.error(error, input, is_in_project).hints(both)
        })
    }

    /// Returns whether the command succeeds on the input and fails on the empty one, like a test.
    fn is_like_a_test(&self, input: &[u8]) -> bool {
        let succeeds = |candidate| {
            let run = (self.runner).run(candidate, Capture::Nothing, self.job.interrupt());
            run.is_ok_and(|run| run.outcome == Outcome::Exited(0))
        };
        succeeds(input) && !succeeds(b"")
    }

    /// Returns whether a command fails on the input and not on the empty one.
    fn fails(&self, words: &[OsString], stdin: StdinContent, input: &[u8]) -> bool {
        let typed = TypedCommand {
            words,
            input: self.job.input,
            user_dir: &std::env::current_dir().unwrap_or_default(),
            backup: None,
            stdin,
        };
        let Ok(command) = CommandLine::new(&typed) else {
            return false;
        };
        let limit = self.runner.limits.timeout.min(TRIAL_LIMIT);
        let runner = Runner {
            command,
            ..self.runner.clone()
        };
        let runner = runner.with_timeout(limit);
        let outcome = |candidate| {
            let run = runner.run(candidate, Capture::Nothing, self.job.interrupt());
            run.ok().map(|run| run.outcome)
        };
        let succeeds = Some(Outcome::Exited(0));
        let fails = |outcome: Outcome| !outcome.is_cut_short() && Some(outcome) != succeeds;
        outcome(input).is_some_and(fails) && outcome(b"") == succeeds
    }

    fn error(&self, error: PreparationError, input: &[u8], is_in_project: bool) -> CliError {
        let (job, runner) = (self.job, &self.runner);
        let names_input = unnamed_candidate_hint(runner).is_none() || !self.is_single;
        let cure_of_command = || {
            cure_of_command(
                &job.runs.command,
                job.input,
                job.commands.options.stdin,
                names_input,
            )
        };
        let error = match error {
            PreparationError::GoodFailsToo { .. } | PreparationError::GoodDoesNotPass { .. } => {
                CliError::new(ExitKind::InternalError, error.to_string())
            }
            PreparationError::NothingToPreserve { run } => {
                let cure = cure_of_command();
                let is_success = run.outcome == Outcome::Exited(0);
                let cure = cure.or_else(|| {
                    let is_test = is_success && self.is_like_a_test(input);
                    is_test.then(|| cure_of_success(&job.runs.command, job.input))?
                });
                let cure = cure.or_else(|| {
                    let is_unnamed = !names_input && !job.commands.options.stdin;
                    let fails = |words: &[_], stdin| self.fails(words, stdin, input);
                    is_unnamed.then(|| cure_of_unnamed(&job.runs.command, fails))?
                });
                let limit = job
                    .runs
                    .timeout
                    .filter(|_| run.outcome == Outcome::TimedOut);
                let cure = cure.or_else(|| cure_of_hang(limit?));
                let script = job.runs.command.first().map(Path::new);
                let script = script.filter(|path| path.is_file());
                let reads = || reads_original(runner, job.input, Some(script?), job.interrupt());
                let hint = if cure.is_none() { reads() } else { None };
                let error = nothing_to_preserve(&run, is_in_project, job.input, runner);
                with_script_hint(error.cure("type", cure), hint)
            }
            PreparationError::NoStackTrace => deduced::no_stack_trace(),
            PreparationError::WritesElsewhere { path } => {
                writes_elsewhere(path.as_deref(), job.input, runner)
            }
            PreparationError::LeftBehind { path } => left_behind(&path, job.input),
            PreparationError::Baseline(error) => {
                let hint = match is_in_project {
                    true => None,
                    false => job.script_hint(&error, runner, input),
                };
                let repeat = repeat(is_in_project, job.input, runner);
                let may_be_flaky =
                    matches!(error, BaselineError::NotInteresting { .. }) && hint.is_none();
                let has_script = job.commands.script().is_some();
                let hang = job.commands.stated().and_then(|property| property.hang());
                let error = match (error, hang) {
                    (error @ BaselineError::TooRare { .. }, _) => {
                        too_rare(&error, has_script).hint(repeat)
                    }
                    (BaselineError::NotInteresting { run: Some(run) }, Some(hang))
                        if !run.outcome.is_cut_short() =>
                    {
                        return ends_too_soon(&run, hang).hint(repeat);
                    }
                    (error, _) => {
                        baseline_error(error, is_in_project, runner, hint.is_some(), repeat)
                    }
                };
                let flaky = "if the failure occurs in some runs only, use --flaky";
                let error =
                    error.hints((may_be_flaky && !job.commands.options.flaky).then_some(flaky));
                let is_swapped = |test: &&Path| script_likeness(job.input) > script_likeness(test);
                let script = job.commands.script().filter(is_swapped);
                let error = error.cure("type", cure_of_command()).cure(
                    "the script and the file are exchanged",
                    script.and_then(|script| swapped(script, job.input)),
                );
                with_script_hint(error, hint)
            }
        };
        error.hints(self.places.too_large_hint())
    }
}

/// Lets runs on candidates show the form of the failure.
fn compare_forms(prepared: &mut PreparedReduction, reporter: &mut dyn Reporter) {
    prepared.oracle = prepared.oracle.clone().with_output();
    if prepared.failure.signature().is_none() && !prepared.failure.is_diagnostic() {
        reporter.note(
            "the run on the input reports no crash and no error that boildown knows, so --strict \
             compares only how runs end",
        );
    }
}

/// Prints what would be preserved, and does nothing else.
///
/// A property is read off a run in the project, if there is one, as for a reduction.
pub(super) fn show_property(job: Job<'_>, subject: &Subject) -> Result<ExitKind, CliError> {
    let places = job.places([]).of_folder(subject.snapshot());
    job.show_property(
        |runner| placed(&places, runner),
        |setup, recording| deduce(job, setup, recording, &subject.input),
    )
}

/// Returns what a reduction would preserve, and the runner of the command.
///
/// # Errors
/// [`CliError`] when the command shows no failure on the input, or not the stated one.
pub(crate) fn preserved(
    job: Job<'_>,
    input: &[u8],
    reporter: &mut dyn Reporter,
) -> Result<(Property, Runner), CliError> {
    let places = job.places([]);
    let runner = placed(&places, job.runner(reporter)?)?;
    let permissions = job.permissions();
    let setup = job.setup(&runner, &permissions);
    let Some(property) = job.commands.stated() else {
        let deduction = deduce(job, &setup, &BaselineRecording::default(), input)?;
        return Ok((deduction.property().clone(), runner));
    };
    let runner = runner.with_limits_of(&property);
    let run = runner.run(input, Capture::Output, job.interrupt())?;
    if !property.verdict(&run).is_interesting() {
        return Err(not_as_expected(HOLDS_NOT, &run, None));
    }
    Ok((property, runner))
}

/// Returns the runner in the place that is stated or chosen.
fn placed(places: &RunPlaces<'_>, runner: Runner) -> Result<Runner, CliError> {
    Ok(match (places.stated()?, places.chosen()) {
        (Some(place), _) => place.runner(runner),
        (None, Some(project)) => runner.within(Arc::clone(project)),
        (None, None) => runner,
    })
}

fn deduce(
    job: Job<'_>,
    setup: &PreparationSetup<'_>,
    recording: &BaselineRecording,
    input: &[u8],
) -> Result<Deduction, CliError> {
    let deduction = setup.deduce(input, recording, job.commands.kept_frames());
    deduction.map_err(|error| match error {
        PreparationError::NothingToPreserve { run } => {
            nothing_to_preserve(&run, false, job.input, setup.runner)
        }
        PreparationError::NoStackTrace => deduced::no_stack_trace(),
        error => CliError::new(ExitKind::CannotRun, error.to_string()),
    })
}

/// Returns how to repeat a run on the input.
fn repeat(is_in_project: bool, input: &Path, runner: &Runner) -> String {
    match is_in_project {
        true => repeat_in_place_hint(runner, input),
        false => repeat_hint(runner, input),
    }
}

fn nothing_to_preserve(run: &Run, is_in_project: bool, input: &Path, runner: &Runner) -> CliError {
    let ended = match run.outcome {
        Outcome::Exited(_) | Outcome::Signalled(_) => "succeeded".to_owned(),
        outcome => outcome.to_string(),
    };
    let advice = limit_hint(run.outcome).unwrap_or(
        "state it with --exit, --stdout, --stderr or --not-stderr, or with a script for --test; if the failure is intermittent, use --flaky",
    );
    let what = format!("the command {ended}, and no option says what to preserve");
    CliError::new(ExitKind::NotInteresting, what)
        .hints(printed_hint(run))
        .hint(advice)
        .hints(unnamed_candidate_hint(runner))
        .hint(repeat(is_in_project, input, runner))
}

/// Returns the option that preserves what a command printed to standard error though it succeeded.
fn printed_hint(run: &Run) -> Option<String> {
    if run.outcome != Outcome::Exited(0) {
        return None;
    }
    let failing = Run {
        outcome: Outcome::Exited(1),
        stdout: Vec::new(),
        ..run.clone()
    };
    let flags = Deduction::of_run(&failing)?.property().flags();
    let flags = flags.strip_prefix("--exit 1 ")?;
    Some(format!(
        "if what it printed is the failure, this preserves it: {flags}"
    ))
}

fn writes_elsewhere(path: Option<&Path>, input: &Path, runner: &Runner) -> CliError {
    let (what, path) = match path {
        Some(path) => (path.escaped(), quote(path)),
        None => (
            "a file outside of its directory".to_owned(),
            "PATH".to_owned(),
        ),
    };
    CliError::usage("the property holds on the empty input, though not outside of the sandbox")
        .because(format!("the command needs to write to {what}"))
        .hint("let it write to its working directory or to $TMPDIR, which each run has for itself")
        .hint(format!(
            "--writable {path} --jobs 1 permits it; all runs share that file, so they may not overlap"
        ))
        .hint(repeat_hint(runner, input))
}

fn left_behind(path: &Path, input: &Path) -> CliError {
    let shown = path.escaped();
    let option = match (input.is_dir(), path.parent()) {
        (false, Some(dir)) => format!("--within {} runs in copies that have it", quote(dir)),
        _ => format!("--with {} gives it to each run", quote(path)),
    };
    CliError::usage(format!("the runs fail because they do not find {shown}"))
        .because("they have copies of the input, and it is beside them")
        .hint(option)
        .hint("if that is the failure to preserve, state it with --stdout or --stderr")
}

/// Returns the error of a property that held in too few runs. A script succeeds where the property
/// holds, a command fails there.
fn too_rare(error: &BaselineError, has_script: bool) -> CliError {
    CliError::new(ExitKind::Flaky, error.to_string()).hint(match has_script {
        true => {
            "let the test try several times: sh -c 'for i in $(seq 20); do TEST && exit 0; done; exit 1'"
        }
        false => {
            "let the command try several times: sh -c 'for i in $(seq 20); do COMMAND || exit $?; done'"
        }
    })
}

/// Returns the error of a command that was to hang.
fn ends_too_soon(run: &Run, hang: Duration) -> CliError {
    CliError::new(ExitKind::NotInteresting, HOLDS_NOT)
        .because(format!(
            "the command {} after {}, before the {} of --hangs",
            run.outcome,
            clock(run.took),
            clock(hang)
        ))
        .hints(output_hints(run))
        .hint("a hang is a run that takes longer than any other should: state a shorter time, or what else is wrong with this one")
}

fn baseline_error(
    error: BaselineError,
    is_in_project: bool,
    runner: &Runner,
    has_hint: bool,
    repeat: String,
) -> CliError {
    match error {
        BaselineError::NotInteresting { run } => {
            let error = match run {
                Some(run) => not_as_expected(HOLDS_NOT, &run, limit_hint(run.outcome)),
                None => CliError::new(ExitKind::NotInteresting, HOLDS_NOT),
            };
            let others = "each candidate is alone in a fresh directory: name other files by their absolute paths";
            error
                .hint(repeat)
                .hints(unnamed_candidate_hint(runner))
                .hints((!has_hint && !is_in_project).then_some(others))
        }
        BaselineError::HoldsNoMore { run } => {
            let what = "the property does not hold on the input any more";
            not_as_expected(what, &run, limit_hint(run.outcome))
                .hint(HOLDS_NO_MORE_HINT)
                .hint(repeat)
        }
        BaselineError::HoldsOnEmpty => CliError::usage(error.to_string())
            .because("it would hold on any candidate")
            .hints(unnamed_candidate_hint(runner))
            .hint("make the property more specific: a line of the output, or a test script that looks at the candidate"),
        BaselineError::NearlyHangsOnEmpty { took, .. } => CliError::usage(error.to_string())
            .because("candidates that do not hang could take as long")
            .hint(format!("state a longer time: --hangs {}s", took.as_secs() * 4 + 4)),
        BaselineError::Oracle(error) => CliError::before("the reduction")(error),
        error => CliError::new(ExitKind::CannotRun, error.to_string()),
    }
}
