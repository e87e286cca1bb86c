//! Errors of a culprit search, for the user.

use std::time::Duration;

use boildown_oracle::{ExitSpec, Expectation, OracleError, Outcome, Property};
use boildown_session::changes::{SearchError, TreeAnswer, UnresolvedReason};

use crate::error::{CliError, ExitKind};
use crate::explain::{limit_hint, output_hints};

/// Returns the error for a search that ended without a result.
pub(super) fn search_error(error: SearchError, command: &str, is_fix: bool) -> CliError {
    match error {
        SearchError::NotAsStated {
            name,
            wanted,
            answer,
        } => {
            let state = UnexpectedState {
                name: &name,
                is_first: wanted == "good",
                is_fix,
            };
            state.error(&answer, command)
        }
        SearchError::Swapped { good, bad } if is_fix => CliError::new(
            ExitKind::NotInteresting,
            format!("{good} is fixed and {bad} is broken: the states are swapped"),
        )
        .hint(format!("to find what fixes it: --fix {bad}..{good}"))
        .hint("to find what breaks it: the same states without --fix"),
        SearchError::Swapped { good, bad } => CliError::new(
            ExitKind::NotInteresting,
            format!("{good} is bad and {bad} is good: the states are swapped"),
        )
        .hint(format!("to find what breaks it: {bad}..{good}"))
        .hint("to find what fixes it: the same states with --fix"),
        SearchError::Flaky { name } => CliError::new(
            ExitKind::Flaky,
            format!("two runs on {name} ended differently"),
        )
        .hint("make the command deterministic, or state what is bad so that every run shows it")
        .hint(format!("the command: {command}")),
        SearchError::Same { good, bad } => {
            CliError::usage(format!("{good} and {bad} do not differ"))
                .hint("uncommitted changes are included with --worktree only")
        }
        SearchError::Oracle(error @ OracleError::Scratch { .. }) => CliError::from(error)
            .hint("free some space there, or choose another directory with --scratch; the smallest patch so far is kept, if there is one"),
        SearchError::Oracle(error) => CliError::before("the search")(error),
        SearchError::Changes(error) => error.into(),
        error => CliError::new(ExitKind::CannotRun, error.to_string()),
    }
}

/// The exit code of a shell whose program is not executable.
const NOT_EXECUTABLE: i32 = 126;

/// A state that is not what the user says.
struct UnexpectedState<'a> {
    name: &'a str,
    is_first: bool,
    /// Whether the search is for a fix, so that the first state is the broken one.
    is_fix: bool,
}

impl UnexpectedState<'_> {
    fn error(&self, answer: &TreeAnswer, command: &str) -> CliError {
        let name = self.name;
        let wanted = match (self.is_first, self.is_fix) {
            (true, false) => "good",
            (false, false) => "bad",
            (true, true) => "broken",
            (false, true) => "fixed",
        };
        let error = CliError::new(ExitKind::NotInteresting, format!("{name} is not {wanted}"));
        let Some(run) = &answer.run else {
            return error;
        };
        let outcome = run.outcome;
        let because = match answer.reason {
            Some(reason) => format!("the command {} there ({outcome})", reason.words()),
            None => format!("the command {outcome} there"),
        };
        let limit = match outcome {
            Outcome::TimedOut if answer.reason == Some(UnresolvedReason::BuildTimedOut) => {
                Some("--build-timeout raises the time limit of a build")
            }
            Outcome::TimedOut => Some("--timeout raises the time limit"),
            outcome => limit_hint(outcome),
        };
        let stated = match answer.reason {
            Some(UnresolvedReason::TimedOut) => {
                let whole = Duration::from_secs(run.took.as_secs().max(1));
                Some((Expectation::Hangs(whole), "hang"))
            }
            Some(UnresolvedReason::CannotRun) if outcome == Outcome::Exited(NOT_EXECUTABLE) => {
                ExitSpec::of_outcome(outcome)
                    .map(|exit| (Expectation::Exit(exit), "unable to run it"))
            }
            _ => None,
        };
        let stated = stated.filter(|_| !self.is_first && !self.is_fix);
        let stated = stated.and_then(|(expectation, how)| {
            let flags = Property::new(vec![expectation])?.flags();
            Some(format!("to find what makes {name} {how}: {flags}"))
        });
        let permission = (outcome == Outcome::Exited(NOT_EXECUTABLE)).then_some(
            "chmod changes only your own file: to run one that is not executable in a state, name its interpreter, such as sh",
        );
        error
            .because(because)
            .hints(stated)
            .hints(limit)
            .hints(permission)
            .hints(output_hints(run))
            .hint(format!(
                "the command, run at the root of a copy of {name}: {command}"
            ))
            .hint(self.hint())
    }

    fn hint(&self) -> &'static str {
        match (self.is_first, self.is_fix) {
            (true, false) => {
                "the copy contains only files that git tracks; if the command needs files that another command makes, run that with --build"
            }
            (false, false) => {
                "the command may depend on files outside the copy: an absolute path, or a package installed from your work tree"
            }
            (true, true) => "with --fix the first state is broken and the second is fixed",
            (false, true) => "with --fix the command succeeds in the second state",
        }
    }
}
