//! From the flags to what a command may do and take; and what to say when it needs more.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use boildown_oracle::spawn::{Capture, Limits, Permissions, Sandbox};
use boildown_oracle::store::Identity;
use boildown_oracle::{Cancel, OracleError, Outcome, Property, Resource, Runner};

use crate::args::{Containment, Memory};
use crate::error::{CliError, Kind};
use crate::reduce::cannot_run;
use crate::report::Note;

/// More places to write to, separated by colons.
const WRITABLE: &str = "BOILDOWN_WRITABLE";

/// How often a command is run in the sandbox, and outside, before the sandbox is blamed for what happens.
const TRIES: usize = 3;

/// Returns what the flags allow a run, and says once what the system does not protect.
pub(crate) fn limits(
    args: &Containment,
    timeout: Option<Duration>,
    notes: &mut dyn Note,
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
            Some(sandbox(args, &[], notes)?)
        },
        ..defaults
    })
}

/// What a command may do decides what it does.
pub(crate) fn add_to(identity: &mut Identity, args: &Containment) {
    let always = env::var_os(WRITABLE).unwrap_or_default();
    identity.add("what the command may do", format!("{args:?} {always:?}"));
}

fn sandbox(
    args: &Containment,
    more: &[PathBuf],
    notes: &mut dyn Note,
) -> Result<Sandbox, CliError> {
    let always = env::var_os(WRITABLE).unwrap_or_default();
    let permissions = Permissions {
        writable: env::split_paths(&always)
            .filter(|path| !path.as_os_str().is_empty())
            .chain(args.writable.iter().cloned())
            .chain(more.iter().cloned())
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
        notes.note(&format!("warning: the command can {gap}"));
    }
    Ok(sandbox)
}

/// Returns this runner without a sandbox, for runs on what the user has run by hand before.
pub(crate) fn outside(runner: &Runner) -> Runner {
    let mut runner = runner.clone();
    runner.limits.sandbox = None;
    runner
}

/// Returns the runner with which the property holds on the input: this one; when only the sandbox is against it, one that lets the
/// command write temporary files wherever it likes; when that is not enough, one without a sandbox. Says so.
///
/// # Errors
/// [`CliError`] when the command cannot be run.
pub(crate) fn loosened(
    args: &Containment,
    runner: &Runner,
    (property, input): (&Property, &[u8]),
    cancel: &Cancel,
    notes: &mut dyn Note,
) -> Result<Option<Runner>, CliError> {
    if runner.limits.sandbox.is_none() {
        return Ok(None);
    }
    // A property that holds now and then shows it here, too.
    let always = |runner: &Runner, holds: bool| -> Result<bool, CliError> {
        for _ in 0..TRIES {
            let run = runner.run(input, Capture::Output, cancel);
            let run = run.map_err(|error| cannot_run(&error))?;
            if property.verdict(&run).is_interesting() != holds {
                return Ok(false);
            }
        }
        Ok(true)
    };
    if !always(runner, false)? || !always(&outside(runner), true)? {
        return Ok(None);
    }
    let mut roomy = runner.clone();
    roomy.limits.sandbox = Some(roomier(args, notes)?);
    if always(&roomy, true)? {
        notes.note(ROOMIER);
        return Ok(Some(roomy));
    }
    notes.note(&no_sandbox("the property holds"));
    Ok(Some(outside(runner)))
}

/// Returns a sandbox in which the command may write temporary files where everybody's are.
pub(crate) fn roomier(args: &Containment, notes: &mut dyn Note) -> Result<Sandbox, CliError> {
    let temporary: Vec<PathBuf> = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
        .into_iter()
        .filter(|path| path.is_dir())
        .collect();
    sandbox(args, &temporary, notes)
}

/// What is said when the command gets such a sandbox.
pub(crate) const ROOMIER: &str = "the command writes temporary files elsewhere than in $TMPDIR: it may, and what it leaves there stays";

/// What is said when the command gets none, because only so `what` is true.
pub(crate) fn no_sandbox(what: &str) -> String {
    format!(
        "warning: {what} only outside the sandbox, so there is none: a candidate that goes wrong can destroy your files; --writable PATH, such as ~/.cache, keeps the sandbox and lets the command write there"
    )
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
