//! Problem of a culprit search, and the check that its two states are good and bad.

use std::sync::Arc;
use std::time::Duration;

use boildown_changes::Contents;
use boildown_exec::Scratch;
use boildown_exec::spawn::Sandbox;
use boildown_oracle::{Interrupt, Run};
use boildown_store::BaselineRecording;

use super::endpoints::EndpointCheck;
use super::error::SearchError;
use super::guesses::FailureHints;
use super::history_path::HistoryPath;
use super::outcome_rule::{OutcomeRule, SearchTarget};
use super::phases::Phases;
use super::report::CulpritReport;
use super::search::{CulpritSearch, SearchEnd};
use super::tree_oracle::TreeOracle;
use super::tree_runner::{PrepareTree, TreeRunner, TreeTest};
use crate::baseline::default_time_limit;
use crate::config::SessionConfig;
use crate::event::Event;
use crate::prepare::Loosening;

/// The number of searches, of which each but the last found that runs disagree.
const MAX_SEARCHES: usize = 3;

/// The input of a culprit search.
///
/// [`check`](Self::check) can be called once: it makes trees of files in `scratch`, and a second
/// call would fail because they exist.
#[derive(Debug)]
pub struct Problem {
    /// The revisions from the good state to the bad one.
    pub path: HistoryPath,
    /// The contents of their files.
    pub contents: Arc<Contents>,
    /// The space in which trees of files are made.
    pub scratch: Arc<Scratch>,
    /// The test of a tree.
    pub test: TreeTest,
    /// A sandbox that allows more, to be tried if the states are not good and bad in that of the
    /// test.
    pub roomier: Option<Sandbox>,
    /// Whether the user says that runs on the same state may disagree.
    pub is_flaky: bool,
    /// Whether the user stated the time limit. If not, the runs on the two states determine it.
    pub timeout_is_stated: bool,
}

impl Problem {
    /// Checks that the first revision of the path is good and the last one bad, in two runs each.
    ///
    /// If they are not, and the sandbox is the cause, the command is allowed more; an event reports
    /// that. `recording` holds the runs of an earlier session, which are played back.
    ///
    /// # Errors
    /// [`SearchError`] when the two states are not good and bad, or the command could not be run.
    pub fn check(
        &self,
        prepare_tree: PrepareTree,
        recording: &BaselineRecording,
        interrupt: &Interrupt,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<CheckedProblem<'_>, SearchError> {
        let mut trees = TreeOracle::new(TreeRunner::new(
            self.test.clone(),
            Arc::clone(&self.contents),
            Arc::clone(&self.scratch),
            prepare_tree,
        ));
        let mut endpoints = EndpointCheck {
            path: &self.path,
            contents: &self.contents,
            recording,
            interrupt,
            on_event,
            rule: self.test.rule.clone(),
            is_flaky: self.is_flaky,
            failure: None,
            failing_run: None,
            reported: [None; 2],
        };
        let slowest = match check_ends(&mut endpoints, &mut trees) {
            Err(SearchError::NotAsStated { .. }) if self.test.limits.sandbox.is_some() => {
                self.check_loosened(&mut endpoints, &mut trees)?
            }
            checked => checked?,
        };
        let stated = self.timeout_is_stated.then_some(self.test.limits.timeout);
        let hang = self.test.hang();
        let time_limit = hang.or(stated).unwrap_or(default_time_limit(slowest));
        trees.runner().set_timeout(time_limit);
        let failing_run = endpoints.failing_run.take();
        Ok(CheckedProblem {
            problem: self,
            trees,
            time_limit,
            failing_run,
        })
    }

    /// Checks the states without the sandbox, and then in the roomier one. Leaves the trees with
    /// the strictest sandbox in which the states are good and bad.
    fn check_loosened(
        &self,
        endpoints: &mut EndpointCheck<'_>,
        trees: &mut TreeOracle,
    ) -> Result<Duration, SearchError> {
        trees.set_sandbox(None);
        // If this fails as well, its error is what the user sees when running the command by hand.
        let slowest = endpoints.check(trees)?;
        trees.set_sandbox(self.roomier.clone());
        let loosened = match endpoints.check(trees) {
            Ok(_) if self.roomier.is_some() => Loosening::TemporaryFiles,
            Ok(_) | Err(SearchError::NotAsStated { .. } | SearchError::Flaky { .. }) => {
                Loosening::NoSandbox
            }
            Err(error) => return Err(error),
        };
        if loosened == Loosening::NoSandbox {
            trees.set_sandbox(None);
        }
        (endpoints.on_event)(&Event::SandboxLoosened(loosened));
        Ok(slowest)
    }
}

/// Checks the states. If they are not good and bad where one was built after the other, because of
/// what the first build left behind, checks them in fresh trees and stays with those.
fn check_ends(
    endpoints: &mut EndpointCheck<'_>,
    trees: &mut TreeOracle,
) -> Result<Duration, SearchError> {
    let checked = endpoints.check(trees);
    if !matches!(checked, Err(SearchError::NotAsStated { .. }))
        || trees.runner().test().build.is_none()
        || trees.runner().uses_fresh_trees_only()
    {
        return checked;
    }
    trees.go_on_in_fresh_trees();
    match endpoints.check(trees) {
        Ok(slowest) => {
            (endpoints.on_event)(&Event::GoingOnInFreshTrees);
            Ok(slowest)
        }
        Err(_) => {
            trees.runner().use_used_trees();
            checked
        }
    }
}

/// A problem whose two states are known to be good and bad.
#[derive(Debug)]
pub struct CheckedProblem<'a> {
    problem: &'a Problem,
    trees: TreeOracle,
    time_limit: Duration,
    /// A run on the state that fails.
    failing_run: Option<Run>,
}

impl CheckedProblem<'_> {
    /// Returns the rule by which runs are judged. If the failure was read off the bad state, that
    /// is a property.
    pub fn rule(&self) -> &OutcomeRule {
        &self.trees.runner().test().rule
    }

    /// Returns the time limit of a run.
    pub fn time_limit(&self) -> Duration {
        self.time_limit
    }

    /// Finds the smallest set of changes that makes the difference between the two states.
    ///
    /// The [module](super) describes how.
    ///
    /// # Errors
    /// [`SearchError`] when a command could not be run or a state not be read.
    pub fn find(
        mut self,
        config: &SessionConfig,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<CulpritReport, SearchError> {
        let interrupt = config.interrupt_handle()?;
        self.trees.set_store(config.store.clone());
        if self.trees.rates().is_none() && self.trees.recall_disagreement() {
            self.measure(&interrupt, on_event)?;
        }
        let mut unsteady = String::new();
        for _ in 0..MAX_SEARCHES {
            let found = match self.search(config, &interrupt, on_event)? {
                SearchEnd::Found(found) => return Ok(*found),
                SearchEnd::Unsteady { name, found } => {
                    unsteady.clone_from(&name);
                    on_event(&Event::RunsDisagree { name });
                    found
                }
            };
            match self.measure(&interrupt, on_event) {
                Err(SearchError::NotAsStated { .. }) if !found.is_confirmed() => {
                    return Ok(*found);
                }
                measured => measured?,
            }
        }
        Err(SearchError::Flaky { name: unsteady })
    }

    fn search(
        &self,
        config: &SessionConfig,
        interrupt: &Interrupt,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<SearchEnd, SearchError> {
        let phases = Phases::new(&self.trees, config, on_event);
        let Problem {
            path,
            contents,
            test,
            ..
        } = self.problem;
        let hints = (self.failing_run.as_ref())
            .map(|run| FailureHints::of_run(run, self.rule().property()))
            .unwrap_or_default();
        let reads_failure =
            test.rule == OutcomeRule::SameFailure && test.target == SearchTarget::Culprit;
        CulpritSearch::new(path, contents, phases, hints, reads_failure, interrupt).find()
    }

    /// Measures how often the two states are bad, so that each tree is run repeatedly from now on.
    fn measure(
        &mut self,
        interrupt: &Interrupt,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(), SearchError> {
        let mut endpoints = EndpointCheck {
            path: &self.problem.path,
            contents: &self.problem.contents,
            recording: &BaselineRecording::default(),
            interrupt,
            on_event,
            rule: self.problem.test.rule.clone(),
            is_flaky: true,
            failure: self.rule().property().cloned(),
            failing_run: None,
            // They were reported before.
            reported: [None; 2],
        };
        self.trees.forget_single_runs();
        endpoints.check(&mut self.trees)?;
        Ok(())
    }
}
