//! The two directories `.boildown` and `.boildown/NAME`, and the files in them that are not runs.
//!
//! A directory is accepted when no link leads to it, and when it belongs to this user or to the
//! owner of the directory that the result is in. The inner one must be empty, hold the marker, or
//! hold a run store; versions before the marker left only the latter. No entry of it may be a link.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use boildown_exec::{Access, DirHandle, fsx};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, mkdirat, openat, statat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::identity::DIGEST_LEN;

/// The name of the directory beside the result that holds all run stores.
pub const FOLDER: &str = ".boildown";

/// The name of the file that is locked during a session, and that holds the process id.
pub(super) const LOCK: &str = "lock";

/// The name of the file that says that boildown made the directory.
pub(super) const MARKER: &str = "marker";

/// The name of the file that keeps the stores out of git.
pub(super) const IGNORE: &str = ".gitignore";

/// The name of the file with the salt of the secrets in identities.
pub(super) const SALT: &str = "salt";

/// Whatever is kept is derived from an input, which may be private.
const NEW_FILE_MODE: Mode = Mode::from_raw_mode(0o600);

const NEW_DIR_MODE: Mode = Mode::RWXU;

/// The open directories.
#[derive(Debug)]
pub(super) struct Place {
    /// The directory that the result is in.
    pub(super) parent: OwnedFd,
    /// The directory `.boildown`.
    pub(super) folder: OwnedFd,
    /// The directory `.boildown/NAME`.
    pub(super) dir: OwnedFd,
    path: PathBuf,
}

/// A reason not to use the directories.
#[derive(Debug)]
pub(super) enum PlaceError {
    /// Something else is in their place.
    NotOurs {
        path: PathBuf,
        what: &'static str,
    },
    Io(io::Error),
}

impl<E: Into<io::Error>> From<E> for PlaceError {
    fn from(error: E) -> Self {
        Self::Io(error.into())
    }
}

impl Place {
    /// Opens both directories, and creates them if they are missing.
    pub(super) fn open(folder_path: &Path, name: &OsStr) -> Result<Self, PlaceError> {
        let parent_path = match folder_path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fsx::create_dirs(parent_path, Access::ANY)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let parent = openat(CWD, parent_path, flags, Mode::empty())?;
        let owners = [geteuid().as_raw(), fstat(&parent)?.st_uid];
        let path = folder_path.join(name);
        let folder = open_dir(parent.as_fd(), OsStr::new(FOLDER), folder_path, &owners)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        match openat(&folder, IGNORE, flags, NEW_FILE_MODE) {
            Err(Errno::EXIST) => {}
            created => File::from(created?).write_all(b"*\n")?,
        }
        let dir = open_dir(folder.as_fd(), name, &path, &owners)?;
        let place = Self {
            parent,
            folder,
            dir,
            path,
        };
        place.check(&owners)?;
        Ok(place)
    }

    /// Returns the inner directory, through which files are written to it.
    pub(super) fn handle(&self) -> io::Result<DirHandle> {
        Ok(DirHandle::from_opened(
            self.dir.try_clone()?,
            self.path.clone(),
        ))
    }

    /// Checks that the inner directory holds what boildown writes.
    fn check(&self, owners: &[u32]) -> Result<(), PlaceError> {
        let names = names(&self.dir)?;
        for name in &names {
            let Ok(found) = statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) else {
                // Another run has removed it.
                continue;
            };
            let path = || self.path.join(name.to_string_lossy().as_ref());
            let what = match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile | FileType::Directory => owner_complaint(&found, owners),
                FileType::Symlink => Some("it is a link"),
                _ => Some("it is not a file"),
            };
            if let Some(what) = what {
                return Err(PlaceError::NotOurs { path: path(), what });
            }
        }
        let is_early = |name: &CString| matches!(name.to_bytes(), b"lock" | b"results" | b"salt");
        let is_ours = names.iter().all(is_early)
            || names
                .iter()
                .any(|name| name.to_bytes() == MARKER.as_bytes())
            || names.iter().any(|name| is_store(name.to_bytes()));
        if is_ours {
            return Ok(());
        }
        Err(PlaceError::NotOurs {
            path: self.path.clone(),
            what: "it holds files, but none that boildown has written",
        })
    }

    /// Opens the file to be locked, and creates it if it is missing.
    pub(super) fn open_lock(&self) -> Result<File, PlaceError> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let refused = |what| PlaceError::NotOurs {
            path: self.path.join(LOCK),
            what,
        };
        let file = match openat(&self.dir, LOCK, flags, NEW_FILE_MODE) {
            Err(Errno::LOOP) => return Err(refused("it is a link")),
            opened => opened?,
        };
        let found = fstat(&file)?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        // A file with another name may be one of the user's: its content would be replaced.
        if !is_file || found.st_nlink > 1 {
            return Err(refused("it is not a file of boildown"));
        }
        Ok(file.into())
    }

    /// Writes the marker, if it is missing. The folder must be locked.
    pub(super) fn mark(&self) -> Result<(), PlaceError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        match openat(&self.dir, MARKER, flags, NEW_FILE_MODE) {
            Err(Errno::EXIST) => Ok(()),
            created => Ok(File::from(created?).write_all(b"made by boildown\n")?),
        }
    }

    /// Returns whether no run is stored.
    pub(super) fn is_empty(&self) -> bool {
        let ours = [LOCK, MARKER, SALT].map(str::as_bytes);
        names(&self.dir).is_ok_and(|names| names.iter().all(|name| ours.contains(&name.to_bytes())))
    }
}

/// Opens a directory without following a link, and creates it if it is missing.
fn open_dir(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    path: &Path,
    owners: &[u32],
) -> Result<OwnedFd, PlaceError> {
    match mkdirat(parent, name, NEW_DIR_MODE) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let refused = |what| PlaceError::NotOurs {
        path: path.to_owned(),
        what,
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(parent, name, flags, Mode::empty());
    if opened.is_err() && is_link(parent, name) {
        return Err(refused("it is a link"));
    }
    let opened = opened?;
    let found = fstat(&opened)?;
    if let Some(what) = owner_complaint(&found, owners) {
        return Err(refused(what));
    }
    // Earlier versions made it with the usual permissions.
    let is_ours = found.st_uid == geteuid().as_raw();
    if is_ours && Mode::from_raw_mode(found.st_mode) != Mode::RWXU {
        fchmod(&opened, Mode::RWXU).ok();
    }
    Ok(opened)
}

fn is_link(parent: BorrowedFd<'_>, name: &OsStr) -> bool {
    let found = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

/// Returns whether a file has the name of a run store: the digest of an identity.
fn is_store(name: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = name.split(|&byte| byte == b'.').next().unwrap_or_default();
    digits.len() == DIGEST_LEN
        && digits.iter().all(is_digit)
        && name[DIGEST_LEN..].starts_with(b".db")
}

fn owner_complaint(found: &Stat, owners: &[u32]) -> Option<&'static str> {
    (!owners.contains(&found.st_uid)).then_some("it belongs to another user")
}

/// Returns the names of the entries of a directory.
pub(super) fn names(dir: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::{MAX_RUNS, StoreFolder};
    use crate::StoreError;

    use super::*;

    /// Prepares `.boildown` in a directory beside `outside`, which holds a file and a folder with
    /// eight and more databases. Checks that it is refused for this path, with nothing changed.
    #[track_caller]
    fn check(refused: &str, why: &str, prepare: impl Fn(&Path, &Path)) {
        let parent = tempfile::tempdir().unwrap();
        let (project, outside) = (parent.path().join("project"), parent.path().join("outside"));
        fs::create_dir_all(project.join(FOLDER)).unwrap();
        fs::create_dir_all(outside.join("x")).unwrap();
        fs::write(outside.join("bashrc"), "precious").unwrap();
        for number in 0..MAX_RUNS + 2 {
            fs::write(outside.join(format!("x/{number}.db")), "precious").unwrap();
        }
        prepare(&project, &outside);
        let error = StoreFolder::beside(&project.join("x")).unwrap_err();
        match &error {
            StoreError::NotOurs { path, what } => {
                assert_eq!(path, &project.join(refused));
                assert_eq!(*what, why);
            }
            error => panic!("{error:?}"),
        }
        assert_eq!(fs::read(outside.join("bashrc")).unwrap(), b"precious");
        assert_eq!(
            fs::read_dir(outside.join("x")).unwrap().count(),
            MAX_RUNS + 2
        );
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
    }

    #[test]
    fn a_link_in_place_of_a_directory_is_refused() {
        check(".boildown", "it is a link", |project, outside| {
            fs::remove_dir(project.join(FOLDER)).unwrap();
            symlink(outside, project.join(FOLDER)).unwrap();
        });
        check(".boildown/x", "it is a link", |project, outside| {
            symlink(outside.join("x"), project.join(".boildown/x")).unwrap();
        });
        check(".boildown/x", "it is a link", |project, _| {
            symlink("nowhere", project.join(".boildown/x")).unwrap();
        });
    }

    #[test]
    fn a_link_in_the_directory_is_refused() {
        for name in [
            "lock",
            "marker",
            "others",
            "0123456789abcdef.db",
            "0123456789abcdef.db-wal",
        ] {
            check(
                &format!(".boildown/x/{name}"),
                "it is a link",
                |project, outside| {
                    fs::create_dir(project.join(".boildown/x")).unwrap();
                    symlink(
                        outside.join("bashrc"),
                        project.join(".boildown/x").join(name),
                    )
                    .unwrap();
                },
            );
        }
    }

    #[test]
    fn a_second_name_of_a_file_in_place_of_the_lock_is_refused() {
        check(
            ".boildown/x/lock",
            "it is not a file of boildown",
            |project, outside| {
                fs::create_dir(project.join(".boildown/x")).unwrap();
                let lock = project.join(".boildown/x/lock");
                fs::hard_link(outside.join("bashrc"), lock).unwrap();
            },
        );
    }

    #[test]
    fn a_directory_of_the_user_is_refused() {
        check(
            ".boildown/x",
            "it holds files, but none that boildown has written",
            |project, _| {
                fs::create_dir(project.join(".boildown/x")).unwrap();
                fs::write(project.join(".boildown/x/notes.db"), "").unwrap();
            },
        );
    }

    #[test]
    fn a_store_of_a_version_without_the_marker_is_accepted() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join(".boildown/x");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("0123456789abcdef.db"), "").unwrap();
        let folder = StoreFolder::beside(&parent.path().join("x")).unwrap();
        assert_eq!(folder.files().len(), 1);
        assert!(dir.join(MARKER).exists());
    }
}
