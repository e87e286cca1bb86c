//! No sandbox, where the system is not Linux.

use std::io;
use std::path::Path;

use super::Permissions;
use crate::OracleError;

#[derive(Debug)]
pub(super) struct Sandbox;

impl Sandbox {
    pub(super) fn new(permissions: &Permissions) -> Result<Self, OracleError> {
        if permissions.no_network {
            return Err(OracleError::Confine {
                what: "from the network",
                source: io::ErrorKind::Unsupported.into(),
            });
        }
        Ok(Self)
    }

    pub(super) fn gap(&self) -> Option<&'static str> {
        Some(
            "write wherever you may, signal processes of yours, leave daemons, and take any memory and any number of processes (only Linux can prevent that)",
        )
    }

    pub(super) fn enter(&self, _: &[&Path]) -> io::Result<()> {
        Ok(())
    }
}
