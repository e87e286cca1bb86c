//! Atomic replacement of files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use boildown_oracle::OracleError;

/// Permissions of a new file, before the umask of the user is applied.
const NEW_FILE_MODE: u32 = 0o666;

/// Replaces the content of a file in one step: a reader sees either all old bytes or all new bytes,
/// even if this process is killed during the call.
///
/// Keeps the permissions of an existing file. Follows no link: a link at the path is itself
/// replaced, so a link that a command puts there does not redirect the write. [`resolve_link`]
/// follows a link that the user had there before. Does not wait for the disk, so it can be called
/// often.
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
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), OracleError> {
    write(path, bytes, Durability::Process)
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
pub fn write_durable(path: &Path, bytes: &[u8]) -> Result<(), OracleError> {
    write(path, bytes, Durability::Power)
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

fn write(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), OracleError> {
    replace(path, bytes, durability).map_err(|source| OracleError::File {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

fn replace(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let directory = directory_of(path);
    // The temporary file has the same name each time, so the next write removes what a killed
    // process left behind. It is opened and written directly, because tempfile adds the temporary
    // path to errors.
    let name = path.file_name().unwrap_or_default();
    let digest = blake3::hash(name.as_encoded_bytes()).to_hex();
    let temporary = tempfile::Builder::new()
        .prefix(".boildown-")
        .suffix(&digest[..16])
        .rand_bytes(0)
        .make_in(directory, |path| {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(NEW_FILE_MODE)
                .open(path)
        })?;
    let mut file = temporary.as_file();
    if let Ok(existing) = fs::symlink_metadata(path)
        && existing.is_file()
    {
        file.set_permissions(existing.permissions())?;
    }
    file.write_all(bytes)?;
    if durability == Durability::Power {
        file.sync_data()?;
    }
    temporary.persist(path).map_err(|error| error.error)?;
    match durability {
        Durability::Process => Ok(()),
        Durability::Power => sync_directory(directory),
    }
}

/// Waits until the entries of the directory are on the disk, if the file system supports that.
fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // The directory is writable but not readable, or its file system does not sync directories.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn the_next_write_removes_the_temporary_file_of_a_killed_process() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let digest = blake3::hash(b"out").to_hex();
        let left = dir.path().join(format!(".boildown-{}", &digest[..16]));
        fs::write(&left, "half").unwrap();
        write_atomic(&path, b"whole").unwrap();
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

            write(&path, b"new").unwrap();

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
        write_atomic(&dir.path().join("ours"), b"").unwrap();
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
        write_atomic(&resolved, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");

        let precious = dir.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        fs::remove_file(&target).unwrap();
        symlink("precious", &target).unwrap();
        for write in [write_atomic, write_durable] {
            write(&resolved, b"newer").unwrap();
            assert_eq!(fs::read(&precious).unwrap(), b"precious");
            assert_eq!(fs::read(&target).unwrap(), b"newer");
        }
    }

    #[test]
    fn an_error_names_the_path_once_and_leaves_no_temporary_file() {
        let error = write_atomic(Path::new("/nonexistent/dir/file"), b"").unwrap_err();
        assert_eq!(error.to_string(), "write /nonexistent/dir/file");
        assert_eq!(
            error.source().unwrap().to_string(),
            "No such file or directory (os error 2)"
        );

        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("taken")).unwrap();
        write_atomic(&dir.path().join("taken"), b"").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
