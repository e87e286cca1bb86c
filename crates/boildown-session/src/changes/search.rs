//! Culprit search: bisects the history path, searches the changes, and looks for older ones.

use boildown_changes::{Commit, Configuration, Contents, Repository, State};
use boildown_oracle::{Interrupt, OracleError, Verdict};
use boildown_show::{CulpritEvent, StopReason};

use super::culprit::{Culprit, Patch, Rest};
use super::error::SearchError;
use super::guesses::FailureHints;
use super::history_path::{
    HistoryPath, Narrowed, PathStates, Revision, StepCommits, commit_records,
};
use super::outcome_rule::UnresolvedReason;
use super::phases::Phases;
use super::report::{CulpritReport, RepairScope, Trial};
use super::tree_oracle::{TreeAnswer, TreeOracle};
use crate::event::Event;

/// The largest number of times that the search goes back for an older change that the culprit
/// needs.
const MAX_OLDER: usize = 8;

/// A culprit search at work.
pub(super) struct CulpritSearch<'a> {
    /// The revisions. When the search follows a merge, a path into the merged branch takes their
    /// place.
    pub(super) states: PathStates<'a>,
    /// The revisions between the two states that the user stated.
    pub(super) path: &'a HistoryPath,
    pub(super) phases: Phases<'a>,
    /// What the bad state says about where it fails.
    pub(super) hints: FailureHints,
    /// Whether the property is that which the runs on the bad state show.
    pub(super) reads_failure: bool,
    pub(super) interrupt: &'a Interrupt,
    /// Why a phase was stopped, if one was.
    pub(super) stopped: Option<StopReason>,
    /// The last good revision of the bisection, and the first bad one.
    pub(super) step: [State; 2],
    /// The first bad revision with and without the first culprit, and its index.
    searched: Option<(Rest, usize)>,
}

/// The end of a culprit search.
pub(super) enum SearchEnd {
    Found(Box<CulpritReport>),
    /// Runs on a state disagree, so that nothing is known.
    Unsteady {
        name: String,
        found: Box<CulpritReport>,
    },
}

/// Makes an interrupted run a verdict, so that what was found before is kept.
pub(super) fn or_interrupted(
    answer: Result<TreeAnswer, OracleError>,
) -> Result<TreeAnswer, OracleError> {
    match answer {
        Err(OracleError::Interrupted) => Ok(TreeAnswer {
            verdict: Verdict::Unresolved,
            reason: Some(UnresolvedReason::Interrupted),
            run: None,
        }),
        answer => answer,
    }
}

impl<'a> CulpritSearch<'a> {
    pub(super) fn new(
        path: &'a HistoryPath,
        contents: &'a Contents,
        phases: Phases<'a>,
        hints: FailureHints,
        reads_failure: bool,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            states: PathStates::new(path.clone(), contents),
            path,
            phases,
            hints,
            reads_failure,
            interrupt,
            stopped: None,
            step: Default::default(),
            searched: None,
        }
    }

    pub(super) fn trees(&self) -> &'a TreeOracle {
        self.phases.trees()
    }

    pub(super) fn repository(&self) -> Option<&'a Repository> {
        self.states.contents.repository()
    }

    fn step_commits(&self, narrowed: Narrowed) -> Result<StepCommits, SearchError> {
        let commits = self.states.path.commits(self.repository(), narrowed)?;
        Ok(commits)
    }

    /// Returns the bad state, as the user stated it.
    pub(super) fn bad(&self) -> &'a Revision {
        self.path.bad()
    }

    /// Finds the culprit. If a new tree does not confirm it, earlier runs have left something that
    /// counts, and the search begins again with a new tree for each run.
    pub(super) fn find(mut self) -> Result<SearchEnd, SearchError> {
        let mut found = self.find_once()?;
        let trees = self.trees();
        let mut unsteady = None;
        if self.stopped.is_none() && !self.interrupt.is_triggered() {
            unsteady = self.unsteady_state(&mut found)?;
        }
        // A run that was stopped tells nothing, also one that was to confirm the culprit.
        if self.interrupt.is_triggered() {
            self.stopped = self.stopped.or_else(|| Some(self.phases.interruption()));
        }
        if self.stopped.is_some() {
            found.stopped = self.stopped;
            return Ok(SearchEnd::Found(found.into()));
        }
        if let Some(name) = unsteady {
            let found = found.into();
            return Ok(SearchEnd::Unsteady { name, found });
        }
        if found.is_confirmed() || trees.runner().uses_fresh_trees_only() {
            self.add_later_cause(&mut found)?;
            return Ok(SearchEnd::Found(found.into()));
        }
        self.phases.reporter().report(&Event::GoingOnInFreshTrees);
        trees.go_on_in_fresh_trees();
        self.states = PathStates::new(self.path.clone(), self.states.contents);
        Ok(SearchEnd::Found(self.find_once()?.into()))
    }

    /// Adds a cause in later commits to the report, if the bad state is as before without the
    /// culprit.
    fn add_later_cause(&mut self, found: &mut CulpritReport) -> Result<(), SearchError> {
        let is_asked = found.repair.verdict == Verdict::Interesting
            && found.repair_scope == RepairScope::Causes
            && found.is_confirmed()
            && !found.is_flaky;
        let Some((rest, failing)) = self.searched.take().filter(|_| is_asked) else {
            return Ok(());
        };
        if let Some(later) = self.later_cause(&rest, failing)? {
            found.other_causes.push(later.cause);
            found.repair = later.without_both;
        }
        found.stopped = self.stopped;
        found.counts = self.phases.counts();
        found.restored_files = self.trees().runner().restored_files();
        Ok(())
    }

    fn find_once(&mut self) -> Result<CulpritReport, SearchError> {
        let narrowed = self.bisect_history()?;
        let Narrowed { passing, failing } = narrowed;
        self.step = [self.states.read(passing)?, self.states.read(failing)?];
        let steps = self.step_commits(narrowed)?;
        let undone = steps.undone;
        let spent = self.phases.counts().record();
        self.phases.report(CulpritEvent::Narrowed {
            passing: self.states.name(narrowed.passing),
            failing: self.states.name(narrowed.failing),
            commits: commit_records(&steps.commits),
            spent,
        });
        let mut culprit = self.search_changes(narrowed, None)?;
        self.searched = Some((culprit.rest.clone(), failing));
        let step = Patch {
            before: culprit.patch.before.clone(),
            after: culprit.rest.with.clone(),
        };
        let mut commits = culprit.commits(steps);
        let mut on_good = None;
        for _ in 0..MAX_OLDER {
            if culprit.revision == 0 || self.stopped.is_some() {
                break;
            }
            let trial = self.try_on(&culprit.patch, 0)?;
            on_good = Some(trial);
            let on_top = match trial.verdict {
                Verdict::Interesting => {
                    culprit = self.moved_to(&culprit, 0)?;
                    on_good = None;
                    continue;
                }
                // It is chance more often than an older change.
                Verdict::Uninteresting if !self.step_changes_code()? => break,
                Verdict::Uninteresting => culprit.patch.clone(),
                // Half of a step may make no sense there. If the step is harmless there as a whole,
                // it needs an older change as well.
                Verdict::Unresolved if culprit.revision == passing => {
                    match self.try_on(&step, 0)?.verdict {
                        Verdict::Uninteresting => step.clone(),
                        _ => break,
                    }
                }
                Verdict::Unresolved => break,
            };
            let Some((with_older, older_commits)) = self.add_older_change(&culprit, &on_top)?
            else {
                break;
            };
            // On an older revision, the older change may do alone what took both later.
            if !culprit.patch.meets(&with_older.patch) {
                commits.clear();
            }
            culprit = Culprit {
                compared: with_older.compared.or(culprit.compared),
                finest: with_older.finest.filter(|_| culprit.finest.is_some()),
                has_words: with_older.has_words || culprit.has_words,
                partial_statements: (culprit.partial_statements.into_iter())
                    .chain(with_older.partial_statements)
                    .collect(),
                ..with_older
            };
            commits.splice(0..0, older_commits);
        }
        // A culprit on the good state was tried there with more changes than the trial had.
        let on_good = on_good.filter(|_| culprit.revision > 0);
        self.report(culprit, StepCommits { commits, undone }, on_good)
    }

    /// Returns the culprit on another revision; `None` if it does not apply there.
    fn onto(&self, culprit: &Culprit, revision: usize) -> Result<Option<Culprit>, SearchError> {
        let before = Configuration::from(self.states.read(revision)?);
        let after = culprit.patch.apply_to(&before, self.states.contents)?;
        Ok(after.map(|after| Culprit {
            revision,
            patch: Patch { before, after },
            rest: culprit.rest.clone(),
            finest: culprit.finest,
            has_words: culprit.has_words,
            partial_statements: culprit.partial_statements.clone(),
            others: culprit.others.clone(),
            unpatched: culprit.unpatched.clone(),
            locations: culprit.locations.clone(),
            compared: culprit.compared.clone(),
            used_commits: None,
        }))
    }

    /// Returns the culprit on another revision, on which it was tried.
    fn moved_to(&self, culprit: &Culprit, revision: usize) -> Result<Culprit, SearchError> {
        let moved = self.onto(culprit, revision)?.expect("it was tried there");
        self.states.contents.add_configuration(&moved.patch.after);
        Ok(moved)
    }

    fn try_on(&self, patch: &Patch, revision: usize) -> Result<Trial, SearchError> {
        let files = Configuration::from(self.states.read(revision)?);
        self.try_files(patch.apply_to(&files, self.states.contents)?.as_ref())
    }

    /// Tests some files. `None` stands for files that could not be made.
    pub(super) fn try_files(&self, files: Option<&Configuration>) -> Result<Trial, SearchError> {
        let Some(files) = files else {
            return Ok(Trial::unresolved(UnresolvedReason::DoesNotApply));
        };
        let answer = or_interrupted(self.trees().judge(files, self.interrupt))?;
        Ok(Trial {
            verdict: answer.verdict,
            reason: answer.reason,
        })
    }

    /// Finds the older change that the culprit needs, when the patch `on_top` makes no difference
    /// on the good state: the culprit, or the step that it is in. Returns both together, on the
    /// revision before the older change, and the commits of the older change.
    fn add_older_change(
        &mut self,
        culprit: &Culprit,
        on_top: &Patch,
    ) -> Result<Option<(Culprit, Vec<Commit>)>, SearchError> {
        let contents = self.states.contents;
        let narrowed = self.bisect(culprit.revision, |states, revision| {
            let files = Configuration::from(states.read(revision)?);
            let patched = on_top.apply_to(&files, states.contents)?;
            Ok(patched.ok_or(UnresolvedReason::DoesNotApply))
        })?;
        if self.stopped.is_some() {
            return Ok(None);
        }
        self.phases.report(CulpritEvent::Older {
            passing: self.states.name(narrowed.passing),
            failing: self.states.name(narrowed.failing),
        });
        let steps = self.step_commits(narrowed)?;
        let mut found = self.search_changes(narrowed, Some(on_top))?;
        let commits = found.commits(steps);
        let Some(both) = culprit.patch.apply_to(&found.unpatched, contents)? else {
            return Ok(None);
        };
        if self.try_files(Some(&both))?.verdict != Verdict::Interesting {
            return Ok(None);
        }
        contents.add_configuration(&both);
        found.patch.after = both;
        Ok(Some((found, commits)))
    }

    /// Searches the present path, each revision with the patch `undo`, for the changes that make
    /// the difference. Returns them with the commits that they come from.
    pub(super) fn search_without(
        &mut self,
        undo: &Patch,
    ) -> Result<Option<(Culprit, Vec<Commit>)>, SearchError> {
        let steps = self.states.path.steps();
        let narrowed = self.bisect(steps, |states, revision| {
            let files = Configuration::from(states.read(revision)?);
            let undone = undo.apply_to(&files, states.contents)?;
            Ok(undone.ok_or(UnresolvedReason::DoesNotApply))
        })?;
        if self.stopped.is_some() {
            return Ok(None);
        }
        let steps = self.step_commits(narrowed)?;
        let found = self.search_changes(narrowed, Some(undo))?;
        let commits = found.commits(steps);
        let is_whole = self.stopped.is_none();
        Ok(is_whole.then_some((found, commits)))
    }
}
