//! The one way to run a command.
//!
//! Whatever the command does, a run ends, and nothing of it is left: it gets its own process group, its output is drained
//! while it runs and kept up to a cap, its time is limited, and once it is over its group is killed and the processes that
//! left the group are found and killed too (see [`ReapOnDrop`] for the last of them).

mod linux;
mod output;
mod ready;
mod running;
mod start;
mod survivors;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::shell::quote;
use crate::{Cancel, OracleError, Outcome, Run};
use running::{Running, Woken};

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

/// How much a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time after which the command is stopped. [`Duration::MAX`] means no limit.
    pub timeout: Duration,
    /// Time between the request to stop (SIGTERM) and the end (SIGKILL).
    pub grace: Duration,
    /// Bytes kept of each output stream: the first half of it and the last; the middle is thrown away while it comes.
    pub output_cap: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(300),
            grace: Duration::from_millis(150),
            output_cap: 1 << 20,
        }
    }
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
/// started and that kept its environment, and both pipes are closed. A process outside the group that still holds a pipe open
/// is not waited for.
///
/// # Cost
/// About that of [`std::process::Command::status`]; the child is started with `posix_spawn`. At most [`Limits::output_cap`]
/// bytes and a buffer are held per stream.
///
/// # Errors
/// [`OracleError::Spawn`] when the command cannot be started, [`OracleError::Cancelled`] when it was stopped through `cancel`,
/// [`OracleError::Unkillable`] when it could not be stopped. A command that fails, crashes or hangs is an `Ok`.
pub fn run(invocation: &Invocation, limits: &Limits, cancel: &Cancel) -> Result<Run, OracleError> {
    let started = Instant::now();
    let mut running = Running::start(invocation, limits.output_cap)?;
    let woken = running.wait_until(started.checked_add(limits.timeout), Some(cancel))?;
    if woken != Woken::Exited {
        running.stop(limits.grace)?;
    }
    let took = started.elapsed();
    let finished = running.finish()?;
    let outcome = match woken {
        Woken::Exited => finished.outcome,
        Woken::Deadline => Outcome::TimedOut,
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
            capture: Capture::Nothing,
        };
        assert_eq!(
            invocation.to_string(),
            r"cd /tmp/x && MODE='fast run' './my tool' -c 'it'\''s' </tmp/x/a.c"
        );
    }
}
