//! A directory of the user as a state.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice as _, ByteVec as _};

use crate::state::name_of;
use crate::{ChangesError, Contents, Entry, FilePath, Kind, State};

impl Contents {
    /// Returns a directory as a state: all files and links in it, but no `.git`, and nothing at these places, named without links. Their
    /// bytes stay where they are, and are read again when they are needed.
    ///
    /// # Errors
    /// [`ChangesError::File`] when something in it cannot be read.
    pub fn directory(&self, root: &Path, but: &[PathBuf]) -> Result<State, ChangesError> {
        let root = &fs::canonicalize(root).map_err(ChangesError::file("read", root))?;
        let mut files: Vec<(FilePath, Entry)> = Vec::new();
        let mut pending = vec![BString::default()];
        while let Some(dir) = pending.pop() {
            let at = root.join(dir.to_path_lossy());
            for found in fs::read_dir(&at).map_err(ChangesError::file("read", &at))? {
                let found = found.map_err(ChangesError::file("read", &at))?;
                if found.file_name() == ".git" || but.contains(&found.path()) {
                    continue;
                }
                let mut path = dir.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.push_str(found.file_name().as_encoded_bytes());
                let at = found.path();
                let metadata = found.metadata().map_err(ChangesError::file("read", &at))?;
                let (kind, bytes) = if metadata.is_dir() {
                    pending.push(path);
                    continue;
                } else if metadata.is_symlink() {
                    let target = fs::read_link(&at).map_err(ChangesError::file("read", &at))?;
                    (Kind::Link, target.into_os_string().into_encoded_bytes())
                } else if metadata.is_file() {
                    let bytes = fs::read(&at).map_err(ChangesError::file("read", &at))?;
                    let kind = match metadata.permissions().mode() & 0o100 {
                        0 => Kind::File,
                        _ => Kind::Program,
                    };
                    (kind, bytes)
                } else {
                    continue;
                };
                let id = name_of(&bytes);
                self.add_file(id, &at);
                files.push((path, Entry { kind, id }));
            }
        }
        Ok(files.into_iter().collect())
    }
}
