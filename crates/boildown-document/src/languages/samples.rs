//! Samples for tests: a few lines of each language.

/// All samples, each under a line with the name of its language.
const SAMPLES: &str = include_str!("samples.txt");

/// Returns every sample with the name of its language.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAMPLES
        .split("==== ")
        .skip(1)
        .filter_map(|sample| sample.split_once('\n'))
}

/// Returns the sample of the language with this name.
///
/// # Panics
/// When there is none.
#[track_caller]
pub fn sample(name: &str) -> &'static str {
    let sample = all().find(|(language, _)| *language == name);
    sample
        .unwrap_or_else(|| panic!("write a sample of {name}"))
        .1
}
