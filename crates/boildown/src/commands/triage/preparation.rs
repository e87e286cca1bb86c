//! The test of the inputs, and why a triage cannot begin or finds nothing.

use std::path::Path;
use std::time::Duration;

use boildown_exec::CandidateFile;
use boildown_oracle::{Interrupt, Property};
use boildown_session::triage::{FailureTest, TriageError, TriageReport};

use super::args::TriageArgs;
use crate::error::{CliError, ExitKind};
use crate::habits::Line;
use crate::limits;
use crate::options::PropertyArgs;
use crate::property::PropertyCommands;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::noting;
use crate::session::Session;

/// The time limit of a run unless one is stated. Fuzzers use shorter ones.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Returns the commands that run an input, a file with this name.
pub(super) fn commands(args: &TriageArgs, name: &Path) -> Result<PropertyCommands, CliError> {
    let property = PropertyArgs {
        test: args.test.clone(),
        expectations: args.expectations.clone(),
        loose: true,
        yes: true,
        stdin: args.stdin,
        ..PropertyArgs::default()
    };
    let usage = format!("boildown triage {}", args.folder.escaped());
    let commands = PropertyCommands::new(&property, &args.command, name, &usage)?;
    check_candidate(&commands, &usage)?;
    Ok(commands)
}

/// Checks that the command reads the candidate.
fn check_candidate(commands: &PropertyCommands, usage: &str) -> Result<(), CliError> {
    let is_given = commands.script().is_some() || commands.options.stdin;
    if is_given || commands.command.takes_candidate() {
        return Ok(());
    }
    let line = Line::typed().with_candidate();
    let line = line
        .shown()
        .unwrap_or_else(|| format!("{usage} -- ./target {{}}"));
    Err(
        CliError::usage("the command does not say where the input goes")
            .hint("feed it to the command with --stdin, or write {} where its path belongs")
            .cure("such as", Some(line)),
    )
}

/// Returns the test of an input: what runs it, and which runs fail.
pub(super) fn failure_test(
    args: &TriageArgs,
    commands: &PropertyCommands,
    name: &Path,
    session: &mut Session<'_>,
) -> Result<FailureTest, CliError> {
    let mut runner = limits::runner(
        name,
        commands.command.clone(),
        &args.sandbox,
        Some(time_limit(args)),
        &mut noting(session.reporter()),
    )?;
    runner.file = CandidateFile::named(name);
    let stated = commands.stated();
    if let Some(hang) = stated.as_ref().and_then(Property::hang) {
        runner = runner.with_timeout(hang);
    }
    Ok(FailureTest {
        runner,
        stated,
        frames: args.frames.map_or(0, usize::from),
    })
}

/// Returns the time limit of a run.
pub(super) fn time_limit(args: &TriageArgs) -> Duration {
    args.timeout.unwrap_or(TIME_LIMIT)
}

pub(super) fn nothing_fails(found: &TriageReport) -> CliError {
    let count = found.inputs.len();
    let what = format!("the command fails on none of {count} inputs");
    CliError::new(ExitKind::NotInteresting, what)
        .hint("run it on one of them as you did when it failed; --test states what failing means")
}

pub(super) fn explain(error: TriageError, interrupt: &Interrupt) -> CliError {
    match error {
        TriageError::Interrupted => {
            let what = "interrupted before all inputs were run";
            CliError::new(ExitKind::Stopped, what).hint("the same command continues there")
        }
        TriageError::Oracle(error) if !interrupt.is_triggered() => error.into(),
        error => CliError::failed_to(ExitKind::CannotRun, &error),
    }
}
