//! Removal of directories, whatever a command did to them.
//!
//! Every file is named relative to an open directory, and no link is followed. So a link in place
//! of a directory does not make us remove anything elsewhere.
//!
//! A tree is flattened instead of walked, because it may be deeper than a path can be long and than
//! there are file descriptors. For example, to empty `root`, which holds `a/b/c`: the directory `b`
//! is moved to `root/.lifted-1` and `a` is removed; then `c` is moved to `root/.lifted-2` and
//! `.lifted-1` is removed; and so on, until `root` is empty.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Removes the file or directory at the path. Succeeds if there is none.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    remove_at(CWD, path)
}

/// Removes the file or directory of this name in `parent`, even a directory without permissions.
/// Succeeds if there is none.
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

/// Removes an entry that is not a directory. Returns whether it is gone; `false` for a directory.
fn unlink(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<bool> {
    match unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // The errors of different systems for a directory.
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory and gives its owner all permissions.
fn open(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = match openat(parent, name, flags | OFlags::RDONLY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            unlock(parent, name)?;
            openat(parent, name, flags | OFlags::RDONLY, Mode::empty())?
        }
        opened => opened?,
    };
    // If this fails, the removal fails too, and reports it.
    fchmod(&dir, Mode::RWXU).ok();
    Ok(dir)
}

/// Gives the owner all permissions on a directory that may not be opened for reading.
#[cfg(target_os = "linux")]
fn unlock(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::PermissionsExt as _;

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = openat(parent, name, flags, Mode::empty())?;
    // No system call changes the permissions of a directory that was opened with O_PATH, but its
    // entry in /proc leads to that very directory.
    let entry = format!("/proc/self/fd/{}", dir.as_raw_fd());
    set_permissions(entry, Permissions::from_mode(0o700))
}

/// Gives the owner all permissions on a directory that may not be opened for reading.
#[cfg(not(target_os = "linux"))]
fn unlock(parent: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    Ok(rustix::fs::chmodat(
        parent,
        name,
        Mode::RWXU,
        AtFlags::SYMLINK_NOFOLLOW,
    )?)
}

/// Removes everything in the directory, by lifting the content of its directories up to it.
pub(super) fn empty(root: &OwnedFd) -> io::Result<()> {
    let mut lifted = 0;
    loop {
        let (mut found_any, mut removed_any) = (false, false);
        let mut last_error = None;
        // An entry that appears while a directory is read may be missed, so the directory is read
        // until it is empty.
        for entry in Dir::read_from(root)? {
            let entry = entry?;
            let name = entry.file_name();
            if is_dots(name) {
                continue;
            }
            found_any = true;
            match remove_entry(root.as_fd(), name, &mut lifted) {
                Ok(()) => removed_any = true,
                Err(error) => last_error = Some(error),
            }
        }
        match (found_any, removed_any, last_error) {
            (false, _, _) => return Ok(()),
            (true, false, Some(error)) => return Err(error),
            _ => {}
        }
    }
}

/// Removes one entry of `root`, after lifting the directories in it up to `root`. `lifted` numbers
/// the lifted directories.
fn remove_entry(root: BorrowedFd<'_>, name: &CStr, lifted: &mut u64) -> io::Result<()> {
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
        // Moving a directory to another parent needs permission to write to it, because its `..`
        // changes. Opening it gives that permission.
        drop(open(dir.as_fd(), inner)?);
        loop {
            *lifted += 1;
            let name = format!(".lifted-{lifted}");
            match renameat(&dir, inner, root, &name) {
                // The name exists already.
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

    /// Makes a tree with this function, and removes it.
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
    fn names_with_any_bytes_and_names_of_lifted_directories_are_removed() {
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
    fn a_tree_deeper_than_the_longest_path_is_removed() {
        check(|tree| {
            let mut dir = openat(CWD, tree, OFlags::DIRECTORY, Mode::empty()).unwrap();
            for _ in 0..3000 {
                rustix::fs::mkdirat(&dir, "deeper", Mode::RWXU).unwrap();
                dir = openat(&dir, "deeper", OFlags::DIRECTORY, Mode::empty()).unwrap();
            }
        });
    }

    #[test]
    fn thousands_of_files_are_removed() {
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
    fn a_link_is_removed_without_its_target() {
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
    fn removing_a_missing_file_succeeds() {
        remove_tree(Path::new("/nonexistent/nothing")).unwrap();
    }
}
