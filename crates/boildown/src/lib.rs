//! The command line of boildown: parses the arguments, runs a command, ends with its exit code.
//!
//! It is a library for programs that have algorithms of their own; `examples/own_algorithm.rs` is
//! one. What a reduction is made of is in the other crates, such as `boildown-search` and
//! `boildown-reduce`.

use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;

use boildown_search::algorithms::AlgorithmSet;
use clap::{CommandFactory as _, Parser as _};

use commands::{
    algorithms, changes, completions, doctor, isolate, lab, languages, licences, man, reduce,
};
use error::{CliError, ExitKind};
use report::format::{Visible, with_short_words};
use shown_error::{print_error, show};

mod choices;
mod cli;
mod commands;
mod contradictions;
mod copying;
mod cpu_time;
mod deduced;
mod error;
mod executors;
mod explain;
mod folder;
mod forced_end;
mod guide;
mod habits;
mod identity;
mod input;
mod job;
mod keys;
mod known;
mod limits;
mod live;
mod options;
mod own_language;
mod project;
mod property;
mod provenance;
mod remote;
mod report;
mod script_hints;
mod session;
mod settings;
mod shown_error;
mod signals;
mod stdout;
mod surroundings;
mod time_limit;
mod valid;
mod versions;
mod warm;

/// Runs the command that the arguments of the process say, with more algorithms to choose from, and
/// returns its exit code. To be called by `main`, before anything else.
pub fn run_with(own: AlgorithmSet) -> ExitCode {
    options::algorithms::add(own);
    with_panics_as_errors(run).into()
}

fn run() -> ExitKind {
    let_slow_parsers_stop();
    let words = habits::with_command(std::env::args_os().collect());
    if let Some(help) = guide::help_for_experts(&words, cli::Cli::definition()) {
        stdout::write(help.as_bytes());
        return ExitKind::Reduced;
    }
    let words = match settings::apply(words, &cli::Cli::command()) {
        Ok(words) => words,
        Err(error) => {
            show(&error);
            return error.kind;
        }
    };
    let cli = match cli::Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(message) => {
            if let Some(error) = habits::explain(&message, &words) {
                show(&error);
                return error.kind;
            }
            // A closed stream is not an error.
            if !message.use_stderr() {
                drop(message.print());
                return ExitKind::Reduced;
            }
            let whole = message.to_string();
            let text = Visible::from(with_short_words(&whole));
            match *text == whole {
                true => drop(message.print()),
                false => print_error(&text),
            }
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            report::json::print_error(&CliError::usage(text));
            return ExitKind::InvalidUsage;
        }
    };
    let outcome = surroundings::check().and_then(|()| match cli.command {
        cli::Command::Reduce(args) => reduce::run(*args),
        cli::Command::Isolate(args) => isolate::run(&args),
        cli::Command::Changes(args) => changes::run(*args),
        cli::Command::Stage(args) => commands::stage::run(&args),
        cli::Command::Vendor(args) => commands::vendor::run(&args),
        cli::Command::Triage(args) => commands::triage::run(&args),
        cli::Command::Explain(args) => commands::explain::print(&args),
        cli::Command::History(args) => commands::history::run(args),
        cli::Command::Report(args) => commands::report::run(&args),
        cli::Command::Algorithms => Ok(algorithms::print()),
        cli::Command::Licences => Ok(licences::print()),
        cli::Command::Lab(args) => lab::run(&args),
        cli::Command::Worker(args) => commands::worker::run(&args),
        cli::Command::Mcp => commands::mcp::run(),
        cli::Command::Serve(args) => commands::service::run(&args),
        cli::Command::Doctor(args) => Ok(doctor::run(&args)),
        cli::Command::Languages(args) => languages::run(&args),
        cli::Command::Completions { shell } => {
            Ok(completions::print(shell, &cli::Cli::definition()))
        }
        cli::Command::Man(args) => Ok(man::print(&args, cli::Cli::definition())),
    });
    let outcome = options::algorithms::failure().map_or(outcome, Err);
    let outcome = outcome.and_then(|kind| stdout::error().map_or(Ok(kind), Err));
    outcome.unwrap_or_else(|error| {
        show(&error);
        error.kind
    })
}

#[expect(unsafe_code, reason = "the allocator of the parsers is set")]
fn let_slow_parsers_stop() {
    // SAFETY: the process has one thread, and has not parsed anything.
    unsafe { boildown_document::count_parser_allocations() };
}

/// Turns a panic into an exit code of its own; the default, 101, could be a test script's.
fn with_panics_as_errors(run: impl FnOnce() -> ExitKind + UnwindSafe) -> ExitKind {
    catch_unwind(run).unwrap_or_else(|_| {
        let what = "internal error (a bug in boildown); please report it with the message above";
        let error = CliError::new(ExitKind::InternalError, what)
            .hint("if a reduction was running, its best result so far is in the output file");
        show(&error);
        error.kind
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_with_the_code_for_an_internal_error() {
        assert_eq!(with_panics_as_errors(|| panic!("on purpose")) as u8, 70);
        assert_eq!(
            with_panics_as_errors(|| ExitKind::AlreadyMinimal),
            ExitKind::AlreadyMinimal
        );
    }
}
