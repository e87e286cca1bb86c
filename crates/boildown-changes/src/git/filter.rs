//! How files lie on the disk: ends of lines, encodings, and the filters that `.gitattributes` and the configuration name.

use std::sync::{Arc, PoisonError};

use gix::ObjectId;
use gix::bstr::BStr;
use gix::filter::plumbing::driver::apply::Delay;
use gix::filter::plumbing::pipeline::convert::to_worktree::{Options, UnknownEncoding};
use gix::worktree::stack::state::attributes::Source;

use super::Repository;
use crate::{ChangesError, FilePath};

/// Converts contents one after the other.
pub(super) struct Filter {
    pipeline: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
    index: gix::index::State,
}

fn fail(path: &BStr) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> ChangesError + '_ {
    move |source| ChangesError::Filter {
        path: path.to_string(),
        source,
    }
}

impl Repository {
    /// Says that files lie on the disk as the `.gitattributes` of this commit say. The first to say so is heard.
    pub fn attributes_of(&self, commit: ObjectId) {
        self.attributes.get_or_init(|| commit);
    }

    fn filter(&self) -> Result<Filter, Box<dyn std::error::Error + Send + Sync>> {
        let mut free = self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(filter) = free.pop() {
            return Ok(filter);
        }
        drop(free);
        let repository = self.local();
        let index: gix::index::State = match self.attributes.get() {
            Some(&commit) => {
                let tree = repository.find_commit(commit)?.tree_id()?.detach();
                repository.index_from_tree(&tree)?.into()
            }
            None => gix::index::State::new(repository.object_hash()),
        };
        let attributes = repository
            .attributes_only(&index, Source::IdMapping)?
            .detach();
        let (pipeline, attributes) =
            gix::filter::Pipeline::new(&repository, attributes)?.into_parts();
        Ok(Filter {
            pipeline,
            attributes,
            index,
        })
    }

    fn give_back(&self, filter: Filter) {
        let mut free = self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(filter);
    }

    /// Returns a content as it lies on the disk.
    pub(crate) fn smudge(
        &self,
        path: &FilePath,
        bytes: Arc<[u8]>,
    ) -> Result<Arc<[u8]>, ChangesError> {
        let path: &BStr = path.as_ref();
        let mut filter = self.filter().map_err(fail(path))?;
        let repository = self.local();
        let converted = (|| {
            let entry = filter
                .attributes
                .at_entry(path, None, &repository.objects)?;
            let options = Options {
                can_delay: Delay::Forbid,
                unknown_encoding: UnknownEncoding::Ignore,
            };
            let mut converted = filter.pipeline.convert_to_worktree(
                &bytes,
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
                    let read = converted.as_read().ok_or("a filter puts off its work")?;
                    std::io::Read::read_to_end(read, &mut whole)?;
                }
            }
            Ok(Some(whole.into()))
        })()
        .map_err(fail(path))?;
        self.give_back(filter);
        Ok(converted.unwrap_or(bytes))
    }

    /// Returns a content as it lies in the repository, of one that lies on the disk.
    pub(super) fn clean(&self, path: &BStr, bytes: &[u8]) -> Result<Vec<u8>, ChangesError> {
        let mut filter = self.filter().map_err(fail(path))?;
        let repository = self.local();
        let converted = (|| {
            let rela_path = gix::path::from_bstr(path)?;
            let entry = filter
                .attributes
                .at_entry(path, None, &repository.objects)?;
            let index = &filter.index;
            let mut converted = filter.pipeline.convert_to_git(
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
                    let read = converted.as_read().ok_or("nothing can be read of it")?;
                    std::io::Read::read_to_end(read, &mut whole)?;
                }
            }
            Ok(whole)
        })()
        .map_err(fail(path))?;
        self.give_back(filter);
        Ok(converted)
    }
}
