//! A minimal `.git` directory in a workspace, for builds that ask git for the version.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use boildown_exec::DirHandle;
use gix::ObjectId;

use super::repository::{Repository, object_error};
use crate::{ChangesError, Workspace};

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
    pub fn create_git_skeleton(
        &self,
        workspace: &Workspace,
        head: ObjectId,
    ) -> Result<(), ChangesError> {
        let root = workspace.dir();
        let path = root.path().join(".git");
        let created = |inner: &str| {
            let dir = root.create_subdirectory(&Path::new(".git").join(inner));
            dir.map_err(ChangesError::file("create", path.join(inner)))
        };
        for inner in ["objects/pack", "refs/heads", "refs/tags"] {
            created(inner)?;
        }
        let (dir, info) = (created("")?, created("objects/info")?);
        let mut objects = self.objects_dir().into_os_string().into_encoded_bytes();
        objects.push(b'\n');
        let head_line = format!("{head}\n").into_bytes();
        let config = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_vec();
        let files = [
            (&dir, "HEAD", head_line),
            (&dir, "config", config),
            (&info, "alternates", objects),
            (&dir, "packed-refs", self.packed_tags()?),
        ];
        for (dir, name, bytes) in files {
            write(dir, name, &bytes)?;
        }
        let local = self.local();
        if let Some(boundary) = local
            .shallow_commits()
            .map_err(|error| object_error("the boundary of the shallow history", error))?
        {
            let lines: String = boundary.iter().map(|id| format!("{id}\n")).collect();
            write(&dir, "shallow", lines.as_bytes())?;
        }
        self.write_index(&dir, head)
    }

    /// Writes an index file with the files of a commit, all of them unmodified.
    fn write_index(&self, dir: &DirHandle, commit: ObjectId) -> Result<(), ChangesError> {
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
        let mut out = create(dir, "index")?;
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

/// Creates a file that does not exist yet.
fn create(dir: &DirHandle, name: &str) -> Result<File, ChangesError> {
    let created = dir.create_file(OsStr::new(name), 0o666);
    created.map_err(ChangesError::file("write", dir.path().join(name)))
}

fn write(dir: &DirHandle, name: &str, bytes: &[u8]) -> Result<(), ChangesError> {
    let written: io::Result<()> = create(dir, name)?.write_all(bytes);
    written.map_err(ChangesError::file("write", dir.path().join(name)))
}
