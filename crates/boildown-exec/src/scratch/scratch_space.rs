//! The scratch space of a session.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::fstatvfs;
use rustix::io::Errno;

use super::candidate_file::CandidateFile;
use super::empty_dir::ChangeTime;
use super::reusable_run_dir::ReusableRunDir;
use super::run_dir::RunDir;
use super::session_dir::SessionDir;
use super::stale::remove_stale;
use crate::dir_handle::DirHandle;
use boildown_oracle::OracleError;

/// The memory file system of Linux.
pub(crate) const MEMORY: &str = "/dev/shm";

/// The directory of a session, which holds one directory per run. It is removed with its content
/// when dropped.
///
/// It is locked while it is in use. The directory of a session that was killed is removed by the
/// next session with the same parent directory.
#[derive(Debug)]
pub struct Scratch {
    dir: PathBuf,
    session: SessionDir,
    runs: AtomicU64,
    /// The number of runs of the command of the session.
    command_runs: AtomicU64,
    /// Directories of runs that are not in use.
    idle_run_dirs: Mutex<Vec<ReusableRunDir>>,
}

impl Scratch {
    /// Creates the directory of a session in a memory file system, if there is one with enough
    /// space from which programs can be run, else in `temp_dir`.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when no directory can be created in either.
    pub fn new(temp_dir: &Path) -> Result<Self, OracleError> {
        Self::with_space(temp_dir, 0)
    }

    /// Creates the directory like [`new`](Self::new), in a memory file system only if it has space
    /// for this many bytes more.
    pub(crate) fn with_space(temp_dir: &Path, bytes: u64) -> Result<Self, OracleError> {
        let memory = Path::new(MEMORY);
        if is_suitable_memory(memory, bytes)
            && let Ok(scratch) = Self::within(memory)
        {
            return Ok(scratch);
        }
        Self::within(temp_dir)
    }

    /// Creates the directory of a session in `parent`, and removes those of killed sessions there.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when it cannot be created.
    pub fn within(parent: &Path) -> Result<Self, OracleError> {
        remove_stale(parent);
        let session = SessionDir::create(parent).map_err(|source| OracleError::Scratch {
            action: "create a directory in",
            path: parent.to_owned(),
            source,
        })?;
        Ok(Self {
            dir: parent.join(session.name()),
            session,
            runs: AtomicU64::new(0),
            command_runs: AtomicU64::new(0),
            idle_run_dirs: Mutex::default(),
        })
    }

    /// Returns the directory of the session, through which files are written to it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn handle(&self) -> io::Result<DirHandle> {
        let dir = self.session.opened.try_clone()?;
        Ok(DirHandle::from_opened(dir, self.dir.clone()))
    }

    /// Returns the open directory of the session.
    pub(crate) fn opened(&self) -> &Arc<OwnedFd> {
        &self.session.opened
    }

    /// Returns the directory of the session.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Returns how often the command of the session was run: each start counts, also one that was
    /// interrupted. Not counted are extra tests.
    #[must_use]
    pub fn command_runs(&self) -> u64 {
        self.command_runs.load(Ordering::Relaxed)
    }

    /// Counts a run of the command.
    pub(crate) fn count_command_run(&self) {
        self.command_runs.fetch_add(1, Ordering::Relaxed);
    }

    /// Checks that the file system of the scratch space is not full. If it is, a failure of a
    /// command may be a failure to write.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when it is full; see [`OracleError::is_full_disk`].
    pub fn check_room(&self) -> Result<(), OracleError> {
        /// Less than the smallest file takes with its directory.
        const FULL: u64 = 64 << 10;
        let is_full = fstatvfs(self.opened()).is_ok_and(|fs| {
            fs.f_bavail.saturating_mul(fs.f_frsize) < FULL || fs.f_files > 0 && fs.f_favail == 0
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

    /// Creates a directory for one run that holds only the candidate, and an empty one for its
    /// temporary files.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when a directory or the candidate cannot be written.
    pub fn run_dir(&self, file: &CandidateFile, candidate: &[u8]) -> Result<RunDir, OracleError> {
        self.restore(None);
        // The name has a constant length, so that a path in a message or on a stack has the same
        // length in each run.
        let name = format!("{:012}", self.runs.fetch_add(1, Ordering::Relaxed));
        RunDir::create(
            Arc::clone(&self.session.opened),
            &self.dir,
            name,
            file,
            candidate,
        )
    }

    /// Gives the directory of the session the attributes back that a run changed. `now` is the time
    /// of another change on its file system, if one is known.
    pub(crate) fn restore(&self, now: Option<ChangeTime>) {
        self.session.restore(now);
    }

    pub(super) fn idle_run_dirs(&self) -> MutexGuard<'_, Vec<ReusableRunDir>> {
        self.idle_run_dirs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.idle_run_dirs().clear();
        // An error cannot be reported here. The next session tries again.
        self.session.remove().ok();
    }
}

/// Returns whether the directory is a memory file system with enough space, and this many bytes
/// more, from which programs can be run.
#[cfg(target_os = "linux")]
pub(crate) fn is_suitable_memory(dir: &Path, bytes: u64) -> bool {
    use rustix::fs::{StatVfsMountFlags, statvfs};

    /// Free bytes that are needed. Containers often have a memory file system of 64 MiB, which a
    /// compiler fills; its error would then be taken for a verdict.
    const MIN_FREE: u64 = 1 << 30;

    let useless = StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RDONLY;
    statvfs(dir).is_ok_and(|fs| {
        !fs.f_flag.intersects(useless)
            && fs.f_bavail.saturating_mul(fs.f_frsize) >= MIN_FREE.saturating_add(bytes)
    })
}

/// Only Linux has a memory file system at this path.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_suitable_memory(_: &Path, _: u64) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_session_has_a_private_directory_that_is_removed_at_its_end() {
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
    fn two_runs_have_different_directories() {
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
    fn a_candidate_is_writable_even_if_the_input_is_not() {
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
    fn a_file_system_without_execution_is_not_suitable() {
        assert!(!is_suitable_memory(Path::new("/proc"), 0));
        assert!(!is_suitable_memory(Path::new("/nonexistent"), 0));
    }
}
