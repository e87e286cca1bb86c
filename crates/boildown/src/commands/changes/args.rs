//! Arguments of `boildown changes`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::options::values::duration;
use crate::options::{BudgetArgs, ExpectationArgs, GeneralArgs, JobsArgs, SandboxArgs, heading};

const BAD: &str = "What counts as bad (default: the failure of BAD)";

/// What is known about the history between the two states.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Search only commits that change this file or directory
    ///
    /// May be repeated. The difference of the commit that is found is searched whole.
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub(crate) path: Vec<PathBuf>,

    /// Do not search the branches that merges brought in
    #[arg(long, hide_short_help = true)]
    pub(crate) first_parent: bool,

    /// Another good revision; may be repeated
    #[arg(long, hide_short_help = true, value_name = "REVISION")]
    pub(crate) good: Vec<String>,

    /// A revision or range A..B that is not to be run; may be repeated
    #[arg(long, hide_short_help = true, value_name = "REVISION")]
    pub(crate) skip: Vec<String>,

    /// Take over from a `git bisect` in progress, or from its log
    ///
    /// The states, skipped revisions and paths are those that `git bisect` knows; with a FILE,
    /// those of a saved `git bisect log`.
    #[arg(long, hide_short_help = true, value_name = "FILE", num_args = 0..=1, require_equals = true,
          conflicts_with = "states")]
    pub(crate) bisect_log: Option<Option<PathBuf>>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct ChangesArgs {
    /// The good and the bad state: GOOD..BAD, or GOOD BAD
    ///
    /// Two revisions of the current git repository, or two directories; or GOOD alone with
    /// --worktree.
    #[arg(hide_short_help = true, value_name = "GOOD..BAD", required_unless_present_any = ["bisect_log", "points"], num_args = 1..)]
    pub(crate) states: Vec<OsString>,

    /// The command, run in a copy of the files
    ///
    /// {} is replaced by the path of the copy.
    #[arg(last = true, hide_short_help = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// Use the work tree as the second state
    ///
    /// As it is now, without ignored files.
    #[arg(long, conflicts_with_all = ["releases", "bisect_log"], help_heading = "States")]
    pub(crate) worktree: bool,

    /// Find the smallest part of a fix
    ///
    /// The first state is broken, the second is fixed.
    #[arg(long, help_heading = "States")]
    pub(crate) fix: bool,

    /// The states are directories and archives, the oldest first
    ///
    /// Releases, for example: wheels, tarballs, ZIP files. The first one is good and the last one
    /// bad.
    #[arg(
        long,
        hide_short_help = true,
        conflicts_with = "bisect_log",
        help_heading = "States"
    )]
    pub(crate) releases: bool,

    #[command(flatten, next_help_heading = "States")]
    pub(crate) history: HistoryArgs,

    /// Search points inside the program instead of files
    ///
    /// The program reads from the variable which points are enabled, in the protocol of Go's bisect
    /// tool; PATTERN in TEXT is replaced. `docs/points.md` describes it.
    #[arg(long, hide_short_help = true, value_name = "VARIABLE=TEXT",
          conflicts_with_all = ["states", "worktree", "fix", "releases", "bisect_log", "bisect_run",
                                "test", "build", "with", "flaky", "output", "json", "markdown"],
          help_heading = "States")]
    pub(crate) points: Option<String>,

    /// A file or directory that git ignores and the command needs
    ///
    /// Installed packages, for example. Each copy has a link to it. May be repeated.
    #[arg(long, hide_short_help = true, value_name = "PATH", help_heading = heading::RUN)]
    pub(crate) with: Vec<PathBuf>,

    /// The failure occurs in some runs only
    ///
    /// Measures how often each state fails, and runs each test until it is clear. Without it, that
    /// is done when two runs disagree.
    #[arg(long, hide_short_help = true, help_heading = BAD)]
    pub(crate) flaky: bool,

    /// A script for `git bisect run`, unchanged
    ///
    /// 0 is good, 125 unresolved, other codes up to 127 bad; anything else ends the search.
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["command", "test"], help_heading = BAD)]
    pub(crate) bisect_run: Option<PathBuf>,

    /// A script that exits with 0 if the state is bad
    ///
    /// Or a line for the shell.
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command", help_heading = BAD)]
    pub(crate) test: Option<PathBuf>,

    /// Any failure is bad
    ///
    /// Every exit code except 0 and 125 to 127 is bad, however the command fails.
    #[arg(long, conflicts_with_all = ["bisect_run", "test", "exit", "stdout", "stderr", "not_stderr", "hangs"], help_heading = BAD)]
    pub(crate) any_failure: bool,

    #[command(flatten, next_help_heading = BAD)]
    pub(crate) expectations: ExpectationArgs,

    /// A shell line to run before the command
    ///
    /// The state is unresolved if it fails.
    #[arg(long, value_name = "LINE", help_heading = heading::RUN)]
    pub(crate) build: Option<OsString>,

    /// Run every test in a new copy of the files, and build it from nothing
    #[arg(long, hide_short_help = true, help_heading = heading::RUN)]
    pub(crate) clean: bool,

    /// Reduce this file of the command first, so that each test is fast
    ///
    /// It has to fail in the bad state and to pass in the good one, at every step. Both are kept,
    /// built, in .boildown/versions. The search then runs the command on the result, FILE.min.
    #[arg(long, hide_short_help = true, value_name = "FILE",
          conflicts_with_all = ["worktree", "fix", "releases", "bisect_log", "points", "bisect_run", "test", "flaky", "any_failure"],
          help_heading = heading::RUN)]
    pub(crate) reduce: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) jobs: JobsArgs,

    /// Start over instead of resuming
    ///
    /// Without it, the same command resumes an earlier run.
    #[arg(long, hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) fresh: bool,

    /// Directory for the copies of the files
    ///
    /// It needs room for a checkout and a build per job. [default: the system's temporary
    /// directory]
    #[arg(long, hide_short_help = true, value_name = "DIR", help_heading = heading::RUN)]
    pub(crate) scratch: Option<PathBuf>,

    /// File for the patch [default: culprit.patch, or fix.patch]
    ///
    /// It holds the smallest patch so far at any moment.
    #[arg(short, long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// Print events and the result as JSON, one object a line
    ///
    /// They go to standard output. `docs/reference/json.md` describes them.
    #[arg(long, conflicts_with = "markdown", help_heading = heading::OUTPUT)]
    pub(crate) json: bool,

    /// Print the result as Markdown, for a bug report
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) markdown: bool,

    /// Print errors only
    #[arg(short, long, help_heading = heading::OUTPUT)]
    pub(crate) quiet: bool,

    /// Time limit of a run, such as 30 (seconds) or 500ms
    ///
    /// [default: ten times a run on the two states]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::RUN)]
    pub(crate) timeout: Option<Duration>,

    /// Time limit of a build
    ///
    /// [default: ten times a build of the two states, at least a minute]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "build",
          hide_short_help = true, help_heading = heading::RUN)]
    pub(crate) build_timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    #[command(flatten)]
    pub(crate) general: GeneralArgs,
}
