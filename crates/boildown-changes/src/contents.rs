//! The bytes of files, by name.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs};

use gix::ObjectId;

use crate::git::Repository;
use crate::state::name_of;
use crate::{ChangesError, Configuration, FilePath, Kind, Made, State};

/// Where the bytes of all files come from: a repository, files of the user, or memory.
#[derive(Default)]
pub struct Contents {
    repository: Option<Repository>,
    /// Of files that lie in a directory, read again when needed.
    files: Mutex<HashMap<ObjectId, PathBuf>>,
    /// What is nowhere else.
    memory: Mutex<HashMap<ObjectId, Arc<[u8]>>>,
    /// Repositories inside the repository, and those of their states that were needed.
    modules: Mutex<HashMap<FilePath, Option<Module>>>,
}

struct Module {
    repository: Arc<Repository>,
    states: HashMap<ObjectId, Option<State>>,
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents").finish_non_exhaustive()
    }
}

impl Contents {
    /// Returns those of a repository.
    #[must_use]
    pub fn of(repository: Repository) -> Self {
        Self {
            repository: Some(repository),
            ..Self::default()
        }
    }

    /// Returns the repository, if there is one.
    #[must_use]
    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    pub(crate) fn add_file(&self, id: ObjectId, path: &Path) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(id).or_insert_with(|| path.to_owned());
    }

    pub(crate) fn add_bytes(&self, id: ObjectId, bytes: &[u8]) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.entry(id).or_insert_with(|| bytes.into());
    }

    /// Keeps what the files of a configuration are made of, so that they can be read by name.
    pub fn keep(&self, configuration: &Configuration) {
        for made in configuration.made().values().flatten() {
            if let Some(bytes) = &made.bytes {
                self.add_bytes(made.id, bytes);
            }
        }
    }

    /// Returns the content of this name.
    ///
    /// # Errors
    /// [`ChangesError`] when it is missing, or the user has changed the file that held it.
    pub fn read(&self, id: ObjectId) -> Result<Arc<[u8]>, ChangesError> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = memory.get(&id) {
            return Ok(Arc::clone(bytes));
        }
        drop(memory);
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let path = files.get(&id).cloned();
        drop(files);
        if let Some(path) = path {
            let bytes = match fs::read_link(&path) {
                Ok(target) => target.into_os_string().into_encoded_bytes(),
                Err(_) => fs::read(&path).map_err(ChangesError::file("read", &path))?,
            };
            if name_of(&bytes) != id {
                return Err(ChangesError::Changed { path });
            }
            return Ok(bytes.into());
        }
        match &self.repository {
            Some(repository) => match repository.blob(id) {
                Ok(bytes) => Ok(bytes.into()),
                Err(error) => self.of_module(id).ok_or(error),
            },
            None => Err(ChangesError::Object {
                what: format!("the content {id}"),
                advice: "",
                source: "nothing holds it".into(),
            }),
        }
    }

    /// Returns the content of a file; that of a module is the name of its commit.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of_file(&self, made: &Made) -> Result<Arc<[u8]>, ChangesError> {
        match (&made.bytes, made.kind) {
            (Some(bytes), _) => Ok(Arc::clone(bytes)),
            (None, Kind::Module) => Ok(format!("Subproject commit {}\n", made.id)
                .into_bytes()
                .into()),
            (None, _) => self.read(made.id),
        }
    }

    /// All files of a configuration, those of modules that the user has checked out included.
    pub(crate) fn expanded(
        &self,
        configuration: &Configuration,
    ) -> Result<BTreeMap<FilePath, Made>, ChangesError> {
        let mut files = BTreeMap::new();
        for (path, made) in configuration.iter() {
            if made.kind == Kind::Module
                && let Some(state) = self.state_of_module(path, made.id)
            {
                for (inner, entry) in state.iter() {
                    let mut whole = path.clone();
                    whole.push(b'/');
                    whole.extend_from_slice(inner);
                    files.insert(whole, entry.into());
                }
            } else {
                files.insert(path.clone(), made);
            }
        }
        Ok(files)
    }

    /// The files of a module at a commit, when both are there.
    fn state_of_module(&self, path: &FilePath, commit: ObjectId) -> Option<State> {
        let repository = self.repository.as_ref()?;
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = modules.entry(path.clone()).or_insert_with(|| {
            let repository = Arc::new(repository.module(path.as_ref())?);
            let states = HashMap::new();
            Some(Module { repository, states })
        });
        let Module { repository, states } = module.as_mut()?;
        let state = states
            .entry(commit)
            .or_insert_with(|| repository.state(commit).ok());
        state.clone()
    }

    /// A content that one of the modules holds.
    fn of_module(&self, id: ObjectId) -> Option<Arc<[u8]>> {
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever has it, has the same bytes.
        let mut modules = modules.values().flatten();
        let found = modules.find_map(|module| module.repository.blob(id).ok());
        found.map(Into::into)
    }

    /// Returns the content of a file as it lies on the disk: filters of git and ends of lines applied.
    pub(crate) fn on_disk(&self, path: &FilePath, made: &Made) -> Result<Arc<[u8]>, ChangesError> {
        let bytes = self.of_file(made)?;
        match &self.repository {
            Some(repository) if made.kind.is_plain() => repository.smudge(path, bytes),
            _ => Ok(bytes),
        }
    }
}
