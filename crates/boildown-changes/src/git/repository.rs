//! The handle of a repository, and the objects in it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use gix::bstr::ByteSlice as _;
use gix::objs::tree::EntryKind;
use gix::{ObjectId, ThreadSafeRepository};

use super::filter::ContentFilter;
use super::filter_command::FilterRuns;
use crate::{ChangesError, Entry, FileKind, State};

/// A git repository, which is read and never written.
pub struct Repository {
    repository: ThreadSafeRepository,
    /// The commit whose `.gitattributes` apply to all files that are converted.
    pub(super) attributes_commit: OnceLock<ObjectId>,
    /// Runs of the filters that the git configuration names.
    pub(super) filter_runs: OnceLock<Arc<FilterRuns>>,
    /// Filters that are not in use at the moment.
    pub(super) idle_filters: Mutex<Vec<ContentFilter>>,
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Repository")
            .field(&self.repository.git_dir())
            .finish()
    }
}

/// Returns the error for an object that cannot be read.
pub(super) fn object_error(
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
    fn new(repository: gix::Repository) -> Self {
        Self {
            repository: repository.into_sync(),
            attributes_commit: OnceLock::new(),
            filter_runs: OnceLock::new(),
            idle_filters: Mutex::default(),
        }
    }

    /// Opens the repository that a directory is in. Searches the parent directories, as git does.
    ///
    /// # Errors
    /// [`ChangesError::Repository`] when there is none, or it cannot be read.
    pub fn open(directory: &Path) -> Result<Self, ChangesError> {
        let repository = gix::discover(directory).map_err(|error| ChangesError::Repository {
            path: directory.to_owned(),
            source: causes(&error).into(),
        })?;
        Ok(Self::new(repository))
    }

    /// Returns a handle for the current thread, with a cache of 16 MiB for objects.
    pub(super) fn local(&self) -> gix::Repository {
        let mut repository = self.repository.to_thread_local();
        repository.object_cache_size_if_unset(16 << 20);
        repository
    }

    /// Returns the directory of the work tree; `None` for a bare repository.
    pub fn work_dir(&self) -> Option<PathBuf> {
        self.repository.work_dir().map(Path::to_owned)
    }

    /// Returns the directory of the objects, as an absolute path.
    pub fn objects_dir(&self) -> PathBuf {
        let dir = self.repository.objects_dir();
        std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned())
    }

    /// Returns where git keeps the log of a `git bisect` in progress.
    pub fn bisect_log_path(&self) -> PathBuf {
        self.repository.git_dir().join("BISECT_LOG")
    }

    /// Returns whether older history is missing, as after `git clone --depth`.
    pub fn is_shallow(&self) -> bool {
        self.local().is_shallow().unwrap_or(false)
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
            .map_err(|error| object_error(&what, error))?
            .tree()
            .map_err(|error| object_error(&what, error))?;
        let mut recorder = gix::traverse::tree::Recorder::default();
        tree.traverse()
            .breadthfirst(&mut recorder)
            .map_err(|error| object_error(&what, error))?;
        let files = recorder.records.into_iter().filter_map(|record| {
            let kind = match record.mode.kind() {
                EntryKind::Tree => return None,
                EntryKind::Blob => FileKind::Regular,
                EntryKind::BlobExecutable => FileKind::Executable,
                EntryKind::Link => FileKind::Symlink,
                EntryKind::Commit => FileKind::Submodule,
            };
            let id = record.oid;
            Some((record.filepath, Entry { kind, id }))
        });
        Ok(files.collect())
    }

    /// Returns the bytes of a blob.
    pub(crate) fn blob(&self, id: ObjectId) -> Result<Vec<u8>, ChangesError> {
        let repository = self.local();
        let found = repository
            .find_object(id)
            .map_err(|error| ChangesError::Object {
                what: format!("the content {id}"),
                advice: "; in a clone that fetches objects when needed, check both states out once with git",
                source: error.into(),
            })?;
        Ok(found.detach().data)
    }

    /// Returns a path relative to the work tree: `src` for `/home/me/project/src`. `None` when it
    /// is outside.
    pub fn path_in_work_tree(&self, path: &Path) -> Option<PathBuf> {
        let root = self.work_dir()?.canonicalize().ok()?;
        let path = path.canonicalize().ok()?;
        Some(path.strip_prefix(root).ok()?.to_owned())
    }

    /// Returns the repository of a submodule, if it is checked out in the work tree.
    pub(crate) fn submodule(&self, path: &gix::bstr::BStr) -> Option<Self> {
        let dir = self.work_dir()?.join(path.to_path().ok()?);
        let submodule = Self::new(gix::open(dir).ok()?);
        if let Some(runs) = self.filter_runs.get() {
            submodule.filter_runs.get_or_init(|| Arc::clone(runs));
        }
        Some(submodule)
    }
}

/// Returns an error of the git library with its causes, without the names of its classes, such as
/// `NotFound`, which are among them.
fn causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts = causes.map(ToString::to_string);
    let texts: Vec<String> = texts.filter(|text| text.contains(' ')).collect();
    texts.join(": ")
}
