//! Where runs are kept: `.boildown/NAME/` beside the result, locked while one of them goes on.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::StoreError;

/// The directory beside the result that holds all that is remembered.
pub const FOLDER: &str = ".boildown";

/// How many runs towards the same result are kept.
const KEPT: usize = 8;

/// The place of all runs towards one result file. Nobody else is there while this lives: the lock goes with the process,
/// whatever ends it.
#[derive(Debug)]
pub struct Place {
    dir: PathBuf,
    _lock: File,
}

impl Place {
    /// Takes the place for runs that write their result to `output`.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when another run is at work there; [`StoreError::Unusable`] when nothing can be kept there.
    pub fn beside(output: &Path) -> Result<Self, StoreError> {
        let name = output.file_name().unwrap_or(output.as_os_str());
        let folder = output.with_file_name(FOLDER);
        let dir = folder.join(name);
        let lock = dir.join("lock");
        let unusable = |source: io::Error| StoreError::unusable("keep anything in", &dir, source);
        // Whoever ends just now may remove what was made a moment ago.
        let mut obstacle = None;
        for _ in 0..100 {
            match take(&folder, &dir, &lock) {
                Ok(Taken::Ours(lock)) => {
                    return Ok(Self { dir, _lock: lock });
                }
                Ok(Taken::Theirs(process)) => {
                    let output = output.to_owned();
                    let busy = StoreError::Busy { output, process };
                    // What a dead one was just starting has its lock until it executes.
                    if process.is_none_or(is_alive) {
                        return Err(busy);
                    }
                    obstacle = Some(busy);
                }
                Ok(Taken::Gone) => {}
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists => {
                        obstacle = Some(unusable(error));
                    }
                    _ => return Err(unusable(error)),
                },
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let gone = || unusable(io::Error::other("it goes away again and again"));
        Err(obstacle.unwrap_or_else(gone))
    }

    /// Returns the directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the file of the run of that name.
    pub(super) fn file(&self, digest: &str) -> PathBuf {
        self.dir.join(format!("{digest}.db"))
    }

    /// Returns the files of all runs, the newest first.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.dir) else {
            return Vec::new();
        };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension() == Some(OsStr::new("db")))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        files.sort_unstable();
        files.into_iter().rev().map(|(_, path)| path).collect()
    }

    /// Removes the oldest runs, so that a new one finds at most [`KEPT`] with itself.
    pub(super) fn make_room(&self) {
        for file in self.files().iter().skip(KEPT - 1) {
            remove(file).ok();
        }
    }
}

/// Removes the file of a run, and what the database keeps beside it.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    for beside in ["-wal", "-shm", ""] {
        match fs::remove_file(with_ending(file, beside)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Gives a damaged file another name, and returns that. What is beside it goes: the database would read it into a new file.
pub(super) fn set_aside(file: &Path) -> io::Result<PathBuf> {
    let aside = with_ending(file, ".damaged");
    fs::rename(file, &aside)?;
    remove(file)?;
    Ok(aside)
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether there is such a process here. On another machine there may be one all the same.
fn is_alive(process: u32) -> bool {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

enum Taken {
    Ours(File),
    /// The process that has it, when it says so.
    Theirs(Option<u32>),
    /// It was removed while we locked it.
    Gone,
}

fn take(folder: &Path, dir: &Path, lock: &Path) -> io::Result<Taken> {
    fs::create_dir_all(dir)?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n")?;
    }
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(lock)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            return Ok(Taken::Theirs(text.trim().parse().ok()));
        }
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    // The one before may have removed it between our opening and our locking: then others will lock another file.
    let named = fs::metadata(lock)?;
    if named.ino() != file.metadata()?.ino() {
        return Ok(Taken::Gone);
    }
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())?;
    Ok(Taken::Ours(file))
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_file(self.dir.join("lock")).ok();
        // Only when nothing was kept. Directories with something in them stay.
        if fs::remove_dir(&self.dir).is_ok()
            && let Some(folder) = self.dir.parent()
            && fs::read_dir(folder).is_ok_and(|entries| entries.count() == 1)
        {
            fs::remove_file(folder.join(".gitignore")).ok();
            fs::remove_dir(folder).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_to_come_is_told_who_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("crash.min.c");
        let first = Place::beside(&output).unwrap();
        let error = Place::beside(&output).unwrap_err();
        assert!(
            matches!(error, StoreError::Busy { process: Some(id), .. } if id == std::process::id())
        );
        let other = Place::beside(&dir.path().join("other.min.c")).unwrap();
        drop(first);
        Place::beside(&output).unwrap();
        drop(other);
    }

    #[test]
    fn what_a_dead_one_was_just_starting_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("crash.min.c");
        let place = Place::beside(&output).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        fs::write(place.dir().join("lock"), child.id().to_string()).unwrap();
        std::thread::scope(|scope| {
            let next = scope.spawn(|| Place::beside(&output));
            std::thread::sleep(Duration::from_millis(10));
            drop(place);
            next.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_place_where_nothing_was_kept_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::beside(&dir.path().join("crash.min.c")).unwrap();
        let kept = Place::beside(&dir.path().join("kept")).unwrap();
        assert_eq!(
            fs::read(dir.path().join(".boildown/.gitignore")).unwrap(),
            b"*\n"
        );
        fs::write(kept.file("0123"), "").unwrap();
        drop(place);
        drop(kept);
        assert!(!dir.path().join(".boildown/crash.min.c").exists());
        assert!(dir.path().join(".boildown/kept/0123.db").exists());
        fs::remove_file(dir.path().join(".boildown/kept/0123.db")).unwrap();
        drop(Place::beside(&dir.path().join("kept")).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_name_that_is_taken_by_something_else_is_unusable() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".boildown"), "").unwrap();
        let error = Place::beside(&dir.path().join("x")).unwrap_err();
        assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
    }

    #[test]
    fn room_is_made_by_removing_the_oldest() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::beside(&dir.path().join("x")).unwrap();
        for number in 0..12 {
            let file = place.file(&format!("{number:02}"));
            let made = File::create(&file).unwrap();
            let age = Duration::from_secs(1000 - number);
            made.set_modified(SystemTime::now() - age).unwrap();
        }
        place.make_room();
        let left: Vec<_> = place.files();
        assert_eq!(left.len(), KEPT - 1);
        assert_eq!(left[0], place.file("11"));
        assert_eq!(left[KEPT - 2], place.file("05"));
    }

    #[test]
    fn many_at_once_are_never_two_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("x");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        match Place::beside(&output) {
                            Ok(place) => {
                                let before =
                                    inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                                assert_eq!(before, 0);
                                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                                drop(place);
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
