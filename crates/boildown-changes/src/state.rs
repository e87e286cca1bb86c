//! A state: everything a command could see in a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::BString;

/// A path from the root of a state, with `/` between its names. Any bytes, as in git.
pub type FilePath = BString;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A file.
    File,
    /// A file that may be executed.
    Program,
    /// A symbolic link; its content is where it leads.
    Link,
    /// Another repository at some commit, which is its content.
    Module,
}

impl Kind {
    /// Returns the mode as git writes it.
    #[must_use]
    pub fn mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Program => "100755",
            Self::Link => "120000",
            Self::Module => "160000",
        }
    }

    /// Whether it holds a content that can be cut in lines.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::File | Self::Program)
    }
}

/// What is at a path: of what kind, and the name of its content, which is that of git for the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Of what kind it is.
    pub kind: Kind,
    /// The name of its content.
    pub id: ObjectId,
}

/// A state: everything a command could see in a folder. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    files: Arc<BTreeMap<FilePath, Entry>>,
}

impl State {
    /// Returns what is at a path.
    #[must_use]
    pub fn get(&self, path: &FilePath) -> Option<Entry> {
        self.files.get(path).copied()
    }

    /// Returns all files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&FilePath, Entry)> {
        self.files.iter().map(|(path, &entry)| (path, entry))
    }

    /// Files from a path on.
    pub(crate) fn after(&self, path: &FilePath) -> impl Iterator<Item = (&FilePath, &Entry)> {
        self.files.range(path.clone()..)
    }

    /// Returns the number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl FromIterator<(FilePath, Entry)> for State {
    fn from_iter<I: IntoIterator<Item = (FilePath, Entry)>>(files: I) -> Self {
        Self {
            files: Arc::new(files.into_iter().collect()),
        }
    }
}

/// A file that is made of some changes, not of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Of what kind it is.
    pub kind: Kind,
    /// The name of its content.
    pub id: ObjectId,
    /// The content, when no state holds it.
    pub bytes: Option<Arc<[u8]>>,
}

impl Made {
    /// A file of these bytes.
    pub(crate) fn of(kind: Kind, bytes: Vec<u8>) -> Self {
        Self {
            kind,
            id: name_of(&bytes),
            bytes: Some(bytes.into()),
        }
    }

    /// Returns what is at its path.
    #[must_use]
    pub fn entry(&self) -> Entry {
        Entry {
            kind: self.kind,
            id: self.id,
        }
    }
}

impl From<Entry> for Made {
    fn from(entry: Entry) -> Self {
        Self {
            kind: entry.kind,
            id: entry.id,
            bytes: None,
        }
    }
}

/// Returns the name that git gives to these bytes.
pub(crate) fn name_of(bytes: &[u8]) -> ObjectId {
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes)
        .expect("no content is made to collide with another")
}

/// A state and what differs from it: files made of some changes, and files that are gone. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    base: State,
    /// `None` for a file that is gone. Invariant: nothing in it is what the base has there.
    made: Arc<BTreeMap<FilePath, Option<Made>>>,
}

impl From<State> for Configuration {
    fn from(base: State) -> Self {
        Self {
            base,
            made: Arc::default(),
        }
    }
}

impl Configuration {
    /// Returns a state with these files in it, and without those that are `None`.
    #[must_use]
    pub fn new(base: State, mut made: BTreeMap<FilePath, Option<Made>>) -> Self {
        made.retain(|path, made| base.get(path) != made.as_ref().map(Made::entry));
        Self {
            base,
            made: Arc::new(made),
        }
    }

    /// Returns the state that it begins with.
    #[must_use]
    pub fn base(&self) -> &State {
        &self.base
    }

    /// Returns what differs from the base; `None` for a file that is gone.
    #[must_use]
    pub fn made(&self) -> &BTreeMap<FilePath, Option<Made>> {
        &self.made
    }

    /// Returns what is at a path.
    #[must_use]
    pub fn get(&self, path: &FilePath) -> Option<Made> {
        match self.made.get(path) {
            Some(made) => made.clone(),
            None => self.base.get(path).map(Made::from),
        }
    }

    /// Returns all files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&FilePath, Made)> {
        let kept = (self.base.iter())
            .filter(|(path, _)| !self.made.contains_key(*path))
            .map(|(path, entry)| (path, Made::from(entry)));
        let made =
            (self.made.iter()).filter_map(|(path, made)| Some((path, made.as_ref()?.clone())));
        let mut all: Vec<_> = kept.chain(made).collect();
        all.sort_by_key(|(path, _)| *path);
        all.into_iter()
    }

    /// Returns the name of the whole: equal files have an equal one, however they came about.
    #[must_use]
    pub fn name(&self) -> ObjectId {
        let mut all = Vec::new();
        for (path, made) in self.iter() {
            all.extend_from_slice(made.kind.mode().as_bytes());
            all.extend_from_slice(made.id.as_slice());
            all.extend_from_slice(path);
            all.push(0);
        }
        name_of(&all)
    }
}
