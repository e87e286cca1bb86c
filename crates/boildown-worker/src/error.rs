//! Errors of a worker.

use std::io;

use boildown_oracle::OracleError;

use super::frame::{FrameError, Malformed};

/// Why a worker ended before its client closed the connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// Something else than boildown is at the other end.
    #[error("talk to a client of boildown: it began with `{line}`")]
    NotAClient {
        /// Its first line.
        line: String,
    },
    /// The client sent what is not a frame.
    #[error("read a frame of the client")]
    Frame {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The streams failed.
    #[error("talk to the client")]
    Stream {
        /// The error of the system.
        #[from]
        source: io::Error,
    },
    /// There is no space for runs.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl From<FrameError> for WorkerError {
    fn from(error: FrameError) -> Self {
        Self::Frame {
            source: error.into(),
        }
    }
}

impl From<Malformed> for WorkerError {
    fn from(error: Malformed) -> Self {
        Self::Frame {
            source: error.into(),
        }
    }
}
