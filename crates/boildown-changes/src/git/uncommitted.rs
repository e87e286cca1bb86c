//! The user's work tree as a state: what git would commit if all of it were added.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice as _, ByteVec as _};
use gix::worktree::stack::state::ignore::Source;

use super::{Repository, object};
use crate::state::name_of;
use crate::{ChangesError, Contents, Entry, Kind, State};

impl Contents {
    /// Returns the user's work tree as a state: files that git tracks, as they lie there, and those that it does not track and does not
    /// ignore, unless they are at these places, named without links. Their content is kept in memory, where the repository does not hold
    /// it.
    ///
    /// # Errors
    /// [`ChangesError`] when there is no work tree, or it cannot be read.
    pub fn uncommitted(&self, but: &[PathBuf]) -> Result<State, ChangesError> {
        let (Some(repository), Some(root)) = (
            self.repository(),
            self.repository().and_then(Repository::work_dir),
        ) else {
            return Err(object("the work tree", "the repository has none"));
        };
        let root = fs::canonicalize(&root).map_err(ChangesError::file("read", &root))?;
        let local = repository.local();
        let index = local
            .index_or_empty()
            .map_err(|error| object("the index", error))?;
        let mut ignores = local
            .excludes(&index, None, Source::WorktreeThenIdMappingIfNotSkipped)
            .map_err(|error| object("the rules of .gitignore", error))?;
        let mut files: BTreeMap<BString, Entry> = BTreeMap::new();
        for entry in index.entries() {
            let path = entry.path(&index);
            if entry.mode == gix::index::entry::Mode::COMMIT {
                let id = repository
                    .module(path)
                    .and_then(|module| module.commit("HEAD").ok())
                    .map_or(entry.id, |head| head.id);
                let kind = Kind::Module;
                files.insert(path.to_owned(), Entry { kind, id });
            } else if let Some(found) = self.lying(repository, &root, path)? {
                files.insert(path.to_owned(), found);
            }
        }
        // Untracked files; a directory that is ignored is not looked into.
        let mut pending: Vec<BString> = vec![BString::default()];
        while let Some(dir) = pending.pop() {
            let at = root.join(dir.to_path_lossy());
            for found in fs::read_dir(&at).map_err(ChangesError::file("read", &at))? {
                let found = found.map_err(ChangesError::file("read", &at))?;
                let mut path = dir.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.push_str(found.file_name().as_encoded_bytes());
                let is_ours = found.file_name() == ".git" || but.contains(&found.path());
                if is_ours || files.contains_key(&path) {
                    continue;
                }
                let kind = found.file_type().map_err(ChangesError::file("read", &at))?;
                let mode = if kind.is_dir() {
                    gix::index::entry::Mode::DIR
                } else {
                    gix::index::entry::Mode::FILE
                };
                let ignored = ignores
                    .at_entry(path.as_bstr(), Some(mode))
                    .map_err(|error| object("the rules of .gitignore", error))?
                    .is_excluded();
                // Another repository inside is nobody's change.
                let foreign = kind.is_dir() && found.path().join(".git").exists();
                if ignored || foreign {
                    continue;
                }
                if kind.is_dir() {
                    pending.push(path);
                } else if let Some(entry) = self.lying(repository, &root, path.as_bstr())? {
                    files.insert(path, entry);
                }
            }
        }
        Ok(files.into_iter().collect())
    }

    /// What lies at a path of the work tree, if it is a file or a link.
    fn lying(
        &self,
        repository: &Repository,
        root: &Path,
        path: &BStr,
    ) -> Result<Option<Entry>, ChangesError> {
        let at = root.join(path.to_path_lossy());
        let Ok(metadata) = fs::symlink_metadata(&at) else {
            return Ok(None);
        };
        let (kind, bytes) = if metadata.is_symlink() {
            let target = fs::read_link(&at).map_err(ChangesError::file("read", &at))?;
            (Kind::Link, target.into_os_string().into_encoded_bytes())
        } else if metadata.is_file() {
            let kind = if metadata.permissions().mode() & 0o100 == 0 {
                Kind::File
            } else {
                Kind::Program
            };
            let bytes = fs::read(&at).map_err(ChangesError::file("read", &at))?;
            (kind, repository.clean(path, &bytes)?)
        } else {
            return Ok(None);
        };
        let id = name_of(&bytes);
        if !repository.local().has_object(id) {
            self.add_bytes(id, &bytes);
        }
        Ok(Some(Entry { kind, id }))
    }
}
