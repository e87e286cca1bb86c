//! What sessions that were killed left behind.

use std::fs::{self, DirEntry, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::remove::remove_tree;
use super::{LOCK, PREFIX};

/// Age from which a directory without a lock is not one that is just being made.
const SETTLED: Duration = Duration::from_secs(3600);

/// Removes the sessions' directories in `parent` that no living session holds. Those of other users stay: they cannot be removed.
pub(super) fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
        {
            remove_if_stale(&entry).ok();
        }
    }
}

fn remove_if_stale(entry: &DirEntry) -> io::Result<()> {
    let metadata = entry.metadata()?;
    if !metadata.is_dir() {
        return Ok(());
    }
    // Held until the directory is gone, so that two sessions don't remove it together.
    let _lock = match File::open(entry.path().join(LOCK)) {
        Ok(lock) => match lock.try_lock() {
            Ok(()) => Some(lock),
            Err(_) => return Ok(()),
        },
        Err(_)
            if metadata
                .modified()?
                .elapsed()
                .is_ok_and(|age| age > SETTLED) =>
        {
            None
        }
        Err(error) => return Err(error),
    };
    remove_tree(&entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scratch;

    #[test]
    fn the_directory_of_a_killed_session_is_removed_and_that_of_a_living_one_stays() {
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
    fn a_directory_that_is_just_being_made_and_things_of_other_names_stay() {
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
    fn a_directory_that_was_never_locked_is_removed_when_it_is_old() {
        let parent = tempfile::tempdir().unwrap();
        let unlocked = parent.path().join("boildown-1-abcdef");
        fs::create_dir(&unlocked).unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * SETTLED;
        File::open(&unlocked)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();

        remove_stale(parent.path());

        assert!(!unlocked.exists());
    }
}
