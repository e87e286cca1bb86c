//! Conversion between contents in the repository and files in the work tree.

use std::sync::{Arc, PoisonError};

use boildown_exec::spawn::Limits;
use boildown_oracle::{Interrupt, OracleError};
use gix::ObjectId;
use gix::bstr::BStr;

use super::filter::ContentFilter;
use super::filter_command::{FilterError, FilterRuns};
use super::repository::Repository;
use crate::{ChangesError, FilePath};

fn filter_error(path: &BStr) -> impl FnOnce(FilterError) -> ChangesError + '_ {
    let path = path.to_string();
    move |source| match source.downcast_ref() {
        Some(OracleError::Interrupted) => ChangesError::Interrupted { path },
        _ => ChangesError::Filter { path, source },
    }
}

impl Repository {
    /// Sets the commit whose `.gitattributes` apply to all files. Only the first call has an
    /// effect.
    pub fn set_attributes_commit(&self, commit: ObjectId) {
        self.attributes_commit.get_or_init(|| commit);
    }

    /// Sets the limits of the filters that the git configuration names. Only the first call before
    /// a conversion has an effect.
    pub fn set_filter_runs(&self, runs: FilterRuns) {
        self.filter_runs.get_or_init(|| Arc::new(runs));
    }

    /// Returns the runs of filters: with the usual limits if none were set.
    fn filter_runs(&self) -> Result<&FilterRuns, FilterError> {
        if let Some(runs) = self.filter_runs.get() {
            return Ok(runs);
        }
        let runs = FilterRuns::new(Limits::default(), Interrupt::new()?, std::env::temp_dir());
        Ok(self.filter_runs.get_or_init(|| Arc::new(runs)))
    }

    /// Returns an idle filter, or a new one.
    fn take_filter(&self) -> Result<ContentFilter, FilterError> {
        let mut idle = (self.idle_filters.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some(filter) = idle.pop() {
            return Ok(filter);
        }
        drop(idle);
        ContentFilter::new(&self.local(), self.attributes_commit.get().copied())
    }

    /// Keeps a filter for the next conversion. A filter that failed is dropped instead.
    fn return_filter(&self, filter: ContentFilter) {
        let mut idle = (self.idle_filters.lock()).unwrap_or_else(PoisonError::into_inner);
        idle.push(filter);
    }

    /// Converts a content of the repository to that of a file in the work tree.
    pub(crate) fn smudge(
        &self,
        path: &FilePath,
        bytes: Arc<[u8]>,
    ) -> Result<Arc<[u8]>, ChangesError> {
        let path: &BStr = path.as_ref();
        let mut filter = self.take_filter().map_err(filter_error(path))?;
        let converted = (self.filter_runs())
            .and_then(|runs| filter.smudge(&self.local(), path, &bytes, runs))
            .map_err(filter_error(path))?;
        self.return_filter(filter);
        Ok(converted.unwrap_or(bytes))
    }

    /// Converts a file of the work tree to a content of the repository.
    pub(super) fn clean(&self, path: &BStr, bytes: &[u8]) -> Result<Vec<u8>, ChangesError> {
        let mut filter = self.take_filter().map_err(filter_error(path))?;
        let converted = (self.filter_runs())
            .and_then(|runs| filter.clean(&self.local(), path, bytes, runs))
            .map_err(filter_error(path))?;
        self.return_filter(filter);
        Ok(converted)
    }
}
