//! Options of all searches whose candidates are files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::duration;
use super::{
    BudgetArgs, JobsArgs, OutputArgs, PropertyArgs, RemoteArgs, SandboxArgs, WorkerArgs, heading,
};

/// How candidates are run and judged, in `reduce` and in `isolate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// The command that fails on the input
    ///
    /// A word that names the input, or {}, is replaced by the path of the candidate.
    #[arg(last = true, hide_short_help = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) property: PropertyArgs,

    #[command(flatten)]
    pub(crate) jobs: JobsArgs,

    #[command(flatten)]
    pub(crate) workers: WorkerArgs,

    #[command(flatten)]
    pub(crate) remote: RemoteArgs,

    /// Run in a copy of this directory, or `none`
    ///
    /// The candidate is in the place of the input. `none` runs each candidate alone in a fresh
    /// directory. [default: `reduce` takes whichever fails as it does where you are, `isolate` a
    /// fresh directory]
    #[arg(long, value_name = "DIR", help_heading = heading::RUN)]
    pub(crate) within: Option<PathBuf>,

    /// Time limit of a run, such as 30 (seconds) or 500ms
    ///
    /// [default: ten times a run on the input, and at least 2s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::RUN)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Use the verdicts in the store of another run too
    ///
    /// A `.boildown` folder, or a file in it: a colleague's, or that of a CI job. It is only read.
    /// Used if the command, its files, the property and the input are the same. May be repeated.
    #[arg(long, value_name = "STORE", hide = true, help_heading = heading::EXPERT)]
    pub(crate) known: Vec<PathBuf>,

    /// Start over instead of resuming
    ///
    /// Without it, the same command resumes an earlier run.
    #[arg(long, hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) fresh: bool,

    #[command(flatten)]
    pub(crate) printing: OutputArgs,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}
