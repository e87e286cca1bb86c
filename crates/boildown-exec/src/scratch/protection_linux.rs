//! Mounts and flags of Linux.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{
    IFlags, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, flistxattr, fremovexattr, fstat,
    ioctl_getflags, ioctl_setflags, openat, openat2, seek,
};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;
use rustix::path::Arg;

/// Opens a directory of the same mount as its parent. Fails with [`Errno::XDEV`] when another file
/// system, or another place of the same one, is mounted there.
pub(crate) fn open_here(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let beneath = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
    match openat2(parent, name, flags, Mode::empty(), beneath) {
        // Linux before 5.6, and containers whose filter does not know the call. There, another
        // place of the same file system is not noticed.
        Err(Errno::NOSYS | Errno::PERM) => {
            let dir = openat(parent, name, flags, Mode::empty())?;
            match fstat(&dir)?.st_dev == fstat(parent)?.st_dev {
                true => Ok(dir),
                false => Err(Errno::XDEV),
            }
        }
        opened => opened,
    }
}

/// Returns whether an open directory has no entries.
pub(in crate::scratch) fn is_empty(dir: BorrowedFd<'_>) -> io::Result<bool> {
    seek(dir, SeekFrom::Start(0))?;
    let mut buffer = [MaybeUninit::uninit(); 1024];
    let mut entries = RawDir::new(dir, &mut buffer);
    while let Some(entry) = entries.next() {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Unmounts what was last mounted at the entry.
pub(in crate::scratch) fn unmount(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    let mut path = format!("/proc/self/fd/{}/", parent.as_raw_fd()).into_bytes();
    path.extend_from_slice(name.into_c_str()?.to_bytes());
    let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
    Ok(rustix::mount::unmount(path, flags)?)
}

/// Returns whether an error can come from a flag that forbids changes.
pub(in crate::scratch) fn is_protected(error: Errno) -> bool {
    error == Errno::PERM
}

/// Clears the flags that forbid changes of an open directory. Only an administrator can set them.
pub(in crate::scratch) fn unprotect(file: impl AsFd) {
    if let Ok(flags) = ioctl_getflags(&file) {
        // If this fails, the removal fails too, and reports it.
        ioctl_setflags(&file, flags - (IFlags::IMMUTABLE | IFlags::APPEND)).ok();
    }
}

/// Clears the flags of an entry and of its directory.
pub(in crate::scratch) fn unprotect_entry(parent: BorrowedFd<'_>, name: impl Arg) {
    unprotect(parent);
    // A pipe or a device must not make us wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if let Ok(file) = openat(parent, name, flags, Mode::empty()) {
        unprotect(file);
    }
}

/// Returns the names of the extended attributes of an open file, each ended by a zero byte. Access
/// control lists are among them.
pub(in crate::scratch) fn extended_attributes(file: impl AsFd) -> io::Result<Vec<u8>> {
    let mut names = [0; 1024];
    match flistxattr(file, &mut names) {
        Ok(length) => Ok(names[..length].to_vec()),
        // A file system without extended attributes.
        Err(Errno::OPNOTSUPP) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Removes the extended attributes of an open file, except those with these names.
pub(in crate::scratch) fn remove_extended_attributes(
    file: impl AsFd,
    kept: &[u8],
) -> io::Result<()> {
    let found = extended_attributes(&file)?;
    let names = |list| <[u8]>::split(list, |byte| *byte == 0).filter(|name| !name.is_empty());
    for name in names(&found).filter(|name| !names(kept).any(|kept| kept == *name)) {
        fremovexattr(&file, name)?;
    }
    Ok(())
}

/// Returns the flags of an open file; none on a file system without flags.
pub(in crate::scratch) fn flags(file: impl AsFd) -> u32 {
    ioctl_getflags(file).map_or(0, |flags| flags.bits())
}

/// Sets the flags of an open file that are not these.
pub(in crate::scratch) fn set_flags(file: impl AsFd, wanted: u32) -> io::Result<()> {
    if flags(&file) != wanted {
        ioctl_setflags(file, IFlags::from_bits_retain(wanted))?;
    }
    Ok(())
}
