//! A folder to reduce: a private snapshot of it, and the trees of its states.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_folder::{
    Contents, Entry, EntryKind, FolderInput, FolderText, FolderTextError, Listing,
};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat};

use super::dir_watch::ChangedEntries;
use super::folder_plan::FolderPlan;
use super::node::{DirNode, Node};
use super::written_tree::open_dir;

/// A folder to reduce, whose contents are in a snapshot.
#[derive(Debug)]
pub(super) struct FolderSource {
    pub(super) input: FolderInput,
    /// The folder in a run; empty for several inputs.
    name: PathBuf,
    /// The inputs, relative to the root.
    pub(super) inputs: Vec<PathBuf>,
    /// The scripts of the test.
    pub(super) scripts: Vec<PathBuf>,
    /// The folder in the snapshot.
    opened: OwnedFd,
    /// What each run has beside the state of the folder.
    beside: DirNode,
    /// The permissions of the folder.
    mode: u32,
}

impl FolderSource {
    /// Reads the snapshot of a folder.
    pub(super) fn new(plan: &FolderPlan, snapshot: BorrowedFd<'_>) -> io::Result<Self> {
        let mut opened = snapshot.try_clone_to_owned()?;
        for name in &plan.name {
            opened = open_dir(opened.as_fd(), name)?;
        }
        let mut entries = Vec::new();
        list(&plan.tree, opened.as_fd(), &mut Vec::new(), &mut entries)?;
        let listing = Arc::new(Listing::new(entries));
        let contents = Arc::new(SnapshotContents {
            listing: Arc::clone(&listing),
            opened: opened.try_clone()?,
        });
        let mut beside = DirNode::default();
        let mut dir = &mut beside;
        // The working directory of the command has to exist, whatever is removed.
        for name in &plan.user_dir {
            dir = dir.subdirectory(name, 0o755);
        }
        for (path, target) in &plan.company {
            let mut dir = &mut beside;
            for name in path.parent().into_iter().flatten() {
                dir = dir.subdirectory(name, 0o755);
            }
            if let Some(name) = path.file_name() {
                let link = Node::Link(target.as_os_str().to_owned());
                dir.children.insert(name.to_owned(), link);
            }
        }
        // Every directory of a run has one in the snapshot.
        make_directories(&beside, snapshot)?;
        Ok(Self {
            input: FolderInput {
                listing,
                contents,
                fixed: Arc::default(),
                named: Arc::default(),
            },
            name: plan.name.clone(),
            inputs: plan.inputs.clone(),
            scripts: plan.scripts.clone(),
            opened,
            beside,
            mode: plan.tree.mode,
        })
    }

    /// Reads a state of the folder.
    pub(super) fn read(&self, state: &[u8]) -> Result<FolderText, FolderTextError> {
        FolderText::read(state, &self.input.listing)
    }

    /// Returns the directory of a run on a state of the folder.
    pub(super) fn run_tree(&self, text: &FolderText) -> DirNode {
        let mut tree = self.beside.clone();
        let mut dir = &mut tree;
        for name in &self.name {
            dir = dir.subdirectory(name, self.mode);
        }
        dir.mode = self.mode;
        for entry in text.kept() {
            self.insert(dir, text, entry);
        }
        tree
    }

    /// Makes the directory of a run on one state that of another one. Returns the entries that
    /// differ.
    pub(super) fn update(
        &self,
        tree: &mut DirNode,
        old: &FolderText,
        new: &FolderText,
    ) -> ChangedEntries {
        let mut folder = &mut *tree;
        for name in &self.name {
            folder = folder.subdirectory(name, self.mode);
        }
        let differing = self.update_folder(folder, &self.name, old, new);
        tree.add(&self.beside);
        differing
    }

    /// Makes the tree of one state of the folder that of another one. Returns the entries that
    /// differ, in directories after this path.
    fn update_folder(
        &self,
        folder: &mut DirNode,
        path: &Path,
        old: &FolderText,
        new: &FolderText,
    ) -> ChangedEntries {
        let entries = self.input.listing.entries();
        let mut differing = ChangedEntries::new();
        for entry in old.differing(new) {
            let inside = Path::new(OsStr::from_bytes(&entries[entry].path));
            let parent = path.join(inside.parent().unwrap_or(Path::new("")));
            let name = OsStr::from_bytes(entries[entry].name());
            differing.entry(parent).or_default().insert(name.to_owned());
            match new.is_kept(entry) {
                true => self.insert(folder, new, entry),
                false => remove(folder, inside),
            }
        }
        differing
    }

    /// Returns a state of the folder as a directory of its own.
    pub(super) fn result_tree(&self, text: &FolderText) -> DirNode {
        let mut tree = DirNode {
            mode: self.mode,
            ..DirNode::default()
        };
        for entry in text.kept() {
            self.insert(&mut tree, text, entry);
        }
        tree
    }

    /// Makes the directory of one result that of another one. Returns the entries that differ.
    pub(super) fn update_result(
        &self,
        tree: &mut DirNode,
        old: &FolderText,
        new: &FolderText,
    ) -> ChangedEntries {
        self.update_folder(tree, Path::new(""), old, new)
    }

    /// Returns the directory with the contents of the original.
    pub(super) fn contents_dir(&self) -> BorrowedFd<'_> {
        self.opened.as_fd()
    }

    /// Inserts an entry into the tree of a state.
    fn insert(&self, tree: &mut DirNode, text: &FolderText, number: usize) {
        let entry = &self.input.listing.entries()[number];
        let mut dir = tree;
        for name in entry
            .parent()
            .into_iter()
            .flat_map(|path| path.split(|&byte| byte == b'/'))
        {
            dir = dir.subdirectory(OsStr::from_bytes(name), 0o755);
        }
        let name = OsStr::from_bytes(entry.name());
        let node = match (&entry.kind, text.changed().get(&number)) {
            (EntryKind::Folder { mode }, _) => {
                dir.subdirectory(name, *mode).mode = *mode;
                return;
            }
            (EntryKind::File { mode, .. }, None) => Node::File(*mode),
            (EntryKind::File { mode, .. }, Some(content)) => {
                Node::Changed(*mode, Arc::clone(content))
            }
            (EntryKind::Link { target }, _) => Node::Link(OsStr::from_bytes(target).to_owned()),
        };
        dir.children.insert(name.to_owned(), node);
    }

    /// Reads a directory as a state of this folder. Returns `None` if it is none: it holds
    /// something that the folder does not, or cannot be read.
    pub(super) fn state_of(&self, dir: &Path) -> Option<Vec<u8>> {
        let opened = File::open(dir).ok()?;
        let mut walk = StateWalk {
            listing: &self.input.listing,
            kept: Vec::new(),
            changed: std::collections::BTreeMap::new(),
        };
        walk.directory(opened.as_fd(), &mut Vec::new())?;
        let text = FolderText::new(&self.input.listing, walk.kept, walk.changed);
        Some(text.write(&self.input.listing))
    }
}

/// Removes an entry from a tree, if it is there.
fn remove(tree: &mut DirNode, path: &Path) {
    let mut dir = tree;
    for name in path.parent().unwrap_or(Path::new("")) {
        match dir.children.get_mut(name) {
            Some(Node::Dir(inside)) => dir = inside,
            _ => return,
        }
    }
    dir.children.remove(path.file_name().unwrap_or_default());
}

impl DirNode {
    /// Adds what another tree has and this one lacks.
    fn add(&mut self, other: &Self) {
        for (name, node) in &other.children {
            match (node, self.children.get_mut(name)) {
                (Node::Dir(other), Some(Node::Dir(own))) => own.add(other),
                (_, Some(_)) => {}
                (_, None) => {
                    self.children.insert(name.clone(), node.clone());
                }
            }
        }
    }
}

/// Returns the listing of a directory, and of everything in it, without permissions.
pub(super) fn listing_of(dir: &Path) -> io::Result<Listing> {
    let mut entries = Vec::new();
    list_contents(File::open(dir)?.as_fd(), &mut Vec::new(), &mut entries)?;
    Ok(Listing::new(entries))
}

fn list_contents(
    dir: BorrowedFd<'_>,
    path: &mut Vec<u8>,
    entries: &mut Vec<Entry>,
) -> io::Result<()> {
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            continue;
        }
        let length = path.len();
        push(path, name);
        let name = OsStr::from_bytes(name);
        let found = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => {
                list_contents(open_dir(dir, name)?.as_fd(), path, entries)?;
                EntryKind::Folder { mode: 0 }
            }
            FileType::RegularFile => EntryKind::file(0, &read(dir, name)?),
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(dir, name, Vec::new())?;
                EntryKind::Link {
                    target: target.to_bytes().into(),
                }
            }
            // No result holds such a file.
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        entries.push(Entry {
            path: path.as_slice().into(),
            kind,
        });
        path.truncate(length);
    }
    Ok(())
}

/// A walk through a directory that may be a state of a folder.
struct StateWalk<'a> {
    listing: &'a Listing,
    kept: Vec<usize>,
    changed: std::collections::BTreeMap<usize, Arc<[u8]>>,
}

impl StateWalk<'_> {
    fn directory(&mut self, dir: BorrowedFd<'_>, path: &mut Vec<u8>) -> Option<()> {
        for entry in rustix::fs::Dir::read_from(dir).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let length = path.len();
            push(path, name);
            let number = self.listing.find(path)?;
            self.kept.push(number);
            let name = OsStr::from_bytes(name);
            match &self.listing.entries()[number].kind {
                EntryKind::Folder { .. } => {
                    self.directory(open_dir(dir, name).ok()?.as_fd(), path)?;
                }
                kind @ EntryKind::File { mode, .. } => {
                    let content = read(dir, name).ok()?;
                    // Contents of the original are not kept: there may be very many.
                    if EntryKind::file(*mode, &content) != *kind {
                        self.changed.insert(number, content.into());
                    }
                }
                EntryKind::Link { target } => {
                    let found = rustix::fs::readlinkat(dir, name, Vec::new()).ok()?;
                    (found.to_bytes() == &**target).then_some(())?;
                }
            }
            path.truncate(length);
        }
        Some(())
    }
}

/// The contents of the files of a folder, in its snapshot.
#[derive(Debug)]
struct SnapshotContents {
    listing: Arc<Listing>,
    opened: OwnedFd,
}

impl Contents for SnapshotContents {
    fn content(&self, entry: usize) -> Option<Arc<[u8]>> {
        let entry = self.listing.entries().get(entry)?;
        let is_file = matches!(entry.kind, EntryKind::File { .. });
        let content = is_file.then(|| read(self.opened.as_fd(), OsStr::from_bytes(&entry.path)));
        Some(content?.ok()?.into())
    }
}

/// Makes the directories of a tree where there are none.
fn make_directories(tree: &DirNode, dir: BorrowedFd<'_>) -> io::Result<()> {
    for (name, node) in &tree.children {
        if let Node::Dir(inner) = node {
            match mkdirat(dir, name.as_os_str(), Mode::RWXU) {
                Err(error) if error != rustix::io::Errno::EXIST => return Err(error.into()),
                _ => make_directories(inner, open_dir(dir, name)?.as_fd())?,
            }
        }
    }
    Ok(())
}

/// Reads a file that is not a link.
fn read(dir: BorrowedFd<'_>, path: &OsStr) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut bytes = Vec::new();
    File::from(openat(dir, path, flags, Mode::empty())?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Appends a name to a path.
fn push(path: &mut Vec<u8>, name: &[u8]) {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

/// Lists what a directory holds.
fn list(
    tree: &DirNode,
    dir: BorrowedFd<'_>,
    path: &mut Vec<u8>,
    entries: &mut Vec<Entry>,
) -> io::Result<()> {
    for (name, node) in &tree.children {
        let length = path.len();
        push(path, name.as_bytes());
        let kind = match node {
            Node::Dir(inner) => EntryKind::Folder { mode: inner.mode },
            Node::File(mode) | Node::Changed(mode, _) => EntryKind::file(*mode, &read(dir, name)?),
            Node::Link(target) => EntryKind::Link {
                target: target.as_bytes().into(),
            },
        };
        entries.push(Entry {
            path: path.as_slice().into(),
            kind,
        });
        if let Node::Dir(inner) = node {
            list(inner, open_dir(dir, name)?.as_fd(), path, entries)?;
        }
        path.truncate(length);
    }
    Ok(())
}
