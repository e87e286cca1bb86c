//! Search in the words of the lines that make the difference.

use std::collections::HashMap;

use boildown_changes::{ChangeUnit, CutLines, WordTree};
use boildown_oracle::Verdict;
use boildown_search::changes::Descent;
use boildown_search::{Search as _, Subset};
use boildown_show::PartialStatementRecord;

use super::causes::without;
use super::change_units::{ChangeUnits, of_words, single_words};
use super::completion::Completed;
use super::error::SearchError;
use super::file_maker::{Checks, FileMaker};
use super::phases::MadeFiles;
use super::requirements::ComparedFailure;
use super::search::CulpritSearch;
use super::tree_search::{SearchLayer, SearchedTree};
use crate::event::Event;

/// Number of groups of neighbouring words into which larger groups are cut.
const FEW_GROUPS: usize = 16;
/// Number of groups of words above which they are not searched, if no larger one can be left out.
const MAX_GROUPS: usize = 64;

/// A tree with words, and its groups.
pub(super) struct CutTree {
    pub(super) words: WordTree,
    units: ChangeUnits,
    layers: Vec<SearchLayer>,
}

impl CutTree {
    fn new(words: WordTree, units: &ChangeUnits, layers: &[SearchLayer]) -> Self {
        Self {
            units: units.of_words(&words),
            layers: layers_of_words(layers, &words),
            words,
        }
    }

    /// Returns the tree as it is searched.
    pub(super) fn searched<'a>(
        &'a self,
        by_lines: &SearchedTree<'a>,
        make: &'a (dyn Fn(&Subset, Checks) -> MadeFiles + Send + Sync),
    ) -> SearchedTree<'a> {
        SearchedTree {
            tree: self.words.tree(),
            units: &self.units,
            layers: &self.layers,
            make,
            ..*by_lines
        }
    }
}

/// A cause that is as small as its lines and their words allow.
pub(super) struct SmallestCause {
    /// A set of words, if there is a tree of them, or else of lines.
    pub(super) best: Subset,
    pub(super) cut: Option<CutTree>,
    /// Whether the words were searched.
    pub(super) is_narrowed: bool,
    /// As in [`Completed`].
    pub(super) partial_statements: Vec<PartialStatementRecord>,
}

impl CulpritSearch<'_> {
    /// Searches the words of whole statements. If that finds nothing smaller than the lines that
    /// are needed, searches the words of these lines.
    pub(super) fn narrow(
        &mut self,
        by_lines: &SearchedTree<'_>,
        maker: &FileMaker<'_>,
        completed: Completed,
        compared: Option<&ComparedFailure>,
    ) -> Result<SmallestCause, SearchError> {
        let SearchedTree {
            tree,
            units,
            layers,
            contents,
            ..
        } = *by_lines;
        let smallest = completed.best;
        if let Some(whole) = completed.whole
            && let Some(words) =
                tree.cut_to_words(&whole, &units.outermost, CutLines::Needed, contents)?
            && words.has_long_passage()
        {
            let cut = CutTree::new(words, units, layers);
            let lines = cut.words.words_of(&whole);
            let found = self.narrow_to_words(&cut, by_lines, maker, &lines, compared)?;
            // What is left of a whole statement may be more than its part.
            let most = tree.changed_bytes(&smallest);
            let is_smaller = |found: &Subset| cut.words.tree().changed_bytes(found) < most;
            if let Some(best) = found.filter(is_smaller) {
                return Ok(SmallestCause {
                    best,
                    cut: Some(cut),
                    is_narrowed: true,
                    partial_statements: Vec::new(),
                });
            }
        }
        let partial_statements = completed.partial_statements;
        let words = tree.cut_to_words(&smallest, &units.statements, CutLines::Needed, contents)?;
        let Some(words) = words else {
            return Ok(SmallestCause {
                best: smallest,
                cut: None,
                is_narrowed: false,
                partial_statements,
            });
        };
        let cut = CutTree::new(words, units, layers);
        let lines = cut.words.words_of(&smallest);
        let found = self.narrow_to_words(&cut, by_lines, maker, &lines, compared)?;
        Ok(SmallestCause {
            is_narrowed: found.is_some(),
            best: found.unwrap_or(lines),
            cut: Some(cut),
            partial_statements,
        })
    }

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
            let make_files = |set: &Subset| searched.files(set, Checks::Strict);
            let (search, stopped) = self.phases.run(search, &make_files, |_, _| Vec::new())?;
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
    fn narrow_to_words(
        &mut self,
        cut: &CutTree,
        by_lines: &SearchedTree<'_>,
        maker: &FileMaker<'_>,
        lines: &Subset,
        compared: Option<&ComparedFailure>,
    ) -> Result<Option<Subset>, SearchError> {
        let words = &cut.words;
        let make = maker.of_words(words);
        let searched = &cut.searched(by_lines, &make);
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
        if let Ok(new) = searched.files(&found, Checks::Strict)? {
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

/// Returns the layers of a tree with words, and a last one of words.
fn layers_of_words(layers: &[SearchLayer], words: &WordTree) -> Vec<SearchLayer> {
    let mut all: Vec<SearchLayer> = (layers.iter())
        .map(|layer| SearchLayer {
            layer: layer.layer,
            groups: of_words(&layer.groups, words),
        })
        .collect();
    let last = all.last().map(|it| single_words(&it.groups, words));
    all.extend(last.map(|groups| SearchLayer {
        layer: ChangeUnit::Words,
        groups,
    }));
    all
}
