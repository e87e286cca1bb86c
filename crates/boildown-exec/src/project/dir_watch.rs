//! A watch on a directory tree that tells which entries may have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Entries of a tree that may differ from what was written: names, by directory.
pub(super) type ChangedEntries = BTreeMap<PathBuf, BTreeSet<OsString>>;

/// A watch on the directories of a tree. Only Linux has one.
///
/// A file that is written, replaced, removed, created or given other attributes under its name in a
/// watched directory is noticed; one that is written through another hard link is not.
#[derive(Debug)]
pub(super) struct DirWatch {
    #[cfg(target_os = "linux")]
    events: std::os::fd::OwnedFd,
    /// The watched directories, relative to the root, by the number of the watch.
    #[cfg(target_os = "linux")]
    directories: BTreeMap<i32, PathBuf>,
}

#[cfg(target_os = "linux")]
impl DirWatch {
    /// Returns a watch on nothing; `None` when the system has none to give.
    pub(super) fn new() -> Option<Self> {
        use rustix::fs::inotify::{CreateFlags, init};
        let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        Some(Self {
            events,
            directories: BTreeMap::new(),
        })
    }

    /// Adds a directory, relative to the root. Returns whether the system could. The root itself
    /// may get another name.
    pub(super) fn add(&mut self, root: &Path, directory: &Path) -> bool {
        use rustix::fs::inotify::{WatchFlags, add_watch};
        let mut flags = WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::MOVE
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        if !directory.as_os_str().is_empty() {
            flags |= WatchFlags::MOVE_SELF;
        }
        let watch = add_watch(&self.events, root.join(directory), flags);
        let watch = watch.map(|watch| self.directories.insert(watch, directory.to_owned()));
        watch.is_ok()
    }

    /// Returns what may have changed since the last call; `None` when that is not known.
    pub(super) fn changed(&mut self) -> Option<ChangedEntries> {
        use std::os::unix::ffi::OsStringExt as _;

        use rustix::fs::inotify::{ReadFlags, Reader};
        use rustix::io::Errno;
        let mut buffer = [std::mem::MaybeUninit::uninit(); 1 << 14];
        let mut reader = Reader::new(&self.events, &mut buffer);
        let mut changed = ChangedEntries::new();
        let mut is_known = true;
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return is_known.then_some(changed),
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            };
            let flags = event.events();
            if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::MOVE_SELF) {
                is_known = false;
            }
            if flags.contains(ReadFlags::IGNORED) {
                self.directories.remove(&event.wd());
            }
            if let (Some(name), Some(directory)) =
                (event.file_name(), self.directories.get(&event.wd()))
            {
                let name = OsString::from_vec(name.to_bytes().to_vec());
                let names = changed.entry(directory.clone()).or_default();
                names.insert(name);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl DirWatch {
    /// Returns a watch on nothing; `None` when the system has none to give.
    pub(super) fn new() -> Option<Self> {
        None
    }

    /// Adds a directory, relative to the root. Returns whether the system could.
    pub(super) fn add(&mut self, _: &Path, _: &Path) -> bool {
        false
    }

    /// Returns what may have changed since the last call; `None` when that is not known.
    pub(super) fn changed(&mut self) -> Option<ChangedEntries> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn entries_that_change_are_named_with_their_directory() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("a/b")).unwrap();
        for file in ["a/read", "a/written", "a/removed", "a/b/moved"] {
            fs::write(temp.path().join(file), "x").unwrap();
        }
        let mut watch = DirWatch::new().unwrap();
        for directory in ["", "a", "a/b"] {
            assert!(watch.add(temp.path(), Path::new(directory)));
        }
        assert!(!watch.add(temp.path(), Path::new("none")));
        fs::read(temp.path().join("a/read")).unwrap();
        fs::write(temp.path().join("a/written"), "y").unwrap();
        fs::remove_file(temp.path().join("a/removed")).unwrap();
        fs::rename(temp.path().join("a/b/moved"), temp.path().join("new")).unwrap();
        let changed = watch.changed().unwrap();
        let names = |directory: &str| -> Vec<String> {
            let names = changed[Path::new(directory)].iter();
            names.map(|name| name.display().to_string()).collect()
        };
        assert_eq!(names(""), ["new"]);
        assert_eq!(names("a"), ["removed", "written"]);
        assert_eq!(names("a/b"), ["moved"]);
        assert!(watch.changed().unwrap().is_empty());
    }
}
