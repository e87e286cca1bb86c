//! The start of a process: its session, its standard streams and its environment.

use std::fs::File;
use std::io;
use std::thread;

use super::invocation::Invocation;
use super::started_process::StartedProcess;

#[cfg_attr(target_os = "linux", path = "launch_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "launch_elsewhere.rs")]
mod system;
#[path = "launch_with_std.rs"]
mod with_std;

/// A thread that starts processes, and whether it has a working directory of its own. Only then can
/// it start them in sessions of their own without code between `fork` and `exec`: the safe
/// interface of `posix_spawn` sets no working directory.
#[derive(Debug)]
pub(super) enum Launcher {
    /// The process has no controlling terminal, and inherits no file but its standard streams.
    OwnSession(Box<system::OwnSession>),
    /// The process has a process group of its own.
    OwnGroup,
}

impl Launcher {
    /// Prepares the current thread, which starts nothing else.
    pub(super) fn of_this_thread() -> Self {
        system::OwnSession::of_this_thread().map_or(Self::OwnGroup, |session| {
            Self::OwnSession(Box::new(session))
        })
    }

    /// Starts a process with this standard input, and one more environment variable.
    pub(super) fn launch(
        &mut self,
        invocation: &Invocation,
        variable: &str,
        stdin: &File,
    ) -> io::Result<StartedProcess> {
        match self {
            Self::OwnSession(session) => session.launch(invocation, variable, stdin),
            Self::OwnGroup => with_std::launch(invocation, variable, stdin),
        }
    }
}

/// Returns whether commands are started in sessions of their own here.
pub(crate) fn has_own_sessions() -> bool {
    let has_one = || matches!(Launcher::of_this_thread(), Launcher::OwnSession(_));
    let thread = thread::Builder::new().spawn(has_one);
    thread.is_ok_and(|thread| thread.join().is_ok_and(|has_one| has_one))
}
