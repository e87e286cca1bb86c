//! The commits between good revisions and a bad one, with their branches and merges.

use std::collections::{HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::ByteSlice as _;

use super::repository::{Repository, object_error};
use crate::{ChangesError, FilePath};

/// What is known about the revisions between two states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryLimits {
    /// More commits that are good, in addition to the good state.
    pub good: Vec<ObjectId>,
    /// Commits that are not to be run.
    pub skipped: Vec<ObjectId>,
    /// Whether merges count as one step, and the branches that they merged are not searched.
    pub first_parent: bool,
    /// Only commits that change one of these files and directories are searched; all, if there are
    /// none.
    pub paths: Vec<FilePath>,
}

/// The commits that a bad commit descends from and no good one does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryGraph {
    /// The commits, each after its parents. The last one descends from all others.
    pub commits: Vec<ObjectId>,
    /// For each commit, the positions of its parents in `commits`.
    pub parents: Vec<Vec<usize>>,
}

/// Where a commit stands in a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is in the graph, at this position.
    At(usize),
    /// It descends from no commit of the graph.
    Outside,
}

impl Repository {
    /// Returns the commits that `bad` descends from and no good commit does, `bad` included; `None`
    /// if there are none.
    ///
    /// With paths in `limits`, a commit that does not change them is replaced by the parent that
    /// has the same files there, as `git log` does.
    ///
    /// # Errors
    /// [`ChangesError::Object`] when an object is missing.
    pub fn commits_between(
        &self,
        good: &[ObjectId],
        bad: ObjectId,
        limits: &HistoryLimits,
    ) -> Result<Option<HistoryGraph>, ChangesError> {
        let known_good = self.ancestors(good)?;
        let mut graph = HistoryGraph {
            commits: Vec::new(),
            parents: Vec::new(),
        };
        let mut places: HashMap<ObjectId, Place> = HashMap::new();
        let mut files = HashMap::new();
        // Parents first: a commit is placed when it is met again, after its parents.
        let mut pending = vec![(bad, false)];
        while let Some((id, parents_are_placed)) = pending.pop() {
            if places.contains_key(&id) {
                continue;
            }
            if known_good.contains(&id) {
                places.insert(id, Place::Outside);
                continue;
            }
            let parents = self.parents(id, limits.first_parent)?;
            if !parents_are_placed {
                pending.push((id, true));
                pending.extend(parents.iter().rev().map(|parent| (*parent, false)));
                continue;
            }
            let same = self.parent_with_same_files(id, &parents, &limits.paths, &mut files)?;
            let place = match same {
                Some(parent) => places[&parent],
                None => {
                    let mut inside: Vec<usize> = Vec::new();
                    for parent in &parents {
                        if let Place::At(place) = places[parent]
                            && !inside.contains(&place)
                        {
                            inside.push(place);
                        }
                    }
                    graph.commits.push(id);
                    graph.parents.push(inside);
                    Place::At(graph.commits.len() - 1)
                }
            };
            places.insert(id, place);
        }
        let Place::At(last) = places[&bad] else {
            return Ok(None);
        };
        Ok(Some(graph.with_ancestors_only(last)))
    }

    /// Returns whether one commit is another one or an ancestor of it.
    ///
    /// # Errors
    /// [`ChangesError::Object`] when an object is missing.
    pub fn is_ancestor(&self, one: ObjectId, other: ObjectId) -> Result<bool, ChangesError> {
        Ok(self.ancestors(&[other])?.contains(&one))
    }

    /// Returns these commits and all their ancestors.
    fn ancestors(&self, commits: &[ObjectId]) -> Result<HashSet<ObjectId>, ChangesError> {
        let mut found: HashSet<ObjectId> = HashSet::new();
        let mut pending = commits.to_vec();
        while let Some(id) = pending.pop() {
            if found.insert(id) {
                pending.extend(self.parents(id, false)?);
            }
        }
        Ok(found)
    }

    /// Returns the parents of a commit that are in the repository.
    fn parents(&self, id: ObjectId, first_only: bool) -> Result<Vec<ObjectId>, ChangesError> {
        let repository = self.local();
        let commit = repository
            .find_commit(id)
            .map_err(|error| object_error(format!("commit {id}"), error))?;
        // At the edge of a shallow clone a parent is named, but missing.
        let parents = (commit.parent_ids().map(gix::Id::detach))
            .filter(|parent| repository.has_object(*parent));
        Ok(parents
            .take(if first_only { 1 } else { usize::MAX })
            .collect())
    }

    /// Returns a parent that has the same files at the paths as a commit; `None` if all of them
    /// differ, or there are no paths.
    fn parent_with_same_files(
        &self,
        id: ObjectId,
        parents: &[ObjectId],
        paths: &[FilePath],
        known: &mut HashMap<ObjectId, Vec<Option<ObjectId>>>,
    ) -> Result<Option<ObjectId>, ChangesError> {
        if paths.is_empty() {
            return Ok(None);
        }
        let own = self.entries(id, paths, known)?;
        for parent in parents {
            if self.entries(*parent, paths, known)? == own {
                return Ok(Some(*parent));
            }
        }
        Ok(None)
    }

    /// Returns the objects at some paths of a commit.
    fn entries(
        &self,
        id: ObjectId,
        paths: &[FilePath],
        known: &mut HashMap<ObjectId, Vec<Option<ObjectId>>>,
    ) -> Result<Vec<Option<ObjectId>>, ChangesError> {
        if let Some(entries) = known.get(&id) {
            return Ok(entries.clone());
        }
        let what = || format!("the files of commit {id}");
        let repository = self.local();
        let tree = repository
            .find_commit(id)
            .map_err(|error| object_error(what(), error))?
            .tree()
            .map_err(|error| object_error(what(), error))?;
        let mut entries = Vec::new();
        for path in paths {
            let found = match path.is_empty() {
                true => Some(tree.id().detach()),
                false => (tree.lookup_entry(path.split_str("/")))
                    .map_err(|error| object_error(what(), error))?
                    .map(|entry| entry.object_id()),
            };
            entries.push(found);
        }
        known.insert(id, entries.clone());
        Ok(entries)
    }
}

impl HistoryGraph {
    /// Returns the graph of a commit and its ancestors.
    fn with_ancestors_only(self, last: usize) -> Self {
        let mut is_needed = vec![false; self.commits.len()];
        is_needed[last] = true;
        for commit in (0..=last).rev() {
            if is_needed[commit] {
                self.parents[commit]
                    .iter()
                    .for_each(|parent| is_needed[*parent] = true);
            }
        }
        let mut new_places = vec![0; self.commits.len()];
        let mut kept = Self {
            commits: Vec::new(),
            parents: Vec::new(),
        };
        for (place, id) in self.commits.into_iter().enumerate() {
            if is_needed[place] {
                new_places[place] = kept.commits.len();
                kept.commits.push(id);
                let parents = self.parents[place].iter();
                kept.parents
                    .push(parents.map(|parent| new_places[*parent]).collect());
            }
        }
        kept
    }
}
