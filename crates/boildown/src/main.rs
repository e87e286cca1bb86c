//! The command line: arguments in, a reduction run, an exit code out.

use std::io::Write as _;
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser as _;

use error::Kind;

mod algorithms;
mod args;
mod changes;
mod containment;
mod destination;
mod error;
mod input;
mod isolate;
mod keys;
mod known;
mod lab;
mod languages;
mod manual;
mod memory;
mod property;
mod reduce;
mod report;
mod signals;
mod trust;

fn main() -> ExitCode {
    guarded(run).into()
}

fn run() -> Kind {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(message) => {
            // Nobody is left to tell when the stream is gone.
            drop(message.print());
            return if message.use_stderr() {
                Kind::Usage
            } else {
                Kind::Reduced
            };
        }
    };
    let outcome = match args.command {
        args::Command::Reduce(args) => reduce::run(&args),
        args::Command::Isolate(args) => isolate::run(&args),
        args::Command::Changes(args) => changes::run(&args),
        args::Command::Algorithms => Ok(algorithms::print()),
        args::Command::Lab(args) => lab::run(&args),
        args::Command::Languages => Ok(languages::print()),
        args::Command::Completions { shell } => Ok(manual::completions(shell)),
        args::Command::Man => manual::man(),
    };
    outcome.unwrap_or_else(|error| {
        say(&error.to_string());
        error.kind
    })
}

/// Makes an exit code of a panic, which would look like a verdict of some script otherwise.
fn guarded(run: impl FnOnce() -> Kind + UnwindSafe) -> Kind {
    catch_unwind(run).unwrap_or_else(|_| {
        say(
            "error: this is a defect of boildown, please report it with the message above\n  \
             hint: if a reduction was going on, its best result so far is in the output file",
        );
        Kind::Defect
    })
}

fn say(text: &str) {
    // Nobody is left to tell when standard error is gone.
    drop(writeln!(std::io::stderr(), "{text}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_defect() {
        assert_eq!(guarded(|| panic!("on purpose")) as u8, 70);
        assert_eq!(guarded(|| Kind::Minimal), Kind::Minimal);
    }
}
