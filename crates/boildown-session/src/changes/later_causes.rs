//! Causes in later commits than the one that was found first.

use boildown_changes::Configuration;
use boildown_oracle::Verdict;

use super::culprit::{Patch, Rest};
use super::error::SearchError;
use super::history_path::{HistoryPath, RevisionFiles};
use super::outcome_rule::UnresolvedReason;
use super::report::{OtherCause, RepairScope, Trial};
use super::search::CulpritSearch;
use crate::event::Event;

/// A cause in a later commit.
pub(super) struct LaterCause {
    pub(super) cause: OtherCause,
    /// The bad state without this cause and the first one.
    pub(super) without_both: Trial,
}

impl CulpritSearch<'_> {
    /// Finds another cause in the commits after the revision `failing`, if the bad state is as
    /// before without the culprit, and that revision, which `rest` is about, is not: bisects the
    /// revisions after it, each without the culprit, and searches the changes of one step.
    pub(super) fn later_cause(
        &mut self,
        rest: &Rest,
        failing: usize,
    ) -> Result<Option<LaterCause>, SearchError> {
        let contents = self.states.contents;
        let Some((RepairScope::Causes, without)) = rest.without.first() else {
            return Ok(None);
        };
        if self.stopped.is_some() || self.states.submodule.is_some() {
            return Ok(None);
        }
        contents.add_configuration(without);
        let undo = Patch {
            before: rest.with.clone(),
            after: without.clone(),
        };
        let bad = Configuration::from(self.states.read_revision(self.bad())?);
        let Some(bad) = undo.apply_to(&bad, contents)? else {
            return Ok(None);
        };
        let is_later = self.try_files(Some(&bad))?.verdict == Verdict::Interesting
            && self.try_files(Some(without))?.verdict == Verdict::Uninteresting;
        if !is_later || self.interrupt.is_triggered() {
            return Ok(None);
        }
        let event = Event::OtherCauseNeeded {
            revision: self.bad().name.clone(),
        };
        self.phases.reporter().report(&event);
        let path = self.path_after(failing)?;
        let first_path = std::mem::replace(&mut self.states.path, path);
        let found = self.search_without(&undo);
        let found = match found {
            Ok(Some((found, commits))) => {
                let old = Configuration::from(self.states.read(found.revision)?);
                Some((found, commits, undo.apply_to(&old, contents)?))
            }
            Ok(None) => None,
            Err(error) => return Err(error),
        };
        self.states.path = first_path;
        let Some((found, commits, Some(before))) = found else {
            return Ok(None);
        };
        contents.add_configuration(&before);
        contents.add_configuration(&bad);
        let patch = Patch {
            before,
            after: found.patch.after.clone(),
        };
        let good = Configuration::from(self.states.read_revision(self.path.good())?);
        let alone = patch.apply_to(&good, contents)?;
        let without_both = match found.rest.without.first() {
            Some((RepairScope::Causes, without)) => {
                contents.add_configuration(without);
                let undo = Patch {
                    before: found.rest.with.clone(),
                    after: without.clone(),
                };
                self.try_files(undo.apply_to(&bad, contents)?.as_ref())?
            }
            _ => Trial::unresolved(UnresolvedReason::DoesNotApply),
        };
        Ok(Some(LaterCause {
            cause: OtherCause {
                locations: found.locations,
                before: patch.before,
                after: patch.after,
                is_alone: self.try_files(alone.as_ref())?.verdict == Verdict::Interesting,
                commits,
            },
            without_both,
        }))
    }

    /// Returns the path from a revision of the present path to the bad state.
    fn path_after(&self, failing: usize) -> Result<HistoryPath, SearchError> {
        let first = self.states.path.revisions[failing].clone();
        let all = &self.path.revisions;
        let last = self.path.steps();
        let newest = [last, last - 1]
            .into_iter()
            .find(|at| self.path.commit_at(*at).is_some());
        let is_commit = matches!(first.files, RevisionFiles::Commit(_));
        if let (Some(repository), Some(newest), true) = (self.repository(), newest, is_commit) {
            let uncommitted = (newest < last).then(|| self.bad().clone());
            let path =
                HistoryPath::through(repository, first.clone(), all[newest].clone(), uncommitted)?;
            if path.turning_point == 0 && path.steps() > 0 {
                return Ok(path);
            }
        } else if let Some(at) = all.iter().position(|it| it.name == first.name)
            && at < last
        {
            return Ok(HistoryPath::through_states(all[at..].to_vec()));
        }
        Ok(HistoryPath::without_history(first, self.bad().clone()))
    }
}
