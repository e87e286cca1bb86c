//! Hints that explain a run to the user: what it printed, and what to change.

use std::path::Path;

use boildown_exec::Runner;
use boildown_oracle::{Outcome, Resource, Run, deduce};
use boildown_store::mentioned_variables;

use crate::error::{CliError, ExitKind};

/// Lines of output that are shown of a run.
const SHOWN_LINES: usize = 10;

/// What to do when a failure that earlier sessions reduced does not occur any more.
pub(crate) const HOLDS_NO_MORE_HINT: &str = "if the failure was repaired, nothing is left to do; otherwise restore what changed (a tool, a file, a server), and the same command resumes";

/// Returns the error for a run that does not show what it has to, with advice and what it printed.
pub(crate) fn not_as_expected(
    what: impl Into<String>,
    run: &Run,
    advice: Option<&'static str>,
) -> CliError {
    CliError::new(ExitKind::NotInteresting, what)
        .because(format!("the command {}", run.outcome))
        .hints(advice)
        .hints(output_hints(run))
}

/// Returns the last lines that a run printed, as a hint for each stream that is not empty.
pub(crate) fn output_hints(run: &Run) -> impl Iterator<Item = String> {
    [
        ("standard error", &run.stderr),
        ("standard output", &run.stdout),
    ]
    .into_iter()
    .filter(|(_, bytes)| !bytes.is_empty())
    .map(|(name, bytes)| format!("its {name} ends with\n{}", last_lines(bytes)))
}

fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..]
        .iter()
        .map(|line| format!("  | {line}\n"))
        .collect()
}

/// Returns how a run ended, with the line that names its failure or else the last one, on one line.
pub(crate) fn ended(run: &Run) -> String {
    const LONGEST: usize = 160;
    let text = [&run.stderr[..], b"\n", &run.stdout].concat();
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let shown = deduce(run).and_then(|property| {
        lines().find(|line| {
            let alone = Run {
                stdout: line.as_bytes().to_vec(),
                stderr: line.as_bytes().to_vec(),
                ..run.clone()
            };
            property.verdict(&alone).is_interesting()
        })
    });
    match shown.or_else(|| lines().next_back()) {
        Some(line) => {
            let line: String = line.chars().take(LONGEST).collect();
            format!("{} and printed `{line}`", run.outcome)
        }
        None => run.outcome.to_string(),
    }
}

/// Returns the option that helps with a run that reached a limit.
pub(crate) fn limit_hint(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Exceeded(Resource::Memory) => Some("--memory raises the memory limit"),
        Outcome::Exceeded(Resource::Processes) => {
            Some("--processes raises the limit on the number of processes")
        }
        Outcome::TimedOut => {
            Some("if the hang is the failure, use --hangs; --timeout raises the time limit")
        }
        Outcome::Exited(_) | Outcome::Signalled(_) => None,
    }
}

/// Returns a hint when the command does not name the candidate, which is nearly always a mistake.
pub(crate) fn unnamed_candidate_hint(runner: &Runner) -> Option<&'static str> {
    let takes_candidate = runner.command.takes_candidate() || runner.command.is_candidate();
    (!takes_candidate).then_some(
        "the command does not name the input; write {} where the candidate's path belongs",
    )
}

/// Returns the line for a shell that repeats a run on a file, with an introduction.
pub(crate) fn repeat_hint(runner: &Runner, path: &Path) -> String {
    format!("to repeat the run:\n  {}", repeating_line(runner, path))
}

/// Returns the line for a shell that repeats a run on a file.
pub(crate) fn repeating_line(runner: &Runner, path: &Path) -> String {
    if runner.command.is_candidate() {
        return runner.command.to_string();
    }
    let source = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let variables = mentioned_variables(runner.command.constant_parts());
    (runner.command).shell(&source, &runner.file.name, &variables)
}

/// Returns the line for a shell that repeats a run on a file where the user is.
pub(crate) fn repeat_in_place_hint(runner: &Runner, path: &Path) -> String {
    if runner.command.is_candidate() {
        return repeat_hint(runner, path);
    }
    let source = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let user_dir = std::env::current_dir().unwrap_or_default();
    let line = runner.command.shell_in_place(&source, &user_dir);
    format!("to repeat the run:\n  {line}")
}
