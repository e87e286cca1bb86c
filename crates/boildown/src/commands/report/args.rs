//! The options of `boildown report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::options::SandboxArgs;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct ReportArgs {
    /// The input or the result of the run, or its store [default: the last run in the current
    /// directory]
    pub(super) file: Option<PathBuf>,
    /// Write to this file, or with `-` to standard output [default: RESULT.report.html; with
    /// --bug the folder RESULT.bug]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// The format
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub(super) format: ReportFormat,
    /// Write a bug report instead: a folder with the test case, scripts and a text, and an archive
    /// of it
    #[arg(long, conflicts_with = "format")]
    pub(super) bug: bool,
    /// Only write a bug report about a result that was redacted
    ///
    /// The command and the property are in it as they are.
    #[arg(long, requires = "bug")]
    pub(super) redact: bool,
    /// Serve the page on this machine until Ctrl-C, and print its address: the page follows a
    /// reduction that runs
    #[arg(long, conflicts_with_all = ["format", "bug", "output", "run"])]
    pub(super) live: bool,
    /// Run what the store names: the command for a bug report, programs for their versions
    ///
    /// Without it, only a bug report about a run of yours on this machine runs anything. The
    /// command is shown first.
    #[arg(long)]
    pub(super) run: bool,
    /// Do not run programs that the command names to ask for their version
    #[arg(long)]
    pub(super) no_versions: bool,
    #[command(flatten)]
    pub(super) sandbox: SandboxArgs,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// A page for a browser
    Html,
    /// Figures and texts for programs
    Json,
    /// A summary for an issue tracker or a chat
    #[value(alias = "md")]
    Markdown,
}
