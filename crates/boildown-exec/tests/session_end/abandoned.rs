//! Processes that a killed session left running, and the next session with the same parent
//! directory.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use boildown_exec::Scratch;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use crate::support::{SOON, is_running};
use crate::{alone, exists};

/// A process that is killed with its group, and reaped, when dropped.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Self {
        Self(command.process_group(0).spawn().unwrap())
    }

    fn sleeping() -> Self {
        Self::start(Command::new("sleep").arg("1000"))
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    #[track_caller]
    fn assert_was_killed(&mut self) {
        let status = self.0.try_wait().unwrap();
        assert_eq!(status.and_then(|status| status.signal()), Some(9));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        kill_process_group(Pid::from_child(&self.0), Signal::KILL).ok();
        self.0.wait().ok();
    }
}

/// The unlocked directory of a session that has ended, and its parent.
struct EndedSession {
    parent: TempDir,
    left: PathBuf,
    session: u32,
}

impl EndedSession {
    fn with_id(session: u32) -> Self {
        let parent = tempfile::tempdir().unwrap();
        let name = format!("boildown-{session}-abcdef");
        let left = parent.path().join(&name);
        fs::create_dir(&left).unwrap();
        let inode = fs::metadata(&left).unwrap().ino();
        let marker = format!(
            "boildown: files of a session, removed when it has ended\nname {name}\ninode {inode}\n"
        );
        fs::write(left.join("lock"), marker).unwrap();
        Self {
            parent,
            left,
            session,
        }
    }

    /// Returns the directory of a session whose process was reaped.
    fn dead() -> Self {
        let mut session = Process::start(&mut Command::new("true"));
        session.0.wait().unwrap();
        Self::with_id(session.id())
    }

    /// Starts a script like a command of that session, and waits until it runs.
    fn run(&self, script: &str) -> Process {
        let ready = self.parent.path().join("ready");
        let process = Process::start(
            Command::new("/bin/sh")
                .args(["-c", &format!(": >\"$READY\"; {script}")])
                .env(
                    format!("BOILDOWN_RUN_{:010}_000000000007", self.session),
                    "1",
                )
                .env("READY", &ready)
                .current_dir(&self.left),
        );
        wait_until(|| ready.exists());
        process
    }

    /// Starts another session, which removes the directory.
    #[track_caller]
    fn start_next_session(&self) {
        let next = Scratch::within(self.parent.path()).unwrap();
        assert!(!self.left.exists());
        drop(next);
    }
}

#[track_caller]
fn wait_until(is_true: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < SOON);
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_process_of_a_killed_session_is_killed() {
    let _alone = alone();
    let ended = EndedSession::dead();
    let mut left = ended.run("sleep 1000; :");
    ended.start_next_session();
    left.assert_was_killed();
}

#[test]
fn a_session_that_is_a_zombie_is_dead() {
    let _alone = alone();
    let mut session = Process::sleeping();
    let ended = EndedSession::with_id(session.id());
    let mut left = ended.run("sleep 1000; :");
    session.0.kill().unwrap();
    let stat = format!("/proc/{}/stat", session.id());
    wait_until(|| fs::read_to_string(&stat).unwrap().contains(") Z "));
    ended.start_next_session();
    left.assert_was_killed();
}

#[test]
fn daemons_and_processes_that_they_start_meanwhile_are_killed() {
    let _alone = alone();
    let ended = EndedSession::dead();
    let pid = ended.parent.path().join("daemon");
    let daemon = format!(
        "setsid sh -c 'echo $$ >{0}.new; mv {0}.new {0}; while :; do sleep 0.001; : >file; done' & wait",
        pid.display()
    );
    let mut left = ended.run(&daemon);
    wait_until(|| pid.exists());
    let daemon = fs::read_to_string(&pid).unwrap();
    ended.start_next_session();
    left.assert_was_killed();
    assert!(!is_running(daemon.trim()));
}

#[test]
fn nothing_is_killed_when_the_id_of_the_session_belongs_to_a_living_process() {
    let _alone = alone();
    let session = Process::sleeping();
    let ended = EndedSession::with_id(session.id());
    let mut running = ended.run("sleep 1000; :");
    ended.start_next_session();
    assert!(running.is_running());
    assert!(exists(&session.id().to_string()));
}

#[test]
fn nothing_is_killed_of_a_session_with_another_parent_directory() {
    let _alone = alone();
    let (ended, other) = (EndedSession::dead(), EndedSession::dead());
    let mut running = other.run("sleep 1000; :");
    ended.start_next_session();
    assert!(running.is_running());
}

#[test]
fn a_directory_is_removed_even_if_a_process_still_writes_there() {
    let _alone = alone();
    let ended = EndedSession::dead();
    // A redirection that fails ends the shell if it is that of a built-in command like `:`.
    let mut left = ended.run("while :; do mkdir -p a/b; (: >a/b/c); chmod 0 a; done 2>/dev/null");
    fs::set_permissions(&ended.left, Permissions::from_mode(0o500)).unwrap();
    ended.start_next_session();
    left.assert_was_killed();
}
