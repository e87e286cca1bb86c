//! The problem of a culprit search: the test of a state, where it runs, and what is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_exec::{Scratch, is_shell_line};
use boildown_session::changes::{Company, Problem, SearchTarget, TreeCommand, TreeTest};
use boildown_session::prepare::create_sandbox_with_temporary_files;

use super::args::ChangesArgs;
use super::states::{self, RequestedStates};
use crate::error::{CliError, ExitKind};
use crate::limits;

/// Returns the problem to solve. The judge gets its build command.
pub(super) fn problem(
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
pub(super) fn company(
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
pub(super) fn command(
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
pub(super) fn output(args: &ChangesArgs, target: SearchTarget) -> Result<PathBuf, CliError> {
    let name = match target {
        SearchTarget::Culprit => "culprit.patch",
        SearchTarget::Fix => "fix.patch",
    };
    let output = args.output.clone().unwrap_or_else(|| name.into());
    let parent = output.parent().unwrap_or(Path::new(""));
    let failed = |why: &str| Err(CliError::unwritable(ExitKind::InvalidUsage, &output, why));
    match std::fs::metadata(&output) {
        Ok(metadata) if !metadata.is_file() => failed("it is not a regular file"),
        Err(_) if !Path::new(".").join(parent).is_dir() => failed("its directory does not exist"),
        _ => Ok(output),
    }
}
