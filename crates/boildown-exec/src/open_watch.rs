//! A watch on a file that notices when a process opens it.

use std::path::Path;

/// A watch on a file that notices when a process opens it.
///
/// A command that opens the original input, and not the candidate, does the same on every
/// candidate.
#[derive(Debug)]
pub struct OpenWatch {
    #[cfg(target_os = "linux")]
    events: std::os::fd::OwnedFd,
}

impl OpenWatch {
    /// Begins to watch; `None` when the system cannot.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn begin(path: &Path) -> Option<Self> {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        let events = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        add_watch(&events, path, WatchFlags::OPEN).ok()?;
        Some(Self { events })
    }

    /// Begins to watch; `None` when the system cannot.
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn begin(_: &Path) -> Option<Self> {
        None
    }

    /// Returns whether the file was opened since the watch began.
    #[must_use]
    pub fn was_opened(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            let mut event = [0; 512];
            // Without an event, the read fails because it would block.
            rustix::io::read(&self.events, &mut event).is_ok_and(|length| length > 0)
        }
        #[cfg(not(target_os = "linux"))]
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_opened_file_is_noticed_and_another_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (watched, other) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&watched, "x").unwrap();
        fs::write(&other, "x").unwrap();
        let watch = OpenWatch::begin(&watched).unwrap();
        fs::read(&other).unwrap();
        assert!(!watch.was_opened());
        fs::read(&watched).unwrap();
        assert!(watch.was_opened());
        assert!(OpenWatch::begin(&dir.path().join("none")).is_none());
    }
}
