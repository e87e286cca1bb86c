//! A folder on the disk that holds one configuration after the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gix::bstr::ByteSlice as _;

use crate::{ChangesError, Configuration, Contents, Entry, FilePath, Kind, Made};

/// A folder on the disk that holds one configuration after the other.
///
/// Only files that differ from those of the configuration before are written, so that builds in it stay incremental. What a command
/// has done to files of the configuration is undone by the next [`update`](Self::update); files that it added stay, as long
/// as the directory that they are in is part of the configuration.
///
/// A file that is written gets a time of change whose second no earlier content of it had: tools that compare whole seconds, and sizes
/// that are equal by chance, do not take it for the old one.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    files: BTreeMap<FilePath, Lying>,
    /// The last second at which each path was written.
    seconds: HashMap<FilePath, u64>,
}

/// A file that we have written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lying {
    entry: Entry,
    stamp: Stamp,
}

/// How to see that somebody else has changed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// What an update did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Files written.
    pub written: usize,
    /// Files removed.
    pub removed: usize,
    /// Files among them that somebody else had changed or removed.
    pub restored: usize,
}

impl Workspace {
    /// Makes the folder, which must not be there yet.
    ///
    /// # Errors
    /// [`ChangesError::File`] when it cannot be made.
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

    /// Makes it hold this configuration.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read or a file not be written. It holds anything then.
    pub fn update(
        &mut self,
        configuration: &Configuration,
        contents: &Contents,
    ) -> Result<Written, ChangesError> {
        let mut written = Written::default();
        let wanted = contents.expanded(configuration)?;
        let mut spoiled: BTreeSet<FilePath> = BTreeSet::new();
        for (path, lying) in &self.files {
            let found = fs::symlink_metadata(self.at(path));
            if found.map(|found| Stamp::of(&found)).ok() != Some(lying.stamp) {
                spoiled.insert(path.clone());
            }
        }
        written.restored = spoiled.len();
        let gone: Vec<FilePath> = (self.files.keys())
            .filter(|path| !wanted.contains_key(*path))
            .cloned()
            .collect();
        for path in &gone {
            self.files.remove(path);
            written.removed += 1;
            let at = self.at(path);
            remove(&at).map_err(ChangesError::file("remove", &at))?;
        }
        self.remove_empty(&gone, &wanted)?;
        let mut sound: BTreeSet<PathBuf> = BTreeSet::new();
        for (path, made) in &wanted {
            let entry = made.entry();
            let kept = (self.files.get(path)).is_some_and(|lying| lying.entry == entry);
            if kept && !spoiled.contains(path) {
                continue;
            }
            self.write(path, made, contents, &mut sound)?;
            written.written += 1;
        }
        Ok(written)
    }

    fn at(&self, path: &FilePath) -> PathBuf {
        self.root.join(path.to_path_lossy())
    }

    /// Removes directories that no file of the configuration is in any more, with what commands have put there: what is imported or
    /// compiled because it lies there would make another configuration of it.
    fn remove_empty(
        &self,
        gone: &[FilePath],
        wanted: &BTreeMap<FilePath, Made>,
    ) -> Result<(), ChangesError> {
        let mut dirs: BTreeSet<FilePath> = BTreeSet::new();
        for path in gone {
            let above = (0..path.len()).filter(|&at| path[at] == b'/');
            dirs.extend(above.map(|at| FilePath::from(&path[..at])));
        }
        for dir in dirs {
            let mut within = dir.clone();
            within.push(b'/');
            let mut inside = wanted.range(within.clone()..);
            if inside
                .next()
                .is_some_and(|(path, _)| path.starts_with(&within))
            {
                continue;
            }
            let at = self.at(&dir);
            remove(&at).map_err(ChangesError::file("remove", &at))?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        path: &FilePath,
        made: &Made,
        contents: &Contents,
        sound: &mut BTreeSet<PathBuf>,
    ) -> Result<(), ChangesError> {
        let strange =
            |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.eq_ignore_ascii_case(b".git");
        if path.split(|&byte| byte == b'/').any(strange) {
            return Err(ChangesError::Path {
                path: path.to_string(),
            });
        }
        let at = self.at(path);
        self.make_parents(path, sound)?;
        remove(&at).map_err(ChangesError::file("remove", &at))?;
        if made.kind == Kind::Module {
            fs::create_dir(&at).map_err(ChangesError::file("create", &at))?;
        } else {
            let bytes = contents.on_disk(path, made)?;
            self.put(path, made.kind, &bytes, &at)
                .map_err(ChangesError::file("write", &at))?;
        }
        let found = fs::symlink_metadata(&at).map_err(ChangesError::file("read", &at))?;
        let stamp = Stamp::of(&found);
        let entry = made.entry();
        self.files.insert(path.clone(), Lying { entry, stamp });
        Ok(())
    }

    fn put(&mut self, path: &FilePath, kind: Kind, bytes: &[u8], at: &Path) -> io::Result<()> {
        if kind == Kind::Link {
            return symlink(bytes.to_path_lossy(), at);
        }
        let mode = if kind == Kind::Program { 0o777 } else { 0o666 };
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(at)?;
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

    /// Makes the directories that a file is in. A link or a file in their place goes: nothing is written outside.
    fn make_parents(
        &self,
        path: &FilePath,
        sound: &mut BTreeSet<PathBuf>,
    ) -> Result<(), ChangesError> {
        for end in (0..path.len()).filter(|&at| path[at] == b'/') {
            let at = self.root.join(path[..end].to_path_lossy());
            if sound.contains(&at) {
                continue;
            }
            let found = fs::symlink_metadata(&at);
            if !found.as_ref().is_ok_and(Metadata::is_dir) {
                remove(&at).map_err(ChangesError::file("remove", &at))?;
                fs::create_dir(&at).map_err(ChangesError::file("create", &at))?;
            }
            sound.insert(at);
        }
        Ok(())
    }
}

/// Removes what is there, if anything is.
fn remove(at: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(at) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(at),
        Ok(_) => fs::remove_file(at),
        Err(error) => Err(error),
    };
    match removed {
        // A part of the path is a file, or gone.
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
