//! Calls of the test, and the verdicts that follow.

use boildown_oracle::{Answer, Interrupt, Oracle, OracleError};
use boildown_search::Verdict;
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::carried;
use crate::forms::Form;

/// The test of the caller.
pub(crate) struct Judge<'a, F> {
    pub(crate) test: Py<PyAny>,
    pub(crate) form: &'a F,
    pub(crate) errors_are_unresolved: bool,
}

impl<F> Judge<'_, F> {
    /// Calls the test on a candidate. Fails with what the test raised, unless that is a verdict.
    pub(crate) fn verdict<C>(&self, py: Python<'_>, candidate: &C) -> PyResult<Verdict>
    where
        F: Form<C>,
    {
        let Some(object) = self.form.object(py, candidate)? else {
            return Ok(Verdict::Unresolved);
        };
        match self.test.bind(py).call1((object,)) {
            Ok(returned) => verdict_of(&returned),
            // Not those that end a program, such as `KeyboardInterrupt`.
            Err(raised)
                if self.errors_are_unresolved && raised.is_instance_of::<PyException>(py) =>
            {
                Ok(Verdict::Unresolved)
            }
            Err(raised) => Err(raised),
        }
    }
}

impl<C, F: Form<C>> Oracle<C> for Judge<'_, F> {
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        if interrupt.is_triggered() {
            return Err(OracleError::Interrupted);
        }
        let verdict = Python::attach(|py| self.verdict(py, candidate)).map_err(carried)?;
        Ok(Answer { verdict, run: None })
    }
}

/// Returns the verdict that a returned value stands for: a `bool`, or one of the words of `Verdict`
/// or of a test harness, as a string or as the name of an enumeration's member.
pub(crate) fn verdict_of(returned: &Bound<'_, PyAny>) -> PyResult<Verdict> {
    if let Ok(holds) = returned.cast::<PyBool>() {
        return Ok(verdict_if(holds.is_true()));
    }
    let name = match returned.cast::<PyString>() {
        Ok(text) => Some(text.to_owned()),
        Err(_) => (returned.getattr_opt("name").ok().flatten())
            .and_then(|name| name.cast_into::<PyString>().ok()),
    };
    if let Some(name) = name {
        match name.to_cow()?.to_ascii_lowercase().as_str() {
            "interesting" | "fail" => return Ok(Verdict::Interesting),
            "uninteresting" | "pass" => return Ok(Verdict::Uninteresting),
            "unresolved" => return Ok(Verdict::Unresolved),
            _ => {}
        }
    } else if let Ok(holds) = returned.extract::<bool>() {
        // A `bool` of NumPy.
        return Ok(verdict_if(holds));
    }
    Err(PyTypeError::new_err(format!(
        "the test returned {}; it has to return True (interesting), False, or a boildown.Verdict",
        returned.repr()?
    )))
}

fn verdict_if(holds: bool) -> Verdict {
    match holds {
        true => Verdict::Interesting,
        false => Verdict::Uninteresting,
    }
}
