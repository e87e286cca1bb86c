//! The command line: arguments in, a reduction run, an exit code out.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

mod args;
mod error;
mod languages;
mod manual;
mod property;
mod reduce;
mod report;
mod signals;

fn main() -> ExitCode {
    let outcome = match args::Args::parse().command {
        args::Command::Reduce(args) => reduce::run(&args),
        args::Command::Languages => languages::print(),
        args::Command::Completions { shell } => manual::completions(shell),
        args::Command::Man => manual::man(),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            // Nobody is left to tell when standard error is gone.
            drop(writeln!(std::io::stderr(), "{error}"));
            error.kind.into()
        }
    }
}
