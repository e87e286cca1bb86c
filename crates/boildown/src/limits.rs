//! The runner of a command with its limits and permissions, from the options and the environment.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_exec::spawn::{self, Inherited, Invocation, Limits, Permissions, Stdin};
use boildown_exec::{CandidateFile, CommandLine, Runner, Scratch};
use boildown_oracle::{Capture, Interrupt, OracleError, Run};
use boildown_session::prepare::{PrepareEvent, create_sandbox};
use boildown_store::Identity;
use rustix::io::Errno;

use crate::error::{CliError, ExitKind};
use crate::forced_end::remove_at_end;
use crate::options::SandboxArgs;
use crate::options::values::MemoryLimit;

/// The environment variable for paths that every command may write to, separated by colons.
const WRITABLE: &str = "BOILDOWN_WRITABLE";

/// Returns what the sandbox permits.
pub(crate) fn permissions(args: &SandboxArgs) -> Permissions {
    let always = env::var_os(WRITABLE).unwrap_or_default();
    Permissions {
        writable: env::split_paths(&always)
            .filter(|path| !path.as_os_str().is_empty())
            .chain(args.writable.iter().cloned())
            .collect::<Vec<PathBuf>>(),
        no_network: args.no_network,
    }
}

/// Returns what runs a command on candidates, in files named like the input.
pub(crate) fn runner(
    input: &Path,
    command: CommandLine,
    sandbox: &SandboxArgs,
    timeout: Option<Duration>,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Runner, CliError> {
    let scratch = Scratch::new(&env::temp_dir())?;
    remove_at_end(scratch.path().to_owned());
    Ok(Runner {
        project: None,
        command,
        scratch: Arc::new(scratch),
        file: match (input.exists(), input.file_name()) {
            // The input is the command, and candidates are files for the sake of its store only.
            (false, Some(name)) => CandidateFile::named(name),
            _ => CandidateFile::like(input)?,
        },
        limits: limits(sandbox, timeout, on_event)?,
        extra_tests: Vec::new(),
        executor: None,
    })
}

/// Returns the limits of a run, with a sandbox unless the options turn it off.
pub(crate) fn limits(
    args: &SandboxArgs,
    timeout: Option<Duration>,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Limits, CliError> {
    let defaults = Limits::default();
    let sandbox = if args.no_sandbox {
        None
    } else {
        let sandbox = create_sandbox(&permissions(args), on_event);
        Some(sandbox.map_err(|error| sandbox_error(&error))?)
    };
    Ok(Limits {
        timeout: timeout.unwrap_or(defaults.timeout),
        memory: match args.memory {
            Some(MemoryLimit::Unlimited) => None,
            Some(MemoryLimit::Bytes(bytes)) => Some(bytes),
            None => defaults.memory,
        },
        processes: args.processes.or(defaults.processes),
        sandbox,
        ..defaults
    })
}

/// Runs a program that is no test, with the environment of the user and without a sandbox.
pub(crate) fn run_program(
    program: OsString,
    args: Vec<OsString>,
    dir: &Path,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<Run, OracleError> {
    let invocation = Invocation {
        program,
        args,
        current_dir: dir.to_owned(),
        stdin: Stdin::Null,
        inherited: Inherited::Everything,
        env: Vec::new(),
        tmp: None,
        capture: Capture::Output,
    };
    let limits = Limits {
        timeout,
        ..Limits::default()
    };
    spawn::run(&invocation, &limits, interrupt)
}

/// Returns whether the error is that of the machine, not of the path.
fn is_out_of_files(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

/// Returns the error for a sandbox that could not be made.
pub(crate) fn sandbox_error(error: &OracleError) -> CliError {
    let kind = match error {
        OracleError::File { source, .. } if !is_out_of_files(source) => ExitKind::InvalidUsage,
        _ => ExitKind::CannotRun,
    };
    CliError::failed_to(kind, error)
}

/// Adds the limits to the identity of a run: verdicts depend on them.
pub(crate) fn add_to_identity(identity: &mut Identity, args: &SandboxArgs) {
    let always = env::var_os(WRITABLE).unwrap_or_default();
    let limits = format!("{} {always:?}", args.identity());
    identity.add("what the command may do", limits);
}
