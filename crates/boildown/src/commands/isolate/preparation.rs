//! The runs before an isolation, and why it cannot begin.

use std::path::Path;

use boildown_exec::Runner;
use boildown_oracle::{Capture, Outcome, Run, deduce};
use boildown_session::prepare::{Flakiness, PreparationError, PreparedIsolation};
use boildown_session::{BaselineError, Side};

use super::pair::FilePair;
use crate::deduced;
use crate::error::{CliError, ExitKind};
use crate::explain::{self, HOLDS_NO_MORE_HINT, limit_hint, repeat_hint, unnamed_candidate_hint};
use crate::habits::{swapped, with_script_hint};
use crate::job::Job;
use crate::report::format::EscapedPath as _;
use crate::session::Session;

/// Deduces what failing and passing mean, and checks both files.
pub(super) fn prepare(
    pair: &FilePair<'_>,
    job: Job<'_>,
    runner: &Runner,
    session: &mut Session<'_>,
) -> Result<(PreparedIsolation, Flakiness), CliError> {
    let permissions = job.permissions();
    let refused = |error| {
        let hint = match &error {
            PreparationError::Baseline(error) => job.script_hint(error, runner, &pair.files.bad),
            _ => None,
        };
        let does_not_fail = matches!(
            &error,
            PreparationError::NothingToPreserve { .. }
                | PreparationError::Baseline(BaselineError::NotInteresting { .. })
        );
        // A script that is inverted looks like that, too.
        if does_not_fail && hint.is_none() && fails_on_good(pair, job, runner) {
            return exchanged(pair);
        }
        with_script_hint(explained(error, pair, runner), hint)
    };
    let (prepared, loosened) = job.prepare(session, |earlier, choice, on_event| {
        let setup = job.setup(runner, &permissions);
        let prepared = setup.prepare_isolation(&pair.files, earlier.recording(), choice, on_event);
        prepared.map_err(refused)
    })?;
    let property = &prepared.oracle.failing;
    let flakiness = job.choose(session, property, &prepared.baseline, loosened);
    Ok((prepared, flakiness))
}

/// Returns whether the command fails on the good file.
fn fails_on_good(pair: &FilePair<'_>, job: Job<'_>, runner: &Runner) -> bool {
    let run = runner.run(&pair.files.good, Capture::Output, job.interrupt());
    run.is_ok_and(|run| match job.commands.stated() {
        Some(property) => property.verdict(&run).is_interesting(),
        None => deduce(&run).is_some(),
    })
}

/// Returns the error for files of which the good one fails and the bad one does not.
fn exchanged(pair: &FilePair<'_>) -> CliError {
    let (good, bad) = (pair.good.escaped(), pair.bad.escaped());
    let what = format!("the command fails on {good} and not on {bad}: the files are swapped");
    CliError::new(ExitKind::NotInteresting, what).cure("type", swapped(pair.good, pair.bad))
}

/// Prints what would count as failing, and does nothing else.
pub(super) fn show_property(pair: &FilePair<'_>, job: Job<'_>) -> Result<ExitKind, CliError> {
    job.show_property(Ok, |setup, recording| {
        let frames = job.commands.kept_frames();
        let deduction = setup.deduce_failing(&pair.files.bad, recording, frames);
        deduction.map_err(|error| explained(error, pair, setup.runner))
    })
}

/// Returns the error for an isolation that cannot begin.
fn explained(error: PreparationError, pair: &FilePair<'_>, runner: &Runner) -> CliError {
    let repeat_on = |path: &Path| repeat_hint(runner, path);
    let (good, bad) = (pair.good.escaped(), pair.bad.escaped());
    match error {
        PreparationError::NothingToPreserve { run } => {
            not_as_expected(format!("the command does not fail on {bad}"), &run)
                .hint("if this run shows the failure, state it with --exit, --stdout, --stderr, --not-stderr or --hangs")
                .hint(repeat_on(pair.bad))
                .hints(unnamed_candidate_hint(runner))
        }
        PreparationError::Baseline(BaselineError::NotInteresting { run: Some(run) }) => {
            not_as_expected(format!("the property does not hold on {bad}"), &run)
                .hint(repeat_on(pair.bad))
                .hints(unnamed_candidate_hint(runner))
        }
        PreparationError::Baseline(BaselineError::HoldsNoMore { run }) => {
            let what = format!("the command does not fail on {bad} any more");
            not_as_expected(what, &run)
                .hint(HOLDS_NO_MORE_HINT)
                .hint(repeat_on(pair.bad))
        }
        PreparationError::NoStackTrace => deduced::no_stack_trace(),
        PreparationError::GoodFailsToo { run, failing } => {
            let what = format!("the command fails on {good} too, in the same way");
            let failing = failing.to_string().replace('\n', "\n  ");
            not_as_expected(what, &run)
                .hint(format!("failing means:\n  {failing}"))
                .hint(repeat_on(pair.good))
                .hints(unnamed_candidate_hint(runner))
        }
        PreparationError::GoodDoesNotPass { run } => {
            let what = format!("the command does not pass on {good}");
            not_as_expected(what, &run).hint(repeat_on(pair.good))
        }
        PreparationError::Baseline(BaselineError::SideIsFlaky { side, held, runs }) => {
            let (path, does) = match side {
                Side::Passing => (pair.good, "passed"),
                Side::Failing => (pair.bad, "failed"),
            };
            let what = format!(
                "the command {does} on {} in {held} of {runs} runs",
                path.escaped()
            );
            CliError::new(ExitKind::Flaky, what)
                .hint("make the command deterministic, or loosen the property so that every run shows it")
                .hint(repeat_on(path))
        }
        PreparationError::Baseline(BaselineError::Oracle(error)) => {
            CliError::before("the search")(error)
        }
        error => CliError::new(ExitKind::CannotRun, error.to_string()),
    }
}

/// Returns an error that shows how the run ended instead.
fn not_as_expected(what: String, run: &Run) -> CliError {
    let advice = match run.outcome {
        Outcome::Exited(125) => Some("exit code 125 means that the run is unresolved"),
        outcome => limit_hint(outcome),
    };
    explain::not_as_expected(what, run, advice)
}
