//! Options of programs that are started once and run many candidates.

use std::ffi::OsString;

use boildown_exec::{HarnessKind, WarmProgram};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::heading;

/// A program that is started once for each job and runs many candidates.
#[derive(Debug, Clone, Args)]
pub(crate) struct WarmArgs {
    /// Start the program once for many tests: python, ruby, node, java, exec
    ///
    /// For a command that is a program of this kind. One in Python, Ruby or JavaScript forks when
    /// it has loaded what it loads on the input; with `exec`, a dynamically linked one forks when
    /// its libraries are loaded. The classes of a Java program are loaded for each test, in one
    /// virtual machine. Runs are compared with fresh ones all the time; if they differ, all later
    /// runs are fresh.
    #[arg(long, value_name = "PROGRAM", value_parser = PossibleValuesParser::new(WarmProgram::NAMES.map(|(name, _)| name)), hide_possible_values = true, conflicts_with_all = ["serve", "worker", "stated", "parts", "within"], hide = true, help_heading = heading::EXPERT)]
    pub(crate) warm: Option<String>,

    /// Let this program run the tests, over pipes
    ///
    /// A line for the shell that starts a harness: a program that reads a request on each line of
    /// its standard input, runs the command on a candidate, and prints how it ended.
    /// `docs/reference/harness.md` describes the protocol. Runs are compared with fresh ones, as
    /// with --warm.
    #[arg(long, value_name = "LINE", conflicts_with_all = ["worker", "stated", "parts", "within"], hide = true, help_heading = heading::EXPERT)]
    pub(crate) serve: Option<OsString>,
}

impl WarmArgs {
    /// Returns what runs candidates, if it is not a fresh process for each.
    pub(crate) fn kind(&self) -> Option<HarnessKind> {
        match (&self.warm, &self.serve) {
            (Some(name), _) => {
                let program = WarmProgram::NAMES.iter().find(|(known, _)| known == name);
                program.map(|(_, program)| HarnessKind::Warm(*program))
            }
            (None, Some(line)) => Some(HarnessKind::Line(line.clone())),
            (None, None) => None,
        }
    }
}
