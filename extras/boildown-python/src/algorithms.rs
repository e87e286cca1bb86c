//! The tables of algorithms and languages, and algorithms chosen by name.

use boildown_document::Language;
use boildown_exec::PipedAlgorithm;
use boildown_oracle::Interrupt;
use boildown_search::algorithms::{Algorithm, Family};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{Error, UnknownName};

/// A list algorithm that was chosen by name.
pub(crate) struct NamedAlgorithm {
    pub(crate) algorithm: Algorithm,
    /// The program that has it, if it is in one of its own.
    program: Option<PipedAlgorithm>,
}

impl NamedAlgorithm {
    /// Finds the algorithm. Its program ends with `stop`.
    pub(crate) fn new(name: &str, stop: Option<&Interrupt>) -> PyResult<Self> {
        let program = PipedAlgorithm::named(name).transpose();
        let program = program.map_err(UnknownName::new_err)?;
        if let (Some(program), Some(stop)) = (&program, stop) {
            program.end_with(stop);
        }
        let known = boildown_literature::algorithms();
        Ok(Self {
            algorithm: match &program {
                Some(program) => program.algorithm(),
                None => known.parse_list(name).map_err(UnknownName::new_err)?,
            },
            program,
        })
    }

    /// Fails if its program has failed.
    pub(crate) fn check(&self) -> PyResult<()> {
        match self.program.as_ref().and_then(PipedAlgorithm::failure) {
            Some(failure) => Err(Error::new_err(format!("failed to {failure}"))),
            None => Ok(()),
        }
    }
}

/// Returns the algorithms, a dictionary each.
#[pyfunction]
pub(crate) fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for entry in boildown_literature::algorithms().entries() {
        let row = PyDict::new(py);
        row.set_item("name", entry.name)?;
        row.set_item(
            "family",
            match entry.family {
                Family::List => "list",
                Family::Tree => "tree",
                Family::Changes => "changes",
                Family::Requirements => "requirements",
            },
        )?;
        row.set_item("parameters", entry.parameters)?;
        row.set_item("guarantee", entry.guarantee)?;
        row.set_item("cost", entry.cost)?;
        row.set_item("source", entry.source)?;
        list.append(row)?;
    }
    Ok(list)
}

/// Returns the names of the languages.
#[pyfunction]
pub(crate) fn languages() -> Vec<&'static str> {
    Language::all()
        .iter()
        .map(|language| language.name)
        .collect()
}
