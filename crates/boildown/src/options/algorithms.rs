//! The algorithms that can be chosen by name.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use boildown_exec::PipedAlgorithm;
use boildown_oracle::Interrupt;
use boildown_search::algorithms::{Algorithm, AlgorithmSet, Algorithms, Schedule};

use crate::error::{CliError, ExitKind};

/// Those that the program adds.
static OWN: OnceLock<AlgorithmSet> = OnceLock::new();

/// Those in programs of their own that were chosen.
static PIPED: Mutex<Vec<PipedAlgorithm>> = Mutex::new(Vec::new());

/// Adds algorithms, the first time that it is called in a process.
pub(crate) fn add(own: AlgorithmSet) {
    OWN.get_or_init(|| own);
}

/// Returns the algorithms of this program.
pub(crate) fn known() -> Algorithms {
    #[cfg(feature = "literature")]
    let known = boildown_literature::algorithms();
    #[cfg(not(feature = "literature"))]
    let known = Algorithms::default();
    match OWN.get() {
        Some(own) => known.with(*own),
        None => known,
    }
}

/// Parses the name of a list algorithm, with its parameters; or `exec:` and the line of shell that
/// starts a program with an algorithm.
pub(crate) fn list_algorithm(text: &str) -> Result<Algorithm, String> {
    if let Some(algorithm) = PipedAlgorithm::named(text) {
        let algorithm = algorithm?;
        let chosen = algorithm.algorithm();
        piped().push(algorithm);
        return Ok(chosen);
    }
    known().parse_list(text).map_err(with_what_is_missing)
}

fn piped() -> MutexGuard<'static, Vec<PipedAlgorithm>> {
    PIPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a session when a program with an algorithm fails, and the other way round.
pub(crate) fn end_with(interrupt: &Interrupt) {
    for algorithm in &*piped() {
        algorithm.end_with(interrupt);
    }
}

/// Returns the error of the first program with an algorithm that has failed, if one has.
pub(crate) fn failure() -> Option<CliError> {
    let failures = piped();
    let failure = failures.iter().find_map(PipedAlgorithm::failure)?;
    Some(
        CliError::failed_to(ExitKind::CannotRun, failure)
            .hint("docs/algorithms.md says what such a program reads and writes"),
    )
}

/// Parses the name of a tree schedule, with its parameters.
pub(crate) fn schedule(text: &str) -> Result<Schedule, String> {
    known().parse_schedule(text).map_err(with_what_is_missing)
}

/// Adds what a program without the literature lacks.
fn with_what_is_missing(error: String) -> String {
    match cfg!(feature = "literature") {
        true => error,
        false => format!(
            "{error}; ddmin, probdd, hdd, perses and others come with the feature `literature`, \
             without which this program was built"
        ),
    }
}
