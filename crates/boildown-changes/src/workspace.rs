//! Workspaces: folders on disk that hold one configuration after another.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gix::bstr::ByteSlice as _;

use crate::{ChangesError, Configuration, Contents, Entry, FileKind, FilePath, FileVersion};

/// A folder on disk that holds one configuration after another.
///
/// [`update`](Self::update) writes only the files that differ from the configuration before, so
/// that builds in the folder stay incremental. It restores files of the configuration that a
/// command has changed or removed in between. Files that a command has added stay, as long as
/// their directory is part of the configuration.
///
/// # Modification times
/// When a file is written again, it gets a modification time in a later second than any earlier
/// version had, if necessary in the future. A build tool that compares whole seconds and file
/// sizes would otherwise take the new version for the old one.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    files: BTreeMap<FilePath, WrittenFile>,
    /// The latest modification time of each path, in seconds.
    seconds: HashMap<FilePath, u64>,
}

/// A file as the workspace wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrittenFile {
    entry: Entry,
    stamp: FileStamp,
}

/// Metadata that changes when a command modifies or replaces a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
}

impl From<&Metadata> for FileStamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
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
        DirBuilder::new()
            .mode(0o700)
            .create(&root)
            .map_err(ChangesError::file("create", &root))?;
        Ok(Self {
            root,
            files: BTreeMap::new(),
            seconds: HashMap::new(),
        })
    }

    /// Returns the folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
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
            let on_disk = self.on_disk(path);
            remove(&on_disk).map_err(ChangesError::file("remove", &on_disk))?;
        }
        self.remove_unused_directories(&removed, &wanted)?;
        let mut checked_dirs: BTreeSet<PathBuf> = BTreeSet::new();
        for (path, file) in &wanted {
            let entry = file.entry();
            let is_kept = (self.files.get(path)).is_some_and(|written| written.entry == entry);
            if is_kept && !modified.contains(path) {
                continue;
            }
            self.write(path, file, contents, &mut checked_dirs)?;
            counts.written += 1;
        }
        Ok(counts)
    }

    /// Returns the files that a command has changed or removed since they were written.
    fn modified_files(&self) -> BTreeSet<FilePath> {
        let is_modified = |path: &FilePath, written: &WrittenFile| {
            let metadata = fs::symlink_metadata(self.on_disk(path));
            metadata.ok().as_ref().map(FileStamp::from) != Some(written.stamp)
        };
        (self.files.iter())
            .filter(|(path, written)| is_modified(path, written))
            .map(|(path, _)| path.clone())
            .collect()
    }

    fn on_disk(&self, path: &FilePath) -> PathBuf {
        self.root.join(path.to_path_lossy())
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
            let on_disk = self.on_disk(&dir);
            remove(&on_disk).map_err(ChangesError::file("remove", &on_disk))?;
        }
        Ok(())
    }

    /// Writes one file. `checked_dirs` holds directories that are known to be real ones.
    fn write(
        &mut self,
        path: &FilePath,
        file: &FileVersion,
        contents: &Contents,
        checked_dirs: &mut BTreeSet<PathBuf>,
    ) -> Result<(), ChangesError> {
        let is_unsafe =
            |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
        if path.split(|&byte| byte == b'/').any(is_unsafe) {
            return Err(ChangesError::Path {
                path: path.to_string(),
            });
        }
        let on_disk = self.on_disk(path);
        self.create_parents(path, checked_dirs)?;
        remove(&on_disk).map_err(ChangesError::file("remove", &on_disk))?;
        if file.kind == FileKind::Submodule {
            fs::create_dir(&on_disk).map_err(ChangesError::file("create", &on_disk))?;
        } else {
            let bytes = contents.checked_out(path, file)?;
            self.create_file(path, file.kind, &bytes, &on_disk)
                .map_err(ChangesError::file("write", &on_disk))?;
        }
        let metadata =
            fs::symlink_metadata(&on_disk).map_err(ChangesError::file("read", &on_disk))?;
        let written = WrittenFile {
            entry: file.entry(),
            stamp: FileStamp::from(&metadata),
        };
        self.files.insert(path.clone(), written);
        Ok(())
    }

    /// Creates a file or a symbolic link, and sets its modification time.
    fn create_file(
        &mut self,
        path: &FilePath,
        kind: FileKind,
        bytes: &[u8],
        on_disk: &Path,
    ) -> io::Result<()> {
        if kind == FileKind::Symlink {
            return symlink(bytes.to_path_lossy(), on_disk);
        }
        let is_executable = kind == FileKind::Executable;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(if is_executable { 0o777 } else { 0o666 })
            .open(on_disk)?;
        file.write_all(bytes)?;
        let now = SystemTime::now();
        let second = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let last = self.seconds.get(path).copied().unwrap_or(0);
        if second <= last {
            file.set_modified(UNIX_EPOCH + Duration::from_secs(last + 1))?;
        }
        self.seconds.insert(path.clone(), second.max(last + 1));
        Ok(())
    }

    /// Creates the directories that a file is in. Replaces a symbolic link or a file in their
    /// place, so that nothing is written outside the workspace.
    fn create_parents(
        &self,
        path: &FilePath,
        checked_dirs: &mut BTreeSet<PathBuf>,
    ) -> Result<(), ChangesError> {
        for end in (0..path.len()).filter(|&end| path[end] == b'/') {
            let dir = self.root.join(path[..end].to_path_lossy());
            if checked_dirs.contains(&dir) {
                continue;
            }
            let found = fs::symlink_metadata(&dir);
            if !found.as_ref().is_ok_and(Metadata::is_dir) {
                remove(&dir).map_err(ChangesError::file("remove", &dir))?;
                fs::create_dir(&dir).map_err(ChangesError::file("create", &dir))?;
            }
            checked_dirs.insert(dir);
        }
        Ok(())
    }
}

/// Removes a file, a symbolic link or a whole directory, if the path exists.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        // A parent of the path is a file, or missing.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(())
        }
        removed => removed,
    }
}
