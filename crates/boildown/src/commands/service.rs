//! `boildown serve`: reductions over HTTP.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::error::{CliError, ExitKind};
use crate::options::values::{MemoryLimit, duration, jobs, memory};

/// The arguments of `boildown serve`.
#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// The folder of the jobs, their results and the token
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The address that clients connect to; port 0 is any free one
    ///
    /// Only this machine can connect to the default. What is sent is not encrypted: for others, put
    /// a proxy with TLS in front.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    at: SocketAddr,

    /// Jobs at work at the same time; others wait
    #[arg(long, value_name = "N", value_parser = jobs, default_value = "1")]
    at_once: NonZeroUsize,

    /// Runs of a job at the same time [default: the cores, shared by the jobs at work]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// Jobs that wait; more are refused
    #[arg(long, value_name = "N", default_value = "1000")]
    waiting: u32,

    /// The longest time that a job is at work
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h")]
    max_time: Duration,

    /// The most tests of a job
    #[arg(long, value_name = "N")]
    max_tests: Option<u64>,

    /// The largest input
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "16M")]
    max_input: MemoryLimit,

    /// The memory that the processes of a run may fill, as for `boildown reduce`
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<MemoryLimit>,
}

/// Serves clients until the process ends.
#[cfg(feature = "serve")]
pub(crate) fn run(args: &ServiceArgs) -> Result<ExitKind, CliError> {
    use boildown_serve::{Quotas, ServiceConfig, ServiceError, serve_http};

    use crate::stdout;

    let bytes = |limit: MemoryLimit| match limit {
        MemoryLimit::Bytes(bytes) => bytes,
        MemoryLimit::Unlimited => u64::MAX,
    };
    let program = std::env::current_exe().map_err(|error| {
        CliError::new(
            ExitKind::CannotRun,
            "failed to find the program of boildown",
        )
        .because(error)
    })?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let share = (cores.get() / args.at_once).max(1);
    let folder = std::path::absolute(&args.folder)
        .map_err(|_| CliError::usage("FOLDER is the path of a folder"))?;
    let config = ServiceConfig {
        program,
        folder,
        address: args.at,
        at_once: args.at_once.get(),
        quotas: Quotas {
            input: bytes(args.max_input),
            waiting: args.waiting,
            seconds: args.max_time.as_secs().max(1),
            tests: args.max_tests,
            runs: args.jobs.map_or(share, NonZeroUsize::get),
            memory: args.memory.map(|limit| match limit {
                MemoryLimit::Bytes(bytes) => bytes.to_string(),
                MemoryLimit::Unlimited => "none".to_owned(),
            }),
        },
    };
    let served = serve_http(config, |address, token| {
        let token = token.display();
        stdout::write(format!("http://{address}  token in {token}\n").as_bytes());
    });
    served.map_err(|error| {
        let failure = CliError::failed_to(ExitKind::CannotRun, &error);
        match &error {
            ServiceError::InUse { .. } => failure.hint("stop it, or serve from another folder"),
            ServiceError::Address { .. } => {
                failure.hint("--at 127.0.0.1:0 takes any port of this machine that is free")
            }
            _ => failure,
        }
    })?;
    Ok(ExitKind::Reduced)
}

/// Reports that this program has no service.
#[cfg(not(feature = "serve"))]
pub(crate) fn run(_: &ServiceArgs) -> Result<ExitKind, CliError> {
    let error = CliError::usage("this program was built without the service");
    Err(error
        .hint("build it with `cargo install --path crates/boildown --locked --features serve`"))
}
