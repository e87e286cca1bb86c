//! The configuration of a service, and its errors.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What a service works with.
#[derive(Debug)]
pub struct ServiceConfig {
    /// The program of boildown.
    pub program: PathBuf,
    /// The folder of the database, the jobs and the token. It is made if it does not exist.
    pub folder: PathBuf,
    /// The address that clients connect to. Port 0 is any free port.
    pub address: SocketAddr,
    /// The number of jobs that are at work at the same time: at least 1.
    pub at_once: usize,
    /// What a job may take.
    pub quotas: Quotas,
}

impl ServiceConfig {
    /// Returns the folder of the database and the jobs.
    pub(super) fn jobs(&self) -> PathBuf {
        self.folder.join("jobs")
    }
}

/// What a job may take.
#[derive(Debug, Clone)]
pub struct Quotas {
    /// The largest input, in bytes.
    pub input: u64,
    /// The number of jobs that wait; more are refused.
    pub waiting: u32,
    /// The longest time that a job is at work, in seconds.
    pub seconds: u64,
    /// The most tests; `None` for any number.
    pub tests: Option<u64>,
    /// The number of runs of a job at the same time.
    pub runs: usize,
    /// The most memory of a run, as `--memory` of `boildown reduce` takes it; `None` for its
    /// default.
    pub memory: Option<String>,
}

/// Why a service cannot begin, or ended.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// A file or folder of the service.
    #[error("{what} {}", path.display())]
    File {
        /// What was to be done with it.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The database of the jobs.
    #[error("open {}", path.display())]
    Database {
        /// Its file.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        error: rusqlite::Error,
    },
    /// Another service has the folder.
    #[error("serve from {}: another service works there", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The address.
    #[error("listen on {address}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The server cannot run, or not any more.
    #[error("serve")]
    Server(#[source] io::Error),
}

/// Returns the error of a file, from that of the system.
pub(super) fn file_error<'a>(
    what: &'static str,
    path: &'a Path,
) -> impl Fn(io::Error) -> ServiceError + 'a {
    move |error| ServiceError::File {
        what,
        path: path.to_owned(),
        error,
    }
}
