//! Arguments of `boildown changes`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::options::values::duration;
use crate::options::{BudgetArgs, ExpectationArgs, JobsArgs, SandboxArgs, heading};

const EXAMPLES: &str = "\
GOOD..BAD, or GOOD BAD, are two revisions of the current git repository. The command runs in copies of
its files elsewhere; your work tree, index, branches, stash and hooks are not touched. Exit code 0
means good, 125 unresolved (the code does not build, for example), any other code bad, as for
`git bisect run`. If options state what bad is, other failures are unresolved too.

Examples:
  boildown changes v1.2..v1.3 -- make check
          which commit, files, hunks and lines broke it; the result is written to culprit.patch
  boildown changes good-branch bad-branch --stderr IndexError -- pytest -x tests/test_io.py
          only this failure counts as bad
  boildown changes v1.2..v1.3 --build 'make -j4' -- ./run-test.sh
          a failed build is unresolved, not bad
  boildown changes HEAD~1 --worktree -- ./run.sh
          uncommitted work against a commit
  boildown changes --fix broken..fixed -- make check
          the smallest part of a fix that still fixes
  boildown changes old/ new/ -- ./run.sh
          two directories, no repository

Exit codes:
  0  found                               4  a state is good or bad only sometimes
  1  invalid usage                       5  the command could not be run
  3  the good state is not good, or the  6  stopped early; the best result is saved
     bad state not bad                   8  a fresh copy does not confirm the patch
 70  internal error (a bug in boildown)  9  no test could be judged";

const BAD: &str = "What counts as bad (default: every exit code except 0 and 125)";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct ChangesArgs {
    /// The good and the bad state: GOOD..BAD, GOOD BAD, or GOOD with --worktree; revisions, or two
    /// directories
    #[arg(value_name = "GOOD..BAD", required = true, num_args = 1..=2)]
    pub(crate) states: Vec<OsString>,

    /// The command, run in a copy of the files. {} is replaced by the path of the copy
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// Use your work tree as it is now, without ignored files, as the second state
    #[arg(long, help_heading = "States")]
    pub(crate) worktree: bool,

    /// Find the smallest part of a fix: the first state is broken, the second is fixed
    #[arg(long, help_heading = "States")]
    pub(crate) fix: bool,

    /// A script for `git bisect run`, unchanged: 0 is good, 125 unresolved, other codes up to 127
    /// bad; anything else ends the search
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["command", "test"], help_heading = BAD)]
    pub(crate) bisect_run: Option<PathBuf>,

    /// A script with the opposite meaning: it exits with 0 if the state is bad
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command", help_heading = BAD)]
    pub(crate) test: Option<PathBuf>,

    #[command(flatten, next_help_heading = BAD)]
    pub(crate) expectations: ExpectationArgs,

    /// A shell command to run before the command; the state is unresolved if it fails
    #[arg(long, value_name = "LINE", help_heading = heading::RUN)]
    pub(crate) build: Option<OsString>,

    /// Run every test in a new copy of the files, and build it from nothing
    #[arg(long, help_heading = heading::RUN)]
    pub(crate) clean: bool,

    #[command(flatten)]
    pub(crate) jobs: JobsArgs,

    /// Start over instead of resuming an earlier run of the same command
    #[arg(long, help_heading = heading::RUN)]
    pub(crate) fresh: bool,

    /// Directory for the copies of the files; needs room for a checkout and a build per job
    /// [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", help_heading = heading::RUN)]
    pub(crate) scratch: Option<PathBuf>,

    /// Where to write the patch; the file always holds the smallest patch so far [default:
    /// culprit.patch, or fix.patch]
    #[arg(short, long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// Print events and the result as JSON to standard output, one object a line
    #[arg(long, conflicts_with = "markdown", help_heading = heading::OUTPUT)]
    pub(crate) json: bool,

    /// Print the result as Markdown, for a bug report, to standard output
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) markdown: bool,

    /// Print errors only
    #[arg(short, long, help_heading = heading::OUTPUT)]
    pub(crate) quiet: bool,

    /// Time limit of a run, such as 30 (seconds) or 500ms [default: ten times a run on the two
    /// states]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::LIMITS)]
    pub(crate) timeout: Option<Duration>,

    /// Time limit of a build [default: ten times a build of the two states, at least a minute]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "build",
          help_heading = heading::LIMITS)]
    pub(crate) build_timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
}
