//! The sandbox of a run: it cannot write outside its own directories, signal other processes, or
//! use the network.

use std::path::Path;
use std::sync::Arc;

use super::permissions::Permissions;
use super::started_process::IpcNamespace;
use boildown_oracle::OracleError;

#[cfg_attr(target_os = "linux", path = "sandbox_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "sandbox_elsewhere.rs")]
mod system;

pub(crate) use system::has_own_ipc;

/// A sandbox for runs. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<SharedSandbox>);

#[derive(Debug)]
struct SharedSandbox {
    permissions: Permissions,
    system: system::PlatformSandbox,
}

impl Sandbox {
    /// Prepares a sandbox, as far as the system supports one.
    ///
    /// # Errors
    /// [`OracleError::File`] when a writable path does not exist, [`OracleError::Confine`] when the
    /// network is to be closed and the system does not support that.
    pub fn new(permissions: &Permissions) -> Result<Self, OracleError> {
        Ok(Self(Arc::new(SharedSandbox {
            permissions: permissions.clone(),
            system: system::PlatformSandbox::new(permissions)?,
        })))
    }

    /// Returns what the sandbox permits.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.0.permissions
    }

    /// Returns what the system cannot prevent, as the end of a sentence that begins with "a test
    /// can". `None` when the sandbox is complete.
    #[must_use]
    pub fn gap(&self) -> Option<&'static str> {
        self.0.system.gap()
    }

    /// Puts the current thread into the sandbox, for good. It may write to these directories.
    pub(super) fn enter(&self, dirs: &[&Path]) -> Result<(), OracleError> {
        self.0
            .system
            .enter(dirs)
            .map_err(|source| OracleError::Confine {
                action: "confine the command to its directories",
                source,
            })
    }

    /// Gives the commands that the current thread starts from now on System V objects and message
    /// queues of their own, which end with them. Returns their namespace, if the system permits it.
    pub(super) fn begin_run(&self) -> Option<IpcNamespace> {
        self.0.system.begin_run()
    }

    /// Returns whether both are the same sandbox.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
