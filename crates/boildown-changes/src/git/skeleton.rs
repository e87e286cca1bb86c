//! Enough of a repository in a tree for builds that ask git for the version.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use gix::ObjectId;

use super::{Repository, object};
use crate::ChangesError;

impl Repository {
    /// Makes a `.git` in a tree, so that `git describe`, `git ls-files` and the like work there: its head is this commit, its
    /// tags are those of the repository, its objects are borrowed. There is no branch, remote or hook in it, and nothing that is
    /// done to it reaches the repository.
    ///
    /// # Errors
    /// [`ChangesError`] when it cannot be written.
    pub fn furnish(&self, root: &Path, head: ObjectId) -> Result<(), ChangesError> {
        let dir = root.join(".git");
        for inner in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            let at = dir.join(inner);
            fs::create_dir_all(&at).map_err(ChangesError::file("create", &at))?;
        }
        let mut objects = self.objects_dir().into_os_string().into_encoded_bytes();
        objects.push(b'\n');
        let head_line = format!("{head}\n").into_bytes();
        let config = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_vec();
        let files = [
            ("HEAD", head_line),
            ("config", config),
            ("objects/info/alternates", objects),
            ("packed-refs", self.tags()?),
        ];
        for (name, bytes) in files {
            let at = dir.join(name);
            let mut file = fs::File::create(&at).map_err(ChangesError::file("write", &at))?;
            file.write_all(&bytes)
                .map_err(ChangesError::file("write", &at))?;
        }
        let local = self.local();
        if let Some(boundary) = local
            .shallow_commits()
            .map_err(|error| object("the boundary of the shallow history", error))?
        {
            let lines: String = boundary.iter().map(|id| format!("{id}\n")).collect();
            let at = dir.join("shallow");
            fs::write(&at, lines).map_err(ChangesError::file("write", &at))?;
        }
        let what = "the files of the good state";
        let tree = local
            .find_commit(head)
            .map_err(|error| object(what, error))?
            .tree_id()
            .map_err(|error| object(what, error))?
            .detach();
        let state: gix::index::State = local
            .index_from_tree(&tree)
            .map_err(|error| object(what, error))?
            .into();
        let at = dir.join("index");
        let mut out = fs::File::create(&at).map_err(ChangesError::file("write", &at))?;
        state
            .write_to(&mut out, gix::index::write::Options::default())
            .map_err(|error| object(what, error))?;
        Ok(())
    }

    /// The tags, as git packs them.
    fn tags(&self) -> Result<Vec<u8>, ChangesError> {
        let local = self.local();
        let mut packed = Vec::new();
        let platform = local
            .references()
            .map_err(|error| object("the tags", error))?;
        let tags = platform.tags().map_err(|error| object("the tags", error))?;
        for tag in tags.flatten() {
            let Some(id) = tag.try_id() else { continue };
            packed.extend_from_slice(format!("{id} ").as_bytes());
            packed.extend_from_slice(tag.name().as_bstr());
            packed.push(b'\n');
        }
        Ok(packed)
    }
}
