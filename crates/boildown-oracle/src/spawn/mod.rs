//! The one way to run a command.
//!
//! Whatever the command does, a run ends, and nothing of it is left: it gets its own process group, its output is drained
//! while it runs and kept up to a cap, its time is limited, and once it is over its group is killed and the processes that
//! left the group are found and killed too (see [`ReapOnDrop`] for the last of them).

mod limits;
mod output;
mod overuse;
mod ready;
mod running;
mod sandbox;
mod start;
mod survivors;
mod system;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::shell::quote;
use crate::{Cancel, OracleError, Outcome, Run};
use running::{Running, Woken};

pub use limits::Limits;
pub(crate) use sandbox::Cell;
pub use sandbox::{Permissions, Sandbox};
pub use survivors::ReapOnDrop;
pub(crate) use survivors::kill_survivors_of;

/// A command, its directory, and what it reads and prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// An absolute path, or a name to be looked up on the PATH.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The directory it runs in.
    pub current_dir: PathBuf,
    /// What it finds on its standard input.
    pub stdin: Stdin,
    /// Variables added to the environment that it inherits from us.
    pub env: Vec<(OsString, OsString)>,
    /// A directory of its own for temporary files, which it finds as `TMPDIR`.
    pub tmp: Option<PathBuf>,
    /// What we want of its output.
    pub capture: Capture,
}

/// What a command finds on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    Null,
    /// The content of this file.
    File(PathBuf),
}

/// What we want of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// Nothing: it goes to `/dev/null`, which is faster than reading it.
    Nothing,
    /// Both streams, apart, each up to [`Limits::output_cap`].
    Output,
}

/// Displays the command as a line to paste into a shell.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cd {} &&", quote(&self.current_dir))?;
        for (name, value) in &self.env {
            write!(f, " {}={}", name.display(), quote(value))?;
        }
        write!(f, " {}", quote(&self.program))?;
        for arg in &self.args {
            write!(f, " {}", quote(arg))?;
        }
        match &self.stdin {
            Stdin::Null => Ok(()),
            Stdin::File(path) => write!(f, " <{}", quote(path)),
        }
    }
}

/// Runs the command to its end, its time limit or its cancellation, whichever comes first.
///
/// # Guarantee
/// On return, whatever is returned: the command is dead and reaped, so is its process group, so is every process that it
/// started (see [`ReapOnDrop`] for the exceptions), and both pipes are closed. A process outside the group that still holds a pipe
/// open is not waited for.
///
/// # Cost
/// About that of [`std::process::Command::status`]; the child is started with `posix_spawn`. A sandbox costs a thread and about
/// twenty short system calls ([`Runner`](crate::Runner) keeps its for the next run). At most [`Limits::output_cap`] bytes and a buffer are held per stream.
///
/// # Errors
/// [`OracleError::Spawn`] when the command cannot be started, [`OracleError::Cancelled`] when it was stopped through `cancel`,
/// [`OracleError::Unkillable`] when it could not be stopped, [`OracleError::Confine`] when the sandbox could not be entered. A
/// command that fails, crashes or hangs is an `Ok`.
pub fn run(invocation: &Invocation, limits: &Limits, cancel: &Cancel) -> Result<Run, OracleError> {
    run_within(&invocation.current_dir, invocation, limits, cancel)
}

/// Runs the command like [`run`], where a directory that holds its own is what it may write to.
///
/// # Errors
/// As [`run`].
pub fn run_within(
    dir: &Path,
    invocation: &Invocation,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Run, OracleError> {
    let Some(sandbox) = &limits.sandbox else {
        return run_in(None, invocation, limits, cancel);
    };
    let own = [Some(dir), invocation.tmp.as_deref()];
    let own: Vec<_> = own.into_iter().flatten().collect();
    run_in(Some(&mut sandbox.cell(&own)?), invocation, limits, cancel)
}

/// Runs the command like [`run`], in a cell of a sandbox if there is one.
pub(crate) fn run_in(
    cell: Option<&mut Cell>,
    invocation: &Invocation,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Run, OracleError> {
    let started = Instant::now();
    let mut running = Running::start(cell, invocation, limits)?;
    let woken = running.wait_until(started.checked_add(limits.timeout), Some(cancel))?;
    match woken {
        Woken::Exited => {}
        Woken::Deadline | Woken::Cancelled => running.stop(limits.grace)?,
        Woken::Exceeded(_) => running.kill_all()?,
    }
    let took = started.elapsed();
    let finished = running.finish()?;
    let outcome = match woken {
        Woken::Exited => finished.outcome,
        Woken::Deadline => Outcome::TimedOut,
        Woken::Exceeded(resource) => Outcome::Exceeded(resource),
        Woken::Cancelled => return Err(OracleError::Cancelled),
    };
    Ok(Run {
        outcome,
        stdout: finished.stdout,
        stderr: finished.stderr,
        took,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_displays_as_a_line_to_paste() {
        let invocation = Invocation {
            program: "./my tool".into(),
            args: vec!["-c".into(), "it's".into()],
            current_dir: "/tmp/x".into(),
            stdin: Stdin::File("/tmp/x/a.c".into()),
            env: vec![("MODE".into(), "fast run".into())],
            tmp: None,
            capture: Capture::Nothing,
        };
        assert_eq!(
            invocation.to_string(),
            r"cd /tmp/x && MODE='fast run' './my tool' -c 'it'\''s' </tmp/x/a.c"
        );
    }
}
