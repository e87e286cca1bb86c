//! The filter that converts contents between the repository and the work tree.
//!
//! Applies line endings, encodings, and the filters that `.gitattributes` and the git configuration
//! name. Git calls the two directions *smudge* (to the work tree) and *clean* (to the repository).

use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::BStr;
use gix::filter::plumbing::driver::apply::Delay;
use gix::filter::plumbing::pipeline::convert::to_worktree::{Options, UnknownEncoding};
use gix::worktree::stack::state::attributes::Source;

/// An error of a conversion, from the git library or from a filter process.
pub(super) type FilterError = Box<dyn std::error::Error + Send + Sync>;

/// The state of a conversion. It starts filter processes once and converts one content at a time.
pub(super) struct ContentFilter {
    pipeline: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
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
        let attributes = repository
            .attributes_only(&index, Source::IdMapping)?
            .detach();
        let (pipeline, attributes) =
            gix::filter::Pipeline::new(repository, attributes)?.into_parts();
        Ok(Self {
            pipeline,
            attributes,
            index,
        })
    }

    /// Converts a content of the repository to that of a file in the work tree; `None` when it is
    /// unchanged.
    pub(super) fn smudge(
        &mut self,
        repository: &gix::Repository,
        path: &BStr,
        bytes: &[u8],
    ) -> Result<Option<Arc<[u8]>>, FilterError> {
        let entry = self.attributes.at_entry(path, None, &repository.objects)?;
        let options = Options {
            can_delay: Delay::Forbid,
            unknown_encoding: UnknownEncoding::Ignore,
        };
        let mut converted = self.pipeline.convert_to_worktree(
            bytes,
            path,
            &mut |_, attributes| {
                entry.matching_attributes(attributes);
            },
            options,
        )?;
        if !converted.is_changed() {
            return Ok(None);
        }
        let mut whole = Vec::new();
        match converted.as_bytes() {
            Some(bytes) => whole.extend_from_slice(bytes),
            None => {
                let read = converted
                    .as_read()
                    .ok_or("a filter process delayed its result")?;
                std::io::Read::read_to_end(read, &mut whole)?;
            }
        }
        Ok(Some(whole.into()))
    }

    /// Converts a file of the work tree to a content of the repository.
    pub(super) fn clean(
        &mut self,
        repository: &gix::Repository,
        path: &BStr,
        bytes: &[u8],
    ) -> Result<Vec<u8>, FilterError> {
        let rela_path = gix::path::from_bstr(path)?;
        let entry = self.attributes.at_entry(path, None, &repository.objects)?;
        let index = &self.index;
        let mut converted = self.pipeline.convert_to_git(
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
        let mut whole = Vec::new();
        match converted.as_bytes() {
            Some(bytes) => whole.extend_from_slice(bytes),
            None => {
                let read = converted
                    .as_read()
                    .ok_or("a filter process returned no content")?;
                std::io::Read::read_to_end(read, &mut whole)?;
            }
        }
        Ok(whole)
    }
}
