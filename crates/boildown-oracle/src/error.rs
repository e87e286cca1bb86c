//! Why a question could not be asked.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

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
    /// The command could not be confined as was asked for.
    #[error("keep tests {what}")]
    Confine {
        /// From what.
        what: &'static str,
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
    /// The files of a candidate could not be made.
    #[error("make the files of a candidate")]
    Candidate {
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A script for `git bisect run` asked for the end.
    #[error("go on: the script {ended}, which ends a `git bisect run` too")]
    Aborted {
        /// How its run ended.
        ended: String,
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

impl OracleError {
    /// Returns whether the place where commands run was full. When others ran beside, it may have been theirs.
    #[must_use]
    pub fn is_full_disk(&self) -> bool {
        matches!(self, Self::Scratch { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    }

    /// Returns whether the system found the program's file to be none that it can execute, as opposed to being out of
    /// processes, memory or descriptors at the moment.
    #[must_use]
    pub fn is_no_program(&self) -> bool {
        let Self::Spawn { source, .. } = self else {
            return false;
        };
        Errno::from_io_error(source).is_some_and(|error| {
            // Neither a binary nor `#!`; a binary with impossible headers, or cut short.
            matches!(error, Errno::NOEXEC | Errno::INVAL | Errno::IO)
            // What stands after `#!`, or the loader: missing, not executable, no path at all.
            || matches!(error, Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG)
            || BROKEN.contains(&error)
        })
    }
}

/// What else this system says of a broken binary: here, that its loader is none.
#[cfg(target_os = "linux")]
const BROKEN: &[Errno] = &[Errno::LIBBAD];

/// What else this system says of a broken binary: here EBADEXEC, EBADARCH and EBADMACHO, that it is damaged or for another processor.
#[cfg(target_vendor = "apple")]
const BROKEN: &[Errno] = &[
    Errno::from_raw_os_error(85),
    Errno::from_raw_os_error(86),
    Errno::from_raw_os_error(88),
];

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
const BROKEN: &[Errno] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_program_is_told_from_a_system_that_is_out_of_something() {
        let spawn = |errno: Errno| OracleError::Spawn {
            program: String::new(),
            advice: String::new(),
            source: errno.into(),
        };
        for errno in [Errno::NOEXEC, Errno::NOENT, Errno::ACCESS] {
            assert!(spawn(errno).is_no_program(), "{errno}");
        }
        for errno in [
            Errno::AGAIN,
            Errno::NOMEM,
            Errno::MFILE,
            Errno::NFILE,
            Errno::TXTBSY,
            Errno::TOOBIG,
        ] {
            assert!(!spawn(errno).is_no_program(), "{errno}");
        }
        assert!(!OracleError::Cancelled.is_no_program());
    }
}
