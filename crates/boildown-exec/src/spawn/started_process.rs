//! A process that was started.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::process::{Pid, WaitOptions, waitpid};

/// The number of an IPC namespace. No two namespaces that exist have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IpcNamespace(pub(super) u64);

/// A process that was started, and the reading ends of its output if that is captured.
#[derive(Debug)]
pub(super) struct StartedProcess {
    pub(super) pid: Pid,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// The IPC namespace that its run has for itself.
    pub(super) ipc_namespace: Option<IpcNamespace>,
}

impl StartedProcess {
    /// Waits for the end of the process, and reaps it.
    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        let wait = || waitpid(Some(self.pid), WaitOptions::empty());
        let ended = rustix::io::retry_on_intr(wait)?;
        let (_, status) = ended.ok_or(io::ErrorKind::NotFound)?;
        Ok(ExitStatus::from_raw(status.as_raw()))
    }
}
