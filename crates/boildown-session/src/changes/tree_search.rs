//! Search in the tree of changes between two revisions, layer by layer.

use boildown_changes::{ChangeTree, ChangeUnit, ChangesError, Configuration, State};
use boildown_search::changes::Descent;
use boildown_search::{Search as _, Subset};

use super::counts::CulpritCounts;
use super::culprit::{Culprit, Patch, Rest};
use super::error::SearchError;
use super::history_path::Narrowed;
use super::outcome_rule::UnresolvedReason;
use super::parse_check::ParseCheck;
use super::phases::{MadeFiles, MakeFiles};
use super::search::CulpritSearch;
use crate::event::Event;

/// Number of commits between two revisions above which their changes are not told apart: each
/// commit would have to be read.
const MAX_COMMITS: usize = 300;

/// A layer of the tree of changes that is searched.
struct SearchLayer {
    layer: ChangeUnit,
    /// The group of each element of the tree. The search removes whole groups.
    groups: Vec<u32>,
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
/// definitions of names, hunks, lines. Leaves out layers with one group, and those with the same
/// groups as the layer before.
fn search_layers(tree: &ChangeTree, commits: Option<&[u32]>, names: Vec<u32>) -> Vec<SearchLayer> {
    let mut layers: Vec<SearchLayer> = Vec::new();
    let from_tree = |layer| (layer, tree.groups(layer));
    let commits = commits.map(|groups| (ChangeUnit::Commits, groups.to_vec()));
    let names = Some((ChangeUnit::Names, names))
        .filter(|(_, names)| *names != tree.groups(ChangeUnit::Hunks));
    let all = (commits.into_iter())
        .chain([ChangeUnit::Directories, ChangeUnit::Files].map(from_tree))
        .chain(names)
        .chain([ChangeUnit::Hunks, ChangeUnit::Lines].map(from_tree));
    for (layer, groups) in all {
        let is_one = groups.iter().all(|group| *group == groups[0]);
        let is_last = layer == ChangeUnit::Lines;
        let is_new = layers.last().is_none_or(|last| last.groups != groups);
        if is_last || !is_one && is_new {
            layers.push(SearchLayer { layer, groups });
        }
    }
    layers
}

impl CulpritSearch<'_> {
    /// Finds the changes between two revisions that are needed to make the difference. Every set
    /// of them is tested with the patch `on_top`.
    pub(super) fn search_changes(
        &mut self,
        narrowed: Narrowed,
        on_top: &Patch,
    ) -> Result<Culprit, SearchError> {
        let contents = self.states.contents;
        let old = self.states.read(narrowed.passing)?;
        let new = self.states.read(narrowed.failing)?;
        let tree = ChangeTree::between(&old, &new, contents)?;
        let commits = self.commit_groups(&tree, narrowed)?;
        let names = tree.groups_by_new_name(contents)?;
        let layers = search_layers(&tree, commits.as_deref(), names);
        let (old, new) = (Configuration::from(old), Configuration::from(new));
        let parse_check = ParseCheck::new(&tree, contents);
        let make_files = |set: &Subset| -> MadeFiles {
            let Some(made) = tree.configuration(set, contents)? else {
                return Ok(Err(UnresolvedReason::DoesNotApply));
            };
            if !parse_check.parses(&made)? {
                return Ok(Err(UnresolvedReason::DoesNotParse));
            }
            let patched = on_top.apply_to(&made, contents)?;
            Ok(patched.ok_or(UnresolvedReason::DoesNotApply))
        };
        let search = Descent::new(tree.len(), layers.iter().map(|layer| layer.groups.clone()));
        let mut progress = LayerProgress {
            layers: &layers,
            make_files: &make_files,
            old: &old,
            finished: 0,
            before: Subset::full(tree.len()),
        };
        let on_verdict = |search: &Descent, counts: &_| progress.finished_layers(search, counts);
        let (search, stopped) = self.phases.run(search, &make_files, on_verdict)?;
        self.stopped = self.stopped.or(stopped);
        let best = search.best();
        let after = make_files(&best)?.expect("the best set was tested");
        contents.add_configuration(&after);
        let others = Subset::full(tree.len()).without(best.iter().map(|it| it..it + 1));
        let rest = tree.configuration(&others, contents)?.map(|without| Rest {
            revision: self.states.name(narrowed.failing),
            with: new,
            without,
        });
        Ok(Culprit {
            revision: narrowed.passing,
            rest,
            patch: Patch { before: old, after },
            used_commits: commits.map(|groups| {
                let mut used: Vec<u32> = best.iter().map(|element| groups[element]).collect();
                used.sort_unstable();
                used.dedup();
                used
            }),
        })
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
