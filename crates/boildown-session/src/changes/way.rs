//! The states between a good one and a bad one, in the order in which they came about.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use boildown_changes::{ChangesError, Commit, Contents, ObjectId, Repository, State};

/// A state, and how it is called.
#[derive(Debug, Clone)]
pub struct Place {
    /// As the user would name it.
    pub name: String,
    /// Its files, or where they are.
    pub at: At,
}

/// Where the files of a state are.
#[derive(Debug, Clone)]
pub enum At {
    /// In a commit.
    Commit(ObjectId),
    /// Right here.
    Files(State),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A row of states. The first is good, the last one is bad, and neighbours differ by little.
#[derive(Debug, Clone)]
pub struct Row {
    /// At least two.
    pub places: Vec<Place>,
    /// Up to this one the row leads back in time: a step undoes a commit.
    pub turn: usize,
}

impl Row {
    /// Returns a good and a bad state without anything in between.
    #[must_use]
    pub fn of_two(good: Place, bad: Place) -> Self {
        Self {
            places: vec![good, bad],
            turn: 0,
        }
    }

    /// Returns the way that history takes from a good state to a bad one, as far as it is known.
    ///
    /// `uncommitted` is what the bad side has besides its commit.
    ///
    /// # Errors
    /// [`ChangesError`] when a commit cannot be read.
    pub fn through(
        repository: &Repository,
        good: Place,
        bad: Place,
        uncommitted: Option<Place>,
    ) -> Result<Self, ChangesError> {
        let way = match (&good.at, &bad.at) {
            (At::Commit(from), At::Commit(to)) if from != to => repository.way(*from, *to),
            (At::Commit(_), At::Commit(_)) => None,
            _ => return Ok(Self::of_two(good, uncommitted.unwrap_or(bad))),
        };
        let mut places = vec![good];
        let mut turn = 0;
        if let Some(way) = way {
            turn = way.turn;
            let inner = &way.commits[1..way.commits.len() - 1];
            for &id in inner {
                // Found again by anyone, in any repository: not by what it is relative to.
                let name = id.to_hex_with_len(10).to_string();
                let at = At::Commit(id);
                places.push(Place { name, at });
            }
            places.push(bad);
        } else if !same(&places[0], &bad) {
            places.push(bad);
        }
        places.extend(uncommitted);
        Ok(Self { places, turn })
    }

    /// The commits that lie between two places, the oldest first, and whether they are undone.
    pub(super) fn commits(
        &self,
        repository: Option<&Repository>,
        from: usize,
        to: usize,
    ) -> Result<(Vec<Commit>, bool), ChangesError> {
        let Some(repository) = repository else {
            return Ok((Vec::new(), false));
        };
        // A way back is named by what it leaves behind.
        let undone = to <= self.turn;
        let range = if undone { from..to } else { from + 1..to + 1 };
        let mut commits = Vec::new();
        for place in &self.places[range] {
            if let At::Commit(id) = place.at {
                commits.push(repository.commit_of(id)?);
            }
        }
        if undone {
            commits.reverse();
        }
        Ok((commits, undone))
    }
}

fn same(one: &Place, two: &Place) -> bool {
    matches!((&one.at, &two.at), (At::Commit(one), At::Commit(two)) if one == two)
}

/// States that were read already.
#[derive(Debug, Default)]
pub(super) struct States {
    known: Mutex<HashMap<ObjectId, State>>,
}

impl States {
    pub(super) fn of(&self, place: &Place, contents: &Contents) -> Result<State, ChangesError> {
        let id = match &place.at {
            At::Files(state) => return Ok(state.clone()),
            At::Commit(id) => *id,
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = known.get(&id) {
            return Ok(state.clone());
        }
        let repository = contents
            .repository()
            .expect("commits are places of a repository");
        let state = repository.state(id)?;
        known.insert(id, state.clone());
        Ok(state)
    }
}
