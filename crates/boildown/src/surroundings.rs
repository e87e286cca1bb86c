//! The surroundings that boildown inherits from its shell, and cannot work with.

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::fs::Mode;
use rustix::process::umask;
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;

use crate::error::{CliError, ExitKind};

/// The variables by which git tells hooks, aliases and other programs which repository they work
/// on, as `git rev-parse --local-env-vars` prints them; and the one that keeps programs from
/// changing a repository that is being pushed to.
#[rustfmt::skip]
const REPOSITORY_VARIABLES: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
    "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
];

/// Starts boildown again in place of this process without git's variables, if there are any.
///
/// Commands run in copies. With the variables, a `git` in a copy would work on the repository of
/// the user, and boildown would read the index or the work tree of another repository than the one
/// that the current directory is in.
fn leave_repository_variables() -> Result<(), CliError> {
    let is_set = |name: &&str| std::env::var_os(name).is_some();
    if !REPOSITORY_VARIABLES.iter().any(is_set) {
        return Ok(());
    }
    let failed = |error| {
        CliError::new(ExitKind::CannotRun, "failed to leave the environment of git")
            .because(error)
            .hint("start boildown without GIT_DIR and the other variables of `git rev-parse --local-env-vars`")
    };
    let program = std::env::current_exe().map_err(failed)?;
    let mut args = std::env::args_os();
    #[expect(
        clippy::disallowed_methods,
        reason = "it takes the place of this process; the standard library changes its own environment in unsafe code only"
    )]
    let mut command = Command::new(&program);
    command.arg0(args.next().unwrap_or(program.into_os_string()));
    command.args(args);
    for name in REPOSITORY_VARIABLES {
        command.env_remove(name);
    }
    Err(failed(command.exec()))
}

/// Leaves the environment of git, and checks that boildown can use the files that it makes.
pub(crate) fn check() -> Result<(), CliError> {
    leave_repository_variables()?;
    // Without a handler, a write beyond `ulimit -f` would end boildown without a message. With one,
    // the write fails. Runs get the default action back.
    drop(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
    let mask = umask(Mode::empty());
    umask(mask);
    if !mask.intersects(Mode::RWXU) {
        return Ok(());
    }
    let mask = mask.as_raw_mode();
    Err(CliError::usage(format!(
        "the umask {mask:03o} takes permissions on new files from you"
    ))
    .hint("run `umask 022` first"))
}
