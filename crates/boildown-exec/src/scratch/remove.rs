//! Removal of directories, whatever a command did to them.
//!
//! Every file is named relative to an open directory, and no link is followed. So a link in place
//! of a directory does not make us remove anything elsewhere. No file of another mount is removed
//! either: what a command mounted is unmounted.
//!
//! A tree is flattened instead of walked, because it may be deeper than a path can be long and than
//! there are file descriptors. For example, to empty `root`, which holds `a/b/c`: the directory `b`
//! is moved to `root/.lifted-1` and `a` is removed; then `c` is moved to `root/.lifted-2` and
//! `.lifted-1` is removed; and so on, until `root` is empty.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

use super::protection::{is_protected, open_here, unmount, unprotect, unprotect_entry};

/// Removes the file or directory at the path, whatever a command did to it, and no target of a
/// link. The directory that it is in may be behind a link. Succeeds if there is none.
///
/// # Errors
/// Those of the system.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat(CWD, parent, flags, Mode::empty()) {
        Ok(parent) => remove_at(parent.as_fd(), name),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes the file or directory of this name in `parent`, even a directory without permissions.
/// Succeeds if there is none.
pub(crate) fn remove_at(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<()> {
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
fn unlink(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<bool> {
    let unlink = || unlinkat(parent, name, AtFlags::empty());
    let unlinked = match unlink() {
        Err(error) if is_protected(error) => {
            unprotect_entry(parent, name);
            unlink()
        }
        unlinked => unlinked,
    };
    match unlinked {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // The errors of different systems for a directory.
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        // A file that another one is mounted on.
        Err(Errno::BUSY) => {
            unmount(parent, name)?;
            match unlink() {
                Err(Errno::ISDIR | Errno::PERM) => Ok(false),
                unlinked => Ok(unlinked.map(|()| true)?),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory and gives its owner all permissions. What is mounted there is unmounted first,
/// because its files are those of a place elsewhere.
fn open(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let dir = loop {
        match open_here(parent, name) {
            Ok(dir) => break dir,
            Err(Errno::XDEV) => unmount(parent, name)?,
            Err(Errno::ACCESS) => {
                unlock(parent, name)?;
                break open_here(parent, name)?;
            }
            Err(error) => return Err(error.into()),
        }
    };
    // If this fails, the removal fails too, and reports it.
    open_own(&dir).ok();
    Ok(dir)
}

/// Gives the owner of an open directory all permissions, and takes away its protection.
pub(super) fn open_own(dir: impl AsFd) -> io::Result<()> {
    let permit = || fchmod(&dir, Mode::RWXU);
    let permitted = match permit() {
        Err(error) if is_protected(error) => {
            unprotect(&dir);
            permit()
        }
        permitted => permitted,
    };
    Ok(permitted?)
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
pub(crate) fn empty(root: &OwnedFd) -> io::Result<()> {
    empty_except(root, "")
}

/// Removes everything in the directory but the file of this name.
pub(super) fn empty_except(root: &OwnedFd, kept: &str) -> io::Result<()> {
    let mut lifted = 0;
    loop {
        let (mut found_any, mut removed_any) = (false, false);
        let mut last_error = None;
        // An entry that appears while a directory is read may be missed, so the directory is read
        // until it is empty.
        for entry in Dir::read_from(root)? {
            let entry = entry?;
            let name = entry.file_name();
            if is_dots(name) || name.to_bytes() == kept.as_bytes() {
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

    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use rustix::fs::CWD;

    use super::*;

    /// Removes the entry `tree` of a directory.
    fn remove_tree(parent: &Path) {
        let parent = File::open(parent).unwrap();
        remove_at(parent.as_fd(), "tree").unwrap();
    }

    /// Makes a tree with this function, and removes it.
    fn check(make: impl FnOnce(&Path)) {
        let parent = tempfile::tempdir().unwrap();
        let tree = parent.path().join("tree");
        fs::create_dir(&tree).unwrap();
        make(&tree);
        remove_tree(parent.path());
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
        remove_tree(parent.path());

        assert_eq!(
            fs::metadata(&precious).unwrap().permissions().mode() & 0o777,
            0o500
        );
        assert!(precious.join("file").exists());
    }

    #[test]
    fn removing_a_missing_file_succeeds() {
        remove_tree(tempfile::tempdir().unwrap().path());
    }

    /// Runs a program, and returns whether it succeeded.
    fn succeeds(program: &str, args: &[&std::ffi::OsStr]) -> bool {
        let status = std::process::Command::new(program).args(args).status();
        status.is_ok_and(|status| status.success())
    }

    #[test]
    fn a_mount_is_removed_without_its_files() {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::create_dir(elsewhere.path().join("dir")).unwrap();
        fs::write(elsewhere.path().join("dir/file"), "precious").unwrap();
        let bind = |target: &Path, source: &Path| {
            let args = ["--bind".as_ref(), source.as_os_str(), target.as_os_str()];
            if !succeeds("mount", &args) {
                println!("skipped: mounting is not permitted");
            }
        };
        check(|tree| {
            fs::create_dir_all(tree.join("deep/here")).unwrap();
            fs::create_dir(tree.join("twice")).unwrap();
            fs::write(tree.join("name"), "").unwrap();
            bind(&tree.join("deep/here"), elsewhere.path());
            bind(&tree.join("twice"), elsewhere.path());
            bind(&tree.join("twice"), &elsewhere.path().join("dir"));
            bind(&tree.join("name"), &elsewhere.path().join("dir/file"));
        });
        assert_eq!(
            fs::read(elsewhere.path().join("dir/file")).unwrap(),
            b"precious"
        );
    }

    #[test]
    fn files_and_directories_that_are_protected_from_changes_are_removed() {
        check(|tree| {
            fs::create_dir_all(tree.join("a/b")).unwrap();
            fs::write(tree.join("a/b/file"), "x").unwrap();
            for (flag, path) in [("+i", "a/b/file"), ("+a", "a/b"), ("+i", "a")] {
                if !succeeds("chattr", &[flag.as_ref(), tree.join(path).as_os_str()]) {
                    println!("skipped: `chattr {flag}` is not permitted");
                }
            }
        });
    }
}
