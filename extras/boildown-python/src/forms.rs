//! Candidates as Python objects.

use boildown_search::Subset;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::errors::UnknownName;

/// How the candidates of a search are shown to the test.
pub(crate) trait Form<C>: Sync {
    /// Returns the object to call the test with; `None` if a candidate has no such form.
    fn object<'py>(&self, py: Python<'py>, candidate: &C) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// Returns the size of a candidate, in the units of the events.
    fn size(&self, candidate: &C) -> usize;
}

/// The type of the sequences that a test of a list gets.
#[derive(Debug, Clone, Copy)]
enum Sequence {
    List,
    Tuple,
    Text,
    Bytes,
}

/// A list of elements, of which candidates are subsets.
pub(crate) struct Items {
    items: Vec<Py<PyAny>>,
    sequence: Sequence,
}

impl Items {
    /// Reads the elements; `sequence` is the name of the type that the test gets.
    pub(crate) fn new(items: &Bound<'_, PyList>, sequence: &str) -> PyResult<Self> {
        let sequence = match sequence {
            "list" => Sequence::List,
            "tuple" => Sequence::Tuple,
            "str" => Sequence::Text,
            "bytes" => Sequence::Bytes,
            other => {
                return Err(UnknownName::new_err(format!(
                    "no sequence is called `{other}`"
                )));
            }
        };
        let items = items.iter().map(Bound::unbind).collect();
        Ok(Self { items, sequence })
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns a subset as an object of the type that the test gets.
    pub(crate) fn sequence<'py>(
        &self,
        py: Python<'py>,
        kept: &Subset,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut kept_items = Vec::with_capacity(kept.count());
        for run in kept.runs() {
            kept_items.extend(self.items[run].iter().map(|item| item.bind(py)));
        }
        Ok(match self.sequence {
            Sequence::List => PyList::new(py, kept_items)?.into_any(),
            Sequence::Tuple => PyTuple::new(py, kept_items)?.into_any(),
            Sequence::Text => {
                let mut text = String::with_capacity(kept_items.len());
                for item in kept_items {
                    text.push_str(&item.cast::<PyString>()?.to_cow()?);
                }
                PyString::new(py, &text).into_any()
            }
            Sequence::Bytes => {
                let bytes = kept_items.iter().map(|item| item.extract::<u8>());
                PyBytes::new(py, &bytes.collect::<PyResult<Vec<u8>>>()?).into_any()
            }
        })
    }
}

impl Form<Subset> for Items {
    fn object<'py>(&self, py: Python<'py>, kept: &Subset) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.sequence(py, kept).map(Some)
    }

    fn size(&self, candidate: &Subset) -> usize {
        candidate.count()
    }
}

/// The content of a file, as `bytes` or as a `str` in UTF-8.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Bytes,
    Text,
}

impl Content {
    /// Returns the content as a Python object; `None` if it is no text.
    pub(crate) fn convert<'py>(self, py: Python<'py>, bytes: &[u8]) -> Option<Bound<'py, PyAny>> {
        match self {
            Self::Bytes => Some(PyBytes::new(py, bytes).into_any()),
            Self::Text => {
                let text = std::str::from_utf8(bytes).ok()?;
                Some(PyString::new(py, text).into_any())
            }
        }
    }
}

impl<C: AsRef<[u8]>> Form<C> for Content {
    fn object<'py>(&self, py: Python<'py>, candidate: &C) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.convert(py, candidate.as_ref()))
    }

    fn size(&self, candidate: &C) -> usize {
        candidate.as_ref().len()
    }
}
