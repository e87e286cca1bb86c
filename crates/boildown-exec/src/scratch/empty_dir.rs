//! The state of a directory that is emptied between runs.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{AtFlags, Stat, fstat, statat};

use super::attributes::Attributes;
use super::protection::is_empty;
use super::remove::empty;

/// When a file was changed last, by the clock of its file system. Unlike the time of modification,
/// no program can set it, and a change of attributes or of entries changes it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangeTime {
    seconds: i128,
    nanoseconds: i128,
}

impl ChangeTime {
    /// The time after which another change has another time: several times the tick of the coarsest
    /// clock.
    const SETTLED: i128 = 100_000_000;

    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            seconds: stat.st_ctime.into(),
            nanoseconds: stat.st_ctime_nsec.into(),
        }
    }

    /// Returns whether a change at `now` or later cannot have this time.
    ///
    /// Example: the clock ticks every 4 ms. A file that was changed 2 ms ago may be changed again
    /// at the same tick, and one that was changed a second ago cannot. Of a clock that counts in
    /// seconds, nothing is known.
    pub(super) fn is_settled(self, now: Self) -> bool {
        let is_fine = self.nanoseconds != 0 || now.nanoseconds != 0;
        let seconds = now.seconds - self.seconds;
        let passed = seconds * 1_000_000_000 + now.nanoseconds - self.nanoseconds;
        is_fine && passed >= Self::SETTLED
    }
}

/// A directory as it was made: which one it is, and its attributes.
#[derive(Debug)]
pub(super) struct EmptyDir {
    made: Stat,
    attributes: Attributes,
    /// When it was changed last.
    changed: Option<ChangeTime>,
    /// The time of the last change after which it was found empty and as it was made, if a later
    /// change has another time.
    unchanged_since: Option<ChangeTime>,
}

impl EmptyDir {
    /// Reads the state of an open directory that was just made.
    pub(super) fn read(dir: &OwnedFd) -> io::Result<Self> {
        let made = fstat(dir)?;
        Ok(Self {
            attributes: Attributes::with_stat(&made, dir)?,
            made,
            changed: None,
            unchanged_since: None,
        })
    }

    /// Returns when it was changed last, as the last call of [`clear`](Self::clear) has found it.
    pub(super) fn changed(&self) -> Option<ChangeTime> {
        self.changed
    }

    /// Empties the directory. Returns whether that succeeded, and it is in its place and as it was
    /// made.
    ///
    /// `now` is the time of another change on the file system, if one is known.
    ///
    /// # Cost
    /// One system call if it was not changed since it was last found empty, else six.
    pub(super) fn clear(
        &mut self,
        parent: &OwnedFd,
        name: &str,
        opened: &OwnedFd,
        now: Option<ChangeTime>,
    ) -> bool {
        let Ok(named) = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return false;
        };
        if (named.st_dev, named.st_ino) != (self.made.st_dev, self.made.st_ino) {
            return false;
        }
        let changed = ChangeTime::of(&named);
        self.changed = Some(changed);
        if self.unchanged_since == Some(changed) {
            return true;
        }
        self.unchanged_since = None;
        if !Attributes::with_stat(&named, opened).is_ok_and(|found| found == self.attributes) {
            return false;
        }
        if is_empty(opened.as_fd()).is_ok_and(|is_empty| is_empty) {
            self.unchanged_since = now.and_then(|now| changed.is_settled(now).then_some(changed));
            return true;
        }
        empty(opened).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_change_within_a_tick_of_the_clock_may_have_the_same_time() {
        let at = |seconds, nanoseconds| ChangeTime {
            seconds,
            nanoseconds,
        };
        assert!(!at(7, 5).is_settled(at(7, 5)));
        assert!(!at(7, 5).is_settled(at(7, 99_999_999)));
        assert!(at(7, 5).is_settled(at(7, 100_000_005)));
        assert!(at(7, 999_999_999).is_settled(at(8, 99_999_999)));
        assert!(
            !at(7, 5).is_settled(at(6, 900_000_000)),
            "the clock was set"
        );
        assert!(!at(7, 0).is_settled(at(9, 0)), "it counts in seconds");
    }

    /// Clears a directory that was empty for a while, after this was done to it.
    #[track_caller]
    fn clear_after(change: impl FnOnce(&Path)) -> bool {
        let parent = tempfile::tempdir().unwrap();
        let opened_parent = OwnedFd::from(File::open(parent.path()).unwrap());
        let path = parent.path().join("tmp");
        fs::create_dir(&path).unwrap();
        let opened = OwnedFd::from(File::open(&path).unwrap());
        let mut state = EmptyDir::read(&opened).unwrap();
        sleep(Duration::from_millis(120));
        // Its time is that of the clock of the file system.
        fs::write(parent.path().join("now"), "").unwrap();
        let now = fstat(File::open(parent.path().join("now")).unwrap()).unwrap();
        let now = Some(ChangeTime::of(&now));
        let mut clear = || state.clear(&opened_parent, "tmp", &opened, now);
        assert!(clear() && clear());
        change(&path);
        let is_cleared = clear();
        assert!(!is_cleared || fs::read_dir(&path).unwrap().count() == 0);
        is_cleared
    }

    #[test]
    fn a_file_in_a_directory_that_was_empty_for_long_is_removed() {
        assert!(clear_after(|_| {}));
        assert!(clear_after(|dir| fs::write(dir.join("a"), "x").unwrap()));
        assert!(clear_after(|dir| fs::create_dir(dir.join("a")).unwrap()));
    }

    #[test]
    fn a_directory_that_was_moved_or_has_other_permissions_is_not_used_again() {
        use std::os::unix::fs::PermissionsExt as _;

        assert!(!clear_after(|dir| {
            fs::rename(dir, dir.with_extension("moved")).unwrap();
            fs::create_dir(dir).unwrap();
        }));
        assert!(!clear_after(|dir| {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o500)).unwrap();
        }));
    }
}
