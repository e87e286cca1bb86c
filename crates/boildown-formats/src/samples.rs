//! Samples of formats, for the tests of these.

use boildown_document::View;
use boildown_reduce::Format;

/// A format with inputs to test it by.
pub(crate) trait Sampled: Format {
    /// Returns inputs with everything that the format has, if it has views of its own.
    fn samples(&self) -> Vec<Sample> {
        Vec::new()
    }
}

/// An input with everything that a format has.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<View>,
    /// Returns what is wrong with an input and is no fact about it.
    pub(crate) fault: fn(&[u8]) -> Option<String>,
    /// What the tool of the format only accepts an input with, because something else uses it.
    pub(crate) demanded: Vec<&'static [u8]>,
    pub(crate) checker: Checker,
}

/// Programs that read an input from standard input, each what the one before wrote.
pub(crate) struct Checker {
    /// Each program, by all of its names, with its arguments.
    pub(crate) programs: &'static [(&'static [&'static str], &'static [&'static str])],
    /// A line between inputs that one run can check; `None` if a run checks one.
    pub(crate) divider: Option<&'static str>,
}
