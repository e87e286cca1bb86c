//! A list search as an object that asks and is told.

use boildown_search::{AnyListSearch, Planner, QueryId, Search as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::algorithms::NamedAlgorithm;
use crate::judge::verdict_of;
use crate::searches::list_search;

/// A search for the elements of a list that are needed, driven by the caller.
#[pyclass(module = "boildown")]
pub(crate) struct ListSearch {
    planner: Planner<AnyListSearch>,
    algorithm: Option<NamedAlgorithm>,
    /// The query that was asked and has no verdict yet.
    asked: Option<(QueryId, Vec<usize>)>,
}

#[pymethods]
impl ListSearch {
    #[new]
    #[pyo3(signature = (length, algorithm, weights, sweep))]
    fn new(
        length: usize,
        algorithm: Option<&str>,
        weights: Option<Vec<u32>>,
        sweep: bool,
    ) -> PyResult<Self> {
        let algorithm = algorithm.map(|name| NamedAlgorithm::new(name, None));
        let algorithm = algorithm.transpose()?;
        let search = list_search(length, algorithm.as_ref(), weights, sweep)?;
        Ok(Self {
            planner: Planner::new(search),
            algorithm,
            asked: None,
        })
    }

    /// Returns the indices to test next; `None` when the search has finished.
    fn ask(&mut self) -> PyResult<Option<Vec<usize>>> {
        if let Some(algorithm) = &self.algorithm {
            algorithm.check()?;
        }
        if self.asked.is_none() {
            let next = self.planner.next();
            self.asked = next.map(|ticket| (ticket.id, ticket.candidate.iter().collect()));
        }
        Ok(self.asked.as_ref().map(|(_, kept)| kept.clone()))
    }

    /// Records the verdict on what `ask` returned.
    fn tell(&mut self, verdict: &Bound<'_, PyAny>) -> PyResult<()> {
        let verdict = verdict_of(verdict)?;
        let Some((id, _)) = self.asked.take() else {
            return Err(PyValueError::new_err("call `ask` before `tell`"));
        };
        self.planner.answer(id, verdict);
        while self.planner.advance().is_some() {}
        Ok(())
    }

    /// Returns the indices of the smallest list that was interesting.
    #[getter]
    fn best(&self) -> Vec<usize> {
        self.planner.search().best().iter().collect()
    }
}
