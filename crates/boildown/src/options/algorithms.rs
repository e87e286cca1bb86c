//! The algorithms that can be chosen by name.

use std::sync::OnceLock;

use boildown_search::algorithms::{Algorithm, AlgorithmSet, Algorithms, Schedule};

/// Those that the program adds.
static OWN: OnceLock<AlgorithmSet> = OnceLock::new();

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

/// Parses the name of a list algorithm, with its parameters.
pub(crate) fn list_algorithm(text: &str) -> Result<Algorithm, String> {
    known().parse_list(text).map_err(with_what_is_missing)
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
