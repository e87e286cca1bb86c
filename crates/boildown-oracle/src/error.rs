//! Why a question could not be asked.

use std::io;
use std::path::PathBuf;

/// Why a question could not be asked. Never a verdict: it ends the session, or says that the session ended it.
///
/// Messages are fragments that fit "failed to …"; the system's own words are in the source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The command could not be started at all.
    #[error("start `{program}`: {advice}")]
    Spawn {
        /// The program as it was asked for.
        program: String,
        /// What is wrong with it and what to do.
        advice: String,
        /// What the system said.
        source: io::Error,
    },
    /// The command was started, but the system refused to let us watch or await it.
    #[error("watch over `{program}`")]
    Watch {
        /// The program as it was asked for.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The command survived SIGKILL: it runs as another user, or hangs inside the kernel.
    #[error(
        "kill `{program}` (process {pid}): it may run as another user or hang in a file system; stop it by hand"
    )]
    Unkillable {
        /// The program as it was asked for.
        program: String,
        /// Its process id.
        pid: u32,
    },
    /// The first run says that the command itself is broken, so no verdict of it can be trusted.
    #[error("run `{command}`: {reason}")]
    SetUp {
        /// The command, ready to be pasted into a shell.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or directory of the scratch space could not be made, written or read.
    #[error("{action} {}", path.display())]
    Scratch {
        /// What was tried: "create", "write", "lock" …
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the user could not be read or replaced.
    #[error("{action} {}", path.display())]
    File {
        /// What was tried: "read", "replace" …
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An expectation was not understood.
    #[error("read `{text}` as {wanted}")]
    Expectation {
        /// What the user wrote.
        text: String,
        /// What it should have been.
        wanted: String,
    },
    /// No command was given.
    #[error("run a command: none was given after `--`")]
    NoCommand,
    /// A handle to cancel runs with could not be made.
    #[error("make a cancellation handle")]
    CancelHandle {
        /// What the system said.
        source: io::Error,
    },
    /// The run was stopped through its [`Cancel`](crate::Cancel) handle. Expected, and no fault of the command.
    #[error("finish a run: it was cancelled")]
    Cancelled,
}
