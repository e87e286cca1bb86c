//! Commits, and the path through history between two of them.

use std::collections::HashMap;

use gix::ObjectId;

use super::repository::{Repository, object_error};
use crate::ChangesError;

/// A commit, as far as messages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The object id.
    pub id: ObjectId,
    /// The first line of the message.
    pub title: String,
    /// The name of the author.
    pub author: String,
    /// The day on which it was written, such as 2021-11-03; empty if unknown.
    pub date: String,
    /// The parents, in git's order.
    pub parents: Vec<ObjectId>,
}

impl Commit {
    /// Returns the first ten digits of the id, which are unique among a few million objects.
    pub fn short(&self) -> String {
        self.id.to_hex_with_len(10).to_string()
    }
}

/// A path through history from one commit to another along first parents.
///
/// It leads back in time from the first commit to the *turning point*, the newest commit that both
/// ends have in common on their first-parent lines, and then forward to the second commit. When one
/// end is an ancestor of the other, the turning point is that end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryPath {
    /// The commits on the path, both ends included. Neighbours differ by one commit.
    pub commits: Vec<ObjectId>,
    /// The index of the turning point in `commits`.
    pub turning_point: usize,
}

/// The first-parent line of one end, as far as it was followed.
struct FollowedLine {
    commits: Vec<ObjectId>,
    index_by_id: HashMap<ObjectId, usize>,
    /// Whether the line has ended: at a root commit, or at the edge of a shallow clone.
    ended: bool,
}

impl FollowedLine {
    fn new(start: ObjectId) -> Self {
        Self {
            commits: vec![start],
            index_by_id: [(start, 0)].into(),
            ended: false,
        }
    }

    /// Follows the line by one commit, and returns it. `None` when the line has ended.
    fn advance(&mut self, first_parent: impl Fn(ObjectId) -> Option<ObjectId>) -> Option<ObjectId> {
        if self.ended {
            return None;
        }
        let last = self.commits.last().copied();
        let Some(next) = last.and_then(first_parent) else {
            self.ended = true;
            return None;
        };
        self.index_by_id.insert(next, self.commits.len());
        self.commits.push(next);
        Some(next)
    }
}

impl Repository {
    /// Returns the commit that a revision names, such as `HEAD~3` or a tag.
    ///
    /// # Errors
    /// [`ChangesError::Revision`] when it names no commit.
    pub fn commit(&self, revision: &str) -> Result<Commit, ChangesError> {
        let not_found = |advice: String| ChangesError::Revision {
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
                not_found(format!(
                    "there is no such commit, branch or tag here{shallow}"
                ))
            })?
            .detach();
        let commit = repository
            .find_object(id)
            .map_err(|error| object_error(revision, error))?
            .peel_to_kind(gix::object::Kind::Commit)
            .map_err(|_| not_found("it is not a commit".to_owned()))?;
        self.commit_by_id(commit.id)
    }

    /// Returns the commit with this id.
    ///
    /// # Errors
    /// [`ChangesError::Object`] when it is missing.
    pub fn commit_by_id(&self, id: ObjectId) -> Result<Commit, ChangesError> {
        let repository = self.local();
        let commit = repository
            .find_commit(id)
            .map_err(|error| object_error(format!("commit {id}"), error))?;
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

    /// Returns the path between two commits along first parents; `None` when they share no history
    /// that is in the repository.
    ///
    /// Every state on the path was committed by someone, and neighbours differ by one commit. A
    /// merge is one commit here: its change is the one against its first parent.
    ///
    /// # Example
    /// In this history, with `F` merged into `C`, the path from `E` to `D` is `E`, `B`, `C`, `D`
    /// with `B` as the turning point.
    ///
    /// ```text
    /// A --- B --------- C --- D
    ///       |\       /
    ///       | --- F --
    ///       E
    /// ```
    pub fn history_path(&self, from: ObjectId, to: ObjectId) -> Option<HistoryPath> {
        let repository = self.local();
        let first_parent = |id: ObjectId| {
            let commit = repository.find_commit(id).ok()?;
            let first = commit.parent_ids().next()?.detach();
            // At the edge of a shallow clone the parent is named, but missing.
            repository.has_object(first).then_some(first)
        };
        let (mut back, mut forward) = (FollowedLine::new(from), FollowedLine::new(to));
        // Both lines are followed in turn, so that a short path in a long history is found soon.
        let mut common = (from == to).then_some(from);
        while common.is_none() {
            if back.ended && forward.ended {
                return None;
            }
            common = (back.advance(first_parent))
                .filter(|id| forward.index_by_id.contains_key(id))
                .or_else(|| {
                    (forward.advance(first_parent)).filter(|id| back.index_by_id.contains_key(id))
                });
        }
        let common = common?;
        let (down, up) = (back.index_by_id[&common], forward.index_by_id[&common]);
        let commits = (back.commits[..=down].iter())
            .chain(forward.commits[..up].iter().rev())
            .copied()
            .collect();
        Some(HistoryPath {
            commits,
            turning_point: down,
        })
    }
}
