//! Commands for developers of this repository: measurements, checks and fault injection.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these commands print tables on stdout and progress on stderr"
)]

mod bench;
mod bill;
mod binary;
mod census;
mod corpus;
mod debloat;
mod growth;
mod lab;
mod peers;
mod pictures;
mod scaling;
mod subjects;
mod table;
mod tokens;
mod torture;
mod triage_quality;
mod verdicts;

use std::process::ExitCode;

use clap::Parser;

#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    about = "Commands for developers of this repository"
)]
enum Xtask {
    /// Reduces subjects (folders with a real input and test) and prints one table.
    Subjects(subjects::SubjectsArgs),
    /// Replays reductions of subjects with many simulated workers and prints how much they gain.
    Scaling(scaling::ScalingArgs),
    /// Compares CHISEL with list algorithms on a subject, with its own test.
    Debloat(debloat::DebloatArgs),
    /// Makes the pages of `docs/lab` again.
    Lab(lab::LabArgs),
    /// Measures the cost of a test beyond the cost of running the program.
    Bench(bench::BenchArgs),
    /// Prints the figures of the source tree and checks their limits.
    House(census::HouseArgs),
    /// Injects faults into reductions and prints whether the promises held.
    Torture(torture::TortureArgs),
    /// Makes the pictures of docs and README from a real reduction.
    Pictures(pictures::PicturesArgs),
    /// Writes what the released program is made of: the list for `boildown licences`, and on
    /// request the texts of the licences and a bill of materials.
    Licences(bill::LicencesArgs),
    /// Prints precision and recall of the groups of a triage against known labels.
    TriageQuality(triage_quality::TriageQualityArgs),
}

fn main() -> ExitCode {
    let done = match Xtask::parse() {
        Xtask::Subjects(args) => subjects::run(&args),
        Xtask::Scaling(args) => scaling::run(&args),
        Xtask::Debloat(args) => debloat::run(&args),
        Xtask::Lab(args) => lab::run(&args),
        Xtask::Bench(args) => bench::run(&args),
        Xtask::House(args) => census::run(&args),
        Xtask::Torture(args) => torture::run(&args),
        Xtask::Licences(args) => bill::run(&args),
        Xtask::Pictures(args) => pictures::run(&args),
        Xtask::TriageQuality(args) => triage_quality::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
