//! Files that were taken out of a copy, and are moved back when another state has them again.
//!
//! Candidates delete different files of the same state. Moving a file out and back costs the same
//! for every size; deleting it and writing it again does not.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Stat, renameat, statat};

use super::node::{DirNode, Node};
use super::written_tree::{
    Written, WrittenDir, WrittenLeaf, is_unchanged, open_dir, open_or_create,
};
use crate::scratch::remove_at;

/// The files that were taken out of one copy.
#[derive(Debug)]
pub(super) struct Spares {
    /// The directory that they are in, on the file system of the copy.
    opened: OwnedFd,
    /// The files, by their paths in the copy.
    files: BTreeMap<PathBuf, Spare>,
    /// The number of files that got a name here.
    named: u64,
    /// The number of calls of [`forget_old`](Self::forget_old).
    generation: u32,
}

#[derive(Debug)]
struct Spare {
    name: String,
    /// The file after it was moved here.
    stat: Stat,
    generation: u32,
}

impl Spares {
    /// Starts with an empty directory.
    pub(super) fn new(opened: OwnedFd) -> Self {
        Self {
            opened,
            files: BTreeMap::new(),
            named: 0,
            generation: 0,
        }
    }

    /// Moves an entry out of a directory of the copy; of a directory, the files in it. Leaves what
    /// is not as it was written, and what is no file of the original.
    pub(super) fn take(&mut self, path: &Path, known: &Written, parent: BorrowedFd<'_>) {
        let Some(name) = path.file_name() else {
            return;
        };
        match known {
            Written::Leaf(leaf) if leaf.changed.is_none() => {
                self.take_file(path, leaf, parent, name);
            }
            Written::Leaf(_) => {}
            Written::Dir(inside) => {
                let Ok(opened) = open_dir(parent, name) else {
                    return;
                };
                for (name, child) in &inside.children {
                    self.take(&path.join(name), child, opened.as_fd());
                }
            }
        }
    }

    /// Moves a file out. A failure leaves it, or loses it: it is then written again.
    fn take_file(
        &mut self,
        path: &Path,
        leaf: &WrittenLeaf,
        parent: BorrowedFd<'_>,
        name: &OsStr,
    ) -> Option<()> {
        let found = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if !is_file(&found) || !is_unchanged(&leaf.stat, &found) {
            return None;
        }
        let own = match self.files.remove(path) {
            Some(old) => old.name,
            None => {
                self.named += 1;
                self.named.to_string()
            }
        };
        renameat(parent, name, &self.opened, &own).ok()?;
        let stat = statat(&self.opened, &own, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let spare = Spare {
            name: own,
            stat,
            generation: self.generation,
        };
        self.files.insert(path.to_owned(), spare);
        Some(())
    }

    /// Moves a file back to a directory of the copy. Returns `None` if it is not here, or is not as
    /// it was written.
    pub(super) fn give(&mut self, path: &Path, parent: BorrowedFd<'_>) -> Option<WrittenLeaf> {
        let spare = self.files.remove(path)?;
        let (own, name) = (&self.opened, path.file_name()?);
        let found = statat(own, &spare.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_whole = is_unchanged(&spare.stat, &found);
        if !is_whole || renameat(own, &spare.name, parent, name).is_err() {
            remove_at(own.as_fd(), spare.name.as_str()).ok();
            return None;
        }
        let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let changed = None;
        Some(WrittenLeaf { stat, changed })
    }

    /// Moves the files of a new directory back to it, and makes the directories that they are in.
    pub(super) fn give_all(
        &mut self,
        path: &Path,
        node: &DirNode,
        written: &mut WrittenDir,
        opened: BorrowedFd<'_>,
    ) -> io::Result<()> {
        for (name, child) in &node.children {
            let path = path.join(name);
            match child {
                Node::File(_) => {
                    if let Some(leaf) = self.give(&path, opened) {
                        let leaf = Written::Leaf(Box::new(leaf));
                        written.children.insert(name.clone(), leaf);
                    }
                }
                Node::Dir(dir) => {
                    let (inner, mut inside, _) = open_or_create(opened, name, dir.mode, None)?;
                    self.give_all(&path, dir, &mut inside, inner.as_fd())?;
                    written.children.insert(name.clone(), Written::Dir(inside));
                }
                Node::Changed(..) | Node::Link(_) => {}
            }
        }
        Ok(())
    }

    /// Deletes the files that have been here since before the last call.
    pub(super) fn forget_old(&mut self) {
        let (opened, generation) = (&self.opened, self.generation);
        self.files.retain(|_, spare| {
            let is_recent = spare.generation == generation;
            is_recent || remove_at(opened.as_fd(), spare.name.as_str()).is_err()
        });
        self.generation += 1;
    }
}

fn is_file(stat: &Stat) -> bool {
    rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt as _;

    use tempfile::TempDir;

    use super::super::copy::TreeCopy;
    use super::super::dir_watch::ChangedEntries;
    use super::*;

    /// A copy of a folder with `file` and `dir/inner/file`, and the folder that it is in.
    struct Copied {
        temp: TempDir,
        copy: TreeCopy,
    }

    fn tree(has_file: bool, has_dir: bool) -> DirNode {
        let dir = |children: Vec<(&str, Node)>| DirNode {
            mode: 0o755,
            children: children
                .into_iter()
                .map(|(name, node)| (name.into(), node))
                .collect(),
        };
        let inner = dir(vec![("file", Node::File(0o644))]);
        let outer = dir(vec![("inner", Node::Dir(inner))]);
        let mut children = Vec::new();
        if has_file {
            children.push(("file", Node::File(0o644)));
        }
        if has_dir {
            children.push(("dir", Node::Dir(outer)));
        }
        dir(children)
    }

    impl Copied {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            fs::create_dir_all(temp.path().join("source/dir/inner")).unwrap();
            fs::create_dir(temp.path().join("spares")).unwrap();
            for name in ["file", "dir/inner/file"] {
                fs::write(temp.path().join("source").join(name), name).unwrap();
            }
            let open = |path: &Path| OwnedFd::from(File::open(path).unwrap());
            let (parent, source) = (open(temp.path()), open(&temp.path().join("source")));
            let (parent, source) = (parent.as_fd(), source.as_fd());
            let copy = TreeCopy::create(parent, "copy", 0o700, &tree(true, true), source);
            let mut copy = copy.unwrap();
            copy.begin_watch(&temp.path().join("copy"));
            copy.keep_spares(open(&temp.path().join("spares")));
            Self { temp, copy }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.temp.path().join(name)
        }

        fn hold(&mut self, tree: &DirNode) {
            let parent = File::open(self.temp.path()).unwrap();
            let source = File::open(self.path("source")).unwrap();
            let names = ["file", "dir"].map(Into::into);
            let differing = ChangedEntries::from([(PathBuf::new(), names.into())]);
            let (path, source) = (self.path("copy"), source.as_fd());
            let held = self
                .copy
                .hold(parent.as_fd(), &path, tree, differing, source);
            held.unwrap();
        }

        /// Returns the numbers and the contents of the two files.
        fn files(&self) -> [(u64, String); 2] {
            ["copy/file", "copy/dir/inner/file"].map(|name| {
                let path = self.path(name);
                let number = path.metadata().unwrap().ino();
                (number, fs::read_to_string(path).unwrap())
            })
        }
    }

    #[test]
    fn files_that_come_back_are_those_that_went() {
        let mut copied = Copied::new();
        let before = copied.files();
        copied.hold(&tree(false, true));
        assert!(!copied.path("copy/file").exists());
        copied.hold(&tree(true, false));
        assert!(!copied.path("copy/dir").exists());
        copied.hold(&tree(true, true));
        assert_eq!(copied.files(), before);
        for name in ["file", "dir", "dir/inner", "dir/inner/file"] {
            let time = |root| {
                let path = copied.path(root).join(name);
                path.metadata()
                    .map(|file| (file.mtime(), file.mtime_nsec()))
                    .unwrap()
            };
            assert_eq!(time("copy"), time("source"), "{name}");
        }
        assert_eq!(copied.path("spares").read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_a_run_has_changed_is_written_again() {
        let mut copied = Copied::new();
        let before = copied.files().map(|(_, content)| content);
        for changed in ["copy/file", "copy/dir/inner/file"] {
            fs::write(copied.path(changed), "another content").unwrap();
        }
        copied.hold(&tree(false, false));
        copied.hold(&tree(true, true));
        assert_eq!(copied.files().map(|(_, content)| content), before);
    }

    #[test]
    fn a_spare_that_was_changed_is_not_given_back() {
        let mut copied = Copied::new();
        let before = copied.files().map(|(_, content)| content);
        copied.hold(&tree(false, false));
        let spares: Vec<_> = copied.path("spares").read_dir().unwrap().collect();
        assert_eq!(spares.len(), 2);
        for spare in spares {
            fs::write(spare.unwrap().path(), "another content").unwrap();
        }
        copied.hold(&tree(true, true));
        assert_eq!(copied.files().map(|(_, content)| content), before);
    }

    #[test]
    fn what_a_run_puts_in_the_place_of_a_deleted_file_is_replaced() {
        let mut copied = Copied::new();
        let before = copied.files();
        copied.hold(&tree(false, true));
        fs::write(copied.path("copy/file"), "of a run").unwrap();
        copied.hold(&tree(true, true));
        assert_eq!(copied.files(), before);
        copied.hold(&tree(false, true));
        fs::create_dir_all(copied.path("copy/file/inside")).unwrap();
        copied.hold(&tree(true, true));
        let contents = before.map(|(_, content)| content);
        assert_eq!(copied.files().map(|(_, content)| content), contents);
    }

    #[test]
    fn files_that_are_not_needed_for_long_are_deleted() {
        let mut copied = Copied::new();
        copied.hold(&tree(false, true));
        for _ in 0..200 {
            copied.hold(&tree(false, true));
        }
        assert_eq!(copied.path("spares").read_dir().unwrap().count(), 0);
    }
}
