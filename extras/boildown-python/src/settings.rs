//! Options that all searches share.

use std::time::Duration;

use boildown_driver::Budget;
use boildown_oracle::Interrupt;
use pyo3::prelude::*;

use crate::errors::Error;

/// Stops a search from any thread.
#[pyclass(frozen, module = "boildown")]
pub(crate) struct Stop {
    pub(crate) interrupt: Interrupt,
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> PyResult<Self> {
        let interrupt = Interrupt::new();
        let interrupt = interrupt.map_err(|error| Error::new_err(format!("failed to {error}")))?;
        Ok(Self { interrupt })
    }

    /// Asks the search to stop after the tests that are running now.
    fn set(&self) {
        self.interrupt.trigger();
    }

    /// Returns whether `set` was called.
    fn is_set(&self) -> bool {
        self.interrupt.is_triggered()
    }
}

/// The options of a search.
#[pyclass(frozen, module = "boildown")]
pub(crate) struct Settings {
    pub(crate) jobs: usize,
    /// Whether an exception of the test is a verdict instead of the end of the search.
    pub(crate) errors_are_unresolved: bool,
    pub(crate) budget: Budget,
    /// Called with each event, in the thread that called the search.
    pub(crate) on_event: Option<Py<PyAny>>,
    pub(crate) stop: Option<Interrupt>,
    /// Called when the search ends early, so that tests that are still running end soon.
    pub(crate) cancel: Option<Py<PyAny>>,
}

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (jobs, errors_are_unresolved, max_tests, max_time, on_event, stop, cancel))]
    fn new(
        jobs: usize,
        errors_are_unresolved: bool,
        max_tests: Option<u64>,
        max_time: Option<f64>,
        on_event: Option<Py<PyAny>>,
        stop: Option<Bound<'_, Stop>>,
        cancel: Option<Py<PyAny>>,
    ) -> Self {
        Self {
            jobs,
            errors_are_unresolved,
            budget: Budget {
                queries: max_tests,
                time: max_time
                    .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
            },
            on_event,
            stop: stop.map(|stop| stop.get().interrupt.clone()),
            cancel,
        }
    }
}
