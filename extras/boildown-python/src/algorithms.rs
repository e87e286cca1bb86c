//! The tables of algorithms and languages.

use boildown_document::Language;
use boildown_search::algorithms::Family;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

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
