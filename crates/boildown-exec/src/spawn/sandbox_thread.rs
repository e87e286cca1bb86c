//! The thread that starts the commands, in a sandbox or not.
//!
//! A thread that enters a sandbox cannot leave it, and its child processes inherit it. So the
//! command is started, in the ordinary way, by a thread in the sandbox. No code of ours runs
//! between `fork` and `exec`, and no other program runs between boildown and the command.

use std::fs::File;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::invocation::Invocation;
use super::launch::Launcher;
use super::limits::Limits;
use super::run_marks::RunMarks;
use super::sandbox::Sandbox;
use super::start::start;
use super::started_process::StartedProcess;
use boildown_oracle::OracleError;

/// The stack size of a thread that starts commands, in bytes: several times what it needs.
const STACK: usize = 256 * 1024;

/// A thread that starts commands, in a sandbox if it has one.
///
/// It has to exist as long as its commands: when a thread ends, its children are handed to another
/// thread, where they could be taken for orphans.
#[derive(Debug)]
pub(crate) struct SandboxThread {
    /// `None` while the thread is being dropped.
    requests: Option<SyncSender<StartRequest>>,
    started: Receiver<Result<StartedProcess, OracleError>>,
    thread: Option<JoinHandle<()>>,
}

/// A request to start a command.
struct StartRequest {
    invocation: Invocation,
    /// An open standard input, in place of that of the invocation.
    stdin: Option<File>,
    limits: Limits,
    marks: RunMarks,
}

impl SandboxThread {
    /// Starts a thread for one run at a time, in the sandbox if there is one. There it may write to
    /// these directories.
    pub(crate) fn new(sandbox: Option<&Sandbox>, dirs: &[&Path]) -> Result<Self, OracleError> {
        let (requests, queue) = sync_channel::<StartRequest>(1);
        let (results, started) = sync_channel(1);
        let (sandbox, dirs): (_, Vec<_>) =
            (sandbox.cloned(), dirs.iter().map(PathBuf::from).collect());
        let work = move || {
            let dirs: Vec<_> = dirs.iter().map(PathBuf::as_path).collect();
            let mut launcher = Launcher::of_this_thread();
            let entered = sandbox
                .as_ref()
                .map_or(Ok(()), |sandbox| sandbox.enter(&dirs));
            if let Err(error) = entered {
                // Sent before the first request, and the channel has space for it.
                results.send(Err(error)).ok();
                return;
            }
            for request in queue {
                let ipc_namespace = sandbox.as_ref().and_then(Sandbox::begin_run);
                let process = start(
                    &mut launcher,
                    &request.invocation,
                    request.stdin,
                    &request.limits,
                    &request.marks,
                );
                let process = process.map(|process| StartedProcess {
                    ipc_namespace,
                    ..process
                });
                if results.send(process).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().stack_size(STACK).spawn(work);
        let thread = thread.map_err(|source| OracleError::Thread { source })?;
        Ok(Self {
            requests: Some(requests),
            started,
            thread: Some(thread),
        })
    }

    /// Starts the command.
    pub(super) fn start(
        &mut self,
        invocation: &Invocation,
        limits: &Limits,
        marks: &RunMarks,
    ) -> Result<StartedProcess, OracleError> {
        self.start_with(None, invocation, limits, marks)
    }

    /// Starts the command with this standard input.
    pub(super) fn start_reading(
        &mut self,
        stdin: File,
        invocation: &Invocation,
        limits: &Limits,
        marks: &RunMarks,
    ) -> Result<StartedProcess, OracleError> {
        self.start_with(Some(stdin), invocation, limits, marks)
    }

    fn start_with(
        &mut self,
        stdin: Option<File>,
        invocation: &Invocation,
        limits: &Limits,
        marks: &RunMarks,
    ) -> Result<StartedProcess, OracleError> {
        if let Some(requests) = &self.requests {
            // Sending fails if the thread ended because it could not enter the sandbox. Its error
            // is received below.
            let request = StartRequest {
                invocation: invocation.clone(),
                stdin,
                limits: limits.clone(),
                marks: marks.clone(),
            };
            requests.send(request).ok();
        }
        self.started.recv().unwrap_or_else(|_| {
            let ended = self.thread.take().map(JoinHandle::join);
            resume_unwind(
                ended
                    .and_then(Result::err)
                    .unwrap_or(Box::new("the thread of a sandbox ended")),
            )
        })
    }
}

impl Drop for SandboxThread {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already passed on by `start`.
            thread.join().ok();
        }
    }
}
