//! Removal of the directories and processes of sessions that were killed.

use std::fs::{self, DirEntry, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, geteuid};

use super::remove::remove_tree;
use super::session_dir::{LOCK, PREFIX};
use crate::spawn;

/// The age from which a directory without a lock is not one that is still being created.
const MIN_AGE_UNLOCKED: Duration = Duration::from_secs(3600);

/// The directory of a session that has ended.
struct Stale {
    dir: PathBuf,
    /// The process id of the session; another process may have it by now.
    session: Option<Pid>,
    /// Held until the directory is removed, so that two sessions do not remove it at the same time.
    _lock: Option<File>,
}

/// Removes the directories in `parent` of sessions that have ended, and kills the processes that
/// these sessions left running. Directories of other users are not touched.
pub(super) fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    let stale: Vec<_> = entries
        .flatten()
        .filter_map(|entry| Stale::find(&entry).ok().flatten())
        .collect();
    // The processes are killed first, because they may be writing there.
    let sessions: Vec<_> = stale.iter().filter_map(|stale| stale.session).collect();
    spawn::kill_processes_of_sessions(&sessions);
    for stale in stale {
        remove_tree(&stale.dir).ok();
    }
}

impl Stale {
    /// Returns the directory if it belongs to a session that has ended.
    fn find(entry: &DirEntry) -> io::Result<Option<Self>> {
        let name = entry.file_name();
        let Some(rest) = name.as_encoded_bytes().strip_prefix(PREFIX.as_bytes()) else {
            return Ok(None);
        };
        let metadata = entry.metadata()?;
        if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() {
            return Ok(None);
        }
        let lock = match File::open(entry.path().join(LOCK)) {
            Ok(lock) => match lock.try_lock() {
                Ok(()) => Some(lock),
                Err(_) => return Ok(None),
            },
            Err(_)
                if metadata
                    .modified()?
                    .elapsed()
                    .is_ok_and(|age| age > MIN_AGE_UNLOCKED) =>
            {
                None
            }
            Err(error) => return Err(error),
        };
        Ok(Some(Self {
            dir: entry.path(),
            session: session(rest),
            _lock: lock,
        }))
    }
}

/// Returns the process id in a name `PID-RANDOM`.
fn session(name: &[u8]) -> Option<Pid> {
    let (pid, _) = str::from_utf8(name).ok()?.split_once('-')?;
    Pid::from_raw(pid.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scratch;

    #[test]
    fn the_name_of_a_directory_holds_the_process_id() {
        let pid = |name: &str| session(name.as_bytes()).map(Pid::as_raw_nonzero);
        assert_eq!(pid("12-ab-cd").map(std::num::NonZero::get), Some(12));
        for other in ["12", "notes-1", "0-ab", "-1-ab", "99999999999-ab"] {
            assert_eq!(pid(other), None, "{other}");
        }
    }

    #[test]
    fn only_the_directory_of_a_killed_session_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::within(parent.path()).unwrap();
        let killed = parent.path().join("boildown-1-abcdef");
        fs::create_dir_all(killed.join("000000000001")).unwrap();
        fs::write(killed.join(LOCK), "").unwrap();

        let new = Scratch::within(parent.path()).unwrap();

        assert!(!killed.exists());
        assert!(living.path().exists());
        assert!(new.path().exists());
    }

    #[test]
    fn a_new_directory_without_a_lock_and_other_files_are_not_removed() {
        let parent = tempfile::tempdir().unwrap();
        let unlocked = parent.path().join("boildown-1-abcdef");
        let other = parent.path().join("other-1-abcdef");
        for dir in [&unlocked, &other] {
            fs::create_dir(dir).unwrap();
        }
        fs::write(other.join(LOCK), "").unwrap();
        fs::write(parent.path().join("boildown-notes.txt"), "").unwrap();

        remove_stale(parent.path());

        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3);
    }

    #[test]
    fn an_old_directory_without_a_lock_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let unlocked = parent.path().join("boildown-1-abcdef");
        fs::create_dir(&unlocked).unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * MIN_AGE_UNLOCKED;
        File::open(&unlocked)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();

        remove_stale(parent.path());

        assert!(!unlocked.exists());
    }
}
