//! Processes that belong to no run, and survive all runs of a session and its end.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use boildown_exec::spawn::{Companion, ReapOnDrop};
use boildown_oracle::Outcome::Exited;
use rustix::process::{Pid, Signal, kill_process};

use crate::alone;
use crate::support::{Scene, is_running};

/// A process that is killed when dropped.
struct Stranger(Pid);

impl Stranger {
    /// Returns the process whose id is the next line.
    fn read(output: impl Read) -> Self {
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        let pid = line.trim().parse().ok().and_then(Pid::from_raw);
        Self(pid.unwrap())
    }

    /// Returns whether it has neither ended nor is a zombie.
    fn is_running(&self) -> bool {
        is_running(&self.0.as_raw_nonzero().to_string())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        kill_process(self.0, Signal::KILL).ok();
    }
}

/// A line that starts a service without group, session and environment, and prints its process.
const SERVICE: &str = "env -i setsid sh -c 'exec sleep 1000 <&- >&- 2>&-' & echo $!";

/// Starts a shell that starts the service, and ends when its input is closed.
fn start_service() -> (Child, Stranger) {
    let mut shell = Command::new("sh")
        .args(["-c", &format!("{SERVICE}; read line")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let service = Stranger::read(shell.stdout.take().unwrap());
    (shell, service)
}

/// Makes runs end that have orphans of their own.
fn run_something() {
    let scene = Scene::new("env -i setsid sleep 1000 & exit 3");
    for _ in 0..3 {
        scene.check(Exited(3));
    }
}

#[test]
fn what_the_program_has_started_before_the_session_is_left_alone() {
    let _alone = alone();
    let mut child = Command::new("sleep");
    let mut child = child.arg("1000").process_group(0).spawn().unwrap();
    let mut ended = Command::new("true").process_group(0).spawn().unwrap();
    let (mut shell, service) = start_service();
    let session = ReapOnDrop::begin();
    run_something();
    // The service becomes a child of this program.
    drop(shell.stdin.take());
    shell.wait().unwrap();
    run_something();
    drop(session);
    let is_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_running);
    assert!(service.is_running());
    assert!(ended.wait().unwrap().success());
}

#[test]
fn what_a_companion_leaves_survives_the_session() {
    let _alone = alone();
    let session = ReapOnDrop::begin();
    let (companion, streams) = Companion::start(SERVICE.as_ref()).unwrap();
    let service = Stranger::read(streams.stdout);
    run_something();
    drop((companion, streams.stdin));
    run_something();
    assert!(service.is_running());
    drop(session);
    assert!(service.is_running());
}

#[test]
fn a_session_leaves_the_program_as_it_was() {
    let _alone = alone();
    let state = || {
        let limits = fs::read_to_string("/proc/self/limits").unwrap();
        let subreaper = rustix::process::child_subreaper().unwrap();
        (limits, subreaper)
    };
    let before = state();
    let session = ReapOnDrop::begin();
    let inner = ReapOnDrop::begin();
    run_something();
    drop(inner);
    assert!(rustix::process::child_subreaper().unwrap().is_some());
    run_something();
    drop(session);
    assert_eq!(state(), before);
}
