//! Files written once, whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::OracleError;

/// Permissions of a file that did not exist before, less the user's umask.
const NEW_FILE_MODE: u32 = 0o666;

/// Replaces the file's content as one step: whoever reads it sees the old bytes or the new ones, whole, also when this process
/// is killed in the middle.
///
/// Keeps the permissions of an existing file. Follows no link: whatever has that name is replaced, so nobody who puts a link there
/// has us write elsewhere ([`settle`] follows those that the user has there before). Waits for no disk, so it may be called often.
///
/// # After a power cut
/// The system writes to the disk when it likes, seconds later. What is found then depends on the file system:
/// * ext4 as it is mounted by default (`auto_da_alloc`, `data=ordered`) writes the data of a file that replaces another before
///   the rename: the old bytes or the new ones, whole. That does not hold for a file that replaces none, nor for mounts with
///   `noauto_da_alloc` or `data=writeback`.
/// * XFS promises no order of data and rename: the old bytes, the new ones, or a file of no or too few bytes, and the old ones
///   are gone.
///
/// Call [`write_durable`] for a content that must not be lost.
///
/// # Errors
/// [`OracleError::File`] when the directory does not exist, is not writable or full; the old content is then untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), OracleError> {
    write(path, bytes, Durability::Process)
}

/// Replaces the file's content like [`write_atomic`], and returns when the new content is on the disk: from then on a power cut
/// leaves it whole, and one before that leaves the old bytes or the new ones, whole, on every file system.
///
/// Takes as long as the disk does, milliseconds at least.
///
/// # Errors
/// [`OracleError::File`] as [`write_atomic`] does, and when the disk fails, maybe after the content was replaced.
pub fn write_durable(path: &Path, bytes: &[u8]) -> Result<(), OracleError> {
    write(path, bytes, Durability::Power)
}

/// Returns the path, or what it leads to if it is a link at the moment: for writing there from now on, whatever is put in its place.
#[must_use]
pub fn settle(path: &Path) -> PathBuf {
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

/// What a new content survives the loss of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    Process,
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
    // Of the same name each time, so that what a kill leaves behind goes with the next writing. Opened and written by hand, for
    // tempfile adds the temporary path to the system's words.
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

/// Waits until the directory's entries are on the disk, as far as that can be asked for.
fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // It may be written but not read, or its file system syncs no directories.
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
    fn what_a_kill_left_behind_goes_with_the_next_writing() {
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
    fn the_permissions_of_an_existing_file_are_kept() {
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
                "the temporary file is gone"
            );
        }
    }

    #[test]
    fn a_new_file_gets_the_permissions_any_program_would_give_it() {
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
    fn a_link_that_was_there_before_is_followed_and_one_that_comes_later_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (link, target) = (dir.path().join("link"), dir.path().join("target"));
        fs::write(&target, "old").unwrap();
        symlink("target", &link).unwrap();

        let settled = settle(&link);
        write_atomic(&settled, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");

        let precious = dir.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        fs::remove_file(&target).unwrap();
        symlink("precious", &target).unwrap();
        for write in [write_atomic, write_durable] {
            write(&settled, b"newer").unwrap();
            assert_eq!(fs::read(&precious).unwrap(), b"precious");
            assert_eq!(fs::read(&target).unwrap(), b"newer");
        }
    }

    #[test]
    fn an_error_names_the_path_once_and_leaves_the_directory_clean() {
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
