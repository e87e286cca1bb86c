//! Events as dictionaries.

use boildown_search::Verdict;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A verdict that the search received.
pub(crate) struct Test {
    pub(crate) verdict: Verdict,
    /// The size of the input.
    pub(crate) input: usize,
    /// The size of the tested candidate.
    pub(crate) size: usize,
    /// The size of the best candidate after the verdict.
    pub(crate) best: usize,
    /// Tests so far, this one included.
    pub(crate) tests: u64,
    /// Seconds since the search began.
    pub(crate) elapsed: f64,
    /// The pass, or the units, that the search worked on; none for lists.
    pub(crate) pass: Option<&'static str>,
}

impl Test {
    pub(crate) fn report(&self, py: Python<'_>, on_event: &Py<PyAny>) -> PyResult<()> {
        let event = PyDict::new(py);
        event.set_item("event", "test")?;
        event.set_item("test", self.tests)?;
        event.set_item("verdict", name(self.verdict))?;
        event.set_item("input", self.input)?;
        event.set_item("size", self.size)?;
        event.set_item("best", self.best)?;
        event.set_item("elapsed", self.elapsed)?;
        event.set_item("pass", self.pass)?;
        on_event.call1(py, (event,)).map(drop)
    }
}

/// How a search ended, and what it took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    /// Why it ended early: `tests`, `time` or `stop`.
    pub(crate) stopped: Option<&'static str>,
    /// Verdicts that the search received.
    pub(crate) tests: u64,
    /// Calls of the test: those on the inputs included, and more if several jobs guess.
    pub(crate) runs: u64,
}

/// The end of a search.
pub(crate) struct End {
    pub(crate) summary: Summary,
    pub(crate) best: usize,
    pub(crate) elapsed: f64,
}

impl End {
    pub(crate) fn report(&self, py: Python<'_>, on_event: &Py<PyAny>) -> PyResult<()> {
        let event = PyDict::new(py);
        event.set_item("event", "end")?;
        event.set_item("stopped", self.summary.stopped)?;
        event.set_item("best", self.best)?;
        event.set_item("tests", self.summary.tests)?;
        event.set_item("runs", self.summary.runs)?;
        event.set_item("elapsed", self.elapsed)?;
        on_event.call1(py, (event,)).map(drop)
    }
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "uninteresting",
        Verdict::Unresolved => "unresolved",
    }
}
