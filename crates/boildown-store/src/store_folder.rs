//! The folder of the run stores: `.boildown/NAME/` beside the result, locked during a session.
//!
//! The folder may come from elsewhere, for example in a repository that was cloned. So both
//! directories are opened without following a link, and files in them are named relative to them.
//! See [`place`] for what is accepted.

mod place;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use boildown_exec::{Access, DirHandle};
use rustix::fs::{AtFlags, renameat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::identity::Salt;
use super::provenance::random;
use super::{Identity, StoreError};
pub use place::FOLDER;
use place::{LOCK, MARKER, Place, PlaceError, SALT};

/// The number of runs with the same result file that are kept.
const MAX_RUNS: usize = 8;

/// The folder of all runs with the same result file, locked for this process.
///
/// The lock is released when the process ends, even if it is killed.
#[derive(Debug)]
pub struct StoreFolder {
    dir: PathBuf,
    place: Place,
    handle: Arc<DirHandle>,
    _lock: File,
}

impl StoreFolder {
    /// Creates and locks the folder for runs that write their result to `output`.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when another run has locked it; [`StoreError::NotOurs`] when there is
    /// something else in its place; [`StoreError::Unusable`] when it cannot be created or locked.
    pub fn beside(output: &Path) -> Result<Self, StoreError> {
        let name = output.file_name().unwrap_or(output.as_os_str());
        let folder = output.with_file_name(FOLDER);
        let dir = folder.join(name);
        let unusable =
            |source: io::Error| StoreError::unusable("open the run store in", &dir, source);
        // Tried several times, because a run that is ending may remove the folder that was just
        // created.
        let mut last_error = None;
        for _ in 0..100 {
            match try_lock(&folder, name) {
                Ok(LockAttempt::Locked(place, lock)) => {
                    let handle = place.handle().map_err(unusable)?;
                    return Ok(Self {
                        dir,
                        place,
                        handle: Arc::new(handle),
                        _lock: lock,
                    });
                }
                Ok(LockAttempt::Busy(process)) => {
                    let output = output.to_owned();
                    let busy = StoreError::Busy { output, process };
                    // A process that a dead run was starting inherits the lock and holds it until
                    // it executes its program.
                    if process.is_none_or(is_alive) {
                        return Err(busy);
                    }
                    last_error = Some(busy);
                }
                Ok(LockAttempt::Removed) => {}
                Err(PlaceError::NotOurs { path, what }) => {
                    return Err(StoreError::NotOurs { path, what });
                }
                Err(PlaceError::Io(error)) => match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists => {
                        last_error = Some(unusable(error));
                    }
                    _ => return Err(unusable(error)),
                },
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let removed = || unusable(io::Error::other("it is removed repeatedly"));
        Err(last_error.unwrap_or_else(removed))
    }

    /// Returns the path of the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the folder, through which files are written to it.
    pub(super) fn handle(&self) -> Arc<DirHandle> {
        Arc::clone(&self.handle)
    }

    /// Returns an identity with the salt of this folder, which is made with the first one.
    pub(super) fn salted(&self, identity: Identity) -> Result<Identity, StoreError> {
        let salt = || {
            if self.handle.stamp(SALT.as_ref()).is_none() {
                (self.handle).write_new(SALT.as_ref(), &random()?, Access::OWNER)?;
            }
            let salt = self.handle.read_file(SALT.as_ref())?;
            salt.try_into()
                .map_err(|_| io::ErrorKind::InvalidData.into())
        };
        let path = || self.dir.join(SALT);
        let salt =
            salt().map_err(|error: io::Error| StoreError::unusable("use", &path(), error))?;
        Ok(identity.salted(Some(Salt(salt))))
    }

    /// Makes the file of a run accessible to its owner only, and creates it if there is none.
    /// SQLite gives the files beside it the same permissions.
    pub(super) fn make_private(&self, file: &Path) -> Result<(), StoreError> {
        let private = || -> io::Result<()> {
            for suffix in ["-wal", "-shm", ""] {
                let name = name(file, suffix);
                if suffix.is_empty() || self.handle.stamp(&name).is_some() {
                    let file = self.handle.append_file(&name)?;
                    // Only the owner may, and others gain nothing by it.
                    file.set_permissions(Permissions::from_mode(0o600)).ok();
                }
            }
            Ok(())
        };
        private().map_err(|error| StoreError::unusable("write", file, error))
    }

    /// Returns the file of the run with this digest.
    pub(super) fn file(&self, digest: &str) -> PathBuf {
        self.dir.join(format!("{digest}.db"))
    }

    /// Returns the files of all runs, the latest modified first.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files_with("db")
    }

    /// Returns the files with an extension, the latest modified first.
    fn files_with(&self, extension: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.dir) else {
            return Vec::new();
        };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension() == Some(OsStr::new(extension)))
            .filter_map(|path| {
                let metadata = fs::symlink_metadata(&path).ok()?;
                Some((metadata.is_file().then(|| metadata.modified())?.ok()?, path))
            })
            .collect();
        files.sort_unstable();
        files.into_iter().rev().map(|(_, path)| path).collect()
    }

    /// Removes the oldest runs, so that there are at most [`MAX_RUNS`] with a new one.
    pub(super) fn remove_oldest(&self) {
        self.remove_oldest_with("db");
    }

    /// Removes the oldest files with an extension, so that there are at most [`MAX_RUNS`] with a
    /// new one.
    pub(super) fn remove_oldest_with(&self, extension: &str) {
        for file in self.files_with(extension).iter().skip(MAX_RUNS - 1) {
            self.remove(file).ok();
        }
    }

    /// Removes the file of a run, and the files that SQLite keeps beside it.
    pub(super) fn remove(&self, file: &Path) -> io::Result<()> {
        for suffix in ["-wal", "-shm", ""] {
            match unlinkat(&self.place.dir, name(file, suffix), AtFlags::empty()) {
                Err(error) if error != Errno::NOENT => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Renames a damaged file and returns its new path. Removes the files beside it, because SQLite
    /// would apply them to a new file.
    pub(super) fn set_aside(&self, file: &Path) -> io::Result<PathBuf> {
        let aside = name(file, ".damaged");
        let dir = &self.place.dir;
        renameat(dir, name(file, ""), dir, &aside)?;
        self.remove(file)?;
        Ok(file.with_file_name(aside))
    }
}

fn name(file: &Path, suffix: &str) -> OsString {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    name
}

/// Returns whether the process exists on this machine. If the folder is shared, the process may
/// exist on another machine.
fn is_alive(process: u32) -> bool {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// The result of one attempt to lock the folder.
enum LockAttempt {
    /// The folder is locked for this process.
    Locked(Place, File),
    /// Another process has locked it. Its id, if it is in the lock file.
    Busy(Option<u32>),
    /// The lock file was removed while it was being locked.
    Removed,
}

/// Tries once to create and lock the folder.
fn try_lock(folder: &Path, name: &OsStr) -> Result<LockAttempt, PlaceError> {
    let place = Place::open(folder, name)?;
    let mut file = place.open_lock()?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            return Ok(LockAttempt::Busy(text.trim().parse().ok()));
        }
        Err(fs::TryLockError::Error(error)) => return Err(error.into()),
    }
    // The previous run may have removed the file after we opened it and before we locked it. Then
    // other runs lock a new file.
    let named = statat(&place.dir, LOCK, AtFlags::SYMLINK_NOFOLLOW)?;
    if named.st_ino != file.metadata()?.ino() {
        return Ok(LockAttempt::Removed);
    }
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())?;
    place.mark()?;
    Ok(LockAttempt::Locked(place, file))
}

impl Drop for StoreFolder {
    fn drop(&mut self) {
        let Place { parent, folder, .. } = &self.place;
        let remove = |name: &str| unlinkat(&self.place.dir, name, AtFlags::empty());
        // The marker goes first: while the lock is there, no other run enters the folder.
        if self.place.is_empty() {
            remove(SALT).ok();
            remove(MARKER).ok();
        }
        remove(LOCK).ok();
        // Succeeds only if the folder is empty, that is, if no run was stored.
        if unlinkat(folder, name(&self.dir, ""), AtFlags::REMOVEDIR).is_ok()
            && place::names(folder).is_ok_and(|names| names.len() == 1)
        {
            unlinkat(folder, place::IGNORE, AtFlags::empty()).ok();
            unlinkat(parent, FOLDER, AtFlags::REMOVEDIR).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_folder_names_the_process_that_locked_it() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("crash.min.c");
        let first = StoreFolder::beside(&output).unwrap();
        let error = StoreFolder::beside(&output).unwrap_err();
        assert!(
            matches!(error, StoreError::Busy { process: Some(id), .. } if id == std::process::id())
        );
        let other = StoreFolder::beside(&dir.path().join("other.min.c")).unwrap();
        drop(first);
        StoreFolder::beside(&output).unwrap();
        drop(other);
    }

    #[test]
    fn the_lock_of_a_process_that_a_dead_run_was_starting_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("crash.min.c");
        let folder = StoreFolder::beside(&output).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        fs::write(folder.dir().join("lock"), child.id().to_string()).unwrap();
        std::thread::scope(|scope| {
            let next = scope.spawn(|| StoreFolder::beside(&output));
            std::thread::sleep(Duration::from_millis(10));
            drop(folder);
            next.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_folder_without_runs_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StoreFolder::beside(&dir.path().join("crash.min.c")).unwrap();
        let kept = StoreFolder::beside(&dir.path().join("kept")).unwrap();
        assert_eq!(
            fs::read(dir.path().join(".boildown/.gitignore")).unwrap(),
            b"*\n"
        );
        fs::write(kept.file("0123"), "").unwrap();
        drop(folder);
        drop(kept);
        assert!(!dir.path().join(".boildown/crash.min.c").exists());
        assert!(dir.path().join(".boildown/kept/0123.db").exists());
        fs::remove_file(dir.path().join(".boildown/kept/0123.db")).unwrap();
        drop(StoreFolder::beside(&dir.path().join("kept")).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".boildown"), "").unwrap();
        let error = StoreFolder::beside(&dir.path().join("x")).unwrap_err();
        assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
    }

    #[test]
    fn the_oldest_runs_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StoreFolder::beside(&dir.path().join("x")).unwrap();
        for number in 0..12 {
            let file = folder.file(&format!("{number:02}"));
            let made = File::create(&file).unwrap();
            let age = Duration::from_secs(1000 - number);
            made.set_modified(SystemTime::now() - age).unwrap();
        }
        folder.remove_oldest();
        let left: Vec<_> = folder.files();
        assert_eq!(left.len(), MAX_RUNS - 1);
        assert_eq!(left[0], folder.file("11"));
        assert_eq!(left[MAX_RUNS - 2], folder.file("05"));
    }

    #[test]
    fn only_one_thread_at_a_time_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("x");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        match StoreFolder::beside(&output) {
                            Ok(folder) => {
                                let before =
                                    inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                                assert_eq!(before, 0);
                                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                                drop(folder);
                            }
                            Err(StoreError::Busy { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
        });
    }
}
