//! Search in the tree of changes between two revisions, layer by layer.

use std::collections::{BTreeSet, HashSet};

use boildown_changes::{
    ChangeTree, ChangeUnit, ChangedDefinitions, ChangesError, Configuration, Contents, CutLines,
    DisjointSets, State, WordTree,
};
use boildown_search::changes::Descent;
use boildown_search::{Search as _, Subset};

use super::change_units::{ChangeUnits, of_words, single_words};
use super::counts::CulpritCounts;
use super::culprit::{Culprit, Patch, Rest, locations};
use super::error::SearchError;
use super::guesses::guesses;
use super::history_path::Narrowed;
use super::outcome_rule::UnresolvedReason;
use super::parse_check::ParseCheck;
use super::phases::{MadeFiles, MakeFiles};
use super::report::RepairScope;
use super::search::CulpritSearch;
use crate::event::Event;

/// Number of commits between two revisions above which their changes are not told apart: each
/// commit would have to be read.
const MAX_COMMITS: usize = 300;

/// A layer of the tree of changes that is searched.
pub(super) struct SearchLayer {
    pub(super) layer: ChangeUnit,
    /// The group of each element of the tree. The search removes whole groups.
    pub(super) groups: Vec<u32>,
}

impl SearchLayer {
    /// Returns the number of groups that hold one of these elements.
    fn count(&self, elements: &Subset) -> usize {
        let mut held: Vec<u32> = elements.iter().map(|it| self.groups[it]).collect();
        held.sort_unstable();
        held.dedup();
        held.len()
    }
}

/// Returns the layers of a search in a tree, the coarsest first: commits, directories, files,
/// definitions of names, hunks, outermost statements, statements. Leaves out layers with one group,
/// and those with the same groups as the layer before.
fn search_layers(
    tree: &ChangeTree,
    commits: Option<&[u32]>,
    names: &[u32],
    units: &ChangeUnits,
) -> Vec<SearchLayer> {
    let mut layers: Vec<SearchLayer> = Vec::new();
    let mut all: Vec<(ChangeUnit, Vec<u32>)> = Vec::new();
    all.extend(commits.map(|groups| (ChangeUnit::Commits, groups.to_vec())));
    all.extend(
        [ChangeUnit::Directories, ChangeUnit::Files].map(|layer| (layer, tree.groups(layer))),
    );
    let mut named = DisjointSets::new(u32::try_from(tree.len()).expect("groups have numbers"));
    named.union_groups(&units.hunks);
    let hunks = named.clone().into_groups();
    named.union_groups(names);
    let named = named.into_groups();
    if named != hunks {
        all.push((ChangeUnit::Names, named));
    }
    all.push((ChangeUnit::Hunks, hunks));
    if units.outermost != units.statements {
        all.push((ChangeUnit::Statements, units.outermost.clone()));
    }
    let lines = (0..).zip(&units.statements);
    let finest = match { lines }.all(|(line, group)| line == *group) {
        true => ChangeUnit::Lines,
        false => ChangeUnit::Statements,
    };
    all.push((finest, units.statements.clone()));
    let count = all.len();
    for (index, (layer, groups)) in all.into_iter().enumerate() {
        let is_one = groups.iter().all(|group| *group == groups[0]);
        let is_last = index + 1 == count;
        let is_new = layers.last().is_none_or(|last| last.groups != groups);
        if is_last || !is_one && is_new {
            layers.push(SearchLayer { layer, groups });
        }
    }
    layers
}

/// The tree of changes between two revisions, with all that a search in it needs.
#[derive(Clone, Copy)]
pub(super) struct SearchedTree<'a> {
    pub(super) tree: &'a ChangeTree,
    pub(super) units: &'a ChangeUnits,
    pub(super) layers: &'a [SearchLayer],
    /// Makes files that keep their blocks.
    pub(super) make_files: &'a MakeFiles<'a>,
    /// Makes files that may break them.
    pub(super) make_loosely: &'a MakeFiles<'a>,
    /// Makes files that may also lack definitions: a state that works makes sense.
    pub(super) make_unchecked: &'a MakeFiles<'a>,
    pub(super) old: &'a Configuration,
    pub(super) contents: &'a Contents,
}

impl SearchedTree<'_> {
    /// Returns the groups of a layer, if it is searched.
    pub(super) fn groups(&self, layer: ChangeUnit) -> Option<&[u32]> {
        let found = self.layers.iter().find(|it| it.layer == layer)?;
        Some(&found.groups)
    }

    /// Returns all changes but those in the groups that hold one of these elements.
    fn without(&self, elements: &Subset, groups: &[u32]) -> Subset {
        let held: HashSet<u32> = elements.iter().map(|element| groups[element]).collect();
        let cut = (0..self.tree.len()).filter(|&element| held.contains(&groups[element]));
        let mut less = Subset::full(self.tree.len()).without(cut.map(|it| it..it + 1));
        less.commit();
        less
    }

    /// Returns the files with all changes but some elements, and but the larger and larger units
    /// that hold them. Leaves out files that cannot be made, and larger units that hold everything.
    fn all_without(
        &self,
        elements: &Subset,
    ) -> Result<Vec<(RepairScope, Configuration)>, ChangesError> {
        let single: Vec<u32> = (0..).take(self.tree.len()).collect();
        let files = self.tree.groups(ChangeUnit::Files);
        let scopes = [
            (RepairScope::Causes, Some(&single[..])),
            (RepairScope::Hunks, Some(&self.units.hunks)),
            (RepairScope::Names, self.groups(ChangeUnit::Names)),
            (RepairScope::Files, Some(&files)),
        ];
        let mut all: Vec<(RepairScope, Configuration)> = Vec::new();
        let mut last = 0;
        for (scope, groups) in scopes {
            let Some(less) = groups.map(|groups| self.without(elements, groups)) else {
                continue;
            };
            // Without any changes, the good state is left: that tells something of other states.
            if scope != RepairScope::Causes && [0, last].contains(&less.count()) {
                continue;
            }
            last = less.count();
            // Whether they make sense is left to the test: a state that works does.
            if let Some(files) = self.tree.configuration(&less, self.contents)? {
                all.push((scope, files));
            }
        }
        Ok(all)
    }
}

impl CulpritSearch<'_> {
    /// Finds the changes between two revisions that are needed to make the difference. Every set
    /// of them is tested with the patch `on_top`, if there is one.
    pub(super) fn search_changes(
        &mut self,
        narrowed: Narrowed,
        on_top: Option<&Patch>,
    ) -> Result<Culprit, SearchError> {
        let contents = self.states.contents;
        let old = self.states.read(narrowed.passing)?;
        let new = self.states.read(narrowed.failing)?;
        let tree = ChangeTree::between(&old, &new, contents)?;
        let commits = self.commit_groups(&tree, narrowed)?;
        let names = tree.groups_by_new_name(contents)?;
        let (old, new) = (Configuration::from(old), Configuration::from(new));
        let parse_check = ParseCheck::new(&tree, contents);
        let units = ChangeUnits::read(&tree, &parse_check)?;
        let layers = search_layers(&tree, commits.as_deref(), &names, &units);
        let definitions = parse_check.definitions(&self.hints.named_in(&tree))?;
        let maker = FileMaker {
            parse_check: &parse_check,
            definitions: &definitions,
            on_top,
            contents,
        };
        let make = |set: &Subset, checks| maker.make(&tree, set, std::slice::from_ref(set), checks);
        let by_lines = SearchedTree {
            tree: &tree,
            units: &units,
            layers: &layers,
            make_files: &|set| make(set, Checks::Strict),
            make_loosely: &|set| make(set, Checks::Loose),
            make_unchecked: &|set| make(set, Checks::None),
            old: &old,
            contents,
        };
        let start = self.guess(&by_lines, &names)?;
        let best = self.descend(&by_lines, &start, Announced::Yes)?;
        let (best, mut compared) = self.failing_alike(&by_lines, best)?;
        if self.is_half(&by_lines, &parse_check, &best)? {
            self.hints.all_words.clear();
            return self.search_changes(narrowed, on_top);
        }
        let completed = self.completed(&by_lines, best)?;
        let smallest = completed.best;
        let mut best = smallest.clone();
        let mut partial_statements = completed.partial_statements;
        let finest = layers.last().map(|it| it.layer);
        let mut cut = None;
        let mut is_narrowed = false;
        for lines in [completed.whole.as_ref(), Some(&smallest)]
            .into_iter()
            .flatten()
        {
            let is_whole = lines.count() > smallest.count();
            let statements = match is_whole {
                true => &units.outermost,
                false => &units.statements,
            };
            let words = tree.cut_to_words(lines, statements, CutLines::Needed, contents)?;
            let Some(words) = words.filter(|it| !is_whole || it.has_long_passage()) else {
                continue;
            };
            let made = CutTree::new(words, &units, &layers);
            let found = maker.with_words(&made, &by_lines, |searched| {
                let lines = made.words.words_of(lines);
                self.narrow_to_words(searched, &made.words, &lines, compared.as_ref())
            })?;
            // What is left of a whole statement may be more than its part.
            let is_smaller = |found: &Subset| {
                !is_whole || made.words.tree().changed_bytes(found) < tree.changed_bytes(&smallest)
            };
            if let Some(found) = found.filter(is_smaller) {
                best = found;
                is_narrowed = true;
                if is_whole {
                    partial_statements.clear();
                }
                cut = Some(made);
                break;
            }
            if !is_whole {
                best = made.words.words_of(&best);
                cut = Some(made);
            }
        }
        let make_words = |set: &Subset, checks| {
            let cut = cut
                .as_ref()
                .expect("sets of words are made of a tree of words");
            maker.make(cut.words.tree(), set, &cut.words.lines_of(set), checks)
        };
        let (words_strictly, words_loosely, words_unchecked) = (
            |set: &Subset| make_words(set, Checks::Strict),
            |set: &Subset| make_words(set, Checks::Loose),
            |set: &Subset| make_words(set, Checks::None),
        );
        let searched = match &cut {
            Some(cut) => SearchedTree {
                tree: cut.words.tree(),
                units: &cut.units,
                layers: &cut.layers,
                make_files: &words_strictly,
                make_loosely: &words_loosely,
                make_unchecked: &words_unchecked,
                ..by_lines
            },
            None => by_lines,
        };
        let words = cut.as_ref().map(|it| &it.words);
        let (mut others, mut is_minimal) = (Vec::new(), true);
        if on_top.is_none() {
            let causes = self.causes(&searched, best.clone(), narrowed)?;
            if causes.culprit != best {
                (best, compared) = self.failing_alike(&searched, causes.culprit)?;
                is_narrowed = true;
                partial_statements.clear();
            }
            compared = compared.or(causes.half);
            (others, is_minimal) = (causes.others, causes.is_minimal);
        }
        let after = (searched.make_loosely)(&best)?.expect("the best set was tested");
        let unpatched = searched.tree.configuration(&best, contents)?;
        let unpatched = unpatched.expect("the best set was tested");
        for files in [&after, &unpatched] {
            contents.add_configuration(files);
        }
        let causes = (others.iter()).fold(best.clone(), |causes, other| causes.with(other.runs()));
        let is_word = |element| words.is_some_and(|words| words.is_word(element));
        let finest = match is_narrowed && best.iter().all(is_word) {
            true => Some(ChangeUnit::Words),
            false => finest,
        };
        Ok(Culprit {
            revision: narrowed.passing,
            rest: Rest {
                revision: self.states.name(narrowed.failing),
                with: new,
                without: searched.all_without(&causes)?,
            },
            finest: finest.filter(|_| is_minimal),
            has_words: is_narrowed && best.iter().any(is_word),
            partial_statements,
            others: self.describe(&searched, &others)?,
            compared,
            patch: Patch {
                before: old.clone(),
                after,
            },
            unpatched,
            locations: locations(searched.tree, &best),
            used_commits: commits.map(|groups| {
                let line = |element| words.map_or(element, |it| it.origin(element));
                let used: BTreeSet<u32> = best.iter().map(|it| groups[line(it)]).collect();
                used.into_iter().collect()
            }),
        })
    }

    /// Tests the changes that hold words of the failure. Returns the first of them that makes the
    /// difference, or all changes.
    fn guess(&mut self, searched: &SearchedTree<'_>, names: &[u32]) -> Result<Subset, SearchError> {
        let SearchedTree { tree, units, .. } = *searched;
        let all = Subset::full(tree.len());
        let contents = self.states.contents;
        let guesses = guesses(tree, units, names, &self.hints, contents)?;
        let best = self.first_of(searched, &all, guesses)?;
        if best.count() < all.count() {
            let new = (searched.make_files)(&best)?.expect("the guess was tested");
            let event = Event::LayerFinished {
                layer: ChangeUnit::Hunks,
                before: tree.count(ChangeUnit::Hunks, &all),
                left: tree.count(ChangeUnit::Hunks, &best),
                counts: self.phases.counts(),
                old: searched.old.clone(),
                new,
            };
            self.phases.reporter().report(&event);
        }
        Ok(best)
    }

    /// Searches a set of changes that makes the difference for the smallest part that does.
    ///
    /// The coarse layers may break blocks: passages that were rewritten as a whole depend on each
    /// other in more ways than their groups know. If no part that keeps its blocks is found in
    /// their result, all layers are searched again and keep them from the start.
    pub(super) fn descend(
        &mut self,
        searched: &SearchedTree<'_>,
        start: &Subset,
        announced: Announced,
    ) -> Result<Subset, SearchError> {
        let is_coarse = |it: &SearchLayer| it.layer < ChangeUnit::Hunks;
        let coarse = searched
            .layers
            .iter()
            .take_while(|it| is_coarse(it))
            .count();
        let (coarse, fine) = searched.layers.split_at(coarse);
        let loose = self.descend_layers(searched, start, coarse, Checks::Loose, announced)?;
        let best = self.descend_layers(searched, &loose, fine, Checks::Strict, announced)?;
        if self.stopped.is_some() || (searched.make_files)(&best)?.is_ok() {
            return Ok(best);
        }
        self.descend_layers(searched, start, searched.layers, Checks::Strict, announced)
    }

    pub(super) fn descend_layers(
        &mut self,
        searched: &SearchedTree<'_>,
        start: &Subset,
        layers: &[SearchLayer],
        checks: Checks,
        announced: Announced,
    ) -> Result<Subset, SearchError> {
        if layers.is_empty() {
            return Ok(start.clone());
        }
        let groups = layers.iter().map(|layer| layer.groups.clone());
        // Coarser groups may become needless when finer ones are gone.
        let mut closing = Vec::new();
        let make_files = match checks {
            Checks::None | Checks::Loose => searched.make_loosely,
            Checks::Strict => {
                closing.clone_from(&searched.units.nested);
                closing.extend(searched.layers.iter().map(|it| it.groups.clone()));
                searched.make_files
            }
        };
        let search = Descent::within(start, groups, closing);
        let mut progress = LayerProgress {
            layers,
            make_files,
            old: searched.old,
            finished: 0,
            before: start.clone(),
        };
        let on_verdict = |search: &Descent, counts: &_| match announced {
            Announced::Yes => progress.finished_layers(search, counts),
            Announced::No => Vec::new(),
        };
        let (search, stopped) = self.phases.run(search, make_files, on_verdict)?;
        self.stopped = self.stopped.or(stopped);
        Ok(search.best())
    }

    /// Returns the commit that each element of the tree comes from, if there are several.
    fn commit_groups(
        &self,
        tree: &ChangeTree,
        narrowed: Narrowed,
    ) -> Result<Option<Vec<u32>>, ChangesError> {
        let Narrowed { passing, failing } = narrowed;
        if !(2..=MAX_COMMITS).contains(&(failing - passing)) {
            return Ok(None);
        }
        let states: Result<Vec<State>, _> = (passing + 1..=failing)
            .map(|revision| self.states.read(revision))
            .collect();
        tree.groups_by_commit(&states?, self.states.contents)
            .map(Some)
    }
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

/// Makes the files of sets of changes, and rejects sets that make no sense.
struct FileMaker<'a> {
    parse_check: &'a ParseCheck<'a>,
    definitions: &'a ChangedDefinitions,
    /// A patch that is applied to all files.
    on_top: Option<&'a Patch>,
    contents: &'a Contents,
}

/// A tree with words, and its groups.
struct CutTree {
    words: WordTree,
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
}

impl FileMaker<'_> {
    /// Works on a tree with words.
    fn with_words<R>(
        &self,
        cut: &CutTree,
        by_lines: &SearchedTree<'_>,
        work: impl FnOnce(&SearchedTree<'_>) -> R,
    ) -> R {
        let make = |set: &Subset, checks| {
            self.make(cut.words.tree(), set, &cut.words.lines_of(set), checks)
        };
        work(&SearchedTree {
            tree: cut.words.tree(),
            units: &cut.units,
            layers: &cut.layers,
            make_files: &|set| make(set, Checks::Strict),
            make_loosely: &|set| make(set, Checks::Loose),
            make_unchecked: &|set| make(set, Checks::None),
            ..*by_lines
        })
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

/// Whether a search reports the layers that it has finished. The patch on disk is that of the last
/// one reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announced {
    Yes,
    No,
}

/// The layers that a search has finished so far.
struct LayerProgress<'a> {
    layers: &'a [SearchLayer],
    make_files: &'a MakeFiles<'a>,
    old: &'a Configuration,
    /// Number of finished layers.
    finished: usize,
    /// The elements at the end of the last finished layer.
    before: Subset,
}

impl LayerProgress<'_> {
    /// Returns an event for each layer that was finished since the last call. Several layers finish
    /// with one verdict where the later ones have nothing to choose from.
    fn finished_layers(&mut self, search: &Descent, counts: &CulpritCounts) -> Vec<Event> {
        let (current, is_closing) = search.level();
        let current = if is_closing {
            self.layers.len()
        } else {
            current
        };
        let mut events = Vec::new();
        while self.finished < current {
            let best = search.best();
            let Ok(Ok(new)) = (self.make_files)(&best) else {
                break;
            };
            let layer = &self.layers[self.finished];
            events.push(Event::LayerFinished {
                layer: layer.layer,
                before: layer.count(&self.before),
                left: layer.count(&best),
                counts: counts.clone(),
                old: self.old.clone(),
                new,
            });
            self.finished += 1;
            self.before = best;
        }
        events
    }
}
