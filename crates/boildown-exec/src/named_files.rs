//! The files that a command names: its script and its program. If one of them changes, verdicts
//! from before and after say different things.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_oracle::OracleError;

use crate::Runner;

/// Larger files count as changed when their time or size has.
const MAX_HASHED: u64 = 1 << 20;

/// The files that a command names, as they were.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedFiles(Arc<[NamedFile]>);

#[derive(Debug)]
struct NamedFile {
    path: PathBuf,
    stamp: Stamp,
    /// `None` for a large one.
    hash: Option<blake3::Hash>,
}

/// What the system says about a file.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    /// The time of the last change, in seconds and nanoseconds.
    modified: (i64, i64),
}

impl NamedFiles {
    /// Returns the files that the command of a runner and its further tests name. Those that a run
    /// may write are left out, but for the programs.
    pub(crate) fn of(runner: &Runner) -> Self {
        let extra = runner.extra_tests.iter().map(|test| &test.command);
        let commands = std::iter::once(&runner.command).chain(extra);
        let is_safe = |path: &Path| {
            let sandbox = runner.limits.sandbox.as_ref();
            sandbox.is_some_and(|sandbox| {
                let mut writable = sandbox.permissions().writable.iter();
                !writable.any(|dir| path.starts_with(dir))
            })
        };
        let paths = commands.flat_map(|command| {
            let words = command.constant_parts().map(Path::new).enumerate();
            words.filter(|&(word, path)| path.is_absolute() && (word == 0 || is_safe(path)))
        });
        let files = paths.filter_map(|(_, path)| NamedFile::read(path));
        Self(files.collect())
    }

    /// Returns an error if a file is not as it was.
    pub(crate) fn check(&self) -> Result<(), OracleError> {
        match self.0.iter().find(|file| !file.is_unchanged()) {
            None => Ok(()),
            Some(file) => Err(OracleError::Modified {
                path: file.path.clone(),
            }),
        }
    }
}

impl NamedFile {
    fn read(path: &Path) -> Option<Self> {
        let stamp = Stamp::of(path)?;
        Some(Self {
            hash: hash(path, &stamp),
            path: path.to_owned(),
            stamp,
        })
    }

    fn is_unchanged(&self) -> bool {
        let Some(stamp) = Stamp::of(&self.path) else {
            return false;
        };
        let is_same = |hash: blake3::Hash| self::hash(&self.path, &stamp) == Some(hash);
        stamp == self.stamp || self.hash.is_some_and(is_same)
    }
}

impl Stamp {
    /// Returns the stamp of a file; `None` for a directory, a device and a file that is not there.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        metadata.is_file().then(|| Self {
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        })
    }
}

fn hash(path: &Path, stamp: &Stamp) -> Option<blake3::Hash> {
    let content = (stamp.size <= MAX_HASHED).then(|| fs::read(path).ok())?;
    content.map(|content| blake3::hash(&content))
}
