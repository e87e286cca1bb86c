//! `boildown worker`.

use std::env;
use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::AsFd;

use boildown_exec::spawn::ReapOnDrop;
use boildown_worker::{WorkerError, WorkerSetup, serve};
use clap::Args;

use crate::error::{CliError, ExitKind};
use crate::options::values::jobs;
use crate::signals::interrupt_on_signals;

/// The arguments of `boildown worker`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Tests to run at once [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
}

/// Runs tests for the client at the other end of standard input and output.
pub(crate) fn run(args: &ServeArgs) -> Result<ExitKind, CliError> {
    // Ends leftover processes of runs whatever happens, also in a panic.
    let _reap = ReapOnDrop::begin();
    let stop = interrupt_on_signals()?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let setup = WorkerSetup {
        jobs: args.jobs.unwrap_or(cores),
        temp_dir: env::temp_dir(),
        host: host(),
    };
    let streams = stream(io::stdin()).and_then(|input| Ok((input, stream(io::stdout())?)));
    let (input, output) = streams.map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to open the standard streams").because(error)
    })?;
    match serve(&setup, input, output, &stop) {
        Ok(()) => Ok(ExitKind::Reduced),
        Err(error @ WorkerError::NotAClient { .. }) => {
            Err(CliError::failed_to(ExitKind::InvalidUsage, &error).hint(
                "start it from another boildown: boildown reduce FILE --worker 'ssh HOST boildown worker' -- COMMAND",
            ))
        }
        Err(error) => Err(CliError::failed_to(ExitKind::CannotRun, &error)),
    }
}

/// Returns a standard stream without a buffer.
fn stream(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}

/// Returns the name of this machine.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"));
    let name = name.unwrap_or_default();
    match name.trim() {
        "" => "another machine".to_owned(),
        name => name.to_owned(),
    }
}
