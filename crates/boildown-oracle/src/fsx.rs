//! Files written once, whole.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::OracleError;

/// Permissions of a file that did not exist before, less the user's umask.
const NEW_FILE_MODE: u32 = 0o666;

/// Replaces the file's content as one step: whoever reads it sees the old bytes or the new ones, whole, also after a power cut.
///
/// Keeps the permissions of an existing file, and writes through a symbolic link.
///
/// # Errors
/// [`OracleError::File`] when the directory does not exist, is not writable or full; the old content is then untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), OracleError> {
    replace(path, bytes).map_err(|source| OracleError::File {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A rename would replace a symbolic link by a plain file.
    let target = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        resolved => resolved?,
    };
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".boildown-")
        .permissions(Permissions::from_mode(NEW_FILE_MODE))
        .tempfile_in(directory)?;
    if let Ok(existing) = fs::metadata(&target) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.write_all(bytes)?;
    // Some file systems otherwise make the rename durable before the data.
    file.as_file().sync_data()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_permissions_of_an_existing_file_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("script.sh");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();

        write_atomic(&path, b"new").unwrap();

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
    fn a_symbolic_link_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        fs::write(dir.path().join("target"), "old").unwrap();
        symlink("target", &link).unwrap();

        write_atomic(&link, b"new").unwrap();

        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(dir.path().join("target")).unwrap(), b"new");
    }

    #[test]
    fn an_error_names_the_path_and_leaves_the_directory_clean() {
        let error = write_atomic(Path::new("/nonexistent/dir/file"), b"").unwrap_err();
        assert_eq!(error.to_string(), "write /nonexistent/dir/file");

        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("taken")).unwrap();
        write_atomic(&dir.path().join("taken"), b"").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
