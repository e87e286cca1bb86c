//! Exceptions of the module.

use boildown_oracle::OracleError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

create_exception!(
    boildown,
    Error,
    PyException,
    "Base class of the exceptions of boildown. An exception that a test raises is not one of them."
);
create_exception!(
    boildown,
    NotInteresting,
    Error,
    "The test does not hold on the input, so there is nothing to search for."
);
create_exception!(
    boildown,
    UnknownName,
    Error,
    "There is no algorithm, language or unit with this name."
);

/// Returns the exception for an error of the driver: what the test raised, if that was the reason.
pub(crate) fn exception(error: OracleError) -> PyErr {
    match error {
        OracleError::Candidate { source } => match source.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => Error::new_err(other.to_string()),
        },
        OracleError::Interrupted => PyKeyboardInterrupt::new_err(()),
        other => Error::new_err(format!("failed to {other}")),
    }
}

/// Returns the error of the driver that carries an exception.
pub(crate) fn carried(raised: PyErr) -> OracleError {
    OracleError::Candidate {
        source: Box::new(raised),
    }
}
