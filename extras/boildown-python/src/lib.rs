//! Native part of the Python module `boildown`.
//!
//! It converts between Python objects and the candidates of searches, calls the test, and runs
//! the searches of [`boildown_search`] and [`boildown_reduce`]: with one job in the calling thread,
//! with more by [`boildown_driver`]. Everything that Python does as well is in `python/boildown`.

use pyo3::prelude::*;

mod algorithms;
mod ask_tell;
mod errors;
mod events;
mod forms;
mod judge;
mod runner;
mod searches;
mod settings;

/// The native part of `boildown`. Import `boildown` instead.
#[pymodule]
mod _boildown {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::algorithms::{algorithms, languages};
    #[pymodule_export]
    use crate::ask_tell::ListSearch;
    #[pymodule_export]
    use crate::errors::{Error, NotInteresting, UnknownName};
    #[pymodule_export]
    use crate::searches::{isolate, minimize, reduce};
    #[pymodule_export]
    use crate::settings::{Settings, Stop};

    #[pymodule_init]
    #[expect(unsafe_code, reason = "the allocator of the parsers is set")]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // SAFETY: the module is being imported: its copy of tree-sitter has not been used.
        unsafe { boildown_document::count_parser_allocations() };
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
