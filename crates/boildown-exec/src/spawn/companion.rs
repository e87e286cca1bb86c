//! Programs that run beside a session, such as the connection to a worker on another machine.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use boildown_oracle::shell::quote;
use rustix::process::{Pid, Signal, kill_process_group};

use super::adoption;
use super::poll::poll_readable;
use super::started_process::StartedProcess;
use super::system;

/// The time between two looks at the group of a companion that is expected to end.
const PAUSE: Duration = Duration::from_millis(20);

/// The time that a companion has to end after SIGTERM. `srun` needs a second or two: it ends the
/// job on the cluster, which SIGKILL would leave running.
const GRACE: Duration = Duration::from_secs(5);

/// What follows the command in a line of shell: it is asked to end, as with Ctrl-C, when file 3 of
/// the shell is closed. So it ends with the process that started it, however that ends.
const TIED: &str = "</dev/null 3<&- & job=$!; \
    (while read -r line; do :; done; kill -TERM $job) <&3 >/dev/null 2>&1 & watch=$!; \
    exec 3<&-; wait $job; kill $watch";

/// A program that runs beside a session, in a process group of its own. When dropped, it is asked
/// to end, and then killed with its group.
///
/// It is not a run: it has no limits, no sandbox and no directory, and boildown talks to it through
/// its standard streams. What it has started and has left its group is not touched, such as the
/// process of `ssh` that shares a connection.
#[derive(Debug)]
pub struct Companion {
    child: Child,
    /// Polls as readable once the shell has ended. It is not reaped before the companion is
    /// dropped: as long as it is a zombie, no other process or group gets its id.
    exit: OwnedFd,
}

/// The standard streams of a companion.
#[derive(Debug)]
pub struct CompanionStreams {
    /// What boildown writes to.
    pub stdin: ChildStdin,
    /// What boildown reads.
    pub stdout: ChildStdout,
    /// Messages of the program.
    pub stderr: ChildStderr,
}

impl Companion {
    /// Starts a line of shell.
    ///
    /// # Errors
    /// The error of the system when there is no shell, or no process.
    pub fn start(line: &OsStr) -> io::Result<(Self, CompanionStreams)> {
        let mut started = None;
        adoption::start_companion(|cgroup| {
            let mut command = shell(line, cgroup.as_deref());
            let child = started.insert(command.spawn()?);
            Ok(StartedProcess {
                pid: Pid::from_child(child),
                stdout: None,
                stderr: None,
                ipc_namespace: None,
            })
        })?;
        let mut child = started.ok_or(io::ErrorKind::NotFound)?;
        let exit = system::exit_watch(Pid::from_child(&child)).inspect_err(|_| {
            child.kill().ok();
            child.wait().ok();
            adoption::forget_child(Pid::from_child(&child));
        })?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let companion = Self { child, exit };
        match streams {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((
                companion,
                CompanionStreams {
                    stdin,
                    stdout,
                    stderr,
                },
            )),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Starts a program in a directory, without standard input. It is asked to end, by SIGTERM,
    /// when the standard input that is returned here is closed: also by the end of this process.
    ///
    /// # Errors
    /// Those of [`Companion::start`].
    pub fn start_tied(
        program: &Path,
        words: &[String],
        directory: &Path,
    ) -> io::Result<(Self, CompanionStreams)> {
        let words = [quote(program)].into_iter().chain(words.iter().map(quote));
        let command = words.collect::<Vec<_>>().join(" ");
        let directory = quote(directory);
        let line = format!("cd {directory} && exec 3<&0 || exit; {command} {TIED}");
        Self::start(line.as_ref())
    }

    /// Waits for the end of the program, at most this long. Returns whether it has ended.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        poll_readable([Some(self.exit.as_fd())], Some(timeout)).is_ok_and(|[ended]| ended)
    }

    /// Waits for the end of the whole group, at most this long: the shell may end before the
    /// program that it runs.
    fn wait_for_group(&self, timeout: Duration) {
        let group = Pid::from_child(&self.child);
        let started = Instant::now();
        while system::group_is_running(group) && started.elapsed() < timeout {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Returns a shell that runs this line, after it has moved to this control group.
fn shell(line: &OsStr, cgroup: Option<&Path>) -> Command {
    let mut command = Command::new("sh");
    match cgroup {
        // The shell is in the group of the session, and everything in that is killed at its end.
        Some(cgroup) => command
            .args(["-c", r#"{ echo 0 >"$0"; } 2>/dev/null; exec sh -c "$1""#])
            .args([cgroup.join("cgroup.procs").as_os_str(), line]),
        None => command.arg("-c").arg(line),
    };
    command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Drop for Companion {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.child);
        if !self.wait(Duration::ZERO) {
            kill_process_group(group, Signal::TERM).ok();
            self.wait_for_group(GRACE);
        }
        // Also after its own end: others of its group may be left.
        kill_process_group(group, Signal::KILL).ok();
        self.child.wait().ok();
        adoption::forget_child(group);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn a_companion_answers_until_its_input_is_closed() {
        let (mut companion, mut streams) = Companion::start("cat".as_ref()).unwrap();
        streams.stdin.write_all(b"hello").unwrap();
        let mut answer = [0; 5];
        streams.stdout.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"hello");
        drop(streams.stdin);
        assert!(companion.wait(Duration::from_secs(60)));
    }

    #[test]
    fn a_companion_is_asked_to_end_before_it_is_killed() {
        // The shell of the line ends at once.
        let line = r#"sh -c "trap 'sleep 0.1; echo ended; exit' TERM; echo ready; while :; do sleep 0.01; done"; true"#;
        let (companion, mut streams) = Companion::start(line.as_ref()).unwrap();
        let mut ready = [0; 6];
        streams.stdout.read_exact(&mut ready).unwrap();
        drop(companion);
        let mut rest = String::new();
        streams.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "ended\n");
    }

    #[test]
    fn a_companion_that_does_not_end_is_killed_with_its_group() {
        let line = "sleep 1000 & echo started; wait";
        let (companion, mut streams) = Companion::start(line.as_ref()).unwrap();
        let mut started = [0; 8];
        streams.stdout.read_exact(&mut started).unwrap();
        drop(companion);
        // The sleep has the other end open as long as it lives.
        let mut rest = Vec::new();
        streams.stdout.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty());
    }
}
