//! Systems other than Linux: mounts are recognised by the number of their device.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Dir, Mode, OFlags, fstat, openat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Opens a directory of the same file system as its parent. Fails with [`Errno::XDEV`] when another
/// one is mounted there.
pub(crate) fn open_here(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = openat(parent, name, flags, Mode::empty())?;
    match fstat(&dir)?.st_dev == fstat(parent)?.st_dev {
        true => Ok(dir),
        false => Err(Errno::XDEV),
    }
}

/// Returns whether an open directory has no entries.
pub(in crate::scratch) fn is_empty(dir: BorrowedFd<'_>) -> io::Result<bool> {
    for entry in Dir::read_from(dir)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(in crate::scratch) fn unmount(_: BorrowedFd<'_>, _: impl Arg) -> io::Result<()> {
    Err(io::ErrorKind::ResourceBusy.into())
}

pub(in crate::scratch) fn is_protected(_: Errno) -> bool {
    false
}

pub(in crate::scratch) fn unprotect(_: impl AsFd) {}

pub(in crate::scratch) fn unprotect_entry(_: BorrowedFd<'_>, _: impl Arg) {}

pub(in crate::scratch) fn extended_attributes(_: impl AsFd) -> io::Result<Vec<u8>> {
    Ok(Vec::new())
}

pub(in crate::scratch) fn remove_extended_attributes(_: impl AsFd, _: &[u8]) -> io::Result<()> {
    Ok(())
}

pub(in crate::scratch) fn flags(_: impl AsFd) -> u32 {
    0
}

pub(in crate::scratch) fn set_flags(_: impl AsFd, _: u32) -> io::Result<()> {
    Ok(())
}
