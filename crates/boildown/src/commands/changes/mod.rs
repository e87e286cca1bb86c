//! `boildown changes`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_changes::{Contents, Workspace, patch};
use boildown_exec::{Access, Scratch, fsx, is_shell_line};
use boildown_oracle::{Expectation, Property, Run, Verdict, deduce, failing_tests};
use boildown_session::changes::{
    Company, CulpritCounts, CulpritReport, PrepareTree, Problem, RevisionFiles, SearchTarget,
    TreeCommand, TreeTest,
};
use boildown_session::prepare::create_sandbox_with_temporary_files;
use boildown_session::{Event, SessionConfig};
use boildown_show::{CulpritEvent, JsonValue as _, SCHEMA, version};
use boildown_store::RunStore;

use self::args::ChangesArgs;
use self::explain::search_error;
use self::report::CulpritSearchReport;
use self::rule::rule;
use self::states::RequestedStates;
use crate::error::{CliError, ExitKind};
use crate::executors::check_jobs;
use crate::job::{self, Beginning};
use crate::limits;
use crate::report::format::{EscapedPath as _, count};
use crate::report::json::arguments;
use crate::report::notes::{limit_advice, noting};
use crate::report::reporter::Reporter;
use crate::settings;

pub(crate) mod args;
mod explain;
mod history;
mod known_history;
mod points;
mod report;
mod repository_access;
mod rule;
mod states;

/// Finds the smallest change that breaks something, or that fixes it.
pub(crate) fn run(args: &ChangesArgs) -> Result<ExitKind, CliError> {
    check_jobs(&args.jobs)?;
    let user_dir = current_dir()?;
    if let Some(points) = &args.points {
        return points::run(args, points, user_dir);
    }
    let target = if args.fix {
        SearchTarget::Fix
    } else {
        SearchTarget::Culprit
    };
    let rule = rule(args)?;
    let output = output(args, target)?;
    let session = Beginning::new(args.budget.budget())?;
    let mut states = RequestedStates::new(args, &user_dir, &output, &session.interrupt)?;
    let command = command(args, &mut states, &user_dir)?;
    let mut reporter = report::reporter(args, target);
    let reporter = reporter.as_mut();
    settings::note(reporter);
    for note in &states.notes {
        reporter.note(note);
    }
    let shown_command = command.to_string();
    let limits = limits::limits(&args.sandbox, args.timeout, &mut noting(reporter))?;
    let company = company(args, &states, &user_dir)?;
    let access = states.access;
    let problem = problem(
        args,
        states,
        TreeTest {
            command,
            build: None,
            build_timeout: args.build_timeout,
            clean: args.clean,
            company,
            rule,
            target,
            limits,
        },
    )?;
    let search = CulpritSearch {
        args,
        session: &session,
        problem: &problem,
        command: &shown_command,
        output: &output,
        access,
    };
    search.run(reporter)
}

/// A culprit search whose states and command are known.
struct CulpritSearch<'a> {
    args: &'a ChangesArgs,
    session: &'a Beginning,
    problem: &'a Problem,
    /// The command, as the user is shown it.
    command: &'a str,
    /// The path of the patch.
    output: &'a Path,
    /// What the patch may permit.
    access: Access,
}

impl CulpritSearch<'_> {
    fn write(&self, patch: &[u8]) -> Result<(), CliError> {
        fsx::write_atomic(self.output, patch, self.access)
            .map_err(|error| CliError::cannot_run(&error))
    }

    /// Checks the two states, searches for the smallest patch between them, and reports it.
    fn run(&self, reporter: &mut dyn Reporter) -> Result<ExitKind, CliError> {
        let (args, problem, output) = (self.args, self.problem, self.output);
        let target = problem.test.target;
        let earlier = history::find(args, problem, output, &mut noting(reporter))?;
        let mut bad_run: Option<Run> = None;
        let advice = limit_advice(problem.test.limits.timeout);
        reporter.working("running the command on both states", &advice);
        let checked = problem
            .check(
                prepare_tree(problem),
                earlier.recording(),
                &self.session.interrupt,
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
            .map_err(|error| search_error(error, self.command, args))?;

        let best = earlier.best().filter(|best| best.query > 0).cloned();
        if let Some(best) = &best {
            self.write(&best.text)?;
        }
        let time_limit = checked.time_limit();
        let session = history::begin(
            earlier,
            problem,
            checked.rule(),
            time_limit,
            &mut noting(reporter),
        );
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
        job::record(&started.to_json(), session.store.as_deref(), reporter);
        let config = SessionConfig {
            jobs: args.jobs.count(),
            budget: self.session.left(),
            interrupt: Some(self.session.interrupt.clone()),
            store: session.store.clone(),
            ..SessionConfig::default()
        };
        let best_query = best.as_ref().map_or(0, |best| best.query);
        let mut patches = PatchWriter::new(self, session.store.as_deref(), best_query);
        let found = checked
            .find(&config, &mut |event| {
                patches.event(event);
                reporter.show(event);
            })
            .map_err(|error| search_error(error, self.command, args))?;
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
            other_patches: &other_patches.map_err(|error| states::unreadable(&error))?,
            same_failure: same_failure(bad_run.as_ref(), found.run.as_ref(), target),
        };
        job::finish(&report, session.store.as_deref(), reporter);
        Ok(match found.stopped {
            Some(_) => ExitKind::Stopped,
            None if found.nothing_was_judged() => ExitKind::NothingJudged,
            None if !found.is_confirmed() => ExitKind::NotConfirmed,
            None => ExitKind::Reduced,
        })
    }
}

fn current_dir() -> Result<PathBuf, CliError> {
    std::env::current_dir().map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to find the current directory").because(error)
    })
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
                .map_err(|error| states::unreadable(&error))
                .and_then(|patch| self.write(&patch, counts));
            self.error = self.error.take().or(written.err());
        }
    }

    fn write(&self, patch: &[u8], counts: &CulpritCounts) -> Result<(), CliError> {
        history::improve(self.store, patch, counts);
        if counts.queries >= self.best_query {
            fsx::write_atomic(self.output, patch, self.access)
                .map_err(|error| CliError::cannot_run(&error))?;
        }
        Ok(())
    }

    /// Writes the result, and returns it.
    fn finish(self, found: &CulpritReport) -> Result<Vec<u8>, CliError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let patch = patch(&found.before, &found.after, &self.problem.contents)
            .map_err(|error| states::unreadable(&error))?;
        let is_behind = found.stopped.is_some() && found.counts.queries < self.best_query;
        if !is_behind {
            fsx::write_durable(self.output, &patch, self.access)
                .map_err(|error| CliError::cannot_run(&error))?;
        }
        history::end(self.store, &patch, found);
        Ok(patch)
    }
}

/// Returns the problem to solve. The judge gets its build command.
fn problem(
    args: &ChangesArgs,
    states: RequestedStates,
    mut test: TreeTest,
) -> Result<Problem, CliError> {
    let temporary = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
    // On a disk: copies and what is built in them may need more room than memory has.
    let scratch = Scratch::within(&temporary).map_err(|error| CliError::cannot_run(&error))?;
    let roomier = match test.limits.sandbox {
        Some(_) => {
            let permissions = limits::permissions(&args.sandbox);
            let sandbox = create_sandbox_with_temporary_files(&permissions, &mut |_| {});
            Some(sandbox.map_err(|error| limits::sandbox_error(&error))?)
        }
        None => None,
    };
    test.build = (args.build.as_deref()).map(|line| TreeCommand::line(line, states.dir.clone()));
    Ok(Problem {
        path: states.path,
        contents: Arc::new(states.contents),
        scratch: Arc::new(scratch),
        test,
        roomier,
        is_flaky: args.flaky,
        timeout_is_stated: args.timeout.is_some(),
    })
}

/// Returns the files of the user to which each copy gets a link.
fn company(
    args: &ChangesArgs,
    states: &RequestedStates,
    user_dir: &Path,
) -> Result<Vec<Company>, CliError> {
    let find = |path: &PathBuf| {
        let error = |why: &str| {
            CliError::usage(format!("--with {}: {why}", path.display())).hint(
                "--with takes a file or directory of the work tree that no state has, such as node_modules",
            )
        };
        let target = user_dir.join(path);
        if !target.exists() {
            return Err(error("there is no such file"));
        }
        let inside = states::inside(&states.dir, path).filter(|inside| !inside.is_empty());
        let inside = inside.ok_or_else(|| error("it is not in the work tree"))?;
        if states.is_in_any(&inside) {
            return Err(error("a state has it"));
        }
        let path = PathBuf::from(inside.to_string());
        Ok(Company { path, target })
    };
    args.with.iter().map(find).collect()
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

/// Returns the command to run in copies of the states.
fn command(
    args: &ChangesArgs,
    states: &mut RequestedStates,
    user_dir: &Path,
) -> Result<TreeCommand, CliError> {
    if let Some(test) =
        (args.test.as_deref()).filter(|test| is_shell_line(test.as_os_str(), user_dir))
    {
        return Ok(TreeCommand::line(test.as_os_str(), states.dir.clone()));
    }
    let builds = args.build.is_some();
    match (
        args.bisect_run.as_ref().or(args.test.as_ref()),
        args.command.is_empty(),
    ) {
        (Some(script), _) => Ok(states.script(script, user_dir, builds)),
        (None, false) => Ok(states.command(&args.command, user_dir, builds)),
        (None, true) => {
            Err(CliError::usage("no command to run on the states").hint(
                "give the command that tells good from bad after `--`:\n  boildown changes v1.2..v1.3 -- make check\nor a script for `git bisect run` with --bisect-run",
            ))
        }
    }
}

/// Returns the path of the patch.
fn output(args: &ChangesArgs, target: SearchTarget) -> Result<PathBuf, CliError> {
    let name = match target {
        SearchTarget::Culprit => "culprit.patch",
        SearchTarget::Fix => "fix.patch",
    };
    let output = args.output.clone().unwrap_or_else(|| name.into());
    let parent = output.parent().unwrap_or(Path::new(""));
    let failed = |why: &str| {
        Err(
            CliError::usage(format!("failed to write {}", output.escaped()))
                .because(why.to_owned()),
        )
    };
    match std::fs::metadata(&output) {
        Ok(metadata) if !metadata.is_file() => failed("it is not a regular file"),
        Err(_) if !Path::new(".").join(parent).is_dir() => failed("its directory does not exist"),
        _ => Ok(output),
    }
}
