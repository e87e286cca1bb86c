//! Workspaces: folders on disk that hold one configuration after another.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use boildown_exec::{DirHandle, EntryStamp};
use gix::bstr::ByteSlice as _;

use crate::write_times::WriteTimes;
use crate::{ChangesError, Configuration, Contents, Entry, FileKind, FilePath, FileVersion};

/// A folder on disk that holds one configuration after another.
///
/// [`update`](Self::update) writes only the files that differ from the configuration before, so
/// that builds in the folder stay incremental. It restores files of the configuration that a
/// command has changed or removed in between. Files that a command has added stay, as long as
/// their directory is part of the configuration.
///
/// # Modification times
/// A file that is written gets the present time, never a later one; `WriteTimes` says how build
/// tools notice it.
///
/// # Links
/// A command may replace a directory of the folder by a link to a directory of the user. No link is
/// followed: all files are named relative to the open folder, and what is found in place of a
/// directory is removed.
#[derive(Debug)]
pub struct Workspace {
    root: DirHandle,
    files: BTreeMap<FilePath, WrittenFile>,
    times: WriteTimes,
}

/// A file as the workspace wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrittenFile {
    entry: Entry,
    stamp: EntryStamp,
}

/// What [`Workspace::update`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpdateCounts {
    /// Number of files written.
    pub written: usize,
    /// Number of files removed because the new configuration does not have them.
    pub removed: usize,
    /// Number of files of the old configuration that a command had changed or removed.
    pub restored: usize,
}

impl Workspace {
    /// Creates the folder, accessible to its owner only.
    ///
    /// # Errors
    /// [`ChangesError::File`] when it exists already or cannot be created.
    pub fn create(root: PathBuf) -> Result<Self, ChangesError> {
        let failed = ChangesError::file("create", root.clone());
        let dir = DirHandle::create(root).map_err(failed)?;
        Ok(Self {
            root: dir,
            files: BTreeMap::new(),
            times: WriteTimes::default(),
        })
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns the folder as a handle.
    pub fn dir(&self) -> &DirHandle {
        &self.root
    }

    /// Makes a symbolic link that is no part of a configuration. Replaces what else is there.
    ///
    /// # Errors
    /// [`ChangesError::File`] when it cannot be made.
    pub fn link(&self, path: &Path, target: &Path) -> Result<(), ChangesError> {
        let name = path.file_name().unwrap_or_default();
        let parent = path.parent().unwrap_or(Path::new(""));
        let linked = || {
            let dir = self.root.create_subdirectory(parent)?;
            dir.remove(name)?;
            dir.create_link(name, target)
        };
        linked().map_err(ChangesError::file("link", self.root().join(path)))
    }

    /// Makes the folder hold this configuration.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read or a file cannot be written. The folder may
    /// then hold a mixture of both configurations.
    pub fn update(
        &mut self,
        configuration: &Configuration,
        contents: &Contents,
    ) -> Result<UpdateCounts, ChangesError> {
        if !self.root.is_in_place() {
            let moved = io::Error::other("a command has moved or replaced it");
            return Err(ChangesError::file("write to", self.root())(moved));
        }
        let mut counts = UpdateCounts::default();
        let wanted = contents.files_with_submodules(configuration)?;
        let modified = self.modified_files();
        counts.restored = modified.len();
        let removed: Vec<FilePath> = (self.files.keys())
            .filter(|path| !wanted.contains_key(*path))
            .cloned()
            .collect();
        for path in &removed {
            self.files.remove(path);
            counts.removed += 1;
            self.remove(path)?;
        }
        self.remove_unused_directories(&removed, &wanted)?;
        (self.times.begin()).map_err(ChangesError::file("write to", self.root()))?;
        let mut parents = ParentDirs::default();
        for (path, file) in &wanted {
            let entry = file.entry();
            let is_kept = (self.files.get(path)).is_some_and(|written| written.entry == entry);
            if is_kept && !modified.contains(path) {
                continue;
            }
            self.write(path, file, contents, &mut parents)?;
            counts.written += 1;
        }
        Ok(counts)
    }

    /// Returns the files that a command has changed or removed since they were written.
    fn modified_files(&self) -> BTreeSet<FilePath> {
        let mut parents = ParentDirs::default();
        let mut is_modified = |path: &FilePath, written: &WrittenFile| {
            let found = parents.find(&self.root, path);
            let stamp = found.ok().flatten().and_then(|dir| dir.stamp(name(path)));
            stamp != Some(written.stamp)
        };
        (self.files.iter())
            .filter(|(path, written)| is_modified(path, written))
            .map(|(path, _)| path.clone())
            .collect()
    }

    fn on_disk(&self, path: &FilePath) -> PathBuf {
        self.root().join(path.to_path_lossy())
    }

    /// Removes a file, a symbolic link or a whole directory, if the path exists. Removes nothing
    /// when a link leads to it.
    fn remove(&self, path: &FilePath) -> Result<(), ChangesError> {
        let parent = self.root.subdirectory(parent(path));
        let removed = parent.and_then(|dir| dir.map_or(Ok(()), |dir| dir.remove(name(path))));
        removed.map_err(ChangesError::file("remove", self.on_disk(path)))
    }

    /// Removes directories that held removed files and hold no file of the new configuration, with
    /// everything that commands have put there.
    ///
    /// A build output that stayed there could still be imported or compiled: the command would see
    /// a configuration that is not the one under test.
    fn remove_unused_directories(
        &self,
        removed: &[FilePath],
        wanted: &BTreeMap<FilePath, FileVersion>,
    ) -> Result<(), ChangesError> {
        let mut dirs: BTreeSet<FilePath> = BTreeSet::new();
        for path in removed {
            let ends = (0..path.len()).filter(|&end| path[end] == b'/');
            dirs.extend(ends.map(|end| FilePath::from(&path[..end])));
        }
        for dir in dirs {
            let mut prefix = dir.clone();
            prefix.push(b'/');
            let first_file = wanted.range(prefix.clone()..).next();
            if first_file.is_some_and(|(path, _)| path.starts_with(&prefix)) {
                continue;
            }
            self.remove(&dir)?;
        }
        Ok(())
    }

    /// Writes one file.
    fn write(
        &mut self,
        path: &FilePath,
        file: &FileVersion,
        contents: &Contents,
        parents: &mut ParentDirs,
    ) -> Result<(), ChangesError> {
        let is_unsafe =
            |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
        if path.split(|&byte| byte == b'/').any(is_unsafe) {
            return Err(ChangesError::Path {
                path: path.to_string(),
            });
        }
        let on_disk = self.on_disk(path);
        let fail = |action| ChangesError::file(action, &on_disk);
        let dir = parents.create(&self.root, path).map_err(fail("create"))?;
        dir.remove(name(path)).map_err(fail("remove"))?;
        if file.kind == FileKind::Submodule {
            let made = dir.create_subdirectory(Path::new(name(path)));
            made.map_err(fail("create"))?;
        } else {
            let bytes = contents.checked_out(path, file)?;
            self.create_file(dir, path, file.kind, &bytes)
                .map_err(fail("write"))?;
        }
        let gone = || fail("read")(io::ErrorKind::NotFound.into());
        let written = WrittenFile {
            entry: file.entry(),
            stamp: dir.stamp(name(path)).ok_or_else(gone)?,
        };
        self.files.insert(path.clone(), written);
        Ok(())
    }

    /// Creates a file or a symbolic link in its directory, and sets its modification time.
    fn create_file(
        &mut self,
        dir: &DirHandle,
        path: &FilePath,
        kind: FileKind,
        bytes: &[u8],
    ) -> io::Result<()> {
        if kind == FileKind::Symlink {
            return dir.create_link(name(path), &bytes.to_path_lossy());
        }
        let is_executable = kind == FileKind::Executable;
        let mode = if is_executable { 0o777 } else { 0o666 };
        if self.times.looks_like_earlier(path, bytes) && !remove_compiled_python(dir, path)? {
            self.times.wait_for_next_second(path);
        }
        let mut file = dir.create_file(name(path), mode)?;
        file.write_all(bytes)?;
        self.times.set(&mut file, path, bytes)?;
        Ok(())
    }
}

/// Removes what Python has compiled in the directory of a module; `false` if the file is no Python,
/// or Python keeps it elsewhere.
fn remove_compiled_python(dir: &DirHandle, path: &FilePath) -> io::Result<bool> {
    let Some(stem) = name(path).as_bytes().strip_suffix(b".py") else {
        return Ok(false);
    };
    if std::env::var_os("PYTHONPYCACHEPREFIX").is_some() {
        return Ok(false);
    }
    dir.remove(OsStr::new("__pycache__"))?;
    for ending in [b".pyc", b".pyo"] {
        dir.remove(OsStr::from_bytes(&[stem, ending].concat()))?;
    }
    Ok(true)
}

/// The directory of the last file, which is mostly that of the next one too.
#[derive(Debug, Default)]
struct ParentDirs {
    last: Option<(PathBuf, DirHandle)>,
}

impl ParentDirs {
    /// Opens the directory that a file is in; `None` when there is none.
    fn find(&mut self, root: &DirHandle, path: &FilePath) -> io::Result<Option<&DirHandle>> {
        let wanted = parent(path);
        if self.last.as_ref().is_none_or(|(last, _)| last != wanted) {
            let found = root.subdirectory(wanted)?;
            self.last = found.map(|dir| (wanted.to_owned(), dir));
        }
        Ok(self.last.as_ref().map(|(_, dir)| dir))
    }

    /// Opens the directory that a file is in. Creates the missing ones.
    fn create(&mut self, root: &DirHandle, path: &FilePath) -> io::Result<&DirHandle> {
        let wanted = parent(path);
        let last = self.last.take().filter(|(last, _)| last == wanted);
        let dir = match last {
            Some((_, dir)) => dir,
            None => root.create_subdirectory(wanted)?,
        };
        Ok(&self.last.insert((wanted.to_owned(), dir)).1)
    }
}

/// Returns the directory of a path; the root is the empty path.
fn parent(path: &FilePath) -> &Path {
    let end = path.rfind_byte(b'/').unwrap_or(0);
    Path::new(OsStr::from_bytes(&path[..end]))
}

/// Returns the last component of a path.
fn name(path: &FilePath) -> &OsStr {
    let start = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
    OsStr::from_bytes(&path[start..])
}
