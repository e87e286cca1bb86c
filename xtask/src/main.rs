//! Chores of this repository: measuring reductions and the cost of the driver.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tables on stdout and progress on stderr are what these commands are for"
)]

mod bench;
mod binary;
mod corpus;
mod cpu;
mod growth;
mod peers;
mod subjects;
mod table;
mod tokens;
mod torture;

use std::process::ExitCode;

use clap::Parser;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Chores of this repository")]
enum Xtask {
    /// Reduces subjects (folders with a real input and test) and prints one table.
    Subjects(subjects::Args),
    /// Measures how close asking questions comes to the bare cost of running programs.
    Bench(bench::Args),
    /// Injects faults into reductions and prints whether the promises held.
    Torture(torture::Args),
}

fn main() -> ExitCode {
    let done = match Xtask::parse() {
        Xtask::Subjects(args) => subjects::run(&args),
        Xtask::Bench(args) => bench::run(&args),
        Xtask::Torture(args) => torture::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
