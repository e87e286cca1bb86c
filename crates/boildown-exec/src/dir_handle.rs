//! A directory that is changed through a handle: the one way in which boildown writes below
//! directories that others can change.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawMode, Stat, fchmod, fstat, linkat, mkdirat, openat,
    renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::getegid;

use crate::access::Access;
use crate::scratch::{open_here, remove_at};

/// A directory that is open, and through which the files in it and below are changed.
///
/// Nothing is named by its whole path, and no link and no mount is followed. A command that
/// replaces a directory by a link therefore does not redirect what we do there. Methods that take a
/// name take the name of one entry, and refuse everything else;
/// [`subdirectory`](Self::subdirectory) leads to deeper ones.
#[derive(Debug)]
pub struct DirHandle {
    dir: OwnedFd,
    path: PathBuf,
}

/// Metadata of an entry of a directory. Two of the same file are equal until it is changed or
/// replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryStamp {
    inode: i128,
    size: i128,
    mode: RawMode,
    modified: (i128, i128),
}

impl From<Stat> for EntryStamp {
    fn from(stat: Stat) -> Self {
        Self {
            inode: stat.st_ino.into(),
            size: stat.st_size.into(),
            mode: stat.st_mode,
            modified: (stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        }
    }
}

impl DirHandle {
    /// Opens a directory, to which links may lead: its path is of the user's choice.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let named = match path.as_os_str().is_empty() {
            true => Path::new("."),
            false => path,
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = match openat(CWD, named, flags, Mode::empty()) {
            // A directory that may be written but not read.
            #[cfg(target_os = "linux")]
            Err(Errno::ACCESS) => openat(CWD, named, flags | OFlags::PATH, Mode::empty())?,
            opened => opened?,
        };
        Ok(Self::from_opened(dir, path.to_owned()))
    }

    /// Returns the handle of a directory that was opened before. Messages name it by this path.
    #[must_use]
    pub fn from_opened(dir: OwnedFd, path: PathBuf) -> Self {
        Self { dir, path }
    }

    /// Creates a directory that is accessible to its owner only, and opens it. The directory that
    /// it is in may be behind a link.
    ///
    /// # Errors
    /// Those of the system, also when the directory exists.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        mkdirat(CWD, &path, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = openat(CWD, &path, flags, Mode::empty())?;
        Ok(Self { dir, path })
    }

    /// Returns the path of the directory when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether this directory is still the one at its path.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let named = statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW);
        named
            .and_then(|named| Ok((named, fstat(&self.dir)?)))
            .is_ok_and(|(named, ours)| (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino))
    }

    /// Opens a directory below this one; the empty path is this one. Returns `None` when there is
    /// none, also when it or a directory above it is a link, a file or a mount.
    ///
    /// # Errors
    /// Those of the system, also when the path leads out of this directory.
    pub fn subdirectory(&self, path: &Path) -> io::Result<Option<Self>> {
        let mut dir = open_here(self.dir.as_fd(), ".")?;
        for name in names(path) {
            match open_here(dir.as_fd(), name?) {
                Ok(opened) => dir = opened,
                Err(error) if is_no_directory(error) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(self.below(path, dir)))
    }

    /// Opens a directory below this one, and creates it and those above it where they are missing.
    /// Removes a link or a file in place of one, and unmounts what is mounted there.
    ///
    /// # Errors
    /// [`io::ErrorKind::CrossesDevices`] when something is mounted there and cannot be unmounted;
    /// those of [`subdirectory`](Self::subdirectory).
    pub fn create_subdirectory(&self, path: &Path) -> io::Result<Self> {
        self.create_below(path, Mode::RWXU | Mode::RWXG | Mode::RWXO)
    }

    /// Creates directories as [`create_subdirectory`](Self::create_subdirectory) does, accessible
    /// to their owner only.
    ///
    /// # Errors
    /// As there.
    pub fn create_private_subdirectory(&self, path: &Path) -> io::Result<Self> {
        self.create_below(path, Mode::RWXU)
    }

    fn create_below(&self, path: &Path, mode: Mode) -> io::Result<Self> {
        let mut dir = open_here(self.dir.as_fd(), ".")?;
        for name in names(path) {
            let name = name?;
            dir = match open_here(dir.as_fd(), name) {
                Err(error) if is_no_directory(error) => {
                    let removed = remove_at(dir.as_fd(), name);
                    removed.map_err(|source| match error {
                        Errno::XDEV => still_mounted(&source),
                        _ => source,
                    })?;
                    mkdirat(&dir, name, mode)?;
                    open_here(dir.as_fd(), name)?
                }
                opened => opened?,
            };
        }
        Ok(self.below(path, dir))
    }

    fn below(&self, path: &Path, dir: OwnedFd) -> Self {
        Self {
            dir,
            path: self.path.join(path),
        }
    }

    /// Returns the metadata of the entry, or of the link if it is one. `None` when there is none.
    #[must_use]
    pub fn stamp(&self, name: &OsStr) -> Option<EntryStamp> {
        self.status(name).map(EntryStamp::from)
    }

    /// Creates a directory, and opens it. The permissions are those of `mode` that the umask
    /// leaves.
    ///
    /// # Errors
    /// Those of the system, also when there is an entry of this name, even a link.
    pub fn create_dir(&self, name: &OsStr, mode: u32) -> io::Result<Self> {
        let name = entry(name)?;
        mkdirat(&self.dir, name, permissions(mode))?;
        let dir = open_here(self.dir.as_fd(), name)?;
        Ok(self.below(Path::new(name), dir))
    }

    /// Opens a directory of this one that permits no more than `access`. Creates it if there is
    /// none, also in place of a link or a file.
    ///
    /// # Errors
    /// Those of [`create_subdirectory`](Self::create_subdirectory).
    pub fn subdirectory_for(&self, name: &OsStr, access: Access) -> io::Result<Self> {
        let mode = access.new_dir(self.group_of_new()?);
        self.create_below(Path::new(entry(name)?), permissions(mode))
    }

    /// Creates a file for writing. The permissions are those of `mode` that the umask leaves.
    ///
    /// # Errors
    /// Those of the system, also when there is an entry of this name, even a link.
    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.dir, entry(name)?, flags, permissions(mode))?.into())
    }

    /// Creates a file with this content that permits no more than `access`.
    ///
    /// # Errors
    /// Those of [`create_file`](Self::create_file); what was written is removed then.
    pub fn write_new(&self, name: &OsStr, content: &[u8], access: Access) -> io::Result<File> {
        let mut file = self.create_file(name, access.new_file(self.group_of_new()?))?;
        let limit = access.new_file(fstat(&file)?.st_gid);
        let written = limited(&file, limit).and_then(|()| file.write_all(content));
        match written {
            Ok(()) => Ok(file),
            Err(error) => {
                self.unlink(name).ok();
                Err(error)
            }
        }
    }

    /// Opens a file for appending, and creates one that only its owner may read if there is none.
    ///
    /// # Errors
    /// Those of the system; [`io::ErrorKind::InvalidInput`] when the entry is a link or no file.
    pub fn append_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
        self.open_regular(name, flags, Mode::RUSR | Mode::WUSR)
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// Those of the system; [`io::ErrorKind::InvalidInput`] when the entry is a link or no file,
    /// such as a pipe, which would make us wait.
    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.open_regular(name, OFlags::RDONLY, Mode::empty())
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// Those of [`open_file`](Self::open_file).
    pub fn read_file(&self, name: &OsStr) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open_file(name)?.read_to_end(&mut content)?;
        Ok(content)
    }

    fn open_regular(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.dir, entry(name)?, flags, mode) {
            Err(Errno::LOOP) => return Err(no_file()),
            opened => opened?,
        };
        match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::RegularFile => Ok(file.into()),
            _ => Err(no_file()),
        }
    }

    /// Creates a symbolic link.
    ///
    /// # Errors
    /// Those of the system, also when there is an entry of this name.
    pub fn create_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(symlinkat(target, &self.dir, entry(name)?)?)
    }

    /// Gives a file of this directory a second name, in another directory or in this one.
    ///
    /// # Errors
    /// Those of the system, also when there is an entry of the second name, or the file system has
    /// no second names.
    pub fn add_name(&self, name: &OsStr, dir: &Self, second: &OsStr) -> io::Result<()> {
        let (name, second) = (entry(name)?, entry(second)?);
        Ok(linkat(&self.dir, name, &dir.dir, second, AtFlags::empty())?)
    }

    /// Renames an entry, and replaces the one that has the new name, if it is not a directory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename_to(from, self, to)
    }

    /// Renames an entry as [`rename`](Self::rename) does, to one of another directory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn rename_to(&self, from: &OsStr, dir: &Self, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.dir, entry(from)?, &dir.dir, entry(to)?)?)
    }

    /// Removes an entry that is not a directory. Succeeds when there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn unlink(&self, name: &OsStr) -> io::Result<()> {
        match unlinkat(&self.dir, entry(name)?, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an entry, and what is in it if it is a directory. Succeeds when there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        remove_at(self.dir.as_fd(), entry(name)?)
    }

    /// Gives this directory these permissions.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fchmod(&self.dir, permissions(mode & 0o777))?)
    }

    /// Returns the status of the entry, or of the link if it is one. `None` when there is none.
    pub(crate) fn status(&self, name: &OsStr) -> Option<Stat> {
        statat(&self.dir, entry(name).ok()?, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// Returns the group that a new entry gets.
    pub(crate) fn group_of_new(&self) -> io::Result<u32> {
        let dir = fstat(&self.dir)?;
        Ok(
            match Mode::from_raw_mode(dir.st_mode).contains(Mode::SGID) {
                true => dir.st_gid,
                false => getegid().as_raw(),
            },
        )
    }

    /// Waits until the entries are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.dir)?)
    }
}

/// Returns the permissions in a mode, which has another width on other systems.
fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as RawMode)
}

/// Takes permissions away from a file that `mode` does not have.
pub(crate) fn limited(file: &File, mode: u32) -> io::Result<()> {
    let found = file.metadata()?.permissions().mode() & 0o7777;
    match found & !mode {
        0 => Ok(()),
        _ => file.set_permissions(Permissions::from_mode(found & mode)),
    }
}

/// Checks that this is the name of one entry.
fn entry(name: &OsStr) -> io::Result<&OsStr> {
    let mut components = Path::new(name).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(only)), None) if only.len() == name.len() => Ok(name),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is a link, or no file")
}

/// Returns the components of a relative path that does not lead upwards.
fn names(path: &Path) -> impl Iterator<Item = io::Result<&OsStr>> {
    path.components().map(|component| match component {
        Component::Normal(name) => Ok(name),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    })
}

/// Returns whether the error says that an entry is no directory of ours: missing, a link, a file,
/// or a mount.
fn is_no_directory(error: Errno) -> bool {
    let errors = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::XDEV];
    errors.contains(&error)
}

fn still_mounted(error: &io::Error) -> io::Error {
    io::Error::new(
        io::ErrorKind::CrossesDevices,
        format!("the command has mounted something there, which cannot be unmounted: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_directories_that_no_link_leads_to_are_opened() {
        let parent = tempfile::tempdir().unwrap();
        let tree = DirHandle::create(parent.path().join("tree")).unwrap();
        fs::create_dir_all(tree.path().join("a/b")).unwrap();
        fs::create_dir_all(parent.path().join("outside/b")).unwrap();
        fs::write(tree.path().join("file"), "").unwrap();
        symlink("../outside", tree.path().join("link")).unwrap();
        symlink("b", tree.path().join("a/inner")).unwrap();
        symlink("nowhere", tree.path().join("dangling")).unwrap();
        for (path, expect) in [
            ("", true),
            ("a", true),
            ("a/b", true),
            ("link", false),
            ("link/b", false),
            ("a/inner", false),
            ("dangling", false),
            ("file", false),
            ("none", false),
        ] {
            let opened = tree.subdirectory(Path::new(path)).unwrap();
            assert_eq!(opened.is_some(), expect, "{path}");
        }
        for path in ["..", "a/../../outside", "/"] {
            assert!(tree.subdirectory(Path::new(path)).is_err(), "{path}");
            assert!(tree.create_subdirectory(Path::new(path)).is_err(), "{path}");
        }
    }

    /// A directory with a link of every shape, beside a folder and a file that must not change.
    struct Links {
        parent: tempfile::TempDir,
        tree: DirHandle,
    }

    /// The links: their names and targets. `OUTSIDE` stands for the folder.
    const LINKS: [(&str, &str); 7] = [
        ("to-file", "../outside/file"),
        ("to-dir", "../outside"),
        ("absolute", "OUTSIDE/file"),
        ("absolute-dir", "OUTSIDE"),
        ("chain", "to-file"),
        ("dangling", "../outside/new"),
        ("round", "round"),
    ];

    impl Links {
        fn new() -> Self {
            let parent = tempfile::tempdir().unwrap();
            let outside = parent.path().join("outside");
            fs::create_dir(&outside).unwrap();
            fs::write(outside.join("file"), "precious").unwrap();
            for path in [outside.join("file"), outside.clone()] {
                fs::set_permissions(path, Permissions::from_mode(0o750)).unwrap();
            }
            let tree = DirHandle::create(parent.path().join("tree")).unwrap();
            for (name, target) in LINKS {
                let target = target.replace("OUTSIDE", outside.to_str().unwrap());
                symlink(target, tree.path().join(name)).unwrap();
            }
            Self { parent, tree }
        }

        #[track_caller]
        fn assert_unchanged(&self, what: &str) {
            let outside = self.parent.path().join("outside");
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{what}");
            assert_eq!(
                fs::read(outside.join("file")).unwrap(),
                b"precious",
                "{what}"
            );
            for path in [outside.join("file"), outside] {
                let mode = fs::metadata(path).unwrap().permissions().mode();
                assert_eq!(mode & 0o7777, 0o750, "{what}");
            }
        }
    }

    #[test]
    fn nothing_is_written_through_a_link_of_any_shape() {
        let links = Links::new();
        let tree = &links.tree;
        for (link, _) in LINKS {
            let name = OsStr::new(link);
            assert!(tree.create_file(name, 0o777).is_err(), "{link}");
            assert!(tree.write_new(name, b"x", Access::ANY).is_err(), "{link}");
            assert!(tree.append_file(name).is_err(), "{link}");
            assert!(tree.open_file(name).is_err(), "{link}");
            assert!(tree.create_dir(name, 0o777).is_err(), "{link}");
            assert!(tree.create_link(name, Path::new("x")).is_err(), "{link}");
            let below = Path::new(link).join("new");
            assert!(
                tree.create_file(below.as_os_str(), 0o777).is_err(),
                "{link}"
            );
            assert!(tree.create_dir(below.as_os_str(), 0o777).is_err(), "{link}");
            links.assert_unchanged(link);
        }
    }

    #[test]
    fn a_link_in_place_of_a_directory_is_replaced_by_one() {
        let links = Links::new();
        for (link, _) in LINKS {
            let dir = links.tree.create_subdirectory(Path::new(link)).unwrap();
            dir.set_mode(0o777).unwrap();
            dir.create_file(OsStr::new("file"), 0o777).unwrap();
            links.assert_unchanged(link);
            assert!(links.tree.path().join(link).is_dir());
        }
    }

    #[test]
    fn a_directory_that_becomes_a_link_stays_the_open_one() {
        let links = Links::new();
        let dir = links.tree.create_dir(OsStr::new("dir"), 0o700).unwrap();
        fs::rename(dir.path(), links.tree.path().join("moved")).unwrap();
        symlink("../outside", links.tree.path().join("dir")).unwrap();
        dir.create_file(OsStr::new("new"), 0o600).unwrap();
        dir.set_mode(0o777).unwrap();
        dir.remove(OsStr::new("file")).unwrap();
        links.assert_unchanged("dir");
        assert!(links.tree.path().join("moved/new").exists());
    }

    #[test]
    fn renaming_and_removing_change_links_and_not_their_targets() {
        let links = Links::new();
        let tree = &links.tree;
        for (link, _) in LINKS {
            let (name, moved) = (OsStr::new(link), OsStr::new("moved"));
            tree.rename(name, moved).unwrap();
            tree.write_new(name, b"x", Access::ANY).unwrap();
            tree.rename(name, moved).unwrap();
            assert_eq!(tree.read_file(moved).unwrap(), b"x");
            tree.remove(moved).unwrap();
            links.assert_unchanged(link);
        }
    }

    #[test]
    fn only_names_of_one_entry_are_accepted() {
        let parent = tempfile::tempdir().unwrap();
        let tree = DirHandle::create(parent.path().join("tree")).unwrap();
        fs::create_dir(tree.path().join("a")).unwrap();
        for name in ["", ".", "..", "a/b", "../b", "/b", "a/", "./b"] {
            let name = OsStr::new(name);
            assert!(tree.create_file(name, 0o600).is_err(), "{name:?}");
            assert!(tree.create_dir(name, 0o700).is_err(), "{name:?}");
            assert!(tree.create_link(name, Path::new("x")).is_err(), "{name:?}");
            assert!(tree.rename(OsStr::new("a"), name).is_err(), "{name:?}");
            assert!(tree.remove(name).is_err(), "{name:?}");
            assert!(tree.unlink(name).is_err(), "{name:?}");
        }
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(tree.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_pipe_is_refused_without_waiting() {
        let parent = tempfile::tempdir().unwrap();
        let tree = DirHandle::create(parent.path().join("tree")).unwrap();
        let fifo = tree.path().join("pipe");
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(tree.open_file(OsStr::new("pipe")).is_err());
        assert!(tree.append_file(OsStr::new("pipe")).is_err());
    }
}
