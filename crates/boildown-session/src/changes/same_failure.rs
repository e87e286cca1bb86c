//! Comparison of failures: a part of the changes may fail in another way than all of them.

use boildown_changes::{Configuration, ObjectId};
use boildown_oracle::{OracleError, Run, Symptom, Verdict};
use boildown_search::Subset;
use boildown_show::{OutputDifferenceRecord, PartialCauseRecord};

use super::causes::without;
use super::culprit::{Rest, locations};
use super::error::SearchError;
use super::file_maker::Checks;
use super::requirements::ComparedFailure;
use super::search::CulpritSearch;
use super::tree_search::{Announced, SearchedTree};
use crate::event::Event;

/// The number of runs on the state with all changes whose output is compared.
const RUNS: usize = 2;
/// The same if a part of the changes seems to fail in another way: lines that differ from run to
/// run must not decide.
const RUNS_IN_DOUBT: usize = 3;

/// What a part of the changes does not print, and all of them do.
pub(super) struct Lacked {
    difference: OutputDifferenceRecord,
    /// All that they print, and their tree.
    pub(super) required: (Symptom, ObjectId),
}

impl CulpritSearch<'_> {
    /// Returns the smallest changes that fail as all of them do: `best`, or larger ones.
    ///
    /// `best` are the smallest changes with the property that was read off the bad state. That
    /// leaves numbers open, and most of the output. If a test expects 12, one change makes it 0 and
    /// both changes make it 15, then one of them has the property; but the failure that the user
    /// saw is that of both. So the output of `best` is compared with that of all changes: with the
    /// words and digits that are equal in all runs there, and that are printed by all runs that
    /// succeed, or by none. If it lacks some of them, the changes are searched again for a set with
    /// them.
    pub(super) fn failing_alike(
        &mut self,
        searched: &SearchedTree<'_>,
        best: Subset,
    ) -> Result<(Subset, Option<ComparedFailure>), SearchError> {
        let Some(Lacked {
            difference,
            required,
        }) = self.lacks(searched, &best)?
        else {
            return Ok((best, None));
        };
        let partial = PartialCauseRecord {
            places: locations(searched.tree, &best),
            difference: Some(difference),
        };
        let event = Event::PartFailsOtherwise(partial.clone());
        self.phases.reporter().report(&event);
        let required = Some(required);
        self.trees().require(required.clone());
        let all = Subset::full(searched.tree.len());
        let found = self.descend(searched, &all, Announced::Yes);
        self.trees().require(None);
        Ok((found?, Some(ComparedFailure { partial, required })))
    }

    /// Returns what all changes print and a part of them does not.
    pub(super) fn lacks(
        &mut self,
        searched: &SearchedTree<'_>,
        best: &Subset,
    ) -> Result<Option<Lacked>, SearchError> {
        let all = Subset::full(searched.tree.len());
        let is_compared = self.reads_failure
            && self.stopped.is_none()
            && self.trees().rates().is_none()
            && best.count() < all.count();
        if !is_compared {
            return Ok(None);
        }
        let everything = searched
            .files(&all, Checks::Loose)?
            .expect("all changes apply");
        let files = searched
            .files(best, Checks::Loose)?
            .expect("the best set was tested");
        let (tree, origin) = (files.id(), everything.id());
        if self.trees().recall_symptom(tree, origin) == Some(true) {
            return Ok(None);
        }
        let mut symptom = Symptom::of_runs(&self.runs_on(&everything, 1)?);
        let mut missing = None;
        if !symptom.is_empty() {
            let succeeding = self.succeeding_runs(searched, best)?;
            for (runs, own) in [(RUNS, 1), (RUNS_IN_DOUBT, RUNS)] {
                symptom = Symptom::of_runs(&self.runs_on(&everything, runs)?);
                symptom.leave_out(&succeeding);
                let own = self.runs_on(&files, own)?;
                let found = symptom.missing_in(&own);
                missing = found.map(difference);
                if missing.is_none() {
                    break;
                }
            }
        }
        if self.interrupt.is_triggered() {
            return Ok(None);
        }
        self.trees().record_symptom(tree, origin, missing.is_none());
        Ok(missing.map(|difference| Lacked {
            difference,
            required: (symptom, origin),
        }))
    }

    /// Returns runs that succeed: without the changes, and with all but the best ones.
    fn succeeding_runs(
        &self,
        searched: &SearchedTree<'_>,
        best: &Subset,
    ) -> Result<Vec<Run>, SearchError> {
        let rest = without(&Subset::full(searched.tree.len()), best);
        let mut succeeding = Vec::new();
        for set in [rest.only(0..0), rest] {
            let Ok(files) = searched.files(&set, Checks::Strict)? else {
                continue;
            };
            if self.try_files(Some(&files))?.verdict == Verdict::Uninteresting {
                succeeding.extend(self.runs_on(&files, 1)?);
            }
        }
        Ok(succeeding)
    }

    /// Compares the failure of the culprit alone with that of the bad state. Returns the line that
    /// it lacks, and the one that it has in its place, if the newest revision that was searched
    /// lacks it as well.
    pub(super) fn unlike_bad_state(
        &self,
        culprit: Option<&Run>,
        searched: &Rest,
    ) -> Result<Option<OutputDifferenceRecord>, SearchError> {
        let Some(culprit) = culprit.filter(|_| self.reads_failure && self.stopped.is_none()) else {
            return Ok(None);
        };
        let bad = Configuration::from(self.states.read_revision(self.bad())?);
        let runs = self.runs_on(&bad, RUNS)?;
        let mut symptom = Symptom::of_runs(&runs);
        symptom.keep_message(&runs);
        if symptom
            .missing_in(&self.runs_on(&searched.with, 1)?)
            .is_none()
        {
            return Ok(None);
        }
        let missing = symptom.missing_in(std::slice::from_ref(culprit));
        Ok(missing.map(difference))
    }

    /// Returns runs on some files, at least this many; none after an interrupt.
    fn runs_on(&self, files: &Configuration, at_least: usize) -> Result<Vec<Run>, SearchError> {
        match self.trees().runs_on(files, at_least, self.interrupt) {
            Err(OracleError::Interrupted) => Ok(Vec::new()),
            runs => Ok(runs?),
        }
    }
}

/// Returns a line that is missing, and the one that is printed in its place.
fn difference((wanted, printed): (&str, Option<String>)) -> OutputDifferenceRecord {
    OutputDifferenceRecord {
        wanted: wanted.to_owned(),
        printed,
    }
}
