//! Running one command, from its start to its result.

use std::path::Path;
use std::time::Instant;

use super::invocation::Invocation;
use super::limits::Limits;
use super::running::{Running, WakeReason};
use super::sandbox_thread::SandboxThread;
use boildown_oracle::{Interrupt, OracleError, Outcome, Run};

/// Runs the command until it ends, exceeds a limit, or is interrupted.
///
/// # Guarantee
/// On return, also with an error: the command, its process group and every process that it started
/// are dead and reaped (see [`ReapOnDrop`](super::ReapOnDrop) for the exceptions), and both pipes
/// are closed. The call does not wait for a process outside the group that still holds a pipe open.
///
/// # Cost
/// About that of [`std::process::Command::status`]; the child is started with `posix_spawn`, by
/// a thread of its own. A sandbox costs about twenty short system calls;
/// [`Runner`](crate::Runner) uses the thread, in its sandbox, again for the next run. At most
/// [`Limits::output_cap`] bytes and a buffer are held per output stream.
///
/// # Errors
/// * [`OracleError::Spawn`] when the command cannot be started;
/// * [`OracleError::Interrupted`] when `interrupt` was triggered;
/// * [`OracleError::Unkillable`] when the command could not be stopped;
/// * [`OracleError::Confine`] when the sandbox could not be entered.
///
/// A command that fails, crashes or hangs is an `Ok`.
pub fn run(
    invocation: &Invocation,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Result<Run, OracleError> {
    run_within(&invocation.current_dir, invocation, limits, interrupt)
}

/// Runs the command like [`run`], and lets it write to `dir`, which may be a parent of its working
/// directory.
///
/// # Errors
/// As [`run`].
pub fn run_within(
    dir: &Path,
    invocation: &Invocation,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Result<Run, OracleError> {
    let own = [Some(dir), invocation.tmp.as_deref()];
    let own: Vec<_> = own.into_iter().flatten().collect();
    let mut thread = SandboxThread::new(limits.sandbox.as_ref(), &own)?;
    run_in(&mut thread, invocation, limits, interrupt)
}

/// Runs the command like [`run`], started by this thread.
pub(crate) fn run_in(
    thread: &mut SandboxThread,
    invocation: &Invocation,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Result<Run, OracleError> {
    let started = Instant::now();
    let mut running = Running::start(thread, invocation, limits)?;
    let reason = running.wait_until(started.checked_add(limits.timeout), Some(interrupt))?;
    match reason {
        WakeReason::Exited => {}
        WakeReason::Deadline | WakeReason::Interrupted => running.stop(limits.grace)?,
        WakeReason::Exceeded(_) => running.kill_all()?,
    }
    let wall = started.elapsed();
    let finished = running.finish()?;
    if let Some(meter) = &limits.meter {
        meter.record_end(wall, finished.processor);
    }
    let processor = finished.processor.filter(|_| limits.counts_processor_time);
    let took = processor.unwrap_or(wall);
    let outcome = match reason {
        WakeReason::Exited => finished.outcome,
        WakeReason::Deadline => Outcome::TimedOut,
        WakeReason::Exceeded(resource) => Outcome::Exceeded(resource),
        WakeReason::Interrupted => return Err(OracleError::Interrupted),
    };
    Ok(Run {
        outcome,
        stdout: finished.stdout,
        stderr: finished.stderr,
        took,
    })
}
