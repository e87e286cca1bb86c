//! A minimal `.git` directory in a workspace, for builds that ask git for the version.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use gix::ObjectId;

use super::repository::{Repository, object_error};
use crate::ChangesError;

impl Repository {
    /// Creates a `.git` directory in a workspace, so that `git describe`, `git ls-files` and the
    /// like work there.
    ///
    /// Its head is detached at this commit, its tags are those of the repository, and it borrows
    /// the objects of the repository. It has no branches, remotes or hooks. Commands that write to
    /// it do not change the repository.
    ///
    /// # Errors
    /// [`ChangesError`] when it cannot be written, or the commit cannot be read.
    pub fn create_git_skeleton(&self, root: &Path, head: ObjectId) -> Result<(), ChangesError> {
        let dir = root.join(".git");
        for inner in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            let path = dir.join(inner);
            fs::create_dir_all(&path).map_err(ChangesError::file("create", &path))?;
        }
        let mut objects = self.objects_dir().into_os_string().into_encoded_bytes();
        objects.push(b'\n');
        let head_line = format!("{head}\n").into_bytes();
        let config = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_vec();
        let files = [
            ("HEAD", head_line),
            ("config", config),
            ("objects/info/alternates", objects),
            ("packed-refs", self.packed_tags()?),
        ];
        for (name, bytes) in files {
            let path = dir.join(name);
            let mut file = fs::File::create(&path).map_err(ChangesError::file("write", &path))?;
            file.write_all(&bytes)
                .map_err(ChangesError::file("write", &path))?;
        }
        let local = self.local();
        if let Some(boundary) = local
            .shallow_commits()
            .map_err(|error| object_error("the boundary of the shallow history", error))?
        {
            let lines: String = boundary.iter().map(|id| format!("{id}\n")).collect();
            let path = dir.join("shallow");
            fs::write(&path, lines).map_err(ChangesError::file("write", &path))?;
        }
        self.write_index(&dir.join("index"), head)
    }

    /// Writes an index file with the files of a commit, all of them unmodified.
    fn write_index(&self, path: &Path, commit: ObjectId) -> Result<(), ChangesError> {
        let local = self.local();
        let what = "the files of the good state";
        let tree = local
            .find_commit(commit)
            .map_err(|error| object_error(what, error))?
            .tree_id()
            .map_err(|error| object_error(what, error))?
            .detach();
        let state: gix::index::State = local
            .index_from_tree(&tree)
            .map_err(|error| object_error(what, error))?
            .into();
        let mut out = fs::File::create(path).map_err(ChangesError::file("write", path))?;
        state
            .write_to(&mut out, gix::index::write::Options::default())
            .map_err(|error| object_error(what, error))?;
        Ok(())
    }

    /// Returns the tags in the format of git's `packed-refs` file.
    fn packed_tags(&self) -> Result<Vec<u8>, ChangesError> {
        let local = self.local();
        let mut packed = Vec::new();
        let platform = local
            .references()
            .map_err(|error| object_error("the tags", error))?;
        let tags = platform
            .tags()
            .map_err(|error| object_error("the tags", error))?;
        for tag in tags.flatten() {
            let Some(id) = tag.try_id() else { continue };
            packed.extend_from_slice(format!("{id} ").as_bytes());
            packed.extend_from_slice(tag.name().as_bstr());
            packed.push(b'\n');
        }
        Ok(packed)
    }
}
