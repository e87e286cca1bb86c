//! A command while it runs: started, watched, stopped, reaped.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::limits::Limits;
use super::output::Stream;
use super::overuse::{self, Overuse};
use super::ready::ready;
use super::survivors::{self, Claim};
use super::{Cell, Invocation, start, system};
use crate::{Cancel, OracleError, Outcome, Resource};

/// How long a process may take to die of SIGKILL. Microseconds in fact, unless it hangs in the kernel or is not ours to kill.
const DEATH: Duration = Duration::from_secs(5);

/// A started command. However it goes out of scope, the command dies first.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    /// The command's process id, which is also its group's. Not reused by the system before `child` is reaped.
    leader: Pid,
    program: String,
    /// Polls as readable once the leader has exited.
    exit: OwnedFd,
    stdout: Stream,
    stderr: Stream,
    claim: Claim,
    /// `None` once it is being stopped.
    overuse: Option<Overuse>,
    reaped: bool,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    Exited,
    Deadline,
    Cancelled,
    Exceeded(Resource),
}

/// What is left of a command that was reaped.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

impl Running {
    pub(super) fn start(
        cell: Option<&mut Cell>,
        invocation: &Invocation,
        limits: &Limits,
    ) -> Result<Self, OracleError> {
        let program = invocation.program.display().to_string();
        let claim = Claim::new();
        let mut child = match cell {
            Some(cell) => cell.start(invocation, limits, &claim)?,
            None => start::start(invocation, limits, &claim)?,
        };
        let leader = Pid::from_child(&child);
        let claim = claim.of_group(leader);
        let stdout = Stream::new(child.stdout.take().map(OwnedFd::from), limits.output_cap);
        let stderr = Stream::new(child.stderr.take().map(OwnedFd::from), limits.output_cap);
        match system::exit_watch(leader) {
            Ok(exit) => Ok(Self {
                child,
                leader,
                program,
                exit,
                stdout,
                stderr,
                claim,
                overuse: Some(Overuse::new(limits)),
                reaped: false,
            }),
            Err(source) => {
                signal_group(leader, Signal::KILL);
                child.wait().ok();
                survivors::forget_direct(leader);
                Err(OracleError::Watch { program, source })
            }
        }
    }

    /// Drains the output until the command exits, the deadline passes, or `cancel` is cancelled.
    pub(super) fn wait_until(
        &mut self,
        deadline: Option<Instant>,
        cancel: Option<&Cancel>,
    ) -> Result<Woken, OracleError> {
        loop {
            let until = |moment: Instant| moment.saturating_duration_since(Instant::now());
            let left = deadline.map(until);
            let looking = self
                .overuse
                .as_ref()
                .map(|overuse| until(overuse.next_look()));
            let watched = [
                Some(self.exit.as_fd()),
                cancel.map(Cancel::as_fd),
                self.stdout.fd(),
                self.stderr.fd(),
            ];
            let [exited, cancelled, more_stdout, more_stderr] =
                ready(watched, left.into_iter().chain(looking).min())
                    .map_err(|source| self.unwatched(source))?;
            if exited {
                return Ok(Woken::Exited);
            }
            if cancelled {
                return Ok(Woken::Cancelled);
            }
            // Also when there is output: a flood of it must not keep the command alive.
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Woken::Deadline);
            }
            if looking.is_some_and(|left| left.is_zero())
                && let Some(overuse) = &mut self.overuse
                && let Some(resource) = overuse.look(self.leader, &self.claim)
            {
                return Ok(Woken::Exceeded(resource));
            }
            for (stream, more) in [
                (&mut self.stdout, more_stdout),
                (&mut self.stderr, more_stderr),
            ] {
                if more {
                    stream.read().map_err(|source| OracleError::Watch {
                        program: self.program.clone(),
                        source,
                    })?;
                }
            }
        }
    }

    /// Stops the command: asks its group to end, waits for the grace period, then kills it.
    pub(super) fn stop(&mut self, grace: Duration) -> Result<(), OracleError> {
        self.overuse = None;
        signal_group(self.leader, Signal::TERM);
        if self.wait_until(Instant::now().checked_add(grace), None)? == Woken::Exited {
            return Ok(());
        }
        self.kill()
    }

    /// Kills all processes of the run, however many they are and however fast they become more.
    pub(super) fn kill_all(&mut self) -> Result<(), OracleError> {
        self.kill()?;
        overuse::kill_all(self.leader, &self.claim);
        Ok(())
    }

    fn kill(&mut self) -> Result<(), OracleError> {
        self.overuse = None;
        signal_group(self.leader, Signal::KILL);
        match self.wait_until(Instant::now().checked_add(DEATH), None)? {
            Woken::Exited => Ok(()),
            Woken::Deadline | Woken::Cancelled | Woken::Exceeded(_) => {
                Err(OracleError::Unkillable {
                    program: self.program.clone(),
                    pid: self.child.id(),
                })
            }
        }
    }

    /// Clears up after a leader that has exited: its group, those who left the group, its output, itself. In that order, for
    /// the group's id is only safe to signal while the leader is not reaped, and output may be held open by survivors.
    pub(super) fn finish(mut self) -> Result<Finished, OracleError> {
        signal_group(self.leader, Signal::KILL);
        survivors::sweep(&self.claim);
        let status = self.reap().map_err(|source| self.unwatched(source))?;
        let none = || Stream::new(None, 0);
        let stdout = std::mem::replace(&mut self.stdout, none())
            .finish()
            .map_err(|source| self.unwatched(source))?;
        let stderr = std::mem::replace(&mut self.stderr, none())
            .finish()
            .map_err(|source| self.unwatched(source))?;
        Ok(Finished {
            outcome: outcome(status),
            stdout,
            stderr,
        })
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait();
        survivors::forget_direct(self.leader);
        self.reaped = true;
        status
    }

    fn unwatched(&self, source: io::Error) -> OracleError {
        OracleError::Watch {
            program: self.program.clone(),
            source,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        match self.kill() {
            Ok(()) => {
                survivors::sweep(&self.claim);
                // The exit status interests nobody any more.
                self.reap().ok();
            }
            // It may die later; as nobody's direct child it is then reaped by a later sweep.
            Err(_) => survivors::forget_direct(self.leader),
        }
    }
}

/// Signals every process of the group. The group may have ended meanwhile, or hold only processes of other users; either shows
/// in what the wait that follows finds.
fn signal_group(leader: Pid, signal: Signal) {
    kill_process_group(leader, signal).ok();
}

fn outcome(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(code), _) => Outcome::Exited(code),
        (None, Some(signal)) => Outcome::Signalled(signal),
        (None, None) => unreachable!("a reaped process has exited or was killed"),
    }
}
