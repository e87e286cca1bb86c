//! Errors that prevent a candidate from being tested.

use std::io;
use std::path::PathBuf;

/// A reason why a candidate could not be tested.
///
/// It is never a verdict. It ends the session, or reports that the session ended the run.
///
/// Messages are fragments that fit "failed to …"; the message of the system is in the source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The command could not be started.
    #[error("start `{program}`: {advice}")]
    Spawn {
        /// The program, as it was written.
        program: String,
        /// What is wrong with it and what to do.
        advice: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The command was started, but the system refused to let us wait for it or read its output.
    #[error("wait for `{program}`")]
    Watch {
        /// The program, as it was written.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The command could not be confined as requested.
    #[error("{action}")]
    Confine {
        /// What was tried, such as "close the network to tests".
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The command survived SIGKILL: it runs as another user, or hangs inside the kernel.
    #[error(
        "kill `{program}` (process {pid}): it may run as another user or hang in a file system; stop it by hand"
    )]
    Unkillable {
        /// The program, as it was written.
        program: String,
        /// Its process id.
        pid: u32,
    },
    /// The first run shows that the command itself is broken, so its verdicts cannot be trusted.
    #[error("run `{command}`: {reason}")]
    SetUp {
        /// The command, ready to be pasted into a shell.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or directory of the scratch space could not be created, written or read.
    #[error("{action} {}", path.display())]
    Scratch {
        /// What was tried: "create", "write", "lock" …
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file of the user could not be read or replaced.
    #[error("{action} {}", path.display())]
    File {
        /// What was tried: "read", "replace" …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file that the command names was modified since the first verdict.
    #[error("compare verdicts: {} was modified since the first one", path.display())]
    Modified {
        /// The file: a script, a program.
        path: PathBuf,
    },
    /// The files of a candidate could not be written.
    #[error("write the files of a candidate")]
    Candidate {
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A candidate could not be run on another machine, nor anywhere else.
    #[error("{action}")]
    Elsewhere {
        /// What was tried: "run candidates on the workers" …
        action: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A script for `git bisect run` asked to stop the search.
    #[error("continue: the script {ended}, which ends a `git bisect run` too")]
    Aborted {
        /// How its run ended.
        ended: String,
    },
    /// The text of an expectation could not be parsed.
    #[error("read `{text}` as {wanted}")]
    Expectation {
        /// What the user wrote.
        text: String,
        /// What was expected: a noun, a colon, and the accepted forms.
        wanted: String,
    },
    /// No command was given.
    #[error("run a command: none was given after `--`")]
    NoCommand,
    /// A thread could not be started.
    #[error(
        "start a thread: the limit on processes and threads is reached (`ulimit -u`, or that of the \
         container), or they are forbidden"
    )]
    Thread {
        /// The error of the system.
        source: io::Error,
    },
    /// An [`Interrupt`](crate::Interrupt) handle could not be created.
    #[error("create an interrupt handle")]
    InterruptHandle {
        /// The error of the system.
        source: io::Error,
    },
    /// The run was stopped through its [`Interrupt`](crate::Interrupt) handle. This is expected and
    /// not a fault of the command.
    #[error("finish a run: it was interrupted")]
    Interrupted,
    /// The time of a run counts, and other runs beside it may have made it longer. It is to be done
    /// again alone.
    #[error("measure the time of a run: others ran beside it")]
    NotAlone,
}

impl OracleError {
    /// Returns whether the file system of the scratch space was full. If other runs were active,
    /// their files may have filled it.
    #[must_use]
    pub fn is_full_disk(&self) -> bool {
        matches!(self, Self::Scratch { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    }

    /// Returns whether the system lacked space, processes, memory, open files or undivided time.
    /// Other runs that were active may have used them up.
    #[must_use]
    pub fn is_shortage(&self) -> bool {
        if matches!(self, Self::NotAlone) {
            return true;
        }
        let (Self::Spawn { source, .. }
        | Self::Watch { source, .. }
        | Self::Confine { source, .. }
        | Self::Scratch { source, .. }
        | Self::Thread { source }
        | Self::InterruptHandle { source }) = self
        else {
            return false;
        };
        // EMFILE and ENFILE have no kind.
        const TOO_MANY_FILES: [i32; 2] = [24, 23];
        let is_files = (source.raw_os_error()).is_some_and(|code| TOO_MANY_FILES.contains(&code));
        is_files
            || matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory
            )
    }
}
