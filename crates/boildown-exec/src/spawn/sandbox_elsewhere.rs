//! The sandbox of systems other than Linux: there is none.

use std::io;
use std::path::Path;

use crate::spawn::Permissions;
use crate::spawn::started_process::IpcNamespace;
use boildown_oracle::OracleError;

#[derive(Debug)]
pub(super) struct PlatformSandbox;

impl PlatformSandbox {
    pub(super) fn new(permissions: &Permissions) -> Result<Self, OracleError> {
        if permissions.no_network {
            return Err(OracleError::Confine {
                action: "close the network to the command",
                source: io::ErrorKind::Unsupported.into(),
            });
        }
        Ok(Self)
    }

    pub(super) fn gap(&self) -> Option<&'static str> {
        Some(
            "write to every file that you can, signal your processes, leave daemons behind, and use \
             any amount of memory and any number of processes (only Linux can prevent this)",
        )
    }

    pub(super) fn begin_run(&self) -> Option<IpcNamespace> {
        None
    }

    pub(super) fn enter(&self, _: &[&Path]) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether a thread can have System V objects of its own here.
pub(crate) fn has_own_ipc() -> bool {
    false
}
