//! Errors of remote execution.

use std::path::PathBuf;

use tonic::{Code, Status};

/// A reason why a service could not run a command.
///
/// Messages are fragments that fit "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The address of a service has another form.
    #[error("read `{text}` as a service: write grpc://host:port, or grpcs://host:port with TLS")]
    Address {
        /// What the user wrote.
        text: String,
    },
    /// A file that the connection needs could not be read.
    #[error("read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Something that the command needs cannot be sent.
    #[error("send {what}: {reason}")]
    Unsendable {
        /// What cannot be sent.
        what: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The connection could not be set up.
    #[error("set up the connection to {server}")]
    SetUp {
        /// The address.
        server: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The service cannot run commands as we need it.
    #[error("run tests on {server}: {problem}")]
    Unsuitable {
        /// The address.
        server: String,
        /// What it lacks, and what to do.
        problem: String,
    },
    /// The service did not answer for as long as we wait.
    #[error("reach {server}: no answer for {seconds} s; run the command again when it is back")]
    Gone {
        /// The address.
        server: String,
        /// How long it was tried.
        seconds: u64,
        /// The last error.
        source: Box<Status>,
    },
    /// The service refused a request.
    #[error("{action} on {server}: {advice}")]
    Refused {
        /// The address.
        server: String,
        /// What was requested.
        action: &'static str,
        /// What to do.
        advice: &'static str,
        /// What it answered.
        source: Box<Status>,
    },
    /// A worker could not run the command, again and again.
    #[error("run a test on {server}: {problem}")]
    Broken {
        /// The address.
        server: String,
        /// What happened, and what to do.
        problem: String,
    },
    /// The run was interrupted.
    #[error("finish a run: it was interrupted")]
    Interrupted,
}

/// Returns what to do about a refused request.
pub(crate) fn advice(code: Code) -> &'static str {
    match code {
        Code::Unauthenticated => {
            "it does not know who asks; give --remote-token-file, or --remote-cert with --remote-key"
        }
        Code::PermissionDenied => "the account may not do that; ask who runs it",
        Code::NotFound | Code::InvalidArgument => {
            "check --remote-instance and each --remote-property"
        }
        Code::FailedPrecondition => "check each --remote-property",
        Code::Unimplemented => "it lacks a part of the Remote Execution API v2",
        Code::ResourceExhausted => "it has no room left; free some, or wait",
        _ => "see its log",
    }
}
