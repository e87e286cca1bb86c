//! The commands of boildown, as clap parses them.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::changes::args::ChangesArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::isolate::args::IsolateArgs;
use crate::commands::lab::args::LabArgs;
use crate::commands::reduce::args::ReduceArgs;

/// A test-case reducer and delta debugger: boil a failing input, or a failing change, down to its
/// cause
#[derive(Debug, Parser)]
#[command(name = "boildown", version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reduce a file while a command still fails on it in the same way
    Reduce(Box<ReduceArgs>),
    /// Find the smallest difference between a file that passes and a file that fails
    Isolate(Box<IsolateArgs>),
    /// Find the change that broke something: the commit, files, hunks and lines between two states
    Changes(Box<ChangesArgs>),
    /// Print what the last run chose for you, and why, and how it ended
    Explain(ExplainArgs),
    /// Show what this machine offers to contain runs, and how to turn on what is off
    Doctor(DoctorArgs),
    /// List the supported languages
    Languages,
    /// List the delta-debugging algorithms: what each works on, guarantees and costs
    Algorithms,
    /// Compare algorithms by the number of tests they need, on simulated problems
    Lab(Box<LabArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

impl Cli {
    /// Returns what clap knows of the commands, for completions and the manual page.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }
}
