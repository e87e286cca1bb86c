//! Search in the words of the lines that make the difference.

use std::collections::HashMap;

use boildown_changes::{ChangeUnit, WordTree};
use boildown_oracle::Verdict;
use boildown_search::changes::Descent;
use boildown_search::{Search as _, Subset};

use super::causes::without;
use super::change_units::{ChangeUnits, single_words};
use super::error::SearchError;
use super::requirements::ComparedFailure;
use super::search::CulpritSearch;
use super::tree_search::SearchedTree;
use crate::event::Event;

/// Number of groups of neighbouring words into which larger groups are cut.
const FEW_GROUPS: usize = 16;
/// Number of groups of words above which they are not searched, if no larger one can be left out.
const MAX_GROUPS: usize = 64;

impl CulpritSearch<'_> {
    /// Searches the words of some lines: first all white space of a file and all other words of
    /// each passage, then neighbouring words, then single ones. `None` if none of many neighbouring
    /// words can be left out: they depend on each other.
    fn search_words(
        &mut self,
        searched: &SearchedTree<'_>,
        words: &WordTree,
        lines: &Subset,
    ) -> Result<Option<Subset>, SearchError> {
        let single = single_words(&searched.units.statements, words);
        let mut numbers: HashMap<u32, usize> = HashMap::new();
        for element in lines.iter() {
            let next = numbers.len();
            numbers.entry(single[element]).or_insert(next);
        }
        let mut size = FEW_GROUPS;
        while size < numbers.len() {
            size *= FEW_GROUPS;
        }
        let mut best = lines.clone();
        let mut groups = by_white_space(searched.units, words);
        let mut closing: Vec<Vec<u32>> = Vec::new();
        loop {
            let search = Descent::within(&best, [groups], closing);
            let make_files = searched.make_files;
            let (search, stopped) = self.phases.run(search, make_files, |_, _| Vec::new())?;
            self.stopped = self.stopped.or(stopped);
            if size == 1 {
                return Ok(Some(search.best()));
            }
            let smaller = search.best();
            let is_stuck = smaller.count() == best.count();
            best = smaller;
            size /= FEW_GROUPS;
            if is_stuck && best.count() / size > MAX_GROUPS {
                return Ok(None);
            }
            let number = |group| numbers.get(group).map_or(0, |number| number / size);
            let number = |group| u32::try_from(number(group)).expect("groups have numbers");
            groups = single.iter().map(number).collect();
            closing = match size {
                1 => searched.layers.iter().map(|it| it.groups.clone()).collect(),
                _ => Vec::new(),
            };
        }
    }

    /// Searches the words of some lines for those that make the difference. `None` if these are no
    /// cause of their own: the bad state without them has no verdict, and without the lines it has.
    pub(super) fn narrow_to_words(
        &mut self,
        searched: &SearchedTree<'_>,
        words: &WordTree,
        lines: &Subset,
        compared: Option<&ComparedFailure>,
    ) -> Result<Option<Subset>, SearchError> {
        if self.stopped.is_some() {
            return Ok(None);
        }
        let mut required = compared.and_then(|it| it.required.clone());
        let mut found;
        loop {
            self.trees().require(required.clone());
            let search = self.search_words(searched, words, lines);
            self.trees().require(None);
            let Some(smaller) = search? else {
                return Ok(None);
            };
            found = smaller;
            if required.is_some() || found.count() == lines.count() {
                break;
            }
            required = self.lacks(searched, &found)?.map(|it| it.required);
            if required.is_none() {
                break;
            }
        }
        if self.stopped.is_some() {
            return Ok(None);
        }
        let all = Subset::full(searched.tree.len());
        let is_resolved = |search: &Self, set: &Subset| -> Result<bool, SearchError> {
            Ok(search.try_set(searched, &without(&all, set))? != Verdict::Unresolved)
        };
        if found.count() < lines.count() && !is_resolved(self, &found)? && is_resolved(self, lines)?
        {
            return Ok(None);
        }
        let is_word = |set: &Subset| set.iter().filter(|it| words.is_word(*it)).count();
        if let Ok(new) = (searched.make_files)(&found)? {
            let event = Event::LayerFinished {
                layer: ChangeUnit::Words,
                before: is_word(lines),
                left: is_word(&found),
                counts: self.phases.counts(),
                old: searched.old.clone(),
                new,
            };
            self.phases.reporter().report(&event);
        }
        Ok(Some(found))
    }
}

/// Returns groups of all white space of a file, and of the other words of each passage.
fn by_white_space(units: &ChangeUnits, words: &WordTree) -> Vec<u32> {
    let groups = (0..)
        .zip(&units.statements)
        .map(|(element, group): (usize, &u32)| {
            let file = words.tree().files()[words.tree().file_of(element)].first_element();
            let number = match words.is_blank(element) {
                true => file,
                false => words.origin(element),
            };
            let number = u32::try_from(number).expect("groups have numbers");
            match (words.is_word(element), words.is_blank(element)) {
                (true, true) => 3 * number + 2,
                (true, false) => 3 * number + 1,
                (false, _) => 3 * group,
            }
        });
    groups.collect()
}
