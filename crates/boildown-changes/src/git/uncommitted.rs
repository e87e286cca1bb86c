//! The work tree of a repository as a state: what git would commit after `git add --all`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::worktree::stack::state::ignore::Source;

use super::repository::{Repository, object_error};
use crate::directory::{child_path, read_file};
use crate::state::blob_id;
use crate::{ChangesError, Contents, Entry, FileKind, State};

/// The work tree that is read, and the state that is built from it.
struct WorkTreeReader<'a> {
    contents: &'a Contents,
    repository: &'a Repository,
    /// The directory of the work tree, without symbolic links.
    root: PathBuf,
    files: BTreeMap<BString, Entry>,
}

impl Contents {
    /// Returns the work tree as a state: tracked files as they are on disk, and untracked files
    /// that are not ignored.
    ///
    /// Leaves out untracked files at the paths in `excluded`, which must be absolute and free of
    /// symbolic links. Contents that the repository does not hold are kept in memory.
    ///
    /// # Errors
    /// [`ChangesError`] when there is no work tree, or it cannot be read.
    pub fn work_tree_state(&self, excluded: &[PathBuf]) -> Result<State, ChangesError> {
        let (Some(repository), Some(root)) = (
            self.repository(),
            self.repository().and_then(Repository::work_dir),
        ) else {
            return Err(object_error("the work tree", "the repository has none"));
        };
        let root = fs::canonicalize(&root).map_err(ChangesError::file("read", &root))?;
        let local = repository.local();
        let index = local
            .index_or_empty()
            .map_err(|error| object_error("the index", error))?;
        let mut ignores = local
            .excludes(&index, None, Source::WorktreeThenIdMappingIfNotSkipped)
            .map_err(|error| object_error("the rules of .gitignore", error))?;
        let mut reader = WorkTreeReader {
            contents: self,
            repository,
            root,
            files: BTreeMap::new(),
        };
        reader.add_tracked(&index)?;
        reader.add_untracked(excluded, |path, mode| {
            let rules = ignores.at_entry(path, Some(mode));
            rules
                .map(|rules| rules.is_excluded())
                .map_err(|error| object_error("the rules of .gitignore", error))
        })?;
        Ok(reader.files.into_iter().collect())
    }
}

impl WorkTreeReader<'_> {
    fn add_tracked(&mut self, index: &gix::index::State) -> Result<(), ChangesError> {
        let options = (self.repository.local().stat_options())
            .map_err(|error| object_error("the configuration of the work tree", error))?;
        for entry in index.entries() {
            let path = entry.path(index);
            if let Some(kind) = self.unmodified(entry, path, index, options) {
                let id = entry.id;
                self.files.insert(path.to_owned(), Entry { kind, id });
                continue;
            }
            if entry.mode == gix::index::entry::Mode::COMMIT {
                let head = (self.repository.submodule(path))
                    .and_then(|submodule| submodule.commit("HEAD").ok());
                let entry = Entry {
                    kind: FileKind::Submodule,
                    id: head.map_or(entry.id, |head| head.id),
                };
                self.files.insert(path.to_owned(), entry);
            } else if let Some(entry) = self.read_entry(path)? {
                self.files.insert(path.to_owned(), entry);
            }
        }
        Ok(())
    }

    /// Returns the kind of a file whose metadata is that of the index: git did not see it change,
    /// so it is not read, and no filter has to convert it.
    fn unmodified(
        &self,
        entry: &gix::index::Entry,
        path: &BStr,
        index: &gix::index::State,
        options: gix::index::entry::stat::Options,
    ) -> Option<FileKind> {
        let kind = match entry.mode {
            gix::index::entry::Mode::FILE => FileKind::Regular,
            gix::index::entry::Mode::FILE_EXECUTABLE => FileKind::Executable,
            _ => return None,
        };
        let on_disk = self.root.join(path.to_path_lossy());
        let found = gix::index::fs::Metadata::from_path_no_follow(&on_disk).ok()?;
        let is_executable = kind == FileKind::Executable;
        if !found.is_file() || found.is_executable() != is_executable {
            return None;
        }
        let stat = gix::index::entry::Stat::from_fs(&found).ok()?;
        let is_same = entry.stat.matches(&stat, options)
            && !entry.stat.is_racy(index.timestamp(), options)
            && !entry
                .flags
                .contains(gix::index::entry::Flags::INTENT_TO_ADD);
        is_same.then_some(kind)
    }

    /// Adds files that are not in the index. Ignored directories are not searched, neither are
    /// other repositories inside this one.
    fn add_untracked(
        &mut self,
        excluded: &[PathBuf],
        mut is_ignored: impl FnMut(&BStr, gix::index::entry::Mode) -> Result<bool, ChangesError>,
    ) -> Result<(), ChangesError> {
        let mut pending: Vec<BString> = vec![BString::default()];
        while let Some(dir) = pending.pop() {
            let dir_on_disk = self.root.join(dir.to_path_lossy());
            let unreadable = || ChangesError::file("read", &dir_on_disk);
            for found in fs::read_dir(&dir_on_disk).map_err(unreadable())? {
                let found = found.map_err(unreadable())?;
                let path = child_path(&dir, found.file_name().as_encoded_bytes());
                let is_left_out = found.file_name() == ".git" || excluded.contains(&found.path());
                if is_left_out || self.files.contains_key(&path) {
                    continue;
                }
                let file_type = found.file_type().map_err(unreadable())?;
                let mode = if file_type.is_dir() {
                    gix::index::entry::Mode::DIR
                } else {
                    gix::index::entry::Mode::FILE
                };
                let ignored = is_ignored(path.as_bstr(), mode)?;
                let is_repository = file_type.is_dir() && found.path().join(".git").exists();
                if ignored || is_repository {
                    continue;
                }
                if file_type.is_dir() {
                    pending.push(path);
                } else if let Some(entry) = self.read_entry(path.as_bstr())? {
                    self.files.insert(path, entry);
                }
            }
        }
        Ok(())
    }

    /// Returns the file or symbolic link at a path of the work tree, if there is one.
    fn read_entry(&self, path: &BStr) -> Result<Option<Entry>, ChangesError> {
        let on_disk: &Path = &self.root.join(path.to_path_lossy());
        let Ok(metadata) = fs::symlink_metadata(on_disk) else {
            return Ok(None);
        };
        let Some((kind, mut bytes)) = read_file(on_disk, &metadata)? else {
            return Ok(None);
        };
        if kind.is_plain() {
            bytes = self.repository.clean(path, &bytes)?;
        }
        let id = blob_id(&bytes);
        if !self.repository.local().has_object(id) {
            self.contents.add_bytes(id, &bytes);
        }
        Ok(Some(Entry { kind, id }))
    }
}
