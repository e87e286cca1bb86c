//! States and configurations: all files of a folder, by path.

use std::collections::BTreeMap;
use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::BString;

/// A path from the root of a state, with `/` between its names. Any bytes, as in git.
pub type FilePath = BString;

/// The type of a file, as git distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A file that is not executable.
    Regular,
    /// An executable file.
    Executable,
    /// A symbolic link; its content is its target.
    Symlink,
    /// A git submodule; instead of a content it has the id of a commit of another repository.
    Submodule,
}

impl FileKind {
    /// Returns the file mode as git prints it.
    pub fn mode(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Returns whether the content may be split into lines.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Regular | Self::Executable)
    }
}

/// The file at a path of a state: its type, and the id of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The type of the file.
    pub kind: FileKind,
    /// The object id that git gives to the content, or the commit of a submodule.
    pub id: ObjectId,
}

/// All files of a folder at one time, by path. Holds ids of contents, not bytes. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    files: Arc<BTreeMap<FilePath, Entry>>,
}

impl State {
    /// Returns the file at a path.
    pub fn get(&self, path: &FilePath) -> Option<Entry> {
        self.files.get(path).copied()
    }

    /// Returns all files, ordered by path.
    pub fn iter(&self) -> impl Iterator<Item = (&FilePath, Entry)> {
        self.files.iter().map(|(path, &entry)| (path, entry))
    }

    /// Returns the files whose path is this one or a greater one, ordered by path.
    pub(crate) fn iter_from(&self, path: &FilePath) -> impl Iterator<Item = (&FilePath, &Entry)> {
        self.files.range(path.clone()..)
    }
}

impl FromIterator<(FilePath, Entry)> for State {
    fn from_iter<I: IntoIterator<Item = (FilePath, Entry)>>(files: I) -> Self {
        Self {
            files: Arc::new(files.into_iter().collect()),
        }
    }
}

/// A file of a configuration. Unlike an [`Entry`] it may have a content that is in no state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The type of the file.
    pub kind: FileKind,
    /// The object id that git gives to the content, or the commit of a submodule.
    pub id: ObjectId,
    /// The content, when it was made by applying a part of the changes and is in no state.
    pub bytes: Option<Arc<[u8]>>,
}

impl FileVersion {
    /// Makes a file with a new content.
    pub(crate) fn from_bytes(kind: FileKind, bytes: Vec<u8>) -> Self {
        Self {
            kind,
            id: blob_id(&bytes),
            bytes: Some(bytes.into()),
        }
    }

    /// Returns the file without its bytes.
    pub fn entry(&self) -> Entry {
        Entry {
            kind: self.kind,
            id: self.id,
        }
    }
}

impl From<Entry> for FileVersion {
    fn from(entry: Entry) -> Self {
        Self {
            kind: entry.kind,
            id: entry.id,
            bytes: None,
        }
    }
}

/// Returns the object id that git gives to a blob of these bytes.
pub(crate) fn blob_id(bytes: &[u8]) -> ObjectId {
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes)
        .expect("no content is made to collide with another")
}

/// A state with some files replaced, added or deleted. Cheap to clone.
///
/// The files that differ from the state, the *overrides*, are kept apart: a configuration of a
/// large repository costs as much memory as its few changed files.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    base: State,
    /// `None` for a deleted file. Invariant: every override differs from the base.
    overrides: Arc<BTreeMap<FilePath, Option<FileVersion>>>,
}

impl From<State> for Configuration {
    fn from(base: State) -> Self {
        Self {
            base,
            overrides: Arc::default(),
        }
    }
}

impl Configuration {
    /// Returns a state with these files in it, and without those that are `None`.
    ///
    /// Overrides that equal the file of the base are dropped.
    #[must_use]
    pub fn new(base: State, mut overrides: BTreeMap<FilePath, Option<FileVersion>>) -> Self {
        overrides.retain(|path, file| base.get(path) != file.as_ref().map(FileVersion::entry));
        Self {
            base,
            overrides: Arc::new(overrides),
        }
    }

    /// Returns the state that the overrides apply to.
    pub fn base(&self) -> &State {
        &self.base
    }

    /// Returns the files that differ from the base; `None` for a deleted file.
    pub fn overrides(&self) -> &BTreeMap<FilePath, Option<FileVersion>> {
        &self.overrides
    }

    /// Returns the file at a path.
    pub fn get(&self, path: &FilePath) -> Option<FileVersion> {
        match self.overrides.get(path) {
            Some(file) => file.clone(),
            None => self.base.get(path).map(FileVersion::from),
        }
    }

    /// Returns all files, ordered by path.
    pub fn iter(&self) -> impl Iterator<Item = (&FilePath, FileVersion)> {
        let kept = (self.base.iter())
            .filter(|(path, _)| !self.overrides.contains_key(*path))
            .map(|(path, entry)| (path, FileVersion::from(entry)));
        let overrides =
            (self.overrides.iter()).filter_map(|(path, file)| Some((path, file.as_ref()?.clone())));
        let mut all: Vec<_> = kept.chain(overrides).collect();
        all.sort_by_key(|(path, _)| *path);
        all.into_iter()
    }

    /// Returns a hash of all paths, modes and contents.
    ///
    /// Configurations with equal files have equal ids, whatever their bases are.
    pub fn id(&self) -> ObjectId {
        let mut all = Vec::new();
        for (path, file) in self.iter() {
            all.extend_from_slice(file.kind.mode().as_bytes());
            all.extend_from_slice(file.id.as_slice());
            all.extend_from_slice(path);
            all.push(0);
        }
        blob_id(&all)
    }

    /// Returns whether no file is at a path that another file needs as a directory.
    ///
    /// A set of changes can lead to that: adding `a/b` without deleting the file `a`. Only the
    /// overrides have to be checked, against each other and against the base.
    pub(crate) fn has_no_path_conflict(&self) -> bool {
        let present = (self.overrides.iter()).filter(|(_, file)| file.is_some());
        present.into_iter().all(|(path, _)| {
            let no_file_above = (0..path.len())
                .filter(|&end| path[end] == b'/')
                .all(|end| self.get(&path[..end].into()).is_none());
            let mut dir = path.clone();
            dir.push(b'/');
            let is_below = |other: &FilePath| other.starts_with(&dir);
            let mut kept_below = (self.base.iter_from(&dir))
                .take_while(|(other, _)| is_below(other))
                .filter(|(other, _)| !matches!(self.overrides.get(*other), Some(None)));
            let mut overrides_below =
                (self.overrides.range(dir.clone()..)).take_while(|(other, _)| is_below(other));
            no_file_above
                && kept_below.next().is_none()
                && !overrides_below.any(|(_, file)| file.is_some())
        })
    }
}
