//! One copy of a project on disk, which is put back after each run.
//!
//! Every file is named relative to an open directory, and no link is followed. So a run that
//! replaces a directory of its copy by a link does not make us write or remove anything elsewhere.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use boildown_oracle::Interrupt;
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstat, linkat, mkdirat, openat, statat};

use super::dir_watch::{ChangedEntries, DirWatch};
use super::node::{DirNode, Node};
use super::written_tree::{
    Leftovers, Opened, TreeWriter, Written, WrittenDir, is_unchanged, open_dir, open_or_create,
    permissions,
};
use crate::scratch::{Attributes, remove_at};

/// How often only what is known to differ is put back, before all is.
const PARTIAL: u32 = 64;

/// A directory tree that is written once, and put back after each run; or made to hold another
/// tree for each run.
#[derive(Debug)]
pub(crate) struct TreeCopy {
    opened: OwnedFd,
    written: WrittenDir,
    /// Tells what a run has changed, if the copy is watched.
    watch: Option<DirWatch>,
    /// The number of times that only what was known to differ was put back, since all was.
    partial: u32,
    leftovers: Leftovers,
}

impl TreeCopy {
    /// Creates the directory of this name in `parent` with these permissions, and in it the files
    /// of `tree`, whose contents are those in `source`.
    pub(crate) fn create(
        parent: BorrowedFd<'_>,
        name: impl AsRef<OsStr>,
        mode: u32,
        tree: &DirNode,
        source: BorrowedFd<'_>,
    ) -> io::Result<Self> {
        Self::create_until(parent, name, mode, tree, source, None)
    }

    /// Creates a directory like [`create`](Self::create).
    ///
    /// # Errors
    /// Those of the system, and [`io::ErrorKind::Interrupted`] when the interrupt was triggered.
    pub(super) fn create_until(
        parent: BorrowedFd<'_>,
        name: impl AsRef<OsStr>,
        mode: u32,
        tree: &DirNode,
        source: BorrowedFd<'_>,
        interrupt: Option<&Interrupt>,
    ) -> io::Result<Self> {
        let name = name.as_ref();
        mkdirat(parent, name, Mode::RWXU)?;
        let opened = open_dir(parent, name)?;
        fchmod(&opened, permissions(mode))?;
        let mut written = WrittenDir::new(&opened)?;
        let writer = TreeWriter {
            leftovers: Leftovers::Removed,
            interrupt,
        };
        writer.put_back(tree, &mut written, source, opened.as_fd())?;
        Ok(Self {
            opened,
            written,
            watch: None,
            partial: 0,
            leftovers: Leftovers::Removed,
        })
    }

    /// Keeps what runs create in this copy from now on.
    pub(super) fn keep_leftovers(&mut self) {
        self.leftovers = Leftovers::Kept;
    }

    /// Returns how this copy is put back.
    fn writer(&self) -> TreeWriter<'static> {
        TreeWriter {
            leftovers: self.leftovers,
            interrupt: None,
        }
    }

    /// Returns what happens to the files that runs create.
    pub(super) fn leftovers(&self) -> Leftovers {
        self.leftovers
    }

    /// Creates a directory like [`create`](Self::create). A file that another copy on the same file
    /// system has too becomes another name of that file, if the system can.
    pub(super) fn create_linked(
        parent: BorrowedFd<'_>,
        name: &OsStr,
        tree: &DirNode,
        source: BorrowedFd<'_>,
        other: &mut Self,
    ) -> io::Result<Self> {
        let empty = DirNode::default();
        let mut copy = Self::create(parent, name, tree.mode, &empty, source)?;
        let (from, to) = (other.opened.as_fd(), copy.opened.as_fd());
        link_files(tree, (&mut other.written, from), (&mut copy.written, to))?;
        (copy.writer()).put_back(tree, &mut copy.written, source, copy.opened.as_fd())?;
        Ok(copy)
    }

    /// Watches the copy, which is at this path, from now on.
    pub(super) fn begin_watch(&mut self, path: &Path) {
        let mut watch = DirWatch::new();
        let mut directories = vec![(PathBuf::new(), &self.written)];
        while let Some((directory, written)) = directories.pop() {
            if !watch
                .as_mut()
                .is_some_and(|watch| watch.add(path, &directory))
            {
                self.watch = None;
                return;
            }
            for (name, child) in &written.children {
                if let Written::Dir(inside) = child {
                    directories.push((directory.join(name), inside));
                }
            }
        }
        self.watch = watch;
        self.partial = 0;
    }

    /// Makes a watched copy, which is at this path, hold a tree that differs in these entries from
    /// the one that it held. Looks only at them and at what a run may have changed, but now and
    /// then at everything. Otherwise as [`restore`](Self::restore).
    pub(super) fn hold(
        &mut self,
        parent: BorrowedFd<'_>,
        path: &Path,
        tree: &DirNode,
        mut differing: ChangedEntries,
        source: BorrowedFd<'_>,
    ) -> io::Result<()> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let changed = self.watch.as_mut().and_then(DirWatch::changed);
        let Some(changed) = changed.filter(|_| self.partial < PARTIAL) else {
            self.restore(parent, name, tree, source)?;
            self.begin_watch(path);
            return Ok(());
        };
        self.check_place(parent, name)?;
        self.partial += 1;
        for (directory, names) in changed {
            let names = names.into_iter().filter(|name| {
                let is_ours = || tree.at(&directory)?.children.get(name);
                self.leftovers == Leftovers::Removed || is_ours().is_some()
            });
            let names: Vec<OsString> = names.collect();
            differing.entry(directory).or_default().extend(names);
        }
        let mut new = Vec::new();
        // Directories come before those in them.
        for (directory, names) in &differing {
            self.hold_entries(directory, names, tree, source, &mut new)?;
        }
        let mut watch = self.watch.take();
        for directory in new {
            let mut directories = vec![directory];
            while let Some(directory) = directories.pop() {
                if !watch
                    .as_mut()
                    .is_some_and(|watch| watch.add(path, &directory))
                {
                    return Ok(());
                }
                if let Some(written) = self.written.at(&directory) {
                    let inside = written.children.iter();
                    let inside = inside.filter(|(_, child)| matches!(child, Written::Dir(_)));
                    directories.extend(inside.map(|(name, _)| directory.join(name)));
                }
            }
        }
        // What was written here is no change of a run.
        if let Some(watch) = &mut watch {
            watch.changed();
        }
        self.watch = watch;
        Ok(())
    }

    /// Puts back some entries of a directory. Adds the directories that are new to `new`.
    fn hold_entries(
        &mut self,
        directory: &Path,
        names: &BTreeSet<OsString>,
        tree: &DirNode,
        source: BorrowedFd<'_>,
        new: &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        let writer = self.writer();
        // If it is not in the tree, it was removed with the directory around it.
        let (Some(node), Some(written)) = (tree.at(directory), self.written.at(directory)) else {
            return Ok(());
        };
        let (mut target, mut from) = (self.opened.try_clone()?, source.try_clone_to_owned()?);
        for name in directory {
            target = open_dir(target.as_fd(), name)?;
            from = open_dir(from.as_fd(), name)?;
        }
        for name in names {
            match node.children.get(name) {
                None => {
                    remove_at(target.as_fd(), name.as_os_str())?;
                    written.children.remove(name);
                }
                Some(Node::Dir(dir)) => {
                    let known = match written.children.remove(name) {
                        Some(Written::Dir(inside)) => Some(inside),
                        _ => None,
                    };
                    let opened = open_or_create(target.as_fd(), name, dir.mode, known)?;
                    let (inner, mut inside, state) = opened;
                    if state == Opened::Other {
                        let from = open_dir(from.as_fd(), name)?;
                        writer.put_back(dir, &mut inside, from.as_fd(), inner.as_fd())?;
                        new.push(directory.join(name));
                    }
                    written.children.insert(name.clone(), Written::Dir(inside));
                }
                Some(leaf) => {
                    let dirs = (from.as_fd(), target.as_fd());
                    writer.put_back_leaf(leaf, name, written, dirs)?;
                }
            }
        }
        self.leftovers.put_back_time(from.as_fd(), target.as_fd())
    }

    /// Checks that the directory itself is still the one that was made.
    fn check_place(&self, parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        let named = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let ours = fstat(&self.opened)?;
        let is_in_place = (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino);
        if !is_in_place || Attributes::read(&self.opened)? != self.written.attributes {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(())
    }

    /// Puts back what a run has changed or removed, and removes what it has created. The tree may
    /// be another one than before: then only what differs is written.
    ///
    /// # Errors
    /// When the run has replaced the directory itself or changed its attributes, or a file system
    /// error prevents it.
    pub(crate) fn restore(
        &mut self,
        parent: BorrowedFd<'_>,
        name: impl AsRef<OsStr>,
        tree: &DirNode,
        source: BorrowedFd<'_>,
    ) -> io::Result<()> {
        self.check_place(parent, name.as_ref())?;
        (self.writer()).put_back(tree, &mut self.written, source, self.opened.as_fd())
    }

    /// Writes a file that is not part of the tree; its folder is.
    pub(super) fn write(&self, path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.folder_of(path)?;
        let folder = folder.as_ref().map_or(self.opened.as_fd(), OwnedFd::as_fd);
        if self.leftovers == Leftovers::Kept {
            // That of the last run.
            remove_at(folder, name)?;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = File::from(openat(folder, name, flags, permissions(mode | 0o600))?);
        file.write_all(bytes)?;
        self.leftovers.set_time(&file, None)
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

/// Gives the files of a tree that are in one directory, as they were written there, a second name
/// in another directory, which is empty. Leaves out what cannot be linked.
fn link_files(
    node: &DirNode,
    (from, source): (&mut WrittenDir, BorrowedFd<'_>),
    (to, target): (&mut WrittenDir, BorrowedFd<'_>),
) -> io::Result<()> {
    for (name, child) in &node.children {
        match (child, from.children.get_mut(name)) {
            (Node::Dir(inner), Some(Written::Dir(from))) => {
                let (opened, mut inside, _) = open_or_create(target, name, inner.mode, None)?;
                // A directory that was removed has nothing to link.
                if let Ok(source) = open_dir(source, name) {
                    let target = (&mut inside, opened.as_fd());
                    link_files(inner, (from, source.as_fd()), target)?;
                }
                to.children.insert(name.clone(), Written::Dir(inside));
            }
            (Node::File(_) | Node::Changed(..), Some(Written::Leaf(leaf))) => {
                let stat = |dir| statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
                let is_same = leaf.is_as(child)
                    && stat(source).is_ok_and(|found| is_unchanged(&leaf.stat, &found));
                if is_same && linkat(source, name, target, name, AtFlags::empty()).is_ok() {
                    leaf.stat = stat(target)?;
                    to.children
                        .insert(name.clone(), Written::Leaf(leaf.clone()));
                }
            }
            _ => {}
        }
    }
    Ok(())
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

    /// Makes a watched copy hold one tree after another, with runs that change it in between.
    #[test]
    fn a_watched_copy_holds_one_tree_after_another() {
        let temp = tempfile::tempdir().unwrap();
        let source = temp.path().join("source");
        fs::create_dir_all(source.join("a/b")).unwrap();
        for name in ["1", "a/2", "a/b/3", "a/b/4"] {
            fs::write(source.join(name), name).unwrap();
        }
        let dir = |children: Vec<(&str, Node)>| DirNode {
            mode: 0o755,
            children: (children.into_iter())
                .map(|(name, node)| (name.into(), node))
                .collect(),
        };
        let file = || Node::File(0o644);
        let changed = |text: &str| Node::Changed(0o644, text.as_bytes().into());
        let whole = || {
            let b = dir(vec![("3", file()), ("4", file())]);
            let a = dir(vec![("2", file()), ("b", Node::Dir(b))]);
            dir(vec![("1", file()), ("a", Node::Dir(a))])
        };
        let without_b = || {
            let a = dir(vec![("2", changed("two"))]);
            dir(vec![("1", file()), ("a", Node::Dir(a))])
        };
        let entries = |entries: &[(&str, &str)]| {
            let mut found = ChangedEntries::new();
            for (directory, name) in entries {
                found
                    .entry(directory.into())
                    .or_default()
                    .insert(name.into());
            }
            found
        };
        let parent = File::open(temp.path()).unwrap();
        let opened = File::open(&source).unwrap();
        let (parent, from) = (parent.as_fd(), opened.as_fd());
        let mut copy = TreeCopy::create(parent, "copy", 0o700, &whole(), from).unwrap();
        let root = temp.path().join("copy");
        copy.begin_watch(&root);
        let mischief: [&dyn Fn(); 4] = [
            &|| {},
            &|| fs::write(root.join("1"), "X").unwrap(),
            &|| {
                fs::rename(root.join("a"), root.join("c")).unwrap();
                fs::create_dir_all(root.join("a/b")).unwrap();
                fs::write(root.join("a/b/new"), "").unwrap();
            },
            &|| fs::set_permissions(root.join("a"), Permissions::from_mode(0o700)).unwrap(),
        ];
        for round in 0..100 {
            mischief[round % 4]();
            let (tree, differing) = match round % 2 {
                0 => (
                    without_b(),
                    entries(&[("a", "2"), ("a", "b"), ("a/b", "3")]),
                ),
                _ => (whole(), entries(&[("a", "2"), ("a", "b"), ("a/b", "3")])),
            };
            copy.hold(parent, &root, &tree, differing, from).unwrap();
            let expected = TreeCopy::create(parent, "expected", 0o700, &tree, from).unwrap();
            let names = |name: &str| {
                let mut names = Vec::new();
                let mut pending = vec![temp.path().join(name)];
                while let Some(dir) = pending.pop() {
                    for entry in fs::read_dir(&dir).unwrap().flatten() {
                        let path = entry.path();
                        let content = fs::read_to_string(&path).unwrap_or_default();
                        let mode = fs::metadata(&path).unwrap().permissions().mode();
                        let inside = path.strip_prefix(temp.path().join(name)).unwrap();
                        names.push((inside.to_owned(), content, mode));
                        if path.is_dir() {
                            pending.push(path);
                        }
                    }
                }
                names.sort();
                names
            };
            assert_eq!(names("copy"), names("expected"), "round {round}");
            drop(expected);
            fs::remove_dir_all(temp.path().join("expected")).unwrap();
        }
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
