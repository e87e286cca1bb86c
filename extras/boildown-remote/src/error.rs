//! Errors of remote execution.

use std::path::PathBuf;

use boildown_oracle::OracleError;
use tonic::{Code, Status};

/// A reason why a service could not run a command.
///
/// Messages are reasons: they follow "failed to run tests on `grpc://host:port`: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The address of a service has another form.
    #[error(
        "`{text}` is no address of a service: write grpc://host:port, or grpcs://host:port with TLS"
    )]
    Address {
        /// What the user wrote.
        text: String,
    },
    /// A file that the connection or the command needs could not be read.
    #[error("{} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Something cannot be sent.
    #[error("{what} cannot be sent: {reason}")]
    Unsendable {
        /// What cannot be sent.
        what: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The connection could not be set up.
    #[error("the connection cannot be set up")]
    SetUp {
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The service cannot run commands as we need it.
    #[error("{problem}")]
    Unsuitable {
        /// What it lacks, and what to do.
        problem: String,
    },
    /// The service did not answer for as long as we wait.
    #[error(
        "it did not answer for {seconds} s ({answer}); when it is back, the same command resumes"
    )]
    Gone {
        /// How long it was tried.
        seconds: u64,
        /// The last error.
        answer: String,
    },
    /// The service refused a request.
    #[error("it refused to {action} ({answer}): {advice}")]
    Refused {
        /// What was requested.
        action: &'static str,
        /// What it answered.
        answer: String,
        /// What to do.
        advice: &'static str,
    },
    /// A worker could not run the command, again and again.
    #[error("{problem}")]
    Broken {
        /// What happened, and what to do.
        problem: String,
    },
    /// The candidate is the program, and cannot be executed.
    #[error("the candidate cannot be executed")]
    NotExecutable,
    /// The run was interrupted.
    #[error("the run was interrupted")]
    Interrupted,
}

impl RemoteError {
    /// Returns the error of an oracle that uses this service.
    #[must_use]
    pub fn of_oracle(self, server: &str) -> OracleError {
        match self {
            Self::Interrupted => OracleError::Interrupted,
            Self::NotExecutable => OracleError::Spawn {
                program: "the candidate".to_owned(),
                advice: "it is neither a binary nor a script".to_owned(),
                source: rustix::io::Errno::NOEXEC.into(),
            },
            error => OracleError::Elsewhere {
                action: format!("run tests on `{server}`"),
                source: Box::new(error),
            },
        }
    }

    pub(crate) fn refused(action: &'static str, status: &Status) -> Self {
        Self::Refused {
            action,
            answer: answer(status),
            advice: advice(status),
        }
    }
}

/// Returns a status on one line.
pub(crate) fn answer(status: &Status) -> String {
    use std::error::Error as _;
    let mut text = format!("{:?}: {}", status.code(), status.message().trim());
    // Such as "connection refused", below several layers that say less.
    let mut cause = status.source();
    while let Some(error) = cause {
        if error.source().is_none() {
            text = format!("{text}: {error}");
        }
        cause = error.source();
    }
    text.replace('\n', " ")
}

/// Returns what to do about a connection that cannot be encrypted; `None` for other statuses.
pub(crate) fn tls_advice(status: &Status) -> Option<&'static str> {
    let answer = answer(status);
    let advice = [
        (
            "InvalidContentType",
            "it does not seem to use TLS; try grpc://",
        ),
        (
            "invalid peer certificate",
            "its certificate is not trusted; name the authority by --remote ca=FILE, and the host as in \
             the certificate",
        ),
        (
            "CertificateRequired",
            "it asks for a certificate; give --remote cert=FILE and --remote key=FILE",
        ),
    ];
    let known = advice.iter().find(|(part, _)| answer.contains(part));
    known.map(|(_, advice)| *advice)
}

/// Returns what to do about a refused request.
fn advice(status: &Status) -> &'static str {
    if let Some(advice) = tls_advice(status) {
        return advice;
    }
    let message = status.message().to_lowercase();
    // Some services report a full disk as an internal error.
    let is_full = ["outofspace", "no space", "quota"]
        .iter()
        .any(|word| message.contains(word));
    match status.code() {
        Code::Internal if is_full => "make room there",
        Code::Unauthenticated => {
            "give --remote token-file=FILE, or --remote cert=FILE with --remote key=FILE"
        }
        Code::PermissionDenied => "ask for permission to execute there",
        Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition => {
            "check instance= and each property= of --remote"
        }
        Code::Unimplemented => "it lacks this part of the Remote Execution API v2",
        Code::ResourceExhausted => "make room there",
        _ => "its log may say more",
    }
}
