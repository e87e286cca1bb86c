//! A repository of git: read, never written.
//!
//! The one module that knows git's library. Its errors become ours here.

mod commits;
mod filter;
mod skeleton;
mod uncommitted;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use gix::bstr::ByteSlice as _;
use gix::objs::tree::EntryKind;
use gix::{ObjectId, ThreadSafeRepository};

use crate::{ChangesError, Entry, Kind, State};

pub use commits::{Commit, Way};
use filter::Filter;

/// A repository of git: read, never written.
pub struct Repository {
    repository: ThreadSafeRepository,
    /// The tree whose `.gitattributes` say how files lie on the disk.
    attributes: OnceLock<ObjectId>,
    /// Filters that nobody uses at the moment.
    filters: Mutex<Vec<Filter>>,
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Repository")
            .field(&self.repository.git_dir())
            .finish()
    }
}

fn object(
    what: impl fmt::Display,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> ChangesError {
    ChangesError::Object {
        what: what.to_string(),
        advice: "",
        source: error.into(),
    }
}

impl Repository {
    /// Opens the repository that a directory is in, as git would find it.
    ///
    /// # Errors
    /// [`ChangesError::Repository`] when there is none, or it cannot be read.
    pub fn open(directory: &Path) -> Result<Self, ChangesError> {
        let repository = gix::discover(directory).map_err(|error| ChangesError::Repository {
            path: directory.to_owned(),
            source: error.into(),
        })?;
        Ok(Self {
            repository: repository.into_sync(),
            attributes: OnceLock::new(),
            filters: Mutex::default(),
        })
    }

    fn local(&self) -> gix::Repository {
        let mut repository = self.repository.to_thread_local();
        repository.object_cache_size_if_unset(16 << 20);
        repository
    }

    /// Returns the directory that the user works in, unless the repository is bare.
    #[must_use]
    pub fn work_dir(&self) -> Option<PathBuf> {
        self.repository.work_dir().map(Path::to_owned)
    }

    /// Returns the directory of the objects, absolute.
    #[must_use]
    pub fn objects_dir(&self) -> PathBuf {
        let dir = self.repository.objects_dir();
        std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned())
    }

    /// Returns the directory that branches and tags are in.
    #[must_use]
    pub fn common_dir(&self) -> PathBuf {
        self.local().common_dir().to_owned()
    }

    /// Returns whether older history is missing, as after `git clone --depth`.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.local().is_shallow().unwrap_or(false)
    }

    /// Returns the commit that a revision names.
    ///
    /// # Errors
    /// [`ChangesError::Revision`] when there is none.
    pub fn commit(&self, revision: &str) -> Result<Commit, ChangesError> {
        let wrong = |advice: String| ChangesError::Revision {
            name: revision.to_owned(),
            advice,
        };
        let repository = self.local();
        let id = repository
            .rev_parse_single(revision)
            .map_err(|_| {
                let shallow = if self.is_shallow() {
                    "; the repository is shallow, `git fetch --unshallow` brings the rest"
                } else {
                    ""
                };
                wrong(format!(
                    "there is no such commit, branch or tag here{shallow}"
                ))
            })?
            .detach();
        let commit = repository
            .find_object(id)
            .map_err(|error| object(revision, error))?
            .peel_to_kind(gix::object::Kind::Commit)
            .map_err(|_| wrong("it is no commit".to_owned()))?;
        self.describe(commit.id)
    }

    /// Returns the files of a commit.
    ///
    /// # Errors
    /// [`ChangesError::Object`] when an object is missing.
    pub fn state(&self, commit: ObjectId) -> Result<State, ChangesError> {
        let repository = self.local();
        let what = format!("the files of commit {commit}");
        let tree = repository
            .find_commit(commit)
            .map_err(|error| object(&what, error))?
            .tree()
            .map_err(|error| object(&what, error))?;
        let mut recorder = gix::traverse::tree::Recorder::default();
        tree.traverse()
            .breadthfirst(&mut recorder)
            .map_err(|error| object(&what, error))?;
        let files = recorder.records.into_iter().filter_map(|found| {
            let kind = match found.mode.kind() {
                EntryKind::Tree => return None,
                EntryKind::Blob => Kind::File,
                EntryKind::BlobExecutable => Kind::Program,
                EntryKind::Link => Kind::Link,
                EntryKind::Commit => Kind::Module,
            };
            let entry = Entry {
                kind,
                id: found.oid,
            };
            Some((found.filepath, entry))
        });
        Ok(files.collect())
    }

    /// Returns a content.
    pub(crate) fn blob(&self, id: ObjectId) -> Result<Vec<u8>, ChangesError> {
        let repository = self.local();
        let found = repository.find_object(id).map_err(|error| ChangesError::Object {
            what: format!("the content {id}"),
            advice: "; in a clone that fetches objects when needed, check both states out once with git",
            source: error.into(),
        })?;
        Ok(found.detach().data)
    }

    /// Returns what of a path is inside the user's work tree: `src` for `/home/me/project/src`.
    #[must_use]
    pub fn inside(&self, path: &Path) -> Option<PathBuf> {
        let root = self.work_dir()?.canonicalize().ok()?;
        let path = path.canonicalize().ok()?;
        Some(path.strip_prefix(root).ok()?.to_owned())
    }

    /// Returns the git directory of a module of the user's checkout, if it is there.
    pub(crate) fn module(&self, path: &gix::bstr::BStr) -> Option<Self> {
        let dir = self.work_dir()?.join(path.to_path().ok()?);
        let inner = gix::open(dir).ok()?;
        Some(Self {
            repository: inner.into_sync(),
            attributes: OnceLock::new(),
            filters: Mutex::default(),
        })
    }
}
