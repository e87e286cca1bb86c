//! The filter that converts contents between the repository and the work tree.
//!
//! Applies line endings, encodings, and the filters that `.gitattributes` and the git configuration
//! name. Git calls the two directions *smudge* (to the work tree) and *clean* (to the repository).

use std::path::PathBuf;
use std::sync::Arc;

use gix::ObjectId;
use gix::attrs::StateRef;
use gix::bstr::BStr;
use gix::filter::plumbing::pipeline::convert::to_worktree::{Options, UnknownEncoding};
use gix::filter::plumbing::{Driver, Pipeline};
use gix::worktree::stack::state::attributes::Source;

use super::filter_command::{FilterError, FilterRuns};
use super::filter_protocol::Direction;

/// The state of a conversion. It converts one content at a time.
///
/// Line endings, encodings and keywords are converted by the git library; it is not told of the
/// filters of the configuration, which run with limits.
pub(super) struct ContentFilter {
    pipeline: Pipeline,
    drivers: Vec<Driver>,
    /// The directory in which filters run.
    dir: PathBuf,
    attributes: gix::worktree::Stack,
    /// The value of the attribute `filter`.
    filter_attribute: gix::attrs::search::Outcome,
    index: gix::index::State,
}

impl ContentFilter {
    /// Creates a filter that applies the `.gitattributes` files of a commit, if one is given.
    pub(super) fn new(
        repository: &gix::Repository,
        attributes_commit: Option<ObjectId>,
    ) -> Result<Self, FilterError> {
        let index: gix::index::State = match attributes_commit {
            Some(commit) => {
                let tree = repository.find_commit(commit)?.tree_id()?.detach();
                repository.index_from_tree(&tree)?.into()
            }
            None => gix::index::State::new(repository.object_hash()),
        };
        let attributes = repository.attributes_only(&index, Source::IdMapping)?;
        let filter_attribute = attributes.selected_attribute_matches(["filter"]);
        let mut options = gix::filter::Pipeline::options(repository)?;
        let drivers = std::mem::take(&mut options.drivers);
        let context = repository.command_context()?;
        Ok(Self {
            pipeline: Pipeline::new(context, repository.object_hash(), options),
            drivers,
            dir: (repository.workdir().unwrap_or(repository.git_dir())).to_owned(),
            attributes: attributes.detach(),
            filter_attribute,
            index,
        })
    }

    /// Converts a content by the filter that the attributes of its path name, if there is one.
    fn convert(
        &mut self,
        repository: &gix::Repository,
        direction: Direction,
        path: &BStr,
        bytes: &[u8],
        runs: &FilterRuns,
    ) -> Result<Option<Vec<u8>>, FilterError> {
        if self.drivers.is_empty() {
            return Ok(None);
        }
        let entry = self.attributes.at_entry(path, None, &repository.objects)?;
        entry.matching_attributes(&mut self.filter_attribute);
        let found = self.filter_attribute.iter_selected().next();
        let Some(StateRef::Value(name)) = found.map(|found| found.assignment.state) else {
            return Ok(None);
        };
        let driver = (self.drivers.iter()).find(|driver| driver.name == name.as_bstr());
        match driver {
            Some(driver) => runs.convert(driver, direction, path, bytes, &self.dir),
            None => Ok(None),
        }
    }

    /// Converts a content of the repository to that of a file in the work tree; `None` when it is
    /// unchanged.
    pub(super) fn smudge(
        &mut self,
        repository: &gix::Repository,
        path: &BStr,
        bytes: &[u8],
        runs: &FilterRuns,
    ) -> Result<Option<Arc<[u8]>>, FilterError> {
        let entry = self.attributes.at_entry(path, None, &repository.objects)?;
        let options = Options {
            unknown_encoding: UnknownEncoding::Ignore,
            ..Options::default()
        };
        let converted = self.pipeline.convert_to_worktree(
            bytes,
            path,
            &mut |_, attributes| {
                entry.matching_attributes(attributes);
            },
            options,
        )?;
        let ours: Option<Arc<[u8]>> = match converted.is_changed() {
            true => converted.as_bytes().map(Into::into),
            false => None,
        };
        drop(converted);
        let bytes = ours.as_deref().unwrap_or(bytes);
        let theirs = self.convert(repository, Direction::Smudge, path, bytes, runs)?;
        Ok(theirs.map(Into::into).or(ours))
    }

    /// Converts a file of the work tree to a content of the repository.
    pub(super) fn clean(
        &mut self,
        repository: &gix::Repository,
        path: &BStr,
        bytes: &[u8],
        runs: &FilterRuns,
    ) -> Result<Vec<u8>, FilterError> {
        let theirs = self.convert(repository, Direction::Clean, path, bytes, runs)?;
        let bytes = theirs.as_deref().unwrap_or(bytes);
        let rela_path = gix::path::from_bstr(path)?;
        let entry = self.attributes.at_entry(path, None, &repository.objects)?;
        let index = &self.index;
        let converted = self.pipeline.convert_to_git(
            bytes,
            &rela_path,
            &mut |_, attributes| {
                entry.matching_attributes(attributes);
            },
            &mut |buffer| {
                let Some(entry) = index.entry_by_path(path) else {
                    return Ok(None);
                };
                let found = repository.find_object(entry.id)?;
                buffer.clear();
                buffer.extend_from_slice(&found.data);
                Ok(Some(()))
            },
        )?;
        // Unchanged, unless the library made a buffer.
        Ok(converted.as_bytes().unwrap_or(bytes).to_vec())
    }
}
