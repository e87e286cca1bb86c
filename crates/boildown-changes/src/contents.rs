//! The bytes of all files, by object id.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, fs};

use gix::ObjectId;

use crate::git::{Commit, Repository};
use crate::state::blob_id;
use crate::{ChangesError, Configuration, FileKind, FilePath, FileVersion, State};

/// The bytes of all files of all states, by object id.
///
/// A content is read from where it is: the repository, its submodules, a directory of the user, or
/// memory. Use the same `Contents` for all states that are compared.
#[derive(Default)]
pub struct Contents {
    repository: Option<Repository>,
    /// Files of plain directories. They are read again when they are needed.
    files: Mutex<HashMap<ObjectId, PathBuf>>,
    /// Contents that are nowhere on disk.
    memory: Mutex<HashMap<ObjectId, Arc<[u8]>>>,
    /// The submodules by path; `None` for one that is not checked out.
    submodules: Mutex<HashMap<FilePath, Option<SubmoduleStates>>>,
}

/// A submodule, and the states of it that were needed. `None` for a commit that is missing.
struct SubmoduleStates {
    repository: Arc<Repository>,
    states: HashMap<ObjectId, Option<State>>,
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Contents {
    /// Returns the contents of a repository.
    #[must_use]
    pub fn with_repository(repository: Repository) -> Self {
        Self {
            repository: Some(repository),
            ..Self::default()
        }
    }

    /// Returns the repository, if there is one.
    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    pub(crate) fn add_file(&self, id: ObjectId, path: &Path) {
        let mut files = lock(&self.files);
        files.entry(id).or_insert_with(|| path.to_owned());
    }

    pub(crate) fn add_bytes(&self, id: ObjectId, bytes: &[u8]) {
        let mut memory = lock(&self.memory);
        memory.entry(id).or_insert_with(|| bytes.into());
    }

    /// Keeps the new contents of a configuration in memory, so that [`read`](Self::read) finds
    /// them.
    pub fn add_configuration(&self, configuration: &Configuration) {
        for file in configuration.overrides().values().flatten() {
            if let Some(bytes) = &file.bytes {
                self.add_bytes(file.id, bytes);
            }
        }
    }

    /// Returns the content with this object id.
    ///
    /// # Errors
    /// [`ChangesError`] when it is missing, or when the user has changed the file that held it.
    pub fn read(&self, id: ObjectId) -> Result<Arc<[u8]>, ChangesError> {
        let in_memory = lock(&self.memory).get(&id).map(Arc::clone);
        if let Some(bytes) = in_memory {
            return Ok(bytes);
        }
        let path = lock(&self.files).get(&id).cloned();
        if let Some(path) = path {
            let bytes = match fs::read_link(&path) {
                Ok(target) => target.into_os_string().into_encoded_bytes(),
                Err(_) => {
                    boildown_exec::read_file(&path).map_err(ChangesError::file("read", &path))?
                }
            };
            if blob_id(&bytes) != id {
                return Err(ChangesError::Changed { path });
            }
            return Ok(bytes.into());
        }
        match &self.repository {
            Some(repository) => match repository.blob(id) {
                Ok(bytes) => Ok(bytes.into()),
                Err(error) => self.read_from_submodules(id).ok_or(error),
            },
            None => Err(ChangesError::Object {
                what: format!("the content {id}"),
                advice: "",
                source: "it is in no file and not in memory".into(),
            }),
        }
    }

    /// Returns the content of a file of a configuration, as git stores it.
    ///
    /// For a submodule this is the line that git shows in a diff, with the id of the commit.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_version(&self, file: &FileVersion) -> Result<Arc<[u8]>, ChangesError> {
        match (&file.bytes, file.kind) {
            (Some(bytes), _) => Ok(Arc::clone(bytes)),
            (None, FileKind::Submodule) => Ok(format!("Subproject commit {}\n", file.id)
                .into_bytes()
                .into()),
            (None, _) => self.read(file.id),
        }
    }

    /// Returns all files of a configuration, with the files of checked-out submodules in place of
    /// the submodules.
    pub(crate) fn files_with_submodules(
        &self,
        configuration: &Configuration,
    ) -> Result<BTreeMap<FilePath, FileVersion>, ChangesError> {
        let mut files = BTreeMap::new();
        for (path, file) in configuration.iter() {
            if file.kind == FileKind::Submodule
                && let Some(state) = self.submodule_state(path, file.id)
            {
                for (inner, entry) in state.iter() {
                    let mut whole = path.clone();
                    whole.push(b'/');
                    whole.extend_from_slice(inner);
                    files.insert(whole, entry.into());
                }
            } else {
                files.insert(path.clone(), file);
            }
        }
        Ok(files)
    }

    /// Returns the commits of a checked-out submodule from one to another along first parents, both
    /// included. `None` if it is not checked out, or one does not descend from the other.
    ///
    /// # Errors
    /// [`ChangesError::Object`] when a commit cannot be read.
    pub fn submodule_commits(
        &self,
        path: &FilePath,
        from: ObjectId,
        to: ObjectId,
    ) -> Result<Option<Vec<Commit>>, ChangesError> {
        if self.submodule_state(path, from).is_none() || self.submodule_state(path, to).is_none() {
            return Ok(None);
        }
        let submodules = lock(&self.submodules);
        let Some(Some(SubmoduleStates { repository, .. })) = submodules.get(path) else {
            return Ok(None);
        };
        let found = repository.history_path(from, to);
        let Some(found) = found.filter(|found| found.turning_point == 0) else {
            return Ok(None);
        };
        let commits = found.commits.iter();
        let commits: Result<Vec<Commit>, _> =
            commits.map(|id| repository.commit_by_id(*id)).collect();
        Ok(Some(commits?))
    }

    /// Returns a state with the files of a submodule, at this commit or at that of the state, in
    /// place of the submodule. Without these files, returns the state as it is.
    pub fn with_submodule_files(
        &self,
        state: &State,
        path: &FilePath,
        commit: Option<ObjectId>,
    ) -> State {
        let found = state
            .get(path)
            .filter(|entry| entry.kind == FileKind::Submodule);
        let inner = found.and_then(|entry| self.submodule_state(path, commit.unwrap_or(entry.id)));
        let Some(inner) = inner else {
            return state.clone();
        };
        let outer = state.iter().filter(|(name, _)| *name != path);
        let outer = outer.map(|(name, entry)| (name.clone(), entry));
        let inner = inner.iter().map(|(name, entry)| {
            let whole = [path.as_slice(), b"/", name.as_slice()].concat();
            (FilePath::from(whole), entry)
        });
        outer.chain(inner).collect()
    }

    /// Returns the files of a submodule at a commit; `None` when either is missing.
    fn submodule_state(&self, path: &FilePath, commit: ObjectId) -> Option<State> {
        let repository = self.repository.as_ref()?;
        let mut submodules = lock(&self.submodules);
        let submodule = submodules.entry(path.clone()).or_insert_with(|| {
            let repository = Arc::new(repository.submodule(path.as_ref())?);
            let states = HashMap::new();
            Some(SubmoduleStates { repository, states })
        });
        let SubmoduleStates { repository, states } = submodule.as_mut()?;
        let state = states
            .entry(commit)
            .or_insert_with(|| repository.state(commit).ok());
        state.clone()
    }

    fn read_from_submodules(&self, id: ObjectId) -> Option<Arc<[u8]>> {
        let submodules = lock(&self.submodules);
        let mut opened = submodules.values().flatten();
        let found = opened.find_map(|submodule| submodule.repository.blob(id).ok());
        found.map(Into::into)
    }

    /// Returns the content of a file as git would check it out: with line endings, encoding and
    /// filters of `.gitattributes` applied.
    pub(crate) fn checked_out(
        &self,
        path: &FilePath,
        file: &FileVersion,
    ) -> Result<Arc<[u8]>, ChangesError> {
        let bytes = self.read_version(file)?;
        match &self.repository {
            Some(repository) if file.kind.is_plain() => repository.smudge(path, bytes),
            _ => Ok(bytes),
        }
    }
}
