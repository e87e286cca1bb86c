//! A directory that is changed through a handle.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RawMode, Stat, fstat, mkdirat, openat, statat, symlinkat,
};
use rustix::io::Errno;

use crate::scratch::{open_here, remove_at};

/// A directory that is open, and through which the files in it and below are changed.
///
/// Nothing is named by its whole path, and no link and no mount is followed. A command that
/// replaces a directory by a link therefore does not redirect what we do there. Methods that take a
/// name take the name of one entry; [`subdirectory`](Self::subdirectory) leads to deeper ones.
#[derive(Debug)]
pub struct DirHandle {
    dir: OwnedFd,
    path: PathBuf,
}

/// Metadata of an entry of a directory. Two of the same file are equal until it is changed or
/// replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryStamp {
    inode: i128,
    size: i128,
    mode: RawMode,
    modified: (i128, i128),
}

impl From<Stat> for EntryStamp {
    fn from(stat: Stat) -> Self {
        Self {
            inode: stat.st_ino.into(),
            size: stat.st_size.into(),
            mode: stat.st_mode,
            modified: (stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        }
    }
}

impl DirHandle {
    /// Creates a directory that is accessible to its owner only, and opens it. The directory that
    /// it is in may be behind a link.
    ///
    /// # Errors
    /// Those of the system, also when the directory exists.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        mkdirat(CWD, &path, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = openat(CWD, &path, flags, Mode::empty())?;
        Ok(Self { dir, path })
    }

    /// Returns the path of the directory when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether this directory is still the one at its path.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let named = statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW);
        named
            .and_then(|named| Ok((named, fstat(&self.dir)?)))
            .is_ok_and(|(named, ours)| (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino))
    }

    /// Opens a directory below this one; the empty path is this one. Returns `None` when there is
    /// none, also when it or a directory above it is a link, a file or a mount.
    ///
    /// # Errors
    /// Those of the system, also when the path leads out of this directory.
    pub fn subdirectory(&self, path: &Path) -> io::Result<Option<Self>> {
        let mut dir = open_here(self.dir.as_fd(), ".")?;
        for name in names(path) {
            match open_here(dir.as_fd(), name?) {
                Ok(opened) => dir = opened,
                Err(error) if is_no_directory(error) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(self.below(path, dir)))
    }

    /// Opens a directory below this one, and creates it and those above it where they are missing.
    /// Removes a link or a file in place of one, and unmounts what is mounted there.
    ///
    /// # Errors
    /// [`io::ErrorKind::CrossesDevices`] when something is mounted there and cannot be unmounted;
    /// those of [`subdirectory`](Self::subdirectory).
    pub fn create_subdirectory(&self, path: &Path) -> io::Result<Self> {
        let mut dir = open_here(self.dir.as_fd(), ".")?;
        for name in names(path) {
            let name = name?;
            dir = match open_here(dir.as_fd(), name) {
                Err(error) if is_no_directory(error) => {
                    let removed = remove_at(dir.as_fd(), name);
                    removed.map_err(|source| match error {
                        Errno::XDEV => still_mounted(&source),
                        _ => source,
                    })?;
                    mkdirat(&dir, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?;
                    open_here(dir.as_fd(), name)?
                }
                opened => opened?,
            };
        }
        Ok(self.below(path, dir))
    }

    fn below(&self, path: &Path, dir: OwnedFd) -> Self {
        Self {
            dir,
            path: self.path.join(path),
        }
    }

    /// Returns the metadata of the entry, or of the link if it is one. `None` when there is none.
    #[must_use]
    pub fn stamp(&self, name: &OsStr) -> Option<EntryStamp> {
        let found = statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW);
        found.ok().map(EntryStamp::from)
    }

    /// Creates a file for writing. The permissions are those of `mode` that the umask leaves.
    ///
    /// # Errors
    /// Those of the system, also when there is an entry of this name, even a link.
    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as RawMode);
        Ok(openat(&self.dir, name, flags, mode)?.into())
    }

    /// Creates a symbolic link.
    ///
    /// # Errors
    /// Those of the system, also when there is an entry of this name.
    pub fn create_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(symlinkat(target, &self.dir, name)?)
    }

    /// Removes an entry, and what is in it if it is a directory. Succeeds when there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        remove_at(self.dir.as_fd(), name)
    }
}

/// Returns the components of a relative path that does not lead upwards.
fn names(path: &Path) -> impl Iterator<Item = io::Result<&OsStr>> {
    path.components().map(|component| match component {
        Component::Normal(name) => Ok(name),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    })
}

/// Returns whether the error says that an entry is no directory of ours: missing, a link, a file,
/// or a mount.
fn is_no_directory(error: Errno) -> bool {
    let errors = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::XDEV];
    errors.contains(&error)
}

fn still_mounted(error: &io::Error) -> io::Error {
    io::Error::new(
        io::ErrorKind::CrossesDevices,
        format!("the command has mounted something there, which cannot be unmounted: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_directories_that_no_link_leads_to_are_opened() {
        let parent = tempfile::tempdir().unwrap();
        let tree = DirHandle::create(parent.path().join("tree")).unwrap();
        fs::create_dir_all(tree.path().join("a/b")).unwrap();
        fs::create_dir_all(parent.path().join("outside/b")).unwrap();
        fs::write(tree.path().join("file"), "").unwrap();
        symlink("../outside", tree.path().join("link")).unwrap();
        symlink("b", tree.path().join("a/inner")).unwrap();
        symlink("nowhere", tree.path().join("dangling")).unwrap();
        for (path, expect) in [
            ("", true),
            ("a", true),
            ("a/b", true),
            ("link", false),
            ("link/b", false),
            ("a/inner", false),
            ("dangling", false),
            ("file", false),
            ("none", false),
        ] {
            let opened = tree.subdirectory(Path::new(path)).unwrap();
            assert_eq!(opened.is_some(), expect, "{path}");
        }
        for path in ["..", "a/../../outside", "/"] {
            assert!(tree.subdirectory(Path::new(path)).is_err(), "{path}");
            assert!(tree.create_subdirectory(Path::new(path)).is_err(), "{path}");
        }
    }
}
