//! A command while it runs: it is started, monitored, stopped and reaped.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::adoption;
use super::escaped;
use super::invocation::Invocation;
use super::limits::Limits;
use super::output::OutputStream;
use super::poll::poll_readable;
use super::resource_monitor::{self, ResourceMonitor};
use super::run_marks::{ActiveRun, RunMarks};
use super::sandbox_thread::SandboxThread;
use super::started_process::StartedProcess;
use super::system;
use crate::cpu_time::cpu_time_of;
use boildown_oracle::{Interrupt, OracleError, Outcome, Resource};

/// The longest time that a process may take to die of SIGKILL. Usually it takes microseconds,
/// unless the process hangs in the kernel or runs as another user.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// A started command. Dropping it kills the command.
#[derive(Debug)]
pub(super) struct Running {
    process: StartedProcess,
    /// The process id of the command, which is also the id of its group. The system does not reuse
    /// it before `process` is reaped.
    leader: Pid,
    program: String,
    /// Polls as readable once the leader has exited.
    exit: OwnedFd,
    stdout: OutputStream,
    stderr: OutputStream,
    marks: RunMarks,
    active: ActiveRun,
    /// `None` once the command is being stopped.
    monitor: Option<ResourceMonitor>,
    counts_processor_time: bool,
    reaped: bool,
}

/// The reason why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WakeReason {
    Exited,
    Deadline,
    Interrupted,
    Exceeded(Resource),
}

/// The results of a command that was reaped.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// The processor time that it used, if it is asked for and the system says it.
    pub(super) processor: Option<Duration>,
}

impl Running {
    pub(super) fn start(
        thread: &mut SandboxThread,
        invocation: &Invocation,
        limits: &Limits,
    ) -> Result<Self, OracleError> {
        let program = invocation.program.display().to_string();
        let marks = RunMarks::new();
        let active = ActiveRun::begin();
        let mut process = thread.start(invocation, limits, &marks)?;
        let leader = process.pid;
        let marks = marks.with_process(&process);
        let stdout = OutputStream::new(process.stdout.take(), limits.output_cap);
        let stderr = OutputStream::new(process.stderr.take(), limits.output_cap);
        match system::exit_watch(leader) {
            Ok(exit) => Ok(Self {
                process,
                leader,
                program,
                exit,
                stdout,
                stderr,
                marks,
                active,
                monitor: Some(ResourceMonitor::new(limits)),
                counts_processor_time: limits.counts_processor_time || limits.meter.is_some(),
                reaped: false,
            }),
            Err(source) => {
                signal_group(leader, Signal::KILL);
                process.wait().ok();
                adoption::forget_child(leader);
                Err(OracleError::Watch { program, source })
            }
        }
    }

    /// Reads the output until the command exits, the deadline passes, a limit is exceeded, or
    /// `interrupt` is triggered.
    pub(super) fn wait_until(
        &mut self,
        deadline: Option<Instant>,
        interrupt: Option<&Interrupt>,
    ) -> Result<WakeReason, OracleError> {
        loop {
            let until = |moment: Instant| moment.saturating_duration_since(Instant::now());
            let until_deadline = deadline.map(until);
            let until_check = self
                .monitor
                .as_ref()
                .map(|monitor| until(monitor.next_check()));
            let watched = [
                Some(self.exit.as_fd()),
                interrupt.map(Interrupt::as_fd),
                self.stdout.fd(),
                self.stderr.fd(),
            ];
            let [exited, interrupted, more_stdout, more_stderr] =
                poll_readable(watched, until_deadline.into_iter().chain(until_check).min())
                    .map_err(|source| self.watch_error(source))?;
            if exited {
                return Ok(WakeReason::Exited);
            }
            if interrupted {
                return Ok(WakeReason::Interrupted);
            }
            // Checked even when there is output: endless output must not extend the time limit.
            if until_deadline.is_some_and(|left| left.is_zero()) {
                return Ok(WakeReason::Deadline);
            }
            if until_check.is_some_and(|left| left.is_zero())
                && let Some(monitor) = &mut self.monitor
                && let Some(resource) = monitor.check(self.leader, &self.marks)
            {
                return Ok(WakeReason::Exceeded(resource));
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

    /// Stops the command: sends SIGTERM to its group, waits for the grace period, then kills it.
    pub(super) fn stop(&mut self, grace: Duration) -> Result<(), OracleError> {
        self.monitor = None;
        signal_group(self.leader, Signal::TERM);
        if self.wait_until(Instant::now().checked_add(grace), None)? == WakeReason::Exited {
            return Ok(());
        }
        self.kill()
    }

    /// Kills all processes of the run, even if they start new ones continuously.
    pub(super) fn kill_all(&mut self) -> Result<(), OracleError> {
        self.kill()?;
        resource_monitor::kill_all(self.leader, &self.marks);
        Ok(())
    }

    fn kill(&mut self) -> Result<(), OracleError> {
        self.monitor = None;
        signal_group(self.leader, Signal::KILL);
        match self.wait_until(Instant::now().checked_add(KILL_TIMEOUT), None)? {
            WakeReason::Exited => Ok(()),
            WakeReason::Deadline | WakeReason::Interrupted | WakeReason::Exceeded(_) => {
                Err(OracleError::Unkillable {
                    program: self.program.clone(),
                    pid: self.leader.as_raw_nonzero().get().unsigned_abs(),
                })
            }
        }
    }

    /// Cleans up after a leader that has exited, and returns the results.
    ///
    /// The order matters: kills the group, kills escaped processes, reaps the leader, reads the
    /// rest of the output. The id of the group may only be signalled while the leader is not
    /// reaped, and escaped processes may hold the output open.
    pub(super) fn finish(mut self) -> Result<Finished, OracleError> {
        signal_group(self.leader, Signal::KILL);
        escaped::sweep(&self.marks, &self.active);
        let processor = match self.counts_processor_time {
            true => cpu_time_of(self.leader),
            false => None,
        };
        let status = self.reap().map_err(|source| self.watch_error(source))?;
        let none = || OutputStream::new(None, 0);
        let stdout = std::mem::replace(&mut self.stdout, none())
            .finish()
            .map_err(|source| self.watch_error(source))?;
        let stderr = std::mem::replace(&mut self.stderr, none())
            .finish()
            .map_err(|source| self.watch_error(source))?;
        Ok(Finished {
            outcome: outcome(status),
            stdout,
            stderr,
            processor,
        })
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.process.wait();
        adoption::forget_child(self.leader);
        self.reaped = true;
        status
    }

    fn watch_error(&self, source: io::Error) -> OracleError {
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
                escaped::sweep(&self.marks, &self.active);
                // The exit status is not needed any more.
                self.reap().ok();
            }
            // It may die later; because it is no longer recorded, a later sweep reaps it then.
            Err(_) => adoption::forget_child(self.leader),
        }
    }
}

/// Signals every process of the group. Errors are ignored: the group may have ended, or may hold
/// only processes of other users; the wait that follows detects both.
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
