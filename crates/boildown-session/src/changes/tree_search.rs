//! Search in the tree of changes between two revisions, layer by layer.

use std::collections::{BTreeSet, HashSet};

use boildown_changes::{
    ChangeTree, ChangeUnit, ChangesError, Configuration, Contents, DisjointSets, State,
};
use boildown_search::changes::Descent;
use boildown_search::{Search as _, Subset};

use super::change_units::ChangeUnits;
use super::counts::CulpritCounts;
use super::culprit::{Culprit, Patch, Rest, locations};
use super::error::SearchError;
use super::file_maker::{Checks, FileMaker};
use super::guesses::guesses;
use super::history_path::Narrowed;
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
    /// Makes the files of a set. Called on all threads.
    pub(super) make: &'a (dyn Fn(&Subset, Checks) -> MadeFiles + Send + Sync + 'a),
    pub(super) old: &'a Configuration,
    pub(super) contents: &'a Contents,
}

impl SearchedTree<'_> {
    /// Makes the files of a set that passes these checks.
    pub(super) fn files(&self, set: &Subset, checks: Checks) -> MadeFiles {
        (self.make)(set, checks)
    }

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
        let make = maker.of_lines(&tree);
        let by_lines = SearchedTree {
            tree: &tree,
            units: &units,
            layers: &layers,
            make: &make,
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
        let smallest = self.narrow(&by_lines, &maker, completed, compared.as_ref())?;
        let (mut best, cut) = (smallest.best, smallest.cut);
        let mut is_narrowed = smallest.is_narrowed;
        let mut partial_statements = smallest.partial_statements;
        let finest = layers.last().map(|it| it.layer);
        let words = cut.as_ref().map(|it| &it.words);
        let make_words = words.map(|words| maker.of_words(words));
        let searched = match (&cut, &make_words) {
            (Some(cut), Some(make)) => cut.searched(&by_lines, make),
            _ => by_lines,
        };
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
        let after = searched
            .files(&best, Checks::Loose)?
            .expect("the best set was tested");
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
            let new = searched
                .files(&best, Checks::Strict)?
                .expect("the guess was tested");
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
        if self.stopped.is_some() || searched.files(&best, Checks::Strict)?.is_ok() {
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
        if checks == Checks::Strict {
            closing.clone_from(&searched.units.nested);
            closing.extend(searched.layers.iter().map(|it| it.groups.clone()));
        }
        let make_files = |set: &Subset| searched.files(set, checks);
        let search = Descent::within(start, groups, closing);
        let mut progress = LayerProgress {
            layers,
            make_files: &make_files,
            old: searched.old,
            finished: 0,
            before: start.clone(),
        };
        let on_verdict = |search: &Descent, counts: &_| match announced {
            Announced::Yes => progress.finished_layers(search, counts),
            Announced::No => Vec::new(),
        };
        let (search, stopped) = self.phases.run(search, &make_files, on_verdict)?;
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
