//! The command `boildown`.

use std::process::ExitCode;

use boildown_search::algorithms::AlgorithmSet;

fn main() -> ExitCode {
    boildown::run_with(AlgorithmSet::NONE)
}
