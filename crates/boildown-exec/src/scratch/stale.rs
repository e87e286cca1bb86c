//! Removal of the directories and processes of sessions that were killed.

use std::fs;
use std::os::fd::AsFd as _;
use std::path::Path;

use super::session_dir::{SessionDir, open_parent};
use crate::spawn;

/// Removes the directories in `parent` of sessions that have ended, and kills the processes that
/// these sessions left running. Other directories and those of other users are not touched.
pub(super) fn remove_stale(parent: &Path) {
    let (Ok(entries), Ok(opened)) = (fs::read_dir(parent), open_parent(parent)) else {
        return;
    };
    // A directory that cannot be read or has no marker is not known to be one of ours.
    let stale: Vec<_> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| SessionDir::find_ended(opened.as_fd(), &name).ok().flatten())
        .collect();
    // The processes are killed first, because they may be writing there.
    let sessions: Vec<_> = stale.iter().filter_map(SessionDir::session).collect();
    spawn::kill_processes_of_sessions(&sessions);
    for dir in stale {
        // The next session tries again.
        dir.remove().ok();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::thread;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::Scratch;

    /// Makes the directory of a session that was killed, with a file of a run.
    fn killed(parent: &Path) -> PathBuf {
        let session = SessionDir::create(parent).unwrap();
        let dir = parent.join(session.name());
        fs::create_dir(dir.join("000000000001")).unwrap();
        fs::write(dir.join("000000000001/a.c"), "x").unwrap();
        dir
    }

    /// Lets `make` put something into the directory of scratch spaces, and checks that the next
    /// session leaves it as it is.
    #[track_caller]
    fn check_left(make: impl FnOnce(&Path) -> PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let precious = make(parent.path());
        let long_ago = SystemTime::now() - Duration::from_secs(1 << 20);
        let opened = fs::File::open(precious.parent().unwrap()).unwrap();
        opened.set_modified(long_ago).unwrap();
        drop(Scratch::within(parent.path()).unwrap());
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
    }

    /// Makes a directory of the user with a precious file.
    fn users_dir(parent: &Path, name: &str) -> PathBuf {
        let dir = parent.join(name);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("file"), "precious").unwrap();
        dir.join("file")
    }

    #[test]
    fn only_the_directory_of_a_killed_session_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::within(parent.path()).unwrap();
        let killed = killed(parent.path());

        // A process that another test starts has the lock of the killed one until its program runs.
        let is_removed = (0..500).any(|_| {
            let new = Scratch::within(parent.path()).unwrap();
            assert!(new.path().exists());
            thread::sleep(Duration::from_millis(10));
            !killed.exists()
        });

        assert!(is_removed);
        assert!(living.path().exists());
    }

    #[test]
    fn an_old_directory_of_the_user_is_left_whatever_its_name() {
        for name in ["boildown-1-abcdef", "boildown-backup", "boildown-"] {
            check_left(|parent| users_dir(parent, name));
        }
    }

    #[test]
    fn a_directory_of_the_user_with_a_file_lock_is_left() {
        check_left(|parent| {
            let file = users_dir(parent, "boildown-1-abcdef");
            fs::write(file.with_file_name("lock"), "").unwrap();
            file
        });
    }

    #[test]
    fn a_copy_of_the_directory_of_a_session_is_left() {
        check_left(|parent| {
            let killed = killed(parent);
            let name = killed.file_name().unwrap().to_str().unwrap().to_owned();
            let marker = fs::read(killed.join("lock")).unwrap();
            fs::rename(&killed, parent.join("moved")).unwrap();
            let file = users_dir(parent, &name);
            fs::write(file.with_file_name("lock"), marker).unwrap();
            file
        });
    }

    #[test]
    fn a_renamed_directory_of_a_session_is_left() {
        check_left(|parent| {
            let renamed = parent.join("boildown-1-kept");
            fs::rename(killed(parent), &renamed).unwrap();
            fs::write(renamed.join("file"), "precious").unwrap();
            renamed.join("file")
        });
    }

    #[test]
    fn a_link_to_the_directory_of_a_session_elsewhere_is_left() {
        let elsewhere = tempfile::tempdir().unwrap();
        let dir = killed(elsewhere.path());
        fs::write(dir.join("file"), "precious").unwrap();
        check_left(|parent| {
            symlink(&dir, parent.join(dir.file_name().unwrap())).unwrap();
            dir.join("file")
        });
    }

    #[test]
    fn a_marker_that_is_a_link_or_a_pipe_marks_nothing() {
        check_left(|parent| {
            let killed = killed(parent);
            fs::rename(killed.join("lock"), parent.join("marker")).unwrap();
            symlink(parent.join("marker"), killed.join("lock")).unwrap();
            fs::write(killed.join("file"), "precious").unwrap();
            killed.join("file")
        });
        check_left(|parent| {
            let killed = killed(parent);
            fs::remove_file(killed.join("lock")).unwrap();
            let pipe = std::process::Command::new("mkfifo")
                .arg(killed.join("lock"))
                .status();
            assert!(pipe.unwrap().success());
            fs::write(killed.join("file"), "precious").unwrap();
            killed.join("file")
        });
    }
}
