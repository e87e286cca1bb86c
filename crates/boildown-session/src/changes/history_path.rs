//! History path: the revisions between a good and a bad state, in the order of the changes.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use boildown_changes::{
    ChangesError, Commit, Contents, FilePath, HistoryLimits, ObjectId, Repository, State,
};
use boildown_show::CommitRecord;

/// Returns commits as the record has them.
pub fn commit_records(commits: &[Commit]) -> Vec<CommitRecord> {
    (commits.iter())
        .map(|commit| CommitRecord {
            id: commit.id.to_string(),
            date: commit.date.clone(),
            author: commit.author.clone(),
            title: commit.title.clone(),
        })
        .collect()
}

/// A state of the folder, with a name.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The name, as the user would type it.
    pub name: String,
    /// Its files.
    pub files: RevisionFiles,
}

/// The files of a revision.
#[derive(Debug, Clone)]
pub enum RevisionFiles {
    /// Those of a commit.
    Commit(ObjectId),
    /// A state that was read already: of a directory, or of the work tree.
    State(State),
    /// Those of a commit in which a submodule is at a commit of its own, and the commits that lead
    /// there: that of the submodule last.
    Submodule {
        /// The files.
        state: State,
        /// The commits.
        commits: Vec<Commit>,
    },
}

impl Revision {
    /// Returns a commit by an abbreviated hash, which names it in any clone; `HEAD~3` would not.
    pub(super) fn of_commit(id: ObjectId) -> Self {
        Self {
            name: id.to_hex_with_len(10).to_string(),
            files: RevisionFiles::Commit(id),
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The revisions from a good one to a bad one, each with one step of changes to the next.
///
/// If the good revision is not an ancestor of the bad one, the path first leads back in time to a
/// common ancestor (each step undoes a commit), and from there forward to the bad revision.
#[derive(Debug, Clone)]
pub struct HistoryPath {
    /// The revisions: at least two, the good one first, the bad one last.
    pub revisions: Vec<Revision>,
    /// Index of the turning point: up to this revision, each step undoes a commit.
    pub turning_point: usize,
    /// What is known about the revisions in between.
    pub limits: HistoryLimits,
}

impl HistoryPath {
    /// Returns the path from a good to a bad revision with nothing in between.
    #[must_use]
    pub fn without_history(good: Revision, bad: Revision) -> Self {
        Self {
            revisions: vec![good, bad],
            turning_point: 0,
            limits: HistoryLimits::default(),
        }
    }

    /// Returns the path through these states, the good one first and the bad one last.
    ///
    /// # Panics
    /// If there are fewer than two.
    #[must_use]
    pub fn through_states(revisions: Vec<Revision>) -> Self {
        assert!(revisions.len() > 1, "one is good and another one bad");
        Self {
            revisions,
            turning_point: 0,
            limits: HistoryLimits::default(),
        }
    }

    /// Returns the path through the history between two revisions, as far as it is known.
    ///
    /// `uncommitted` is a last revision: the work tree, whose changes have no commit.
    ///
    /// # Errors
    /// [`ChangesError`] when a commit cannot be read.
    pub fn through(
        repository: &Repository,
        good: Revision,
        bad: Revision,
        uncommitted: Option<Revision>,
    ) -> Result<Self, ChangesError> {
        let way = match (&good.files, &bad.files) {
            (RevisionFiles::Commit(from), RevisionFiles::Commit(to)) if from != to => {
                repository.history_path(*from, *to)
            }
            (RevisionFiles::Commit(_), RevisionFiles::Commit(_)) => None,
            _ => return Ok(Self::without_history(good, uncommitted.unwrap_or(bad))),
        };
        let mut revisions = vec![good];
        let mut turning_point = 0;
        if let Some(way) = way {
            turning_point = way.turning_point;
            let inner = &way.commits[1..way.commits.len() - 1];
            revisions.extend(inner.iter().copied().map(Revision::of_commit));
            revisions.push(bad);
        } else if !are_same_commit(&revisions[0], &bad) {
            revisions.push(bad);
        }
        revisions.extend(uncommitted);
        Ok(Self {
            revisions,
            turning_point,
            limits: HistoryLimits::default(),
        })
    }

    /// Returns the commit of the revision with this index, if it is one.
    pub(super) fn commit_at(&self, revision: usize) -> Option<ObjectId> {
        match self.revisions[revision].files {
            RevisionFiles::Commit(id) => Some(id),
            RevisionFiles::State(_) | RevisionFiles::Submodule { .. } => None,
        }
    }

    /// Returns the good revision.
    pub fn good(&self) -> &Revision {
        &self.revisions[0]
    }

    /// Returns the bad revision.
    pub fn bad(&self) -> &Revision {
        &self.revisions[self.revisions.len() - 1]
    }

    /// Returns the number of steps from one revision to the next.
    pub(super) fn steps(&self) -> usize {
        self.revisions.len() - 1
    }

    /// Returns the commits of the steps between two revisions, the oldest first.
    pub(super) fn commits(
        &self,
        repository: Option<&Repository>,
        narrowed: Narrowed,
    ) -> Result<StepCommits, ChangesError> {
        let Narrowed { passing, failing } = narrowed;
        let Some(repository) = repository else {
            return Ok(StepCommits::default());
        };
        let undone = failing <= self.turning_point;
        // A step back undoes the commit that it starts from, a step forward adds the one that it
        // leads to.
        let range = if undone {
            passing..failing
        } else {
            passing + 1..failing + 1
        };
        let mut commits = Vec::new();
        for revision in &self.revisions[range] {
            match &revision.files {
                RevisionFiles::Commit(id) => commits.push(repository.commit_by_id(*id)?),
                RevisionFiles::Submodule { commits: inner, .. } => {
                    commits.extend(inner.iter().cloned());
                }
                RevisionFiles::State(_) => {}
            }
        }
        if undone {
            commits.reverse();
        }
        Ok(StepCommits { commits, undone })
    }
}

fn are_same_commit(one: &Revision, two: &Revision) -> bool {
    matches!(
        (&one.files, &two.files),
        (RevisionFiles::Commit(one), RevisionFiles::Commit(two)) if one == two
    )
}

/// A part of a history path that begins good and ends bad. Neighbours, unless a revision between
/// them could not be judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Narrowed {
    /// Index of the last revision that is known to be good.
    pub(super) passing: usize,
    /// Index of the first revision that is known to be bad.
    pub(super) failing: usize,
}

/// The commits of a part of a history path.
#[derive(Debug, Clone, Default)]
pub(super) struct StepCommits {
    /// The commits, the oldest first.
    pub(super) commits: Vec<Commit>,
    /// Whether the path undoes them.
    pub(super) undone: bool,
}

/// The states of a history path, read when they are needed, on any thread.
#[derive(Debug)]
pub(super) struct PathStates<'a> {
    pub(super) path: HistoryPath,
    pub(super) contents: &'a Contents,
    /// A submodule whose files take its place in all states.
    pub(super) submodule: Option<FilePath>,
    cache: StateCache,
}

impl<'a> PathStates<'a> {
    pub(super) fn new(path: HistoryPath, contents: &'a Contents) -> Self {
        Self {
            path,
            contents,
            submodule: None,
            cache: StateCache::default(),
        }
    }

    /// Returns the state of the revision with this index.
    pub(super) fn read(&self, revision: usize) -> Result<State, ChangesError> {
        self.read_revision(&self.path.revisions[revision])
    }

    /// Returns the state of a revision that need not be on the path.
    pub(super) fn read_revision(&self, revision: &Revision) -> Result<State, ChangesError> {
        let state = self.cache.read(revision, self.contents)?;
        Ok(match &self.submodule {
            Some(path) => self.contents.with_submodule_files(&state, path, None),
            None => state,
        })
    }

    /// Returns the name of the revision with this index.
    pub(super) fn name(&self, revision: usize) -> String {
        self.path.revisions[revision].name.clone()
    }
}

/// States of commits that were read already.
#[derive(Debug, Default)]
pub(super) struct StateCache {
    states: Mutex<HashMap<ObjectId, State>>,
}

impl StateCache {
    /// Returns the state of a revision.
    pub(super) fn read(
        &self,
        revision: &Revision,
        contents: &Contents,
    ) -> Result<State, ChangesError> {
        let id = match &revision.files {
            RevisionFiles::State(state) | RevisionFiles::Submodule { state, .. } => {
                return Ok(state.clone());
            }
            RevisionFiles::Commit(id) => *id,
        };
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = states.get(&id) {
            return Ok(state.clone());
        }
        let repository = contents
            .repository()
            .expect("commits belong to a repository");
        let state = repository.state(id)?;
        states.insert(id, state.clone());
        Ok(state)
    }
}
