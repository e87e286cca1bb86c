//! Protection of files from removal, and of files elsewhere: mounts, and flags such as "immutable".

#[cfg_attr(target_os = "linux", path = "protection_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "protection_elsewhere.rs")]
mod system;

pub(crate) use system::*;
