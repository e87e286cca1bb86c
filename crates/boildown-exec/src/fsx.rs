//! Atomic replacement of files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use boildown_oracle::OracleError;
use rustix::fs::{FileType, Gid, Stat, Uid, fchown, fstat};

use crate::access::Access;
use crate::dir_handle::DirHandle;

/// Replaces the content of a file in one step: a reader sees either all old bytes or all new bytes,
/// even if this process is killed during the call.
///
/// Permits no more than `access`. Keeps the permissions of an existing file otherwise, and its
/// owner where the system lets us; set-id bits are dropped where it does not. Follows no link: a
/// link at the path is itself replaced, so a link that a command puts there does not redirect the
/// write. [`resolve_link`] follows a link that the user had there before. Does not wait for the
/// disk, so it can be called often.
///
/// # After a power failure
/// The system writes to the disk seconds later. The content after a power failure depends on the
/// file system:
/// * ext4 with default mount options (`auto_da_alloc`, `data=ordered`) writes the data of a file
///   that replaces another one before the rename: all old bytes or all new bytes. This does not
///   hold for a new file, nor for mounts with `noauto_da_alloc` or `data=writeback`.
/// * XFS does not order data and rename: the old bytes, the new bytes, or a file that is empty or
///   too short, with the old bytes lost.
///
/// Use [`write_durable`] for content that must not be lost.
///
/// # Errors
/// [`OracleError::File`] when the directory does not exist, is not writable or is full. The old
/// content is unchanged then.
pub fn write_atomic(path: &Path, bytes: &[u8], access: Access) -> Result<(), OracleError> {
    write(path, bytes, access, Durability::Process)
}

/// Replaces the content of a file like [`write_atomic`], and returns when the new content is on the
/// disk.
///
/// On every file system, a power failure during the call leaves all old bytes or all new bytes; a
/// power failure after it leaves the new bytes.
///
/// # Cost
/// A wait for the disk, at least milliseconds.
///
/// # Errors
/// [`OracleError::File`] as [`write_atomic`], and when the disk fails; the content may have been
/// replaced then.
pub fn write_durable(path: &Path, bytes: &[u8], access: Access) -> Result<(), OracleError> {
    write(path, bytes, access, Durability::Power)
}

/// Replaces the content of a file in an open directory as [`write_atomic`] does. No link leads
/// elsewhere.
///
/// # Errors
/// Those of the system. The old content is unchanged then.
pub fn write_in(dir: &DirHandle, name: &OsStr, bytes: &[u8], access: Access) -> io::Result<()> {
    replace(dir, name, bytes, access, Durability::Process)
}

/// Opens a directory at a path of the user's choice. Creates it and those above it where they are
/// missing, with permissions for what is derived from an input.
///
/// # Errors
/// Those of the system.
pub fn create_dirs(path: &Path, access: Access) -> io::Result<DirHandle> {
    match DirHandle::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let parent = create_dirs(directory_of(path), access)?;
    parent.subdirectory_for(name, access)
}

/// Renames a file or a directory. No link in place of either is followed.
///
/// # Errors
/// Those of the system.
pub fn rename(path: &Path, to: &Path) -> io::Result<()> {
    let (Some(from_name), Some(to_name)) = (path.file_name(), to.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let to_dir = DirHandle::open(directory_of(to))?;
    DirHandle::open(directory_of(path))?.rename_to(from_name, &to_dir, to_name)
}

/// Gives a file a second name, which no other file has: it stays when the first one is given to
/// another file.
///
/// Where the file system has no second names, or the second one is on another file system, a copy
/// gets the name. It has the content, the permissions and the time of the file, and the owner as
/// far as the system lets us.
///
/// # Errors
/// Those of the system, also when there is a file with the second name.
pub fn keep_as(path: &Path, second: &Path) -> io::Result<()> {
    let name = |path: &'_ Path| Some(path.file_name()?.to_owned());
    let (Some(first_name), Some(second_name)) = (name(path), name(second)) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let dir = DirHandle::open(directory_of(path))?;
    let other_dir = DirHandle::open(directory_of(second))?;
    match dir.add_name(&first_name, &other_dir, &second_name) {
        Ok(()) => return other_dir.sync().or(Ok(())),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    let existing = dir.status(&first_name).ok_or(io::ErrorKind::NotFound)?;
    let content = dir.read_file(&first_name)?;
    let time = dir.open_file(&first_name)?.metadata()?.modified()?;
    let copy = other_dir.write_new(&second_name, &content, Access::OWNER)?;
    be_like(&copy, &existing, Access::ANY)?;
    copy.set_modified(time)?;
    copy.sync_all()
}

/// Replaces the content of a program as [`write_in`] does: its readers may execute it.
///
/// # Errors
/// As there.
pub fn write_program_in(
    dir: &DirHandle,
    name: &OsStr,
    bytes: &[u8],
    access: Access,
) -> io::Result<()> {
    write_in(dir, name, bytes, access)?;
    let file = dir.open_file(name)?;
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Returns the target of the path if it is a link now, else the path itself.
///
/// Writing to the returned path follows the link that the user has, and no link that is put there
/// later.
#[must_use]
pub fn resolve_link(path: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    let target = is_link.then(|| fs::canonicalize(path).ok()).flatten();
    target.unwrap_or_else(|| path.to_owned())
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The event that new content survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// The end of this process.
    Process,
    /// A power failure.
    Power,
}

fn write(
    path: &Path,
    bytes: &[u8],
    access: Access,
    durability: Durability,
) -> Result<(), OracleError> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename);
    let written = name.map_err(io::Error::from).and_then(|name| {
        let dir = DirHandle::open(directory_of(path))?;
        replace(&dir, name, bytes, access, durability)
    });
    written.map_err(|source| OracleError::File {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

fn replace(
    dir: &DirHandle,
    name: &OsStr,
    bytes: &[u8],
    access: Access,
    durability: Durability,
) -> io::Result<()> {
    // The temporary file has the same name each time, so the next write removes what a killed
    // process left behind.
    let digest = blake3::hash(name.as_encoded_bytes()).to_hex();
    let temporary = OsString::from(format!(".boildown-{}", &digest[..16]));
    dir.unlink(&temporary)?;
    let existing = dir.status(name).filter(is_regular);
    let write = || {
        let access_of_new = match existing {
            // It gets its permissions when it has its owner.
            Some(_) => Access::OWNER,
            None => access,
        };
        let file = dir.write_new(&temporary, bytes, access_of_new)?;
        if let Some(existing) = &existing {
            be_like(&file, existing, access)?;
        }
        if durability == Durability::Power {
            file.sync_data()?;
        }
        dir.rename(&temporary, name)
    };
    write().inspect_err(|_| {
        dir.unlink(&temporary).ok();
    })?;
    match durability {
        Durability::Process => Ok(()),
        Durability::Power => sync_directory(dir),
    }
}

fn is_regular(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

/// Gives a file the owner and the permissions of the file that it replaces, as far as `access` and
/// the system permit.
///
/// A set-id bit would run the file as its owner, so it goes when that is another one; and the
/// members of another group are like all others.
fn be_like(file: &File, existing: &Stat, access: Access) -> io::Result<()> {
    let ours = fstat(file)?;
    if (ours.st_uid, ours.st_gid) != (existing.st_uid, existing.st_gid) {
        let [uid, gid] = [existing.st_uid, existing.st_gid];
        let (uid, gid) = (Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
        // Only root may give files away, but members of a group may give theirs to it.
        if fchown(file, uid, gid).is_err() {
            fchown(file, None, gid).ok();
        }
    }
    let ours = fstat(file)?;
    let mode = access.existing_file(kept_mode(existing, &ours), ours.st_gid);
    file.set_permissions(Permissions::from_mode(mode))
}

/// Returns the permissions of a file that a file of ours may have.
fn kept_mode(existing: &Stat, ours: &Stat) -> u32 {
    let mut mode = widened(existing.st_mode) & 0o7777;
    if ours.st_uid != existing.st_uid {
        mode &= !0o6000;
    }
    if ours.st_gid != existing.st_gid {
        mode &= !0o2070 | (mode & 0o007) << 3;
    }
    mode
}

/// Returns the mode of a file in the width of the standard library. Not all systems have that one.
fn widened(mode: impl Into<u32>) -> u32 {
    mode.into()
}

/// Waits until the entries of the directory are on the disk, if the file system supports that.
fn sync_directory(directory: &DirHandle) -> io::Result<()> {
    match directory.sync() {
        // The directory is writable but not readable, or its file system does not sync directories.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput
            ) || error.raw_os_error() == Some(rustix::io::Errno::BADF.raw_os_error()) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::os::unix::fs::{MetadataExt as _, chown, symlink};

    use super::*;

    #[test]
    fn the_next_write_removes_the_temporary_file_of_a_killed_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let digest = blake3::hash(b"out").to_hex();
        let left = dir.path().join(format!(".boildown-{}", &digest[..16]));
        fs::write(&left, "half").unwrap();
        write_atomic(&path, b"whole", Access::ANY).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(!left.exists());
    }

    #[test]
    fn the_permissions_of_an_existing_file_are_preserved() {
        for write in [write_atomic, write_durable] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("script.sh");
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();

            write(&path, b"new", Access::ANY).unwrap();

            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o751
            );
            assert_eq!(
                fs::read_dir(dir.path()).unwrap().count(),
                1,
                "the temporary file is removed"
            );
        }
    }

    #[test]
    fn a_new_file_gets_the_usual_permissions() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("ordinary"), "").unwrap();
        write_atomic(&dir.path().join("ours"), b"", Access::ANY).unwrap();
        let mode = |name| {
            fs::metadata(dir.path().join(name))
                .unwrap()
                .permissions()
                .mode()
        };
        assert_eq!(mode("ours"), mode("ordinary"));
    }

    #[test]
    fn only_a_link_that_was_resolved_before_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (link, target) = (dir.path().join("link"), dir.path().join("target"));
        fs::write(&target, "old").unwrap();
        symlink("target", &link).unwrap();

        let resolved = resolve_link(&link);
        write_atomic(&resolved, b"new", Access::ANY).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");

        let precious = dir.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        fs::remove_file(&target).unwrap();
        symlink("precious", &target).unwrap();
        for write in [write_atomic, write_durable] {
            write(&resolved, b"newer", Access::ANY).unwrap();
            assert_eq!(fs::read(&precious).unwrap(), b"precious");
            assert_eq!(fs::read(&target).unwrap(), b"newer");
        }
    }

    #[test]
    fn an_error_names_the_path_once_and_leaves_no_temporary_file() {
        let error = write_atomic(Path::new("/nonexistent/dir/file"), b"", Access::ANY).unwrap_err();
        assert_eq!(error.to_string(), "write /nonexistent/dir/file");
        assert_eq!(
            error.source().unwrap().to_string(),
            "No such file or directory (os error 2)"
        );

        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("taken")).unwrap();
        write_atomic(&dir.path().join("taken"), b"", Access::ANY).unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
    #[test]
    fn a_file_permits_no_more_than_what_it_is_derived_from() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        write_atomic(&path, b"", Access::OWNER).unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o4755)).unwrap();
        write_atomic(&path, b"", Access::from_mode(0o644)).unwrap();
        assert_eq!(mode(), 0o755);
        write_durable(&path, b"", Access::OWNER).unwrap();
        assert_eq!(mode(), 0o700);
    }

    #[test]
    fn the_owner_of_an_existing_file_is_kept_with_its_set_id_bits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        fs::write(&path, "old").unwrap();
        if chown(&path, Some(12345), Some(54321)).is_err() {
            println!("skipped: only root gives files away");
            return;
        }
        fs::set_permissions(&path, Permissions::from_mode(0o6755)).unwrap();
        write_atomic(&path, b"new", Access::ANY).unwrap();
        let found = fs::metadata(&path).unwrap();
        assert_eq!((found.uid(), found.gid()), (12345, 54321));
        assert_eq!(found.mode() & 0o7777, 0o6755);
    }

    #[test]
    fn set_id_bits_go_where_the_owner_cannot_be_kept() {
        let stat = |uid, gid, mode| {
            let mut stat = rustix::fs::stat("/").unwrap();
            (stat.st_uid, stat.st_gid, stat.st_mode) = (uid, gid, mode);
            stat
        };
        let existing = stat(7, 8, 0o106_754);
        for (uid, gid, mode) in [(7, 8, 0o6754), (0, 8, 0o754), (7, 0, 0o4744), (0, 0, 0o744)] {
            assert_eq!(
                kept_mode(&existing, &stat(uid, gid, 0o100_600)),
                mode,
                "{uid}:{gid}"
            );
        }
    }
}
