//! The tree that was written to a copy of a project, and putting it back.
//!
//! Every file is named relative to an open directory, and no link is followed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use boildown_oracle::Interrupt;
use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, RawMode, Stat, fchmod, fstat, mkdirat, openat, statat, symlinkat,
};

use super::node::{DirNode, Node};
use crate::bounded;
use crate::scratch::{Attributes, remove_at};

/// What a copy does with the files that runs have created, such as object files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// They are removed after each run.
    Removed,
    /// They stay for the next run. What is written gets the present time, so that build tools
    /// notice that it is newer than what they have built.
    Kept,
}

/// The writing of a copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeWriter<'a> {
    pub(super) leftovers: Leftovers,
    /// Ends it with [`io::ErrorKind::Interrupted`].
    pub(super) interrupt: Option<&'a Interrupt>,
}

/// A directory as it was written.
#[derive(Debug)]
pub(super) struct WrittenDir {
    pub(super) attributes: Attributes,
    pub(super) inode: u64,
    /// Its entries, by name.
    pub(super) children: BTreeMap<OsString, Written>,
}

/// An entry as it was written.
#[derive(Debug)]
pub(super) enum Written {
    Dir(WrittenDir),
    Leaf(Box<WrittenLeaf>),
}

/// A directory that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    /// The one that was written.
    Ours,
    /// Another one, which a run has put there, or which was just made.
    Other,
}

/// A file or a link as it was written.
#[derive(Debug, Clone)]
pub(super) struct WrittenLeaf {
    pub(super) stat: Stat,
    /// Its content, if that is not the one of the source.
    pub(super) changed: Option<Arc<[u8]>>,
}

impl Leftovers {
    /// Gives a directory the time of its source: build tools compare those of directories too.
    pub(super) fn put_back_time(
        self,
        source: BorrowedFd<'_>,
        target: BorrowedFd<'_>,
    ) -> io::Result<()> {
        if self == Self::Kept {
            // It has the time of the last change in it.
            return Ok(());
        }
        let time = File::from(source.try_clone_to_owned()?)
            .metadata()?
            .modified()?;
        let target = File::from(target.try_clone_to_owned()?);
        if target.metadata()?.modified()? != time {
            target.set_modified(time)?;
        }
        Ok(())
    }

    /// Gives a file that was just written its time: that of its source, if it has the content of
    /// one. Where artefacts are kept, the present time: the system gives files the time of its last
    /// tick, so whatever was built before is older.
    pub(super) fn set_time(self, file: &File, source: Option<SystemTime>) -> io::Result<()> {
        match (self, source) {
            (Self::Kept, _) => file.set_modified(SystemTime::now()),
            (Self::Removed, Some(time)) => file.set_modified(time),
            (Self::Removed, None) => Ok(()),
        }
    }
}

impl TreeWriter<'_> {
    /// Makes `target` hold `node`, whose contents are those in `source`, and nothing else but what
    /// runs have created, if that is kept. Writes only what differs from `written`.
    pub(super) fn put_back(
        self,
        node: &DirNode,
        written: &mut WrittenDir,
        source: BorrowedFd<'_>,
        target: BorrowedFd<'_>,
    ) -> io::Result<()> {
        match self.leftovers {
            Leftovers::Removed => remove_unknown(node, target)?,
            Leftovers::Kept => remove_dropped(node, written, target)?,
        }
        for (name, child) in &node.children {
            match child {
                Node::Dir(dir) => {
                    let known = match written.children.remove(name) {
                        Some(Written::Dir(inside)) => Some(inside),
                        _ => None,
                    };
                    let (inner, mut inside, _) = open_or_create(target, name, dir.mode, known)?;
                    let source = open_dir(source, name)?;
                    self.put_back(dir, &mut inside, source.as_fd(), inner.as_fd())
                        .map_err(|error| named(error, name, '/'))?;
                    written.children.insert(name.clone(), Written::Dir(inside));
                }
                Node::File(_) | Node::Changed(..) | Node::Link(_) => {
                    self.put_back_leaf(child, name, written, (source, target))?;
                }
            }
        }
        self.leftovers.put_back_time(source, target)
    }

    /// Writes a file or a link, unless it is as it was written.
    pub(super) fn put_back_leaf(
        self,
        leaf: &Node,
        name: &OsString,
        written: &mut WrittenDir,
        (source, target): (BorrowedFd<'_>, BorrowedFd<'_>),
    ) -> io::Result<()> {
        let found = statat(target, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        let is_same = match (written.children.get(name), &found) {
            (Some(Written::Leaf(written)), Some(found)) => {
                written.is_as(leaf) && is_unchanged(&written.stat, found)
            }
            _ => false,
        };
        if !is_same {
            if found.is_some() {
                remove_at(target, name)?;
            }
            let leaf = self.write_leaf(leaf, name, source, target)?;
            let leaf = Written::Leaf(Box::new(leaf));
            written.children.insert(name.clone(), leaf);
            if self.leftovers == Leftovers::Kept
                && Path::new(name).extension() == Some(OsStr::new("py"))
            {
                // Python compares whole seconds and sizes.
                remove_at(target, "__pycache__")?;
            }
        }
        Ok(())
    }

    /// Writes a file or a link.
    fn write_leaf(
        self,
        node: &Node,
        name: &OsStr,
        source: BorrowedFd<'_>,
        target: BorrowedFd<'_>,
    ) -> io::Result<WrittenLeaf> {
        let create = |mode: u32| {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let created = openat(target, name, flags, permissions(mode | 0o600))?;
            fchmod(&created, permissions(mode))?;
            io::Result::Ok(File::from(created))
        };
        let mut changed = None;
        match node {
            Node::Link(to) => symlinkat(to, target, name)?,
            Node::File(mode) => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
                let from = openat(source, name, flags, Mode::empty());
                let from = File::from(from.map_err(|error| named(error.into(), name, ':'))?);
                let size = bounded::regular_size(&from)?;
                let to = create(*mode)?;
                bounded::copy(&from, &to, size, self.interrupt)?;
                let time = from.metadata()?.modified()?;
                self.leftovers.set_time(&to, Some(time))?;
            }
            Node::Changed(mode, content) => {
                let mut to = create(*mode)?;
                to.write_all(content)?;
                self.leftovers.set_time(&to, None)?;
                changed = Some(Arc::clone(content));
            }
            Node::Dir(_) => {}
        }
        let stat = statat(target, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(WrittenLeaf { stat, changed })
    }
}

/// Puts the name of an entry before the message of an error about a file that is missing or may not
/// be read. Other errors are told apart by their numbers.
fn named(error: io::Error, name: &OsStr, separator: char) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
            let message = format!("{}{separator}{error}", name.display());
            io::Error::new(error.kind(), message)
        }
        _ => error,
    }
}

impl WrittenLeaf {
    /// Returns whether it was written with the content of this node.
    pub(super) fn is_as(&self, node: &Node) -> bool {
        match (node, &self.changed) {
            (Node::Changed(_, content), Some(changed)) => content == changed,
            (Node::File(_) | Node::Link(_), None) => true,
            _ => false,
        }
    }
}

impl WrittenDir {
    pub(super) fn new(opened: &OwnedFd) -> io::Result<Self> {
        Ok(Self {
            attributes: Attributes::read(opened)?,
            inode: fstat(opened)?.st_ino,
            children: BTreeMap::new(),
        })
    }

    /// Returns the directory at this path.
    pub(super) fn at(&mut self, path: &Path) -> Option<&mut Self> {
        let mut dir = self;
        for name in path {
            dir = match dir.children.get_mut(name)? {
                Written::Dir(inside) => inside,
                Written::Leaf(_) => return None,
            };
        }
        Some(dir)
    }
}

/// Opens a directory if it is as it was written, and otherwise makes a new one in its place.
pub(super) fn open_or_create(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    mode: u32,
    known: Option<WrittenDir>,
) -> io::Result<(OwnedFd, WrittenDir, Opened)> {
    if let Some(mut known) = known
        && let Ok(opened) = open_dir(parent, name)
        && Attributes::read(&opened)? == known.attributes
    {
        let inode = fstat(&opened)?.st_ino;
        let state = match inode == known.inode {
            true => Opened::Ours,
            false => Opened::Other,
        };
        known.inode = inode;
        return Ok((opened, known, state));
    }
    remove_at(parent, name)?;
    mkdirat(parent, name, Mode::RWXU)?;
    let opened = open_dir(parent, name)?;
    fchmod(&opened, permissions(mode))?;
    let written = WrittenDir::new(&opened)?;
    Ok((opened, written, Opened::Other))
}

/// Removes the entries of a directory that the tree does not have.
fn remove_unknown(node: &DirNode, target: BorrowedFd<'_>) -> io::Result<()> {
    let mut unknown = Vec::new();
    for entry in Dir::read_from(target)? {
        let entry = entry?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") && !node.children.contains_key(as_os_str(name))
        {
            unknown.push(name.to_owned());
        }
    }
    unknown
        .iter()
        .try_for_each(|name| remove_at(target, name.as_c_str()))
}

/// Removes the entries of a directory that were written there and that the tree has no more.
fn remove_dropped(
    node: &DirNode,
    written: &mut WrittenDir,
    target: BorrowedFd<'_>,
) -> io::Result<()> {
    let is_dropped = |name: &&OsString| !node.children.contains_key(*name);
    let dropped: Vec<OsString> = (written.children.keys().filter(is_dropped).cloned()).collect();
    for name in dropped {
        remove_at(target, name.as_os_str())?;
        written.children.remove(&name);
    }
    Ok(())
}

fn as_os_str(name: &std::ffi::CStr) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(name.to_bytes())
}

/// Returns whether a file has not been written, replaced, or given other permissions. The time of
/// the change of its metadata cannot be set back.
pub(super) fn is_unchanged(written: &Stat, found: &Stat) -> bool {
    written.st_ino == found.st_ino
        && written.st_size == found.st_size
        && written.st_mode == found.st_mode
        && (written.st_mtime, written.st_mtime_nsec) == (found.st_mtime, found.st_mtime_nsec)
        && (written.st_ctime, written.st_ctime_nsec) == (found.st_ctime, found.st_ctime_nsec)
}

/// Opens a directory that is not a link.
pub(super) fn open_dir(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

pub(super) fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as RawMode)
}
