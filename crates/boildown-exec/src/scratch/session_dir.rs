//! The name and the lock of the directory of a session.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// The prefix of the directories of all sessions.
pub(super) const PREFIX: &str = "boildown-";

/// The file that is locked as long as the session exists.
pub(super) const LOCK: &str = "lock";

/// Locks the directory of a session.
///
/// The lock file gets its name after it was locked, so another session never sees it unlocked while
/// this session exists.
pub(super) fn lock(dir: &Path) -> io::Result<File> {
    let unnamed = dir.join("lock.new");
    let file = File::create_new(&unnamed)?;
    file.lock()?;
    fs::rename(&unnamed, dir.join(LOCK))?;
    Ok(file)
}
