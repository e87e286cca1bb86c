//! Causes of a difference: what is only half of one, and others beside the first.

use std::collections::HashSet;

use boildown_changes::ChangeUnit;
use boildown_oracle::Verdict;
use boildown_search::changes::GuessedSets;
use boildown_search::{Search as _, Subset};
use boildown_show::PartialCauseRecord;

use super::culprit::locations;
use super::error::SearchError;
use super::file_maker::Checks;
use super::guesses::FailureHints;
use super::history_path::Narrowed;
use super::parse_check::ParseCheck;
use super::phases::Sought;
use super::report::OtherCause;
use super::requirements::ComparedFailure;
use super::search::CulpritSearch;
use super::tree_search::{Announced, SearchedTree};
use crate::event::Event;

/// Number of causes beside the first one that are searched.
const MAX_OTHER_CAUSES: usize = 2;

/// The causes of a difference.
pub(super) struct Causes {
    /// Changes that make the difference alone.
    pub(super) culprit: Subset,
    /// Other changes that do.
    pub(super) others: Vec<Subset>,
    /// The first changes that were found, if they are no cause.
    pub(super) half: Option<ComparedFailure>,
    /// Whether no smaller part of the culprit makes the difference.
    pub(super) is_minimal: bool,
}

/// Returns a set without the elements of another.
pub(super) fn without(set: &Subset, less: &Subset) -> Subset {
    let mut rest = set.without(less.runs());
    rest.commit();
    rest
}

impl CulpritSearch<'_> {
    /// Returns whether a set of changes may be half of one that belongs together: it lacks the
    /// definition of a name in the message of the failure, or leaves uses of it, and all other
    /// changes do not work either. Without a test, such a set counts as whole: it may be that the
    /// failure is about the name.
    pub(super) fn is_half(
        &self,
        searched: &SearchedTree<'_>,
        parse_check: &ParseCheck<'_>,
        set: &Subset,
    ) -> Result<bool, SearchError> {
        if self.stopped.is_some() || self.hints.all_words.is_empty() {
            return Ok(false);
        }
        let none = FailureHints::default();
        let definitions = parse_check.definitions(&none.named_in(searched.tree))?;
        if !definitions.are_incomplete(set) {
            return Ok(false);
        }
        let rest = without(&Subset::full(searched.tree.len()), set);
        let works = self.try_set(searched, &rest)? == Verdict::Uninteresting;
        Ok(!works && !self.interrupt.is_triggered())
    }

    /// Finds other changes that make the difference, as long as all changes without those found so
    /// far do. Then checks which of them are causes.
    ///
    /// A name of a setting is changed in two files, and a rule in a third one. Either name alone
    /// makes the difference, because the setting is not found. But with both names and without the
    /// rule the state works, so neither is a cause. So the smallest changes are searched without
    /// which the others work. What has none of these is no cause.
    pub(super) fn causes(
        &mut self,
        searched: &SearchedTree<'_>,
        first: Subset,
        narrowed: Narrowed,
    ) -> Result<Causes, SearchError> {
        let all = Subset::full(searched.tree.len());
        let mut rest = without(&all, &first);
        let mut found = vec![first];
        let mut is_explained = true;
        while self.stopped.is_none() && self.try_set(searched, &rest)? == Verdict::Interesting {
            is_explained =
                found.len() <= MAX_OTHER_CAUSES && searched.files(&rest, Checks::Strict)?.is_ok();
            if !is_explained {
                break;
            }
            let event = Event::OtherCauseNeeded {
                revision: self.states.name(narrowed.failing),
            };
            self.phases.reporter().report(&event);
            let last = found.last().expect("the first one is there");
            let start = self.near(searched, &rest, last)?;
            let other = self.descend(searched, &start, Announced::No)?;
            rest = without(&rest, &other);
            found.push(other);
        }
        let first = found[0].clone();
        let mut is_minimal = true;
        if (found.len() > 1 || !is_explained) && self.stopped.is_none() {
            let start = match is_explained {
                true => found[1..]
                    .iter()
                    .fold(first.clone(), |all, it| all.with(it.runs())),
                false => all,
            };
            let needed = self.needed_of(searched, &start)?;
            let is_needed = |cause: &Subset| cause.iter().any(|element| needed.contains(element));
            let is_stopped = self.stopped.is_some();
            found.retain(|cause| is_stopped || is_needed(cause));
            if !is_stopped && (found.is_empty() || found.len() == 1 && !is_explained) {
                found = vec![self.grown(searched, &needed)?];
                is_minimal = found[0].count() == 1;
            }
        }
        let half = (found[0] != first).then(|| ComparedFailure {
            partial: PartialCauseRecord {
                places: locations(searched.tree, &first),
                difference: None,
            },
            required: None,
        });
        Ok(Causes {
            culprit: found.remove(0),
            others: found,
            half,
            is_minimal,
        })
    }

    /// Tests a set of changes, whether or not it makes sense.
    pub(super) fn try_set(
        &self,
        searched: &SearchedTree<'_>,
        set: &Subset,
    ) -> Result<Verdict, SearchError> {
        let files = searched.files(set, Checks::None)?;
        Ok(self.try_files(files.ok().as_ref())?.verdict)
    }

    /// Returns the smallest part of some changes without which all others do not make the
    /// difference.
    fn needed_of(
        &mut self,
        searched: &SearchedTree<'_>,
        start: &Subset,
    ) -> Result<Subset, SearchError> {
        let all = Subset::full(searched.tree.len());
        let rest = SearchedTree {
            make: &|set, _| searched.files(&without(&all, set), Checks::Loose),
            ..*searched
        };
        self.phases.seek(Sought::Repair);
        let needed = self.descend(&rest, start, Announced::No);
        self.phases.seek(Sought::Difference);
        needed
    }

    /// Returns the smallest changes with these that make the difference.
    fn grown(
        &mut self,
        searched: &SearchedTree<'_>,
        needed: &Subset,
    ) -> Result<Subset, SearchError> {
        let all = Subset::full(searched.tree.len());
        let with = |set: &Subset| set.with(needed.runs());
        let start = self.first_of(searched, &all, vec![needed.clone()])?;
        let grown = SearchedTree {
            make: &|set, checks| searched.files(&with(set), checks),
            ..*searched
        };
        match start == all {
            true => Ok(with(&self.descend(&grown, &all, Announced::No)?)),
            false => Ok(start),
        }
    }

    /// Tests some sets. Returns the first of them that makes the difference, or the start.
    pub(super) fn first_of(
        &mut self,
        searched: &SearchedTree<'_>,
        start: &Subset,
        sets: Vec<Subset>,
    ) -> Result<Subset, SearchError> {
        let search = GuessedSets::new(start.clone(), sets);
        let make_files = |set: &Subset| searched.files(set, Checks::Strict);
        let (search, stopped) = self.phases.run(search, &make_files, |_, _| Vec::new())?;
        self.stopped = self.stopped.or(stopped);
        Ok(search.best())
    }

    /// Tests those of the `rest` that are in the same hunks, groups of hunks and files as the cause
    /// that was found last. Returns the first of them that makes the difference, or the rest.
    fn near(
        &mut self,
        searched: &SearchedTree<'_>,
        rest: &Subset,
        found: &Subset,
    ) -> Result<Subset, SearchError> {
        let files = searched.tree.groups(ChangeUnit::Files);
        let mut near: Vec<Subset> = Vec::new();
        let groups = [
            Some(&searched.units.hunks[..]),
            searched.groups(ChangeUnit::Names),
            Some(&files),
        ];
        for groups in groups.into_iter().flatten() {
            let held: HashSet<u32> = found.iter().map(|element| groups[element]).collect();
            let far = rest
                .iter()
                .filter(|&element| !held.contains(&groups[element]));
            let mut set = rest.without(far.map(|element| element..element + 1));
            set.commit();
            if (1..rest.count()).contains(&set.count()) {
                near.push(set);
            }
        }
        self.first_of(searched, rest, near)
    }

    /// Returns where some causes are, and their files.
    pub(super) fn describe(
        &self,
        searched: &SearchedTree<'_>,
        causes: &[Subset],
    ) -> Result<Vec<OtherCause>, SearchError> {
        let mut described = Vec::new();
        for set in causes {
            let after = searched
                .files(set, Checks::Loose)?
                .expect("the set was tested");
            self.states.contents.add_configuration(&after);
            described.push(OtherCause {
                locations: locations(searched.tree, set),
                before: searched.old.clone(),
                after,
                is_alone: true,
                commits: Vec::new(),
            });
        }
        Ok(described)
    }
}
