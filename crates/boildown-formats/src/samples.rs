//! Samples of formats, for the tests of these.

use boildown_document::View;
use boildown_reduce::Format;

/// A format with views, and what returns inputs with everything that it has.
pub(crate) struct SampledFormat {
    pub(crate) format: &'static dyn Format,
    pub(crate) samples: fn() -> Vec<Sample>,
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
    /// The tool of the format, if there is one.
    pub(crate) checker: Option<Checker>,
}

impl Sample {
    /// Returns a sample of all views of a format, without a tool that checks it.
    pub(crate) fn new(format: &dyn Format, name: &'static str, bytes: &[u8]) -> Self {
        Self {
            name,
            bytes: bytes.to_vec(),
            views: format.views(),
            fault: |_| None,
            demanded: Vec::new(),
            checker: None,
        }
    }
}

/// Programs that read an input from standard input, each what the one before wrote.
pub(crate) struct Checker {
    /// Each program, by all of its names, with its arguments.
    pub(crate) programs: &'static [(&'static [&'static str], &'static [&'static str])],
    /// A line between inputs that one run can check; `None` if a run checks one.
    pub(crate) divider: Option<&'static str>,
}
