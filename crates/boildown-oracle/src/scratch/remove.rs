//! Removing directories whatever a command did to them.
//!
//! Everything is named relative to an open directory and no link is followed, so nothing that was put in the place of a
//! directory leads us elsewhere. A tree is flattened, not descended into: it may be deeper than a path can be long, or than
//! there are file descriptors.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Removes what is at the path. It is fine if nothing is there.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    remove_at(CWD, path)
}

/// Removes what has this name in the directory, be it a directory in which we have no rights. It is fine if nothing is there.
pub(super) fn remove_at(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<()> {
    if unlink(parent, name)? {
        return Ok(());
    }
    let dir = open(parent, name)?;
    empty(&dir)?;
    match unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes what is no directory. Returns whether there is nothing left to do.
fn unlink(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<bool> {
    match unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // What systems say of a directory.
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory and takes every right on it.
fn open(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = match openat(parent, name, flags | OFlags::RDONLY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            unlock(parent, name)?;
            openat(parent, name, flags | OFlags::RDONLY, Mode::empty())?
        }
        opened => opened?,
    };
    // What fails here fails again, and is reported, when removing.
    fchmod(&dir, Mode::RWXU).ok();
    Ok(dir)
}

/// Takes every right on a directory that may not be opened for reading.
#[cfg(target_os = "linux")]
fn unlock(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::PermissionsExt as _;

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(parent, name, flags, Mode::empty())?;
    // No system call changes the rights of what is open like this, but its entry here leads to that very directory.
    let entry = format!("/proc/self/fd/{}", place.as_raw_fd());
    set_permissions(entry, Permissions::from_mode(0o700))
}

/// Takes every right on a directory that may not be opened for reading.
#[cfg(not(target_os = "linux"))]
fn unlock(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    Ok(rustix::fs::chmodat(
        parent,
        name,
        Mode::RWXU,
        AtFlags::SYMLINK_NOFOLLOW,
    )?)
}

/// Removes everything in the directory: directories lift what they hold up here and go.
pub(super) fn empty(root: &OwnedFd) -> io::Result<()> {
    let mut lifted = 0;
    loop {
        let (mut found, mut gone) = (false, false);
        let mut failed = None;
        // What appears while a directory is read may or may not be read: look until nothing is there.
        for entry in Dir::read_from(root)? {
            let entry = entry?;
            let name = entry.file_name();
            if is_dots(name) {
                continue;
            }
            found = true;
            match empty_out(root.as_fd(), name, &mut lifted) {
                Ok(()) => gone = true,
                Err(error) => failed = Some(error),
            }
        }
        match (found, gone, failed) {
            (false, _, _) => return Ok(()),
            (true, false, Some(error)) => return Err(error),
            _ => {}
        }
    }
}

/// Removes one entry of `root`, after lifting the directories in it up to `root`.
fn empty_out(root: BorrowedFd<'_>, name: &CStr, lifted: &mut u64) -> io::Result<()> {
    if unlink(root, name)? {
        return Ok(());
    }
    let dir = open(root, name)?;
    for entry in Dir::read_from(&dir)? {
        let entry = entry?;
        let inner = entry.file_name();
        if is_dots(inner) || unlink(dir.as_fd(), inner)? {
            continue;
        }
        // A directory that changes its parent is written to: its `..` changes.
        drop(open(dir.as_fd(), inner)?);
        loop {
            *lifted += 1;
            let name = format!(".lifted-{lifted}");
            match renameat(&dir, inner, root, &name) {
                // There is such a name already.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                renamed => break renamed?,
            }
        }
    }
    Ok(unlinkat(root, name, AtFlags::REMOVEDIR)?)
}

fn is_dots(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Makes a tree by this function and removes it.
    fn check(make: impl FnOnce(&Path)) {
        let parent = tempfile::tempdir().unwrap();
        let tree = parent.path().join("tree");
        fs::create_dir(&tree).unwrap();
        make(&tree);
        remove_tree(&tree).unwrap();
        assert!(tree.symlink_metadata().is_err());
    }

    #[test]
    fn directories_without_any_permission_are_removed() {
        check(|tree| {
            fs::create_dir_all(tree.join("a/b")).unwrap();
            fs::write(tree.join("a/b/file"), "x").unwrap();
            for dir in ["a/b", "a", ""] {
                fs::set_permissions(tree.join(dir), Permissions::from_mode(0o000)).unwrap();
            }
        });
    }

    #[test]
    fn names_of_all_bytes_and_those_that_we_would_use_are_removed() {
        check(|tree| {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt as _;
            for name in [
                &b"-rf"[..],
                b"a b\n\xff",
                b"...",
                b".lifted-1",
                b".lifted-2",
            ] {
                let dir = tree.join(OsStr::from_bytes(name));
                fs::create_dir_all(dir.join("inner/most")).unwrap();
                fs::write(dir.join("inner/file"), "x").unwrap();
            }
        });
    }

    #[test]
    fn a_tree_deeper_than_a_path_is_long_and_than_there_are_descriptors_is_removed() {
        check(|tree| {
            let mut dir = openat(CWD, tree, OFlags::DIRECTORY, Mode::empty()).unwrap();
            for _ in 0..3000 {
                rustix::fs::mkdirat(&dir, "deeper", Mode::RWXU).unwrap();
                dir = openat(&dir, "deeper", OFlags::DIRECTORY, Mode::empty()).unwrap();
            }
        });
    }

    #[test]
    fn many_thousand_files_are_removed() {
        check(|tree| {
            for number in 0..20_000 {
                fs::write(tree.join(number.to_string()), "").unwrap();
            }
            for number in 0..500 {
                fs::create_dir(tree.join(format!("dir{number}"))).unwrap();
                fs::write(tree.join(format!("dir{number}/file")), "").unwrap();
            }
        });
    }

    #[test]
    fn a_link_is_removed_and_its_target_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let precious = parent.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), "x").unwrap();
        fs::set_permissions(&precious, Permissions::from_mode(0o500)).unwrap();
        check(|tree| {
            symlink(&precious, tree.join("link")).unwrap();
            fs::create_dir(tree.join("dir")).unwrap();
            symlink(&precious, tree.join("dir/link")).unwrap();
            fs::remove_dir_all(tree.join("dir")).unwrap();
            symlink(&precious, tree.join("dir")).unwrap();
        });
        let tree = parent.path().join("tree");
        symlink(&precious, &tree).unwrap();
        remove_tree(&tree).unwrap();

        assert_eq!(
            fs::metadata(&precious).unwrap().permissions().mode() & 0o777,
            0o500
        );
        assert!(precious.join("file").exists());
    }

    #[test]
    fn nothing_is_easily_removed() {
        remove_tree(Path::new("/nonexistent/nothing")).unwrap();
    }
}
