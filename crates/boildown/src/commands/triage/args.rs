//! Arguments of `boildown triage`.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::options::values::{at_least_one, duration};
use crate::options::{ExpectationArgs, GeneralArgs, JobsArgs, OutputArgs, SandboxArgs, heading};

/// The format of the report on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TriageFormat {
    /// A table.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct TriageArgs {
    /// The folder of failing inputs; never modified
    ///
    /// Folders of AFL, libFuzzer, cargo-fuzz and honggfuzz are known: only the inputs that they
    /// found to fail are taken. Of any other folder, all files are.
    #[arg(hide_short_help = true, value_name = "FOLDER")]
    pub(crate) folder: PathBuf,

    /// The command that fails on the inputs
    ///
    /// {} or @@ is replaced by the path of the input.
    #[arg(last = true, hide_short_help = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// A script that exits with 0 if an input fails
    ///
    /// Or a line for the shell, with the input's path as $1. It takes the place of COMMAND. What it
    /// prints tells failures apart. Exit code 125 means that it cannot tell.
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command", help_heading = heading::PRESERVE)]
    pub(crate) test: Option<PathBuf>,

    #[command(flatten, next_help_heading = heading::PRESERVE)]
    pub(crate) expectations: ExpectationArgs,

    /// Tell failures apart by the top N functions of the stack
    ///
    /// Without it, by the function that failed.
    #[arg(long, value_name = "N", help_heading = heading::GROUP)]
    pub(crate) frames: Option<NonZeroUsize>,

    /// Group inputs that end with an ordinary error too
    ///
    /// Without it, they are only counted if others crash or hang.
    #[arg(long, help_heading = heading::GROUP)]
    pub(crate) errors: bool,

    /// Runs of each input, at least; more if they differ
    #[arg(long, value_name = "N", value_parser = at_least_one, default_value_t = 2, hide_default_value = true, hide_short_help = true, help_heading = heading::GROUP)]
    pub(crate) runs: usize,

    /// Do not merge groups with equal reduced examples
    #[arg(long, hide_short_help = true, help_heading = heading::GROUP)]
    pub(crate) no_merge: bool,

    /// Group only, without reductions
    #[arg(long, help_heading = heading::REDUCE)]
    pub(crate) no_reduce: bool,

    /// Language of the inputs, or `none`
    ///
    /// [default: by --name, or else by their content; `boildown languages` lists them]
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) language: Option<String>,

    /// Feed the input to the command's standard input
    #[arg(long, conflicts_with = "test", hide_short_help = true, help_heading = heading::RUN)]
    pub(crate) stdin: bool,

    /// Name of the file that the command sees, such as in.js
    ///
    /// [default: `input`, with the extension that all inputs have]
    #[arg(long, value_name = "FILE", help_heading = heading::RUN)]
    pub(crate) name: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) jobs: JobsArgs,

    /// Time limit of a run [default: 10s]
    ///
    /// Such as 30 (seconds) or 500ms.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::RUN)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Stop the reductions after this time, such as 10m
    ///
    /// Groups whose reductions are most promising get most of it. The same command resumes.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::LIMITS)]
    pub(crate) max_time: Option<Duration>,

    /// Folder for the examples [default: crashes.triage for crashes]
    #[arg(short, long, value_name = "FOLDER", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// Format of the report: text, json, sarif or github
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, hide_default_value = true, hide_possible_values = true, conflicts_with = "json", help_heading = heading::OUTPUT)]
    pub(crate) format: TriageFormat,

    /// Start over instead of resuming
    #[arg(long, hide_short_help = true, help_heading = heading::OUTPUT)]
    pub(crate) fresh: bool,

    #[command(flatten)]
    pub(crate) printing: OutputArgs,

    #[command(flatten)]
    pub(crate) general: GeneralArgs,
}
