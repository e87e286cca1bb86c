//! The commits between two states.

use std::collections::HashMap;

use gix::ObjectId;

use super::{Repository, object};
use crate::ChangesError;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: ObjectId,
    /// The first line of its message.
    pub title: String,
    /// Who wrote it.
    pub author: String,
    /// The day on which it was written, such as 2021-11-03.
    pub date: String,
    /// Those that it was made from.
    pub parents: Vec<ObjectId>,
}

impl Commit {
    /// Returns a name that is short and, among a few million objects, its own.
    #[must_use]
    pub fn short(&self) -> String {
        self.id.to_hex_with_len(10).to_string()
    }
}

/// A way through history from one state to another, over neighbours: back to where the two parted, then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The commits passed, both ends included.
    pub commits: Vec<ObjectId>,
    /// Which of them is the oldest: before it the way leads back in time.
    pub turn: usize,
}

impl Repository {
    pub(super) fn describe(&self, id: ObjectId) -> Result<Commit, ChangesError> {
        let repository = self.local();
        let commit = repository
            .find_commit(id)
            .map_err(|error| object(format!("commit {id}"), error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
        let title = commit
            .message()
            .map_or_else(|_| String::new(), |message| text(&message.summary()));
        let author = commit.author().ok();
        let date = author
            .as_ref()
            .and_then(|author| author.time().ok())
            .and_then(|time| time.format(gix::date::time::format::SHORT).ok());
        Ok(Commit {
            id,
            title,
            author: author.map(|author| text(author.name)).unwrap_or_default(),
            date: date.unwrap_or_default(),
            parents: commit.parent_ids().map(gix::Id::detach).collect(),
        })
    }

    /// Returns a commit.
    ///
    /// # Errors
    /// [`ChangesError::Object`] when it is missing.
    pub fn commit_of(&self, id: ObjectId) -> Result<Commit, ChangesError> {
        self.describe(id)
    }

    /// Returns a way between two commits along first parents, `None` when they share no history that is there.
    ///
    /// On it every state is one that somebody committed, and neighbours differ by one commit: a merge counts as one, made to
    /// its first parent.
    #[must_use]
    pub fn way(&self, from: ObjectId, to: ObjectId) -> Option<Way> {
        let repository = self.local();
        let parent = |id: ObjectId| {
            let commit = repository.find_commit(id).ok()?;
            let first = commit.parent_ids().next()?.detach();
            // Beyond the edge of a shallow clone there is a name and no commit.
            repository.has_object(first).then_some(first)
        };
        // Step by step on both sides, so that a short way in a long history is found soon.
        let mut sides = [vec![from], vec![to]];
        let mut seen: [HashMap<ObjectId, usize>; 2] = [[(from, 0)].into(), [(to, 0)].into()];
        let mut ended = [false; 2];
        let (back, on) = loop {
            if let Some(&place) = seen[1].get(&from) {
                break (0, place);
            }
            if ended == [true; 2] {
                return None;
            }
            let mut met = None;
            for side in 0..2 {
                if ended[side] {
                    continue;
                }
                let last = sides[side].last().copied();
                let Some(next) = last.and_then(parent) else {
                    ended[side] = true;
                    continue;
                };
                let place = sides[side].len();
                sides[side].push(next);
                seen[side].insert(next, place);
                if let Some(&other) = seen[1 - side].get(&next) {
                    met = Some(if side == 0 {
                        (place, other)
                    } else {
                        (other, place)
                    });
                    break;
                }
            }
            if let Some(met) = met {
                break met;
            }
        };
        let commits = (sides[0][..=back].iter())
            .chain(sides[1][..on].iter().rev())
            .copied()
            .collect();
        Some(Way {
            commits,
            turn: back,
        })
    }
}
