//! The directory of a session, and the marker by which a later session knows it as one.
//!
//! A directory is removed only when its marker says that it is the directory of a session: the
//! marker holds the random name that the directory was created with and the number of its inode.
//! So a directory of the user that has a similar name, a copy of a session's directory, and a
//! directory that holds a file `lock` of another program are never touched.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, renameat, statat, unlinkat};
use rustix::process::{Pid, geteuid};

use super::attributes::Attributes;
use super::empty_dir::ChangeTime;
use super::remove::{empty_except, open_own};

/// The prefix of the directories of all sessions.
pub(super) const PREFIX: &str = "boildown-";

/// The marker, which is locked as long as the session exists.
const MARKER: &str = "lock";

/// The name of the marker until it is complete and locked.
const UNFINISHED: &str = "lock.new";

/// The number of random letters and digits in the name of a directory.
const RANDOM: usize = 12;

/// The longest marker, in bytes; several times what one takes.
const MAX_MARKER: u64 = 1024;

/// The open directory of a session, with its lock.
#[derive(Debug)]
pub(super) struct SessionDir {
    parent: OwnedFd,
    name: String,
    /// The directory itself, even if its path leads elsewhere by now.
    pub(super) opened: Arc<OwnedFd>,
    /// The attributes with which it was made, or found.
    as_made: Attributes,
    /// The time of the last change after which it had these attributes, if a later change has
    /// another time.
    unchanged_since: Mutex<Option<ChangeTime>>,
    /// Closing it releases the lock.
    _lock: File,
}

impl SessionDir {
    /// Creates a directory with a random name, and marks and locks it.
    pub(super) fn create(parent: &Path) -> io::Result<Self> {
        let parent_opened = open_parent(parent)?;
        let dir = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .rand_bytes(RANDOM)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        let name = dir.path().file_name().and_then(OsStr::to_str);
        let name = name.ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
        let opened = open_dir(parent_opened.as_fd(), &name)?;
        let lock = create_marker(opened.as_fd(), &name)?;
        drop(dir.keep());
        Ok(Self {
            parent: parent_opened,
            name,
            as_made: Attributes::read(&opened)?,
            unchanged_since: Mutex::default(),
            opened: Arc::new(opened),
            _lock: lock,
        })
    }

    /// Returns the directory of this name in `parent` if it is that of a session that has ended,
    /// and was made by our user.
    pub(super) fn find_ended(parent: BorrowedFd<'_>, name: &str) -> io::Result<Option<Self>> {
        if !name.starts_with(PREFIX) {
            return Ok(None);
        }
        let opened = open_dir(parent, name)?;
        if fstat(&opened)?.st_uid != geteuid().as_raw() {
            return Ok(None);
        }
        // A pipe in place of the marker must not make us wait.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let lock = File::from(openat(&opened, MARKER, flags, Mode::empty())?);
        let metadata = lock.metadata()?;
        let is_ours =
            metadata.is_file() && metadata.nlink() == 1 && metadata.uid() == geteuid().as_raw();
        if !is_ours || lock.try_lock().is_err() {
            return Ok(None);
        }
        let mut content = String::new();
        (&lock).take(MAX_MARKER).read_to_string(&mut content)?;
        if content != marker(opened.as_fd(), name)? {
            return Ok(None);
        }
        Ok(Some(Self {
            parent: parent.try_clone_to_owned()?,
            name: name.to_owned(),
            as_made: Attributes::read(&opened)?,
            unchanged_since: Mutex::default(),
            opened: Arc::new(opened),
            _lock: lock,
        }))
    }

    /// Returns the name of the directory.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the process id in the name `boildown-PID-RANDOM`. Another process may have it by
    /// now.
    pub(super) fn session(&self) -> Option<Pid> {
        let (pid, _) = self.name.strip_prefix(PREFIX)?.split_once('-')?;
        Pid::from_raw(pid.parse().ok()?)
    }

    /// Gives the directory the attributes back with which it was made, if a run changed them. The
    /// directories of later runs inherit some of them.
    ///
    /// `now` is the time of another change on its file system, if one is known.
    ///
    /// # Cost
    /// One system call if it was not changed since the last call, else three.
    pub(super) fn restore(&self, now: Option<ChangeTime>) {
        let Ok(stat) = fstat(&self.opened) else {
            return;
        };
        let changed = ChangeTime::of(&stat);
        let mut unchanged = (self.unchanged_since.lock()).unwrap_or_else(PoisonError::into_inner);
        if *unchanged == Some(changed) {
            return;
        }
        *unchanged = None;
        match Attributes::with_stat(&stat, &self.opened) {
            Ok(found) if found == self.as_made => {
                *unchanged = now.and_then(|now| changed.is_settled(now).then_some(changed));
            }
            Ok(_) => {
                // If this fails, so does the next run, and reports it.
                open_own(&self.opened).ok();
                self.as_made.restore(&self.opened).ok();
            }
            Err(_) => {}
        }
    }

    /// Removes the directory with its content.
    ///
    /// The marker goes last, so that the next session continues when this one is killed here. What
    /// has taken the place of the directory by now is removed only if it is a link or empty.
    pub(super) fn remove(&self) -> io::Result<()> {
        open_own(&self.opened)?;
        empty_except(&self.opened, MARKER)?;
        unlinkat(&self.opened, MARKER, AtFlags::empty())?;
        let in_place = statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        let flags = match FileType::from_raw_mode(in_place.st_mode) {
            FileType::Symlink => AtFlags::empty(),
            _ => AtFlags::REMOVEDIR,
        };
        Ok(unlinkat(&self.parent, &self.name, flags)?)
    }
}

/// Opens the directory in which sessions have their directories.
pub(super) fn open_parent(parent: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(parent, flags, Mode::empty())?)
}

fn open_dir(parent: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

/// Writes and locks the marker of a directory.
///
/// It gets its name after it was locked, so another session never sees it unlocked while this
/// session exists.
fn create_marker(dir: BorrowedFd<'_>, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut file = File::from(openat(dir, UNFINISHED, flags, Mode::RUSR | Mode::WUSR)?);
    file.lock()?;
    file.write_all(marker(dir, name)?.as_bytes())?;
    renameat(dir, UNFINISHED, dir, MARKER)?;
    Ok(file)
}

/// Returns the content of the marker of a directory that was created with this name.
///
/// The number of the inode tells it from a copy. The number of the device is left out, because it
/// can change when the machine is started again.
fn marker(dir: BorrowedFd<'_>, name: &str) -> io::Result<String> {
    let inode = fstat(dir)?.st_ino;
    Ok(format!(
        "boildown: files of a session, removed when it has ended\nname {name}\ninode {inode}\n"
    ))
}
