//! One copy of a project on disk, which is put back after each run.
//!
//! Every file is named relative to an open directory, and no link is followed. So a run that
//! replaces a directory of its copy by a link does not make us write or remove anything elsewhere.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, RawMode, Stat, fchmod, fstat, mkdirat, openat, statat, symlinkat,
};

use super::node::{DirNode, Node};
use crate::scratch::{Attributes, remove_at};

/// A directory as it was written.
#[derive(Debug)]
struct WrittenDir {
    attributes: Attributes,
    /// Its entries, by name.
    children: BTreeMap<OsString, Written>,
}

/// An entry as it was written.
#[derive(Debug)]
enum Written {
    Dir(WrittenDir),
    Leaf(Box<WrittenLeaf>),
}

/// A file or a link as it was written.
#[derive(Debug)]
struct WrittenLeaf {
    stat: Stat,
    /// Its content, if that is not the one of the source.
    changed: Option<Arc<[u8]>>,
}

/// A directory tree that is written once, and put back after each run; or made to hold another
/// tree for each run.
#[derive(Debug)]
pub(crate) struct TreeCopy {
    opened: OwnedFd,
    written: WrittenDir,
}

impl TreeCopy {
    /// Creates the directory of this name in `parent` with these permissions, and in it the files of
    /// `tree`, whose contents are those in `source`.
    pub(crate) fn create(
        parent: BorrowedFd<'_>,
        name: impl AsRef<OsStr>,
        mode: u32,
        tree: &DirNode,
        source: BorrowedFd<'_>,
    ) -> io::Result<Self> {
        let name = name.as_ref();
        mkdirat(parent, name, Mode::RWXU)?;
        let opened = open_dir(parent, name)?;
        fchmod(&opened, permissions(mode))?;
        let mut written = WrittenDir::new(&opened)?;
        put_back(tree, &mut written, source, opened.as_fd())?;
        Ok(Self { opened, written })
    }

    /// Puts back what a run has changed or removed, and removes what it has created. The tree may be
    /// another one than before: then only what differs is written.
    ///
    /// # Errors
    /// When the run has replaced the directory itself or changed its attributes, or a file system
    /// error prevents it.
    pub(crate) fn restore(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &str,
        tree: &DirNode,
        source: BorrowedFd<'_>,
    ) -> io::Result<()> {
        let named = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let ours = fstat(&self.opened)?;
        let is_in_place = (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino);
        if !is_in_place || Attributes::read(&self.opened)? != self.written.attributes {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        put_back(tree, &mut self.written, source, self.opened.as_fd())
    }

    /// Writes a file that is not part of the tree; its folder is.
    pub(super) fn write(&self, path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.folder_of(path)?;
        let folder = folder.as_ref().map_or(self.opened.as_fd(), OwnedFd::as_fd);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        File::from(openat(folder, name, flags, permissions(mode | 0o600))?).write_all(bytes)
    }

    /// Opens the folder of a file; `None` for the root.
    fn folder_of<'a>(&self, path: &'a Path) -> io::Result<(Option<OwnedFd>, &'a OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut folder = None;
        for part in path.parent().unwrap_or(Path::new("")) {
            let parent = folder.as_ref().map_or(self.opened.as_fd(), OwnedFd::as_fd);
            folder = Some(open_dir(parent, part)?);
        }
        Ok((folder, name))
    }
}

/// Makes `target` hold exactly `node`, whose contents are those in `source`. Writes only what
/// differs from `written`.
fn put_back(
    node: &DirNode,
    written: &mut WrittenDir,
    source: BorrowedFd<'_>,
    target: BorrowedFd<'_>,
) -> io::Result<()> {
    remove_unknown(node, target)?;
    for (name, child) in &node.children {
        let known = written.children.get_mut(name);
        match (child, known) {
            (Node::Dir(dir), _) => {
                let known = match written.children.remove(name) {
                    Some(Written::Dir(inside)) => Some(inside),
                    _ => None,
                };
                let (inner, mut inside) = open_or_create(target, name, dir.mode, known)?;
                let source = open_dir(source, name)?;
                put_back(dir, &mut inside, source.as_fd(), inner.as_fd())
                    .map_err(|error| named(error, name, '/'))?;
                written.children.insert(name.clone(), Written::Dir(inside));
            }
            (Node::File(_) | Node::Changed(..) | Node::Link(_), known) => {
                let found = statat(target, name, AtFlags::SYMLINK_NOFOLLOW).ok();
                let is_same = match (&known, &found) {
                    (Some(Written::Leaf(written)), Some(found)) => {
                        written.is_as(child) && is_unchanged(&written.stat, found)
                    }
                    _ => false,
                };
                if !is_same {
                    if found.is_some() {
                        remove_at(target, name)?;
                    }
                    let leaf = write_leaf(child, name, source, target)?;
                    written
                        .children
                        .insert(name.clone(), Written::Leaf(Box::new(leaf)));
                }
            }
        }
    }
    // Build tools compare the times of directories too.
    let time = File::from(source.try_clone_to_owned()?)
        .metadata()?
        .modified()?;
    let target = File::from(target.try_clone_to_owned()?);
    if target.metadata()?.modified()? != time {
        target.set_modified(time)?;
    }
    Ok(())
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
    fn is_as(&self, node: &Node) -> bool {
        match (node, &self.changed) {
            (Node::Changed(_, content), Some(changed)) => content == changed,
            (Node::File(_) | Node::Link(_), None) => true,
            _ => false,
        }
    }
}

impl WrittenDir {
    fn new(opened: &OwnedFd) -> io::Result<Self> {
        Ok(Self {
            attributes: Attributes::read(opened)?,
            children: BTreeMap::new(),
        })
    }
}

/// Opens a directory if it is as it was written, and otherwise makes a new one in its place.
fn open_or_create(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    mode: u32,
    known: Option<WrittenDir>,
) -> io::Result<(OwnedFd, WrittenDir)> {
    if let Some(known) = known
        && let Ok(opened) = open_dir(parent, name)
        && Attributes::read(&opened)? == known.attributes
    {
        return Ok((opened, known));
    }
    remove_at(parent, name)?;
    mkdirat(parent, name, Mode::RWXU)?;
    let opened = open_dir(parent, name)?;
    fchmod(&opened, permissions(mode))?;
    let written = WrittenDir::new(&opened)?;
    Ok((opened, written))
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

fn as_os_str(name: &std::ffi::CStr) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(name.to_bytes())
}

/// Writes a file or a link. A file with the content of its source gets its time too.
fn write_leaf(
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
            let mut from = File::from(from.map_err(|error| named(error.into(), name, ':'))?);
            let mut to = create(*mode)?;
            io::copy(&mut from, &mut to)?;
            to.set_modified(from.metadata()?.modified()?)?;
        }
        Node::Changed(mode, content) => {
            create(*mode)?.write_all(content)?;
            changed = Some(Arc::clone(content));
        }
        Node::Dir(_) => {}
    }
    let stat = statat(target, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(WrittenLeaf { stat, changed })
}

/// Returns whether a file has not been written, replaced, or given other permissions. The time of
/// the change of its metadata cannot be set back.
fn is_unchanged(written: &Stat, found: &Stat) -> bool {
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

fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as RawMode)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// Copies a tree, lets `mischief` change the copy, and checks that it is put back.
    #[track_caller]
    fn check(mischief: impl Fn(&Path)) {
        let temp = tempfile::tempdir().unwrap();
        let source = temp.path().join("source");
        fs::create_dir_all(source.join("dir/inner")).unwrap();
        for name in ["file", "dir/file", "dir/inner/file"] {
            fs::write(source.join(name), name).unwrap();
        }
        let inner = DirNode {
            mode: 0o755,
            children: [("file".into(), Node::File(0o644))].into(),
        };
        let dir = DirNode {
            mode: 0o750,
            children: [
                ("file".into(), Node::File(0o444)),
                ("inner".into(), Node::Dir(inner)),
                ("link".into(), Node::Link("../file".into())),
            ]
            .into(),
        };
        let tree = DirNode {
            mode: 0o755,
            children: [
                ("file".into(), Node::File(0o755)),
                ("dir".into(), Node::Dir(dir)),
            ]
            .into(),
        };
        let parent = File::open(temp.path()).unwrap();
        let opened = File::open(&source).unwrap();
        let mut copy =
            TreeCopy::create(parent.as_fd(), "copy", 0o700, &tree, opened.as_fd()).unwrap();
        let root = temp.path().join("copy");
        let before = listing(&root);
        copy.write(Path::new("dir/candidate"), 0o644, b"x").unwrap();
        mischief(&root);
        copy.restore(parent.as_fd(), "copy", &tree, opened.as_fd())
            .unwrap();
        assert_eq!(listing(&root), before);
        copy.write(Path::new("dir/candidate"), 0o644, b"y").unwrap();
        assert_eq!(fs::read(root.join("dir/candidate")).unwrap(), b"y");
    }

    /// Returns every entry with its permissions, time, and content.
    fn listing(dir: &Path) -> Vec<String> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let time = match metadata.is_symlink() {
                true => None,
                false => Some(metadata.modified().unwrap()),
            };
            let content = match metadata.file_type() {
                kind if kind.is_dir() => listing(&path).join("; "),
                kind if kind.is_symlink() => format!("{:?}", fs::read_link(&path).unwrap()),
                _ => fs::read_to_string(&path).unwrap(),
            };
            let mode = metadata.permissions().mode();
            entries.push(format!("{} {mode:o} {time:?} {content}", path.display()));
        }
        entries.sort();
        entries
    }

    #[test]
    fn a_copy_that_a_run_left_alone_stays_as_it_is() {
        check(|_| {});
    }

    #[test]
    fn changed_files_and_permissions_are_put_back() {
        check(|root| {
            fs::write(root.join("file"), "FILE").unwrap();
            fs::set_permissions(root.join("dir/inner/file"), Permissions::from_mode(0o600))
                .unwrap();
            fs::set_permissions(root.join("dir/inner"), Permissions::from_mode(0o000)).unwrap();
            fs::hard_link(root.join("dir/file"), root.join("again")).unwrap();
        });
    }

    #[test]
    fn removed_files_come_back_and_new_ones_go() {
        check(|root| {
            fs::remove_file(root.join("file")).unwrap();
            fs::remove_dir_all(root.join("dir")).unwrap();
            fs::create_dir_all(root.join("new/deep")).unwrap();
            fs::write(root.join("new/deep/file"), "x").unwrap();
        });
    }

    #[test]
    fn directories_and_files_that_changed_places_are_put_back() {
        check(|root| {
            fs::rename(root.join("dir/inner"), root.join("inner")).unwrap();
            fs::rename(root.join("file"), root.join("dir/inner")).unwrap();
            fs::create_dir(root.join("file")).unwrap();
            fs::remove_file(root.join("dir/link")).unwrap();
            fs::write(root.join("dir/link"), "").unwrap();
        });
    }

    #[test]
    fn the_target_of_a_link_in_place_of_a_directory_is_not_touched() {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("precious"), "x").unwrap();
        fs::write(elsewhere.path().join("file"), "x").unwrap();
        check(|root| {
            fs::remove_dir_all(root.join("dir")).unwrap();
            symlink(elsewhere.path(), root.join("dir")).unwrap();
            fs::remove_file(root.join("file")).unwrap();
            symlink(elsewhere.path().join("file"), root.join("file")).unwrap();
        });
        assert_eq!(fs::read(elsewhere.path().join("precious")).unwrap(), b"x");
        assert_eq!(fs::read(elsewhere.path().join("file")).unwrap(), b"x");
    }

    #[test]
    fn a_replaced_root_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let parent = File::open(temp.path()).unwrap();
        let tree = DirNode::default();
        let mut copy =
            TreeCopy::create(parent.as_fd(), "copy", 0o700, &tree, parent.as_fd()).unwrap();
        fs::remove_dir(temp.path().join("copy")).unwrap();
        symlink("/", temp.path().join("copy")).unwrap();
        copy.restore(parent.as_fd(), "copy", &tree, parent.as_fd())
            .unwrap_err();
    }
}
