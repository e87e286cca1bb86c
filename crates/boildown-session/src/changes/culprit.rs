//! Culprit: a set of changes that makes the difference, on a revision of the history path.

use boildown_changes::{
    ChangeTree, ChangeUnit, ChangesError, Commit, Configuration, Contents, FilePath, transplant,
};
use boildown_search::Subset;
use boildown_show::PartialStatementRecord;

use super::history_path::StepCommits;
use super::report::{OtherCause, RepairScope};
use super::requirements::ComparedFailure;

/// A change of files.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    /// The files without it.
    pub(super) before: Configuration,
    /// The files with it.
    pub(super) after: Configuration,
}

impl Patch {
    /// Returns these files with the patch; `None` if it does not apply to them.
    pub(super) fn apply_to(
        &self,
        files: &Configuration,
        contents: &Contents,
    ) -> Result<Option<Configuration>, ChangesError> {
        transplant(&self.before, &self.after, files, contents)
    }

    /// Returns whether it changes a file that another patch changes too.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let paths = [&self.before, &self.after]
            .into_iter()
            .flat_map(|files| files.iter());
        let mut changed = paths
            .map(|(path, _)| path)
            .filter(|path| self.changes(path));
        changed.any(|path| other.changes(path))
    }

    fn changes(&self, path: &FilePath) -> bool {
        self.before.get(path) != self.after.get(path)
    }
}

/// A revision with all changes but those of a culprit.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    /// The name of the revision.
    pub(super) revision: String,
    /// Its files.
    pub(super) with: Configuration,
    /// Its files without the culprit, and without the larger and larger units that hold it. Those
    /// that cannot be made are left out.
    pub(super) without: Vec<(RepairScope, Configuration)>,
}

/// A set of changes that makes the difference on a revision of the history path.
#[derive(Debug)]
pub(super) struct Culprit {
    /// Index of the revision that the patch applies to.
    pub(super) revision: usize,
    pub(super) patch: Patch,
    /// The files with these changes, but without the patch with which they were tested.
    pub(super) unpatched: Configuration,
    /// Where its hunks are.
    pub(super) locations: Vec<String>,
    /// The newest revision that was searched, with all changes but the culprit's and those of the
    /// other causes.
    pub(super) rest: Rest,
    /// The smallest units that were left out one by one; `None` if parts make the difference alone.
    pub(super) finest: Option<ChangeUnit>,
    /// Whether some of its lines are changed in part, in the words that make the difference.
    pub(super) has_words: bool,
    /// The statements of which it holds the first line and not all others.
    pub(super) partial_statements: Vec<PartialStatementRecord>,
    /// Other changes that make the difference.
    pub(super) others: Vec<OtherCause>,
    /// How it was told from a part of it that fails in another way, if that was needed.
    pub(super) compared: Option<ComparedFailure>,
    /// Which of the commits after the revision the changes come from, by their number on the path.
    /// `None` if all do.
    pub(super) used_commits: Option<Vec<u32>>,
}

impl Culprit {
    /// Returns those of the commits of the searched steps that the culprit comes from.
    pub(super) fn commits(&self, steps: StepCommits) -> Vec<Commit> {
        let StepCommits {
            mut commits,
            undone,
        } = steps;
        let Some(used) = &self.used_commits else {
            return commits;
        };
        let count = commits.len();
        let mut index = 0;
        commits.retain(|_| {
            // A path that undoes commits meets the youngest first; the list begins with the oldest.
            let number = if undone { count - 1 - index } else { index };
            index += 1;
            u32::try_from(number).is_ok_and(|number| used.contains(&number))
        });
        commits
    }
}

/// Returns where the hunks of a set of changes are.
pub(super) fn locations(tree: &ChangeTree, set: &Subset) -> Vec<String> {
    let hunks = tree.groups(ChangeUnit::Hunks);
    let mut first_of_hunk: Vec<usize> = set.iter().collect();
    first_of_hunk.dedup_by_key(|element| hunks[*element]);
    let located = first_of_hunk.into_iter();
    located.map(|element| tree.location(element)).collect()
}
