//! Reductions over HTTP and JSON: a client posts an input and a property, and asks for what became
//! of it, follows the events, or looks at the page.
//!
//! - `config.rs`: what a service works with, and why it ends
//! - `request.rs`: what a client asks for, checked
//! - `queue.rs`: the jobs, in a database of SQLite
//! - `farm.rs`: the folder of the service, and the processes that work on the jobs
//! - `api.rs`, `openapi.json`: the requests
//! - `follow.rs`: the events of a job, as they come
//!
//! The service can be killed at any moment. What was accepted is in the database and on disk; jobs
//! that were at work end with the service, and the next one resumes them from their run stores.

mod api;
mod config;
mod farm;
mod follow;
mod queue;
mod request;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use config::file_error;
pub use config::{Quotas, ServiceConfig, ServiceError};
use farm::Farm;

/// The number of bytes of a token, before they become hexadecimal digits.
const TOKEN: usize = 16;

/// Serves clients until the process ends. `ready` is given the address once clients can connect,
/// and the file with the token that they need.
///
/// # Errors
/// [`ServiceError`] when the service cannot begin. A mistake of a client ends nothing.
pub fn serve_http(
    config: ServiceConfig,
    ready: impl FnOnce(SocketAddr, &Path),
) -> Result<(), ServiceError> {
    let mut builder = fs::DirBuilder::new();
    // The user may have made the folder, and others may read it: they cannot read the jobs.
    let jobs = config.jobs();
    let made = builder.recursive(true).mode(0o700).create(&jobs);
    made.map_err(file_error("make", &jobs))?;
    let _lock = lock(&config.folder)?;
    let token_file = config.folder.join("token");
    let token = token(&token_file).map_err(file_error("read", &token_file))?;
    let address = config.address;
    let in_address = |error| ServiceError::Address { address, error };
    let listener = std::net::TcpListener::bind(address).map_err(in_address)?;
    listener.set_nonblocking(true).map_err(in_address)?;
    let bound = listener.local_addr().map_err(in_address)?;
    let farm = Farm::open(config)?;
    farm.fill();
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build();
    runtime.map_err(ServiceError::Server)?.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(in_address)?;
        ready(bound, &token_file);
        let served = axum::serve(listener, api::router(farm, token)).await;
        served.map_err(ServiceError::Server)
    })
}

/// Makes this process the only service that works in a folder, until it ends.
fn lock(folder: &Path) -> Result<File, ServiceError> {
    let path = folder.join("lock");
    let opened = OpenOptions::new().create(true).append(true).open(&path);
    let file = opened.map_err(file_error("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(ServiceError::InUse {
            path: folder.to_owned(),
        }),
        Err(fs::TryLockError::Error(error)) => Err(file_error("lock", &path)(error)),
    }
}

/// Returns the token in a file, which only this user may read. It is made if it does not exist.
fn token(path: &Path) -> io::Result<String> {
    match fs::read_to_string(path) {
        Ok(token) if token.trim().len() >= TOKEN => return Ok(token.trim().to_owned()),
        Ok(_) => {
            let message = format!("its token has less than {TOKEN} characters");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    let mut bytes = [0; TOKEN];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{token}")?;
    file.sync_all()?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let made = token(&path).unwrap();
        assert_eq!(made.len(), 2 * TOKEN);
        assert_eq!(token(&path).unwrap(), made);
        fs::write(&path, "short\n").unwrap();
        token(&path).unwrap_err();
    }

    #[test]
    fn one_service_has_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let first = lock(folder.path()).unwrap();
        lock(folder.path()).unwrap_err();
        drop(first);
        lock(folder.path()).unwrap();
    }
}
