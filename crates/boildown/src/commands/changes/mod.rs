//! `boildown changes`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_exec::{Scratch, is_shell_line};
use boildown_session::changes::{Company, Problem, SearchTarget, TreeCommand, TreeTest};
use boildown_session::prepare::create_sandbox_with_temporary_files;

use self::args::ChangesArgs;
use self::rule::rule;
use self::search::CulpritSearch;
use self::states::RequestedStates;
use crate::contradictions;
use crate::error::{CliError, ExitKind};
use crate::executors::check_jobs;
use crate::limits;
use crate::property::current_dir;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::noting;
use crate::session::{Beginning, Session};

pub(crate) mod args;
mod explain;
mod history;
mod known_history;
mod points;
mod reduced_input;
mod report;
mod repository_access;
mod rule;
mod search;
mod states;

/// Finds the smallest change that breaks something, or that fixes it.
pub(crate) fn run(mut args: ChangesArgs) -> Result<ExitKind, CliError> {
    check_jobs(&args.jobs)?;
    if let Some(exit) = reduced_input::reduce(&mut args)? {
        return Ok(exit);
    }
    let args = &args;
    let user_dir = current_dir()?;
    if let Some(points) = &args.points {
        return points::run(args, points, user_dir);
    }
    let target = if args.fix {
        SearchTarget::Fix
    } else {
        SearchTarget::Culprit
    };
    contradictions::check(contradictions::OF_CHANGES, args)?;
    let rule = rule(args);
    let output = output(args, target)?;
    let beginning = Beginning::new(args.budget.budget())?;
    let mut states = RequestedStates::new(args, &user_dir, &output, &beginning.interrupt)?;
    let command = command(args, &mut states, &user_dir)?;
    let mut session = Session::new(&beginning, report::reporter(args, target));
    let reporter = session.reporter();
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
        jobs: args.jobs.count(),
        problem: &problem,
        command: &shown_command,
        output: &output,
        access,
    };
    let identity = history::identity(args, &problem)?;
    session.resume(&output, identity, args.fresh)?;
    search.run(&mut session)
}

/// Returns the problem to solve. The judge gets its build command.
fn problem(
    args: &ChangesArgs,
    states: RequestedStates,
    mut test: TreeTest,
) -> Result<Problem, CliError> {
    let temporary = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
    // On a disk: copies and what is built in them may need more room than memory has.
    let scratch = Scratch::within(&temporary)?;
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
