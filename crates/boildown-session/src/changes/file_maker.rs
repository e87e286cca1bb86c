//! Files of sets of changes, with a check of whether a set makes sense.

use boildown_changes::{ChangeTree, ChangedDefinitions, Contents, WordTree};
use boildown_search::Subset;

use super::culprit::Patch;
use super::outcome_rule::UnresolvedReason;
use super::parse_check::ParseCheck;
use super::phases::MadeFiles;

/// Makes the files of sets of changes, and rejects sets that make no sense.
pub(super) struct FileMaker<'a> {
    pub(super) parse_check: &'a ParseCheck<'a>,
    pub(super) definitions: &'a ChangedDefinitions,
    /// A patch that is applied to all files.
    pub(super) on_top: Option<&'a Patch>,
    pub(super) contents: &'a Contents,
}

impl FileMaker<'_> {
    /// Returns what makes the files of sets of this tree.
    pub(super) fn of_lines<'b>(
        &'b self,
        tree: &'b ChangeTree,
    ) -> impl Fn(&Subset, Checks) -> MadeFiles + Send + Sync + 'b {
        |set, checks| self.make(tree, set, std::slice::from_ref(set), checks)
    }

    /// Returns what makes the files of sets of this tree.
    pub(super) fn of_words<'b>(
        &'b self,
        words: &'b WordTree,
    ) -> impl Fn(&Subset, Checks) -> MadeFiles + Send + Sync + 'b {
        |set, checks| self.make(words.tree(), set, &words.lines_of(set), checks)
    }

    /// Makes the files of a set. `lines` is the set by its lines: where only some words of a line
    /// are in it, one of these sets has the line.
    fn make(&self, tree: &ChangeTree, set: &Subset, lines: &[Subset], checks: Checks) -> MadeFiles {
        let is_incomplete = |lines: &Subset| self.definitions.are_incomplete(lines);
        if checks != Checks::None && lines.iter().all(is_incomplete) {
            return Ok(Err(UnresolvedReason::LacksDefinition));
        }
        let Some(made) = tree.configuration(set, self.contents)? else {
            return Ok(Err(UnresolvedReason::DoesNotApply));
        };
        match self.parse_check.rejects(lines, &made)? {
            Some(UnresolvedReason::BreaksBlocks) if checks != Checks::Strict => {}
            Some(reason) => return Ok(Err(reason)),
            None => {}
        }
        let patched = match self.on_top {
            Some(patch) => patch.apply_to(&made, self.contents)?,
            None => Some(made),
        };
        Ok(patched.ok_or(UnresolvedReason::DoesNotApply))
    }
}

/// The checks of a set of changes before it is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checks {
    /// Only that of syntax.
    None,
    /// All but that of blocks.
    Loose,
    Strict,
}
