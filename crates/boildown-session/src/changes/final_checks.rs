//! Final checks of a culprit: in a fresh tree, undone on the bad state, and hunk by hunk.

use std::collections::BTreeMap;

use boildown_changes::{
    ChangeTree, ChangeUnit, Configuration, Contents, CutLines, State, WordTree, diff_stat,
};
use boildown_oracle::Verdict;
use boildown_search::Subset;

use super::change_units::ChangeUnits;
use super::culprit::{Culprit, Patch};
use super::error::SearchError;
use super::history_path::StepCommits;
use super::outcome_rule::UnresolvedReason;
use super::parse_check::ParseCheck;
use super::report::{CulpritHunk, CulpritReport, LayerCounts, RepairScope, Trial};
use super::search::{CulpritSearch, or_interrupted};
use super::word_changes::word_changes;

/// Number of hunks above which the culprit is not tested without each of them.
const MAX_HUNKS: usize = 16;

/// The test of a state without the culprit.
struct Repair {
    trial: Trial,
    /// The name of the state.
    on: String,
    scope: RepairScope,
}

/// The changes of the culprit, and what they are left out by.
#[derive(Clone, Copy)]
struct CulpritParts<'a> {
    by_lines: &'a ChangeTree,
    parse_check: &'a ParseCheck<'a>,
    /// The hunk of each line.
    hunks: &'a [u32],
    /// Its words, if it changes parts of lines.
    words: Option<&'a WordTree>,
}

impl CulpritSearch<'_> {
    /// Runs the final checks, and returns the report.
    pub(super) fn report(
        &mut self,
        culprit: Culprit,
        steps: StepCommits,
        on_good: Option<Trial>,
    ) -> Result<CulpritReport, SearchError> {
        let contents = self.states.contents;
        let patch = &culprit.patch;
        let fresh = self
            .trees()
            .judge_in_fresh_tree(&patch.after, self.interrupt);
        let fresh = or_interrupted(fresh)?;
        let repair = self.try_without(&culprit)?;
        let tree = culprit_tree(&culprit, contents)?;
        let parse_check = ParseCheck::new(&tree, contents);
        let units = ChangeUnits::read(&tree, &parse_check)?;
        let words = match culprit.has_words {
            true => {
                let all = Subset::full(tree.len());
                tree.cut_to_words(&all, &units.statements, CutLines::All, contents)?
            }
            false => None,
        };
        let parts = CulpritParts {
            by_lines: &tree,
            parse_check: &parse_check,
            hunks: &units.hunks,
            words: words.as_ref(),
        };
        let required = culprit.compared.as_ref().and_then(|it| it.required.clone());
        self.trees().require(required);
        let hunks = self.try_without_each_part(&parts);
        self.trees().require(None);
        let hunks = hunks?;
        let unlike_bad = self.unlike_bad_state(fresh.run.as_ref(), &culprit.rest)?;
        self.phases.reporter().report_store_failure();
        Ok(CulpritReport {
            base: self.states.name(culprit.revision),
            base_is_good: culprit.revision == 0,
            stat: diff_stat(&patch.before, &patch.after, contents)?,
            layer_counts: layer_counts(&tree),
            finest: culprit.finest,
            is_flaky: self.trees().rates().is_some(),
            before: culprit.patch.before,
            after: culprit.patch.after,
            commits: steps.commits,
            undone: steps.undone,
            confirmed: Trial {
                verdict: fresh.verdict,
                reason: fresh.reason,
            },
            on_good,
            repair: repair.trial,
            repair_on: repair.on,
            repair_scope: repair.scope,
            words: word_changes(words.as_ref(), contents)?,
            partial_statements: culprit.partial_statements,
            other_causes: culprit.others,
            partial: culprit.compared.map(|it| it.partial),
            hunks,
            unlike_bad,
            repeated: None,
            run: fresh.run,
            last_unresolved: self.trees().last_unresolved(),
            stopped: self.stopped,
            restored_files: self.trees().runner().restored_files(),
            counts: self.phases.counts(),
        })
    }

    /// Tests the bad state with all changes but those of the culprit and of the other causes. If
    /// that has no verdict, tests it without the larger units that hold them, and then the newest
    /// revision that was searched in the same way. Returns what the test was about, too.
    fn try_without(&self, culprit: &Culprit) -> Result<Repair, SearchError> {
        let contents = self.states.contents;
        let bad = Configuration::from(self.states.read_revision(self.bad())?);
        let rest = &culprit.rest;
        let mut first = None;
        for on_bad in [true, false] {
            for (scope, without) in &rest.without {
                let on = match on_bad {
                    true => &self.bad().name,
                    false => &rest.revision,
                };
                let files = match on_bad {
                    true => {
                        contents.add_configuration(without);
                        let (before, after) = (rest.with.clone(), without.clone());
                        Patch { before, after }.apply_to(&bad, contents)?
                    }
                    false => Some(without.clone()),
                };
                let repair = Repair {
                    trial: self.try_files(files.as_ref())?,
                    on: on.clone(),
                    scope: *scope,
                };
                // Without more than the causes, the state may be as before for other reasons.
                let is_telling = match repair.trial.verdict {
                    Verdict::Uninteresting => true,
                    Verdict::Interesting => *scope == RepairScope::Causes,
                    Verdict::Unresolved => false,
                };
                if is_telling {
                    return Ok(repair);
                }
                first.get_or_insert(repair);
            }
        }
        Ok(first.unwrap_or_else(|| Repair {
            trial: Trial::unresolved(UnresolvedReason::DoesNotApply),
            on: self.bad().name.clone(),
            scope: RepairScope::Causes,
        }))
    }

    /// Tests the culprit without each of its hunks, unless it has one hunk or too many. Hunks of
    /// one statement are one, as in the search; words are parts of their own. By the rules by which
    /// it was found, so that none of them is needless.
    fn try_without_each_part(
        &self,
        parts: &CulpritParts<'_>,
    ) -> Result<Vec<CulpritHunk>, SearchError> {
        let CulpritParts {
            by_lines,
            parse_check,
            hunks,
            words,
        } = *parts;
        let contents = self.states.contents;
        let tree = words.map_or(by_lines, WordTree::tree);
        let mut parts: BTreeMap<(u32, Option<usize>), Vec<usize>> = BTreeMap::new();
        for element in 0..tree.len() {
            let part = match words {
                Some(words) if words.is_word(element) => {
                    (hunks[words.origin(element)], Some(element))
                }
                Some(words) => (hunks[words.origin(element)], None),
                None => (hunks[element], None),
            };
            parts.entry(part).or_default().push(element);
        }
        if self.stopped.is_some() || !(2..=MAX_HUNKS).contains(&parts.len()) {
            return Ok(Vec::new());
        }
        let definitions = parse_check.definitions(&self.hints.named_in(by_lines))?;
        let all = Subset::full(tree.len());
        let mut tested = Vec::new();
        for elements in parts.into_values() {
            let set = all.without(elements.iter().map(|&element| element..element + 1));
            let lines = words.map_or(vec![set.clone()], |words| words.lines_of(&set).into());
            let rest = tree.configuration(&set, contents)?;
            let is_incomplete = |lines: &Subset| definitions.are_incomplete(lines);
            let rejected = match &rest {
                _ if lines.iter().all(is_incomplete) => Some(UnresolvedReason::LacksDefinition),
                Some(rest) => parse_check.rejects(&lines, rest)?,
                None => None,
            };
            let trial = match rejected {
                Some(reason) => Trial::unresolved(reason),
                None => self.try_files(rest.as_ref())?,
            };
            tested.push(CulpritHunk {
                location: tree.location(elements[0]),
                without: trial,
            });
        }
        Ok(tested)
    }
}

/// Returns the tree of the changes of the culprit.
fn culprit_tree(culprit: &Culprit, contents: &Contents) -> Result<ChangeTree, SearchError> {
    let after = state_of(&culprit.patch.after);
    let tree = ChangeTree::between(culprit.patch.before.base(), &after, contents)?;
    Ok(tree)
}

/// Returns a configuration as a state. Its contents have to be known.
pub(super) fn state_of(files: &Configuration) -> State {
    let entries = files
        .iter()
        .map(|(path, made)| (path.clone(), made.entry()));
    entries.collect()
}

pub(super) fn layer_counts(tree: &ChangeTree) -> LayerCounts {
    let all = Subset::full(tree.len());
    let layers = [
        ChangeUnit::Directories,
        ChangeUnit::Files,
        ChangeUnit::Hunks,
        ChangeUnit::Lines,
    ];
    layers.map(|layer| (layer, tree.count(layer, &all))).into()
}
