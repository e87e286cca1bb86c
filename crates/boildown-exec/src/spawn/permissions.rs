//! Permissions of a run in a sandbox.

use std::path::PathBuf;

/// Permissions of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Files, and directories with their content, that the run may write to in addition to its own
    /// directories.
    pub writable: Vec<PathBuf>,
    /// Whether the network is closed to the run.
    pub no_network: bool,
}
