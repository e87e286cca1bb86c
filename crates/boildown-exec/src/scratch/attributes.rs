//! The attributes of a directory that affect the files that are made in it later.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{RawMode, Stat, fstat};

use super::protection::{extended_attributes, flags, remove_extended_attributes, set_flags};

/// The mode, the owner and the flags of a directory, and the names of its extended attributes;
/// access control lists are among them.
///
/// A run can change those of its directories and of the directory of the session, even in the
/// sandbox. For example, a default access control list can make the candidates of all later runs
/// unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attributes {
    mode: RawMode,
    owner: (u32, u32),
    flags: u32,
    extended: Vec<u8>,
}

impl Attributes {
    /// Reads the attributes of an open directory.
    ///
    /// # Cost
    /// Three system calls on Linux.
    pub(crate) fn read(dir: &OwnedFd) -> io::Result<Self> {
        Self::with_stat(&fstat(dir)?, dir)
    }

    /// Reads the attributes of an open directory that are not in what `stat` has returned.
    pub(super) fn with_stat(stat: &Stat, dir: &OwnedFd) -> io::Result<Self> {
        Ok(Self {
            mode: stat.st_mode,
            owner: (stat.st_uid, stat.st_gid),
            flags: flags(dir),
            extended: extended_attributes(dir)?,
        })
    }

    /// Gives these flags back to an open directory, and removes the extended attributes that it did
    /// not have.
    pub(super) fn restore(&self, dir: &OwnedFd) -> io::Result<()> {
        set_flags(dir, self.flags)?;
        remove_extended_attributes(dir, &self.extended)
    }
}
