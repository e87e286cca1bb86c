//! What can be typed after `boildown changes`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::{Containment, Jobs, Looks, Patience, duration};

const EXAMPLES: &str = "\
GOOD..BAD, or GOOD BAD, are two revisions of the git repository that you are in. The command is run
in copies of its files elsewhere; your work tree, index, branches, stash and hooks are not touched.
Exit code 0 means good, 125 that it cannot tell (it does not build, say), anything else bad: as for
`git bisect run`. When you say what bad looks like, other failures cannot tell either.

Examples:
  boildown changes v1.2..v1.3 -- make check
          which commit, files, hunks, lines broke it; the answer is in culprit.patch
  boildown changes good-branch bad-branch --stderr IndexError -- pytest -x tests/test_io.py
          only this failure counts
  boildown changes v1.2..v1.3 --build 'make -j4' -- ./run-test.sh
          what does not build is no failure of the test
  boildown changes HEAD~1 --worktree -- ./run.sh
          uncommitted work against a commit
  boildown changes --fix broken..fixed -- make check
          the smallest part of a fix that still fixes
  boildown changes old/ new/ -- ./run.sh
          two directories, no repository

Exit codes:
  0  found                               4  a state is good or bad only sometimes
  1  the command line makes no sense     5  the command could not be run
  3  the good state is not good, or the  6  stopped early; the best so far is saved
     bad one not bad                    70  a defect of boildown";

/// What is bad.
const BAD: &str = "What is bad (default: any exit code but 0 and 125)";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct Changes {
    /// The good state and the bad one: GOOD..BAD, GOOD BAD, or GOOD with --worktree; revisions, or two directories
    #[arg(value_name = "GOOD..BAD", required = true, num_args = 1..=2)]
    pub(crate) states: Vec<OsString>,

    /// The command, run in a copy of the files. {} is the path of the copy
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// The bad state is your work tree as it is now, without what git ignores
    #[arg(long)]
    pub(crate) worktree: bool,

    /// Look for the smallest part of a fix: the first state is the broken one, the second is fixed
    #[arg(long)]
    pub(crate) fix: bool,

    /// A line for a shell that is run before the command; when it fails, nobody can tell
    #[arg(long, value_name = "LINE")]
    pub(crate) build: Option<OsString>,

    #[command(flatten)]
    pub(crate) jobs: Jobs,

    /// How long one run may take, such as 30 or 500ms [default: ten times a run on the two states]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Where the patch goes, at every moment the smallest so far [default: culprit.patch, or fix.patch]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Start over, though an earlier run of the same command could go on
    #[arg(long)]
    pub(crate) fresh: bool,

    /// Where trees are made; as much room as a checkout and what a build adds, once for each job [default: the system's
    /// temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,

    /// Print events and the answer as JSON, one object a line, on standard output
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,

    /// Print the answer as Markdown, for a bug report, on standard output
    #[arg(long)]
    pub(crate) markdown: bool,

    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) patience: Patience,

    /// A script for `git bisect run`, as it is: 0 is good, 125 cannot tell, up to 127 is bad, anything else ends the search
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["command", "test"], help_heading = BAD)]
    pub(crate) bisect_run: Option<PathBuf>,

    /// A script of the opposite kind: it exits with 0 when what is looked for is there
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command", help_heading = BAD)]
    pub(crate) test: Option<PathBuf>,

    #[command(flatten, next_help_heading = BAD)]
    pub(crate) looks: Looks,

    #[command(flatten)]
    pub(crate) containment: Containment,
}
