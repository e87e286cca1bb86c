//! The search for a culprit: it runs, and its patch is written and reported.

use std::path::Path;
use std::sync::Arc;

use boildown_changes::{Contents, Workspace, patch};
use boildown_exec::{Access, fsx};
use boildown_oracle::{Expectation, Property, Run, Verdict, deduce, failing_tests};
use boildown_session::Event;
use boildown_session::changes::{
    CulpritCounts, CulpritReport, PrepareTree, Problem, RevisionFiles, SearchTarget,
};
use boildown_show::{CulpritEvent, JsonValue as _, SCHEMA, version};
use boildown_store::RunStore;

use super::explain::search_error;
use super::history;
use super::report::CulpritSearchReport;
use crate::error::{CliError, ExitKind};
use crate::report::format::count;
use crate::report::json::arguments;
use crate::report::notes::limit_advice;
use crate::session::Session;

/// A culprit search whose states and command are known.
pub(super) struct CulpritSearch<'a> {
    /// The number of runs at the same time.
    pub(super) jobs: usize,
    pub(super) problem: &'a Problem,
    /// The command, as the user is shown it.
    pub(super) command: &'a str,
    /// The path of the patch.
    pub(super) output: &'a Path,
    /// What the patch may permit.
    pub(super) access: Access,
}

impl CulpritSearch<'_> {
    fn write(&self, patch: &[u8]) -> Result<(), CliError> {
        fsx::write_atomic(self.output, patch, self.access).map_err(CliError::from)
    }

    /// Checks the two states, searches for the smallest patch between them, and reports it.
    pub(super) fn run(&self, session: &mut Session<'_>) -> Result<ExitKind, CliError> {
        let (problem, output) = (self.problem, self.output);
        let target = problem.test.target;
        let explained = |error| search_error(error, self.command, target == SearchTarget::Fix);
        let mut bad_run: Option<Run> = None;
        let advice = limit_advice(problem.test.limits.timeout);
        let reporter = session.reporter.as_mut();
        reporter.working("running the command on both states", &advice);
        let checked = problem
            .check(
                prepare_tree(problem),
                session.earlier.recording(),
                &session.beginning.interrupt,
                &mut |event| {
                    if let Event::EndpointRun {
                        is_good: false,
                        run,
                    } = event
                    {
                        bad_run = Some(run.clone());
                    }
                    reporter.show(event);
                    if let (Event::FailureRead(property), Some(run)) = (event, &bad_run) {
                        other_tests(run, property)
                            .iter()
                            .for_each(|note| reporter.note(note));
                    }
                },
            )
            .map_err(explained)?;

        let best = session
            .earlier
            .best()
            .filter(|best| best.query > 0)
            .cloned();
        if let Some(best) = &best {
            self.write(&best.text)?;
        }
        let time_limit = checked.time_limit();
        history::open(session, problem, checked.rule(), time_limit);
        let started = CulpritEvent::Started {
            schema: SCHEMA,
            version: version(),
            task: "changes".to_owned(),
            arguments: arguments(),
            good: problem.path.good().name.clone(),
            bad: problem.path.bad().name.clone(),
            command: self.command.to_owned(),
            output: output.to_string_lossy().into_owned(),
        };
        session.record(&started.to_json());
        let config = session.config(self.jobs);
        let best_query = best.as_ref().map_or(0, |best| best.query);
        let store = session.store.store.clone();
        let mut patches = PatchWriter::new(self, store.as_deref(), best_query);
        let found = checked
            .find(&config, &mut |event| {
                patches.event(event);
                session.reporter.show(event);
            })
            .map_err(explained)?;
        let result = patches.finish(&found)?;
        let other_patches: Result<Vec<Vec<u8>>, _> = (found.other_causes.iter())
            .map(|cause| patch(&cause.before, &cause.after, &problem.contents))
            .collect();
        let report = CulpritSearchReport {
            found: &found,
            target,
            good: &problem.path.good().name,
            bad: &problem.path.bad().name,
            command: self.command,
            output,
            patch: &result,
            other_patches: &other_patches?,
            same_failure: same_failure(bad_run.as_ref(), found.run.as_ref(), target),
        };
        session.finish(&report);
        Ok(match found.stopped {
            Some(_) => ExitKind::Stopped,
            None if found.nothing_was_judged() => ExitKind::NothingJudged,
            None if !found.is_confirmed() => ExitKind::NotConfirmed,
            None => ExitKind::Reduced,
        })
    }
}

/// Writes the smallest patch so far to the output and to the store.
struct PatchWriter<'a> {
    problem: &'a Problem,
    output: &'a Path,
    store: Option<&'a RunStore>,
    /// The test in which earlier sessions found their best patch, which is on disk. Patches before
    /// that test are larger, and are not written.
    best_query: u64,
    /// What the patch may permit.
    access: Access,
    /// The first error.
    error: Option<CliError>,
}

impl<'a> PatchWriter<'a> {
    fn new(search: &CulpritSearch<'a>, store: Option<&'a RunStore>, best_query: u64) -> Self {
        Self {
            problem: search.problem,
            output: search.output,
            access: search.access,
            store,
            best_query,
            error: None,
        }
    }

    fn event(&mut self, event: &Event) {
        if let Event::LayerFinished {
            old, new, counts, ..
        } = event
        {
            let written = patch(old, new, &self.problem.contents)
                .map_err(CliError::from)
                .and_then(|patch| self.write(&patch, counts));
            self.error = self.error.take().or(written.err());
        }
    }

    fn write(&self, patch: &[u8], counts: &CulpritCounts) -> Result<(), CliError> {
        history::improve(self.store, patch, counts);
        if counts.queries >= self.best_query {
            fsx::write_atomic(self.output, patch, self.access)?;
        }
        Ok(())
    }

    /// Writes the result, and returns it.
    fn finish(self, found: &CulpritReport) -> Result<Vec<u8>, CliError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let patch = patch(&found.before, &found.after, &self.problem.contents)?;
        let is_behind = found.stopped.is_some() && found.counts.queries < self.best_query;
        if !is_behind {
            fsx::write_durable(self.output, &patch, self.access)?;
        }
        history::end(self.store, &patch, found);
        Ok(patch)
    }
}

/// Says which of the tests that fail is searched, and how to search for another one.
fn other_tests(run: &Run, property: &Property) -> Option<String> {
    let tests = failing_tests(run);
    let is_other = |test: &&Expectation| !property.expectations().contains(test);
    let other = tests.iter().find(is_other)?;
    let is_exit = |it: &&Expectation| matches!(it, Expectation::Exit(_));
    let exit = property.expectations().iter().filter(is_exit);
    let other = Property::new(exit.chain([other]).cloned().collect())?;
    Some(format!(
        "{} fail there, and this is about one of them; for another one: {}",
        count(tests.len(), "test"),
        other.flags()
    ))
}

/// Returns whether the culprit alone shows the failure of the bad state; `None` when that shows
/// none.
fn same_failure(bad: Option<&Run>, culprit: Option<&Run>, target: SearchTarget) -> Option<bool> {
    if target == SearchTarget::Fix {
        return None;
    }
    let property = deduce(bad?)?;
    Some(property.verdict(culprit?) == Verdict::Interesting)
}

/// Returns the function that adds what is not a file of the state to a copy, such as git's
/// metadata.
fn prepare_tree(problem: &Problem) -> PrepareTree {
    let contents: Arc<Contents> = Arc::clone(&problem.contents);
    let head = match problem.path.good().files {
        RevisionFiles::Commit(id) => Some(id),
        RevisionFiles::State(_) | RevisionFiles::Submodule { .. } => None,
    };
    Box::new(
        move |tree: &Workspace| match (contents.repository(), head) {
            (Some(repository), Some(head)) => repository.create_git_skeleton(tree, head),
            _ => Ok(()),
        },
    )
}
