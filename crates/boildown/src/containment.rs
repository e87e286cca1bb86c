//! From the flags to what a command may do and take; and what to say when it needs more.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use boildown_oracle::spawn::{Capture, Limits, Permissions, Sandbox};
use boildown_oracle::{Cancel, OracleError, Outcome, Property, Resource, Run, Runner};

use crate::args::{Containment, Memory};
use crate::error::{CliError, Kind};
use crate::report::Report;

/// More places to write to, separated by colons.
const WRITABLE: &str = "BOILDOWN_WRITABLE";

/// How often a command is run in the sandbox, and outside, before the sandbox is blamed for what happens.
const TRIES: usize = 3;

/// Returns what the flags allow a run, and says once what the system does not protect.
pub(crate) fn limits(
    args: &Containment,
    timeout: Option<Duration>,
    report: &mut dyn Report,
) -> Result<Limits, CliError> {
    let defaults = Limits::default();
    Ok(Limits {
        timeout: timeout.unwrap_or(defaults.timeout),
        memory: match args.memory {
            Some(Memory::Unlimited) => None,
            Some(Memory::Bytes(bytes)) => Some(bytes),
            None => defaults.memory,
        },
        processes: args.processes.or(defaults.processes),
        sandbox: if args.no_sandbox {
            None
        } else {
            Some(sandbox(args, report)?)
        },
        ..defaults
    })
}

fn sandbox(args: &Containment, report: &mut dyn Report) -> Result<Sandbox, CliError> {
    let always = env::var_os(WRITABLE).unwrap_or_default();
    let permissions = Permissions {
        writable: env::split_paths(&always)
            .filter(|path| !path.as_os_str().is_empty())
            .chain(args.writable.iter().cloned())
            .collect::<Vec<PathBuf>>(),
        no_network: args.no_network,
    };
    let sandbox = Sandbox::new(&permissions).map_err(|error| {
        let kind = match error {
            OracleError::File { .. } => Kind::Usage,
            _ => Kind::CannotRun,
        };
        CliError::failed_to(kind, &error)
    })?;
    if let Some(gap) = sandbox.gap() {
        report.note(&format!("warning: the command can {gap}"));
    }
    Ok(sandbox)
}

/// Returns this runner without a sandbox, for runs on what the user has run by hand before.
pub(crate) fn outside(runner: &Runner) -> Runner {
    let mut runner = runner.clone();
    runner.limits.sandbox = None;
    runner
}

/// Returns what is wrong when the property holds on the input but for the sandbox.
///
/// # Errors
/// [`OracleError`] when the command cannot be run.
pub(crate) fn check(
    runner: &Runner,
    property: &Property,
    input: &[u8],
    cancel: &Cancel,
) -> Result<Option<CliError>, OracleError> {
    if runner.limits.sandbox.is_none() {
        return Ok(None);
    }
    let inside = runner.run(input, Capture::Output, cancel)?;
    if property.verdict(&inside).is_interesting() {
        return Ok(None);
    }
    blame(runner, property, input, &inside, cancel)
}

/// Returns what is wrong when the property, which `inside` does not have, has nothing against the input but the sandbox.
///
/// # Errors
/// [`OracleError`] when the command cannot be run.
pub(crate) fn blame(
    runner: &Runner,
    property: &Property,
    input: &[u8],
    inside: &Run,
    cancel: &Cancel,
) -> Result<Option<CliError>, OracleError> {
    if runner.limits.sandbox.is_none() {
        return Ok(None);
    }
    let holds = |runner: &Runner| -> Result<bool, OracleError> {
        let run = runner.run(input, Capture::Output, cancel)?;
        Ok(property.verdict(&run).is_interesting())
    };
    // A property that holds now and then shows it here, too.
    for runner in [(&outside(runner), true), (runner, false)] {
        for _ in 0..TRIES {
            if holds(runner.0)? != runner.1 {
                return Ok(None);
            }
        }
    }
    Ok(Some(
        CliError::new(Kind::CannotRun, "the property holds only outside the sandbox")
            .because(format!("inside, the command {}", inside.outcome))
            .hints(crate::reduce::last_words(inside))
            .hint("--writable PATH lets it write to a directory or a file, such as ~/.cache; without that it writes to its working directory and to $TMPDIR only")
            .hint("--no-sandbox lets it write wherever you may: a candidate that goes wrong can then destroy your files"),
    ))
}

/// Returns what to do about a run that took too much.
pub(crate) fn advice(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Exceeded(Resource::Memory) => Some("--memory gives the command more"),
        Outcome::Exceeded(Resource::Processes) => Some("--processes lets the command start more"),
        Outcome::TimedOut => Some("--hangs keeps a hang; --timeout gives the command more time"),
        Outcome::Exited(_) | Outcome::Signalled(_) => None,
    }
}
