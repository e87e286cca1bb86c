//! Final checks of a culprit: in a fresh tree, undone on the bad state, and hunk by hunk.

use boildown_changes::{ChangeTree, ChangeUnit, Configuration, Contents, State, diff_stat};
use boildown_oracle::Verdict;
use boildown_search::Subset;

use super::culprit::{Culprit, Patch, Rest};
use super::error::SearchError;
use super::history_path::StepCommits;
use super::outcome_rule::UnresolvedReason;
use super::parse_check::ParseCheck;
use super::report::{CulpritHunk, CulpritReport, LayerCounts, Trial};
use super::search::{CulpritSearch, or_interrupted};

/// Number of hunks above which the culprit is not tested without each of them.
const MAX_HUNKS: usize = 16;

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
        let (repair, repair_on) = self.try_without(&culprit)?;
        let tree = culprit_tree(&culprit, contents)?;
        let hunks = self.try_without_each_hunk(&tree)?;
        self.phases.reporter().report_store_failure();
        Ok(CulpritReport {
            base: self.states.name(culprit.revision),
            base_is_good: culprit.revision == 0,
            stat: diff_stat(&patch.before, &patch.after, contents)?,
            layer_counts: layer_counts(&tree),
            before: culprit.patch.before,
            after: culprit.patch.after,
            commits: steps.commits,
            undone: steps.undone,
            confirmed: Trial {
                verdict: fresh.verdict,
                reason: fresh.reason,
            },
            on_good,
            repair,
            repair_on,
            hunks,
            run: fresh.run,
            last_unresolved: self.trees().last_unresolved(),
            stopped: self.stopped,
            restored_files: self.trees().runner().restored_files(),
            counts: self.phases.counts(),
        })
    }

    /// Tests the bad state without the culprit: with all changes but those of the culprit, where
    /// they can be told, or else with the reversed patch. If that has no verdict, tests the newest
    /// revision that was searched in this way. Returns the name of the revision, too.
    fn try_without(&self, culprit: &Culprit) -> Result<(Trial, String), SearchError> {
        let contents = self.states.contents;
        let bad = Configuration::from(self.states.read_revision(self.bad())?);
        let mut trials = Vec::new();
        if let Some(Rest {
            revision,
            with,
            without,
        }) = &culprit.rest
        {
            contents.add_configuration(without);
            let rest = Patch {
                before: with.clone(),
                after: without.clone(),
            };
            trials.push((rest.apply_to(&bad, contents)?, &self.bad().name));
            trials.push((Some(without.clone()), revision));
        }
        let reversed = culprit.patch.reversed().apply_to(&bad, contents)?;
        trials.insert(trials.len().min(1), (reversed, &self.bad().name));
        let mut first = None;
        for (files, name) in trials {
            let trial = self.try_files(files.as_ref())?;
            if trial.verdict != Verdict::Unresolved {
                return Ok((trial, name.clone()));
            }
            first.get_or_insert((trial, name.clone()));
        }
        Ok(first.expect("the reversed patch was tried"))
    }

    /// Tests the culprit without each of its hunks, unless it has one hunk or too many.
    fn try_without_each_hunk(&self, tree: &ChangeTree) -> Result<Vec<CulpritHunk>, SearchError> {
        let contents = self.states.contents;
        let all = Subset::full(tree.len());
        let count = tree.count(ChangeUnit::Hunks, &all);
        if self.stopped.is_some() || !(2..=MAX_HUNKS).contains(&count) {
            return Ok(Vec::new());
        }
        let parse_check = ParseCheck::new(tree, contents);
        let groups = tree.groups(ChangeUnit::Hunks);
        let mut hunks = Vec::new();
        for hunk in 0..u32::try_from(count).expect("at most MAX_HUNKS") {
            let elements: Vec<usize> = (0..tree.len())
                .filter(|&element| groups[element] == hunk)
                .collect();
            let cut = elements.iter().map(|&element| element..element + 1);
            let rest = tree.configuration(&all.without(cut), contents)?;
            let trial = match &rest {
                Some(rest) if !parse_check.parses(rest)? => {
                    Trial::unresolved(UnresolvedReason::DoesNotParse)
                }
                rest => self.try_files(rest.as_ref())?,
            };
            hunks.push(CulpritHunk {
                location: tree.location(elements[0]),
                without: trial.verdict,
            });
        }
        Ok(hunks)
    }
}

/// Returns the tree of the changes of the culprit.
fn culprit_tree(culprit: &Culprit, contents: &Contents) -> Result<ChangeTree, SearchError> {
    let after: State = (culprit.patch.after.iter())
        .map(|(path, made)| (path.clone(), made.entry()))
        .collect();
    let tree = ChangeTree::between(culprit.patch.before.base(), &after, contents)?;
    Ok(tree)
}

fn layer_counts(tree: &ChangeTree) -> LayerCounts {
    let all = Subset::full(tree.len());
    let layers = [
        ChangeUnit::Directories,
        ChangeUnit::Files,
        ChangeUnit::Hunks,
        ChangeUnit::Lines,
    ];
    layers.map(|layer| (layer, tree.count(layer, &all))).into()
}
