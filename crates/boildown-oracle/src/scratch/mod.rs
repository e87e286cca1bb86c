//! Where candidates are run.

mod remove;
mod room;
mod run_dir;
mod stale;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::statvfs;
use rustix::io::Errno;

use crate::OracleError;
use remove::remove_tree;
use room::Room;
pub use run_dir::RunDir;

/// What the names of all sessions' directories begin with.
const PREFIX: &str = "boildown-";

/// The file that is locked while the session lives.
const LOCK: &str = "lock";

const MEMORY: &str = "/dev/shm";

/// A session's directory, which holds one directory per run. Removed, with all that is in it, when dropped.
///
/// It is locked while it is in use. What a killed session could not remove is removed by the next one in the same place.
#[derive(Debug)]
pub struct Scratch {
    dir: PathBuf,
    /// The directory itself, whatever is at its path.
    opened: Arc<OwnedFd>,
    /// Closing it ends the lock.
    _lock: File,
    runs: AtomicU64,
    /// Where no run is at the moment.
    rooms: Mutex<Vec<Room>>,
}

/// The file that a candidate is written to, made to resemble the user's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateFile {
    /// Base name of the input.
    pub name: OsString,
    /// Permissions of the input: it may be a program. The owner may read and write a candidate in any case.
    pub mode: u32,
}

impl CandidateFile {
    /// Returns the name and the permissions of the input.
    ///
    /// # Errors
    /// [`OracleError::File`] when there is no such file.
    pub fn like(input: &Path) -> Result<Self, OracleError> {
        let fail = |source| OracleError::File {
            action: "read",
            path: input.to_owned(),
            source,
        };
        let name = input
            .file_name()
            .ok_or_else(|| fail(io::ErrorKind::IsADirectory.into()))?
            .to_owned();
        let mode = fs::metadata(input).map_err(fail)?.permissions().mode();
        Ok(Self { name, mode })
    }

    /// Returns an ordinary file of this name.
    #[must_use]
    pub fn named(name: impl AsRef<OsStr>) -> Self {
        Self {
            name: name.as_ref().to_owned(),
            mode: 0o644,
        }
    }
}

impl Scratch {
    /// Makes a session's directory in memory when there is a memory file system that programs can be run from and that has
    /// room, else in `temp_dir`.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when no directory can be made in either.
    pub fn new(temp_dir: &Path) -> Result<Self, OracleError> {
        let memory = Path::new(MEMORY);
        if suits(memory)
            && let Ok(scratch) = Self::within(memory)
        {
            return Ok(scratch);
        }
        Self::within(temp_dir)
    }

    /// Makes a session's directory in `parent`, and removes those that killed sessions left there.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when it cannot be made.
    pub fn within(parent: &Path) -> Result<Self, OracleError> {
        stale::remove_stale(parent);
        let dir = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map_err(|source| OracleError::Scratch {
                action: "create a directory in",
                path: parent.to_owned(),
                source,
            })?;
        let lock = lock(dir.path()).map_err(|source| OracleError::Scratch {
            action: "lock",
            path: dir.path().to_owned(),
            source,
        })?;
        let opened = File::open(dir.path()).map_err(|source| OracleError::Scratch {
            action: "open",
            path: dir.path().to_owned(),
            source,
        })?;
        Ok(Self {
            dir: dir.keep(),
            opened: Arc::new(opened.into()),
            _lock: lock,
            runs: AtomicU64::new(0),
            rooms: Mutex::default(),
        })
    }

    /// Returns the session's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Checks that there is room left where it is. Without, what a command says, it may say of the disk.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when there is none; see [`OracleError::is_full_disk`].
    pub fn check_room(&self) -> Result<(), OracleError> {
        /// Less than what the smallest of files takes with its directory.
        const NOTHING: u64 = 64 << 10;
        let is_full = statvfs(&self.dir).is_ok_and(|fs| {
            fs.f_bavail.saturating_mul(fs.f_frsize) < NOTHING || fs.f_files > 0 && fs.f_favail == 0
        });
        if is_full {
            return Err(OracleError::Scratch {
                action: "run a command in",
                path: self.dir.clone(),
                source: Errno::NOSPC.into(),
            });
        }
        Ok(())
    }

    /// Makes a directory for one run that holds only the candidate, and one for its temporary files.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when it cannot be made or is full.
    pub fn run_dir(&self, file: &CandidateFile, candidate: &[u8]) -> Result<RunDir, OracleError> {
        // Of constant length, so that a path in a message or on a stack is as long in each run.
        let name = format!("{:012}", self.runs.fetch_add(1, Ordering::Relaxed));
        RunDir::create(Arc::clone(&self.opened), &self.dir, name, file, candidate)
    }
}

impl Scratch {
    fn rooms(&self) -> MutexGuard<'_, Vec<Room>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.rooms().clear();
        // Nobody is left to tell; what cannot be removed is tried again by the next session.
        remove_tree(&self.dir).ok();
    }
}

#[cfg(target_os = "linux")]
fn suits(dir: &Path) -> bool {
    use rustix::fs::StatVfsMountFlags;

    /// Free bytes that make a memory file system worth using. Containers often have one of 64 MiB, which a compiler fills; its
    /// complaint would then pass for a verdict.
    const ENOUGH: u64 = 1 << 30;

    let useless = StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RDONLY;
    statvfs(dir).is_ok_and(|fs| {
        !fs.f_flag.intersects(useless) && fs.f_bavail.saturating_mul(fs.f_frsize) >= ENOUGH
    })
}

/// No other system has a memory file system at that place.
#[cfg(not(target_os = "linux"))]
fn suits(_: &Path) -> bool {
    false
}

/// Locks the session's directory. The lock file gets its name when it is locked already: who can see it, can trust it.
fn lock(dir: &Path) -> io::Result<File> {
    let unnamed = dir.join("lock.new");
    let file = File::create_new(&unnamed)?;
    file.lock()?;
    fs::rename(&unnamed, dir.join(LOCK))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_private_directory_that_goes_with_it() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let dir = scratch.path().to_owned();
        let run = scratch
            .run_dir(&CandidateFile::named("a.c"), b"int x;")
            .unwrap();
        assert_eq!(
            fs::metadata(&dir).unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert_eq!(fs::read(run.candidate()).unwrap(), b"int x;");
        drop(scratch);
        assert!(!dir.exists());
    }

    #[test]
    fn two_runs_have_nothing_in_common() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let file = CandidateFile::named("a.c");
        let (one, two) = (
            scratch.run_dir(&file, b"1").unwrap(),
            scratch.run_dir(&file, b"2").unwrap(),
        );
        assert_ne!(one.path(), two.path());
        assert_eq!(one.path().as_os_str().len(), two.path().as_os_str().len());
        assert_eq!(fs::read(one.candidate()).unwrap(), b"1");
    }

    #[test]
    fn an_error_names_the_directory() {
        let error = Scratch::within(Path::new("/nonexistent")).unwrap_err();
        assert_eq!(error.to_string(), "create a directory in /nonexistent");
    }

    #[test]
    fn a_candidate_is_executable_when_the_input_is() {
        let parent = tempfile::tempdir().unwrap();
        let input = parent.path().join("tool.sh");
        fs::write(&input, "#!/bin/sh").unwrap();
        fs::set_permissions(&input, Permissions::from_mode(0o755)).unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let run = scratch
            .run_dir(&CandidateFile::like(&input).unwrap(), b"")
            .unwrap();
        assert_eq!(run.candidate().file_name(), input.file_name());
        assert_eq!(
            fs::metadata(run.candidate()).unwrap().permissions().mode() & 0o100,
            0o100
        );
    }

    #[test]
    fn a_candidate_may_be_edited_also_when_the_input_may_not() {
        let parent = tempfile::tempdir().unwrap();
        let input = parent.path().join("in.txt");
        fs::write(&input, "x").unwrap();
        fs::set_permissions(&input, Permissions::from_mode(0o444)).unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let run = scratch
            .run_dir(&CandidateFile::like(&input).unwrap(), b"")
            .unwrap();
        assert_eq!(
            fs::metadata(run.candidate()).unwrap().permissions().mode() & 0o700,
            0o600
        );
    }

    #[test]
    fn a_place_that_programs_cannot_be_run_from_does_not_suit() {
        assert!(!suits(Path::new("/proc")));
        assert!(!suits(Path::new("/nonexistent")));
    }
}
