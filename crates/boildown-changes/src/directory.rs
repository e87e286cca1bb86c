//! States read from a plain directory.

use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice as _, ByteVec as _};

use crate::state::blob_id;
use crate::{ChangesError, Contents, Entry, FileKind, FilePath, State};

impl Contents {
    /// Returns a directory as a state: all files and symbolic links in it and below.
    ///
    /// Leaves out everything named `.git`, and the paths in `excluded`, which must be absolute and
    /// free of symbolic links. The bytes are not kept in memory: they are read again when needed.
    ///
    /// # Errors
    /// [`ChangesError::File`] when a file or directory in it cannot be read.
    pub fn directory_state(
        &self,
        root: &Path,
        excluded: &[PathBuf],
    ) -> Result<State, ChangesError> {
        let root = &fs::canonicalize(root).map_err(ChangesError::file("read", root))?;
        let mut files: Vec<(FilePath, Entry)> = Vec::new();
        let mut pending = vec![BString::default()];
        while let Some(dir) = pending.pop() {
            let dir_on_disk = root.join(dir.to_path_lossy());
            let unreadable = || ChangesError::file("read", &dir_on_disk);
            for found in fs::read_dir(&dir_on_disk).map_err(unreadable())? {
                let found = found.map_err(unreadable())?;
                let on_disk = found.path();
                if found.file_name() == ".git" || excluded.contains(&on_disk) {
                    continue;
                }
                let path = child_path(&dir, found.file_name().as_encoded_bytes());
                let metadata = found
                    .metadata()
                    .map_err(ChangesError::file("read", &on_disk))?;
                if metadata.is_dir() {
                    pending.push(path);
                } else if let Some((kind, bytes)) = read_file(&on_disk, &metadata)? {
                    let id = blob_id(&bytes);
                    self.add_file(id, &on_disk);
                    files.push((path, Entry { kind, id }));
                }
            }
        }
        Ok(files.into_iter().collect())
    }
}

/// Returns the path of a file in a directory of a state; the root is the empty path.
pub(crate) fn child_path(dir: &FilePath, name: &[u8]) -> FilePath {
    let mut path = dir.clone();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.push_str(name);
    path
}

/// Reads a file, or the target of a symbolic link. `None` for anything else, such as a socket.
pub(crate) fn read_file(
    path: &Path,
    metadata: &Metadata,
) -> Result<Option<(FileKind, Vec<u8>)>, ChangesError> {
    let unreadable = || ChangesError::file("read", path);
    if metadata.is_symlink() {
        let target = fs::read_link(path).map_err(unreadable())?;
        let bytes = target.into_os_string().into_encoded_bytes();
        Ok(Some((FileKind::Symlink, bytes)))
    } else if metadata.is_file() {
        let kind = match metadata.permissions().mode() & 0o100 {
            0 => FileKind::Regular,
            _ => FileKind::Executable,
        };
        let bytes = boildown_exec::read_file(path).map_err(unreadable())?;
        Ok(Some((kind, bytes)))
    } else {
        Ok(None)
    }
}
