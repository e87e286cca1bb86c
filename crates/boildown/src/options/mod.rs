//! Groups of options that several commands have in common.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use boildown_driver::Budget;
use boildown_oracle::{ExitSpec, Expectation, Measure, Measured, OracleError, Pattern};
use clap::{ArgAction, Args};

use self::values::{MemoryLimit, at_least_one, duration, jobs_here, memory, oracle_value};

pub(crate) mod algorithms;
mod remote;
mod runs;
pub(crate) mod values;
mod warm;

pub(crate) use self::remote::RemoteArgs;
pub(crate) use self::runs::RunArgs;
pub(crate) use self::warm::WarmArgs;
use crate::valid::ChosenChecks;

/// Headings of the help.
pub(crate) mod heading {
    pub(crate) const PRESERVE: &str = "What to preserve (default: what the first run shows)";
    pub(crate) const GROUP: &str = "How to tell failures apart";
    pub(crate) const RUN: &str = "How to run the command";
    pub(crate) const REDUCE: &str = "How to reduce";
    pub(crate) const OUTPUT: &str = "Where the result goes, and what is printed";
    pub(crate) const LIMITS: &str = "When to stop";
    pub(crate) const OTHER: &str = "Other options";
    pub(crate) const EXPERT: &str = "Expert options";
}

/// What a run may do, and how many resources it may use.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SandboxArgs {
    /// Let the command write to this directory or file too
    ///
    /// May be repeated. `BOILDOWN_WRITABLE=A:B` does the same for every session.
    #[arg(long, value_name = "PATH", hide_short_help = true, help_heading = heading::RUN)]
    pub(crate) writable: Vec<PathBuf>,

    /// Run without the sandbox
    ///
    /// The command may then write wherever you may, and signal your processes.
    #[arg(long, conflicts_with_all = ["writable", "no_network"], help_heading = heading::RUN)]
    pub(crate) no_sandbox: bool,

    /// Block network access
    #[arg(long, hide = true, help_heading = heading::EXPERT)]
    pub(crate) no_network: bool,

    /// Memory limit for all processes of a run, such as 8G
    ///
    /// An amount such as 500M or 8G, or `none`. [default: half of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory, hide_short_help = true, help_heading = heading::RUN)]
    pub(crate) memory: Option<MemoryLimit>,

    /// Number of processes that a run may have at once
    ///
    /// [default: 512, or 16 per core]
    #[arg(long, value_name = "N", value_parser = at_least_one, hide = true, help_heading = heading::EXPERT)]
    pub(crate) processes: Option<usize>,
}

impl SandboxArgs {
    /// Returns the options as text for the identity of a run. A change of it would keep runs of
    /// earlier versions from being resumed.
    pub(crate) fn identity(&self) -> String {
        let Self {
            writable,
            no_sandbox,
            no_network,
            memory,
            processes,
        } = self;
        format!(
            "Containment {{ writable: {writable:?}, no_sandbox: {no_sandbox:?}, \
             no_network: {no_network:?}, memory: {memory:?}, processes: {processes:?} }}"
        )
    }
}

/// How many tests run at once.
#[derive(Debug, Clone, Args)]
pub(crate) struct JobsArgs {
    /// Tests to run at once [default: all cores]
    ///
    /// The number changes the time, never the result. With workers, 0 runs tests on them only.
    #[arg(short, long, short_alias = 'n', aliases = ["n", "j", "parallelism", "threads", "num-threads"], value_name = "N", value_parser = jobs_here, help_heading = heading::RUN)]
    jobs: Option<usize>,
}

impl JobsArgs {
    pub(crate) fn is_stated(&self) -> bool {
        self.jobs.is_some()
    }

    /// Returns the number of runs at once, at least one.
    pub(crate) fn count(&self) -> usize {
        self.here().max(1)
    }

    /// Returns the number of tests to run at once in this process, which may be none.
    pub(crate) fn here(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores)
    }
}

/// Other machines that run tests too.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkerArgs {
    /// Run tests on another machine: 'ssh HOST boildown worker'
    ///
    /// A line for the shell that starts `boildown worker` somewhere: over ssh, in a container, in a
    /// job of a cluster. May be repeated; `@FILE` stands for the lines of a file, without empty
    /// ones and those that begin with #. The result is the same as without workers.
    #[arg(long, value_name = "LINE", hide_short_help = true, help_heading = heading::RUN)]
    pub(crate) worker: Vec<OsString>,
}

/// The format of what is printed.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputArgs {
    /// Print events as JSON, one object a line
    ///
    /// They go to standard output. `docs/reference/json.md` describes them.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) json: bool,

    /// Print errors only
    #[arg(short, long, hide_short_help = true, help_heading = heading::OUTPUT)]
    pub(crate) quiet: bool,

    /// Also print what was chosen for you, and why
    ///
    /// One line for the language, the property, the sandbox, the time limit and so on: what was
    /// chosen, why, and the options that change it. `boildown explain` prints them later.
    #[arg(short, long, conflicts_with = "quiet", help_heading = heading::OUTPUT)]
    pub(crate) verbose: bool,
}

impl OutputArgs {
    pub(crate) fn is_text(&self) -> bool {
        !self.json && !self.quiet
    }
}

/// Options of all commands that run a search.
#[derive(Debug, Clone, Args)]
pub(crate) struct GeneralArgs {
    /// Take settings of a profile from boildown.toml too, or none at all with `none`
    ///
    /// The file is looked for in the directory of the input, and in those above it up to the root
    /// of the repository. `[reduce]` holds options of `boildown reduce`, such as jobs = 4 or
    /// timeout = "30s"; `[profile.NAME.reduce]` those of a profile. What is typed comes first.
    #[arg(long, value_name = "NAME", hide_short_help = true, help_heading = heading::OTHER)]
    profile: Option<String>,

    /// Print this help; `-h` prints a short one, `--help expert` all options
    #[arg(short, long, action = ArgAction::Help, hide_short_help = true, help_heading = heading::OTHER)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, hide = true, help_heading = heading::OTHER)]
    version: Option<bool>,
}

/// When to stop before the search has finished.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetArgs {
    /// Stop after this time, such as 90 (seconds) or 10m
    ///
    /// The first runs on the input count too. The best result so far is kept; the same command
    /// resumes.
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::LIMITS)]
    max_time: Option<Duration>,

    /// Stop after N tests
    ///
    /// The best result so far is kept.
    #[arg(long, alias = "max-questions", value_name = "N", hide = true, help_heading = heading::EXPERT)]
    max_tests: Option<u64>,
}

impl BudgetArgs {
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            queries: self.max_tests,
            time: self.max_time,
        }
    }
}

/// Expectations about a run. All that are given have to hold.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ExpectationArgs {
    /// The exit status: a code, `nonzero`, or SIGSEGV
    ///
    /// A code from 0 to 255, `nonzero`, `signal`, or the name of a signal such as SIGSEGV.
    #[arg(long, aliases = ["interesting-exit", "interesting-exit-code"], value_name = "STATUS", value_parser = oracle_value::<ExitSpec>)]
    exit: Option<ExitSpec>,

    /// Standard output matches this regular expression
    ///
    /// May be repeated: all of them have to match.
    #[arg(long, alias = "interesting-stdout", allow_hyphen_values = true, value_name = "REGEX", value_parser = oracle_value::<Pattern>)]
    stdout: Vec<Pattern>,

    /// Standard error matches
    ///
    /// May be repeated: all of them have to match.
    #[arg(long, alias = "interesting-stderr", allow_hyphen_values = true, value_name = "REGEX", value_parser = oracle_value::<Pattern>)]
    stderr: Vec<Pattern>,

    /// Standard error does not match; may be repeated
    #[arg(long, hide_short_help = true, allow_hyphen_values = true, value_name = "REGEX", value_parser = oracle_value::<Pattern>)]
    not_stderr: Vec<Pattern>,

    /// The command is still running after this time, such as 5s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    hangs: Option<Duration>,
}

impl ExpectationArgs {
    pub(crate) fn expectations(&self) -> impl Iterator<Item = Expectation> {
        let exit = self.exit.iter().map(|&exit| Expectation::Exit(exit));
        let stdout = self.stdout.iter().cloned().map(Expectation::Stdout);
        let stderr = self.stderr.iter().cloned().map(Expectation::Stderr);
        let not_stderr = self.not_stderr.iter().cloned().map(Expectation::NotStderr);
        let hangs = self.hangs.iter().map(|&time| Expectation::Hangs(time));
        exit.chain(stdout)
            .chain(stderr)
            .chain(not_stderr)
            .chain(hangs)
    }

    /// Returns whether there are any.
    pub(crate) fn are_stated(&self) -> bool {
        self.expectations().next().is_some()
    }

    /// Returns whether an exit status is stated.
    pub(crate) fn states_exit(&self) -> bool {
        self.exit.is_some()
    }

    /// Returns the options as text for the identity of a run. A change of it would keep runs of
    /// earlier versions from being resumed.
    pub(crate) fn identity(&self) -> String {
        let Self {
            exit,
            stdout,
            stderr,
            not_stderr,
            hangs,
        } = self;
        format!(
            "Looks {{ exit: {exit:?}, stdout: {stdout:?}, stderr: {stderr:?}, \
             not_stderr: {not_stderr:?}, hangs: {hangs:?} }}"
        )
    }
}

/// The property of a file. All expectations that are given have to hold.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = heading::PRESERVE)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct PropertyArgs {
    /// A script that exits with 0 if a candidate is interesting
    ///
    /// Or a line for the shell, with the candidate's path as $1; with --exit, another exit status
    /// means interesting. It takes the place of COMMAND. It runs in the directory of the candidate,
    /// a file named like the input, and gets the candidate's path as its argument. Exit code 125
    /// means that it cannot tell.
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command")]
    pub(crate) test: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) expectations: ExpectationArgs,

    /// What has to stay as large as --at-least says: `wall`, `cpu`, `memory` or `stdout:REGEX`
    ///
    /// `wall` is the time from the start of a run to its end, `cpu` the processor time of its
    /// processes, which does not depend on the load, `memory` the peak of the largest of them; a
    /// run is stopped as soon as that is enough. `stdout:REGEX` is the last number that the first
    /// group of the expression finds in standard output. A candidate whose time exceeds the limit
    /// by less than a fifth is run twice more, and the reduction stops when most candidates take a
    /// time near the limit and little is removed.
    #[arg(long, hide_short_help = true, allow_hyphen_values = true, value_name = "WHAT", requires = "at_least", value_parser = oracle_value::<Measured>)]
    pub(crate) measure: Option<Measured>,

    /// The least value of --measure: a duration such as 5s, an amount such as 1G, or a number
    #[arg(
        long,
        hide_short_help = true,
        allow_hyphen_values = true,
        value_name = "VALUE",
        requires = "measure"
    )]
    pub(crate) at_least: Option<String>,

    /// Another script or line that has to exit with 0 too; may be repeated
    #[arg(long, hide_short_help = true, value_name = "SCRIPT")]
    pub(crate) also: Vec<OsString>,

    /// A script or line that must not exit with 0; may be repeated
    #[arg(long, value_name = "SCRIPT", hide = true, help_heading = heading::EXPERT)]
    pub(crate) not: Vec<OsString>,

    /// The checks that `--valid` stands for.
    #[arg(skip)]
    pub(crate) companions: ChosenChecks,

    /// Whether other versions of the program are run too.
    #[arg(skip)]
    pub(crate) asks_versions: bool,

    /// The command and this one, a line for the shell, succeed and print different things
    ///
    /// The candidate's path is $1 in the line. The first lines in which standard output differs are
    /// preserved, with their numbers left open.
    #[arg(long, hide_short_help = true, value_name = "LINE", conflicts_with_all = ["test", "stdin"])]
    pub(crate) differs_from: Option<OsString>,

    /// Keep the top N functions of the stack trace too
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "test",
        hide = true,
        help_heading = heading::EXPERT
    )]
    pub(crate) frames: Option<NonZeroUsize>,

    /// Do not keep the place of a crash: any crash with the same message counts
    ///
    /// Without it, a deduced property names the top function of the stack trace, or the file if
    /// that is the input, where the message does not say where the program crashed.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["test", "frames"])]
    pub(crate) loose: bool,

    /// Print what would be preserved, as options, and stop
    #[arg(
        long,
        conflicts_with = "test",
        hide = true,
        help_heading = heading::EXPERT
    )]
    pub(crate) show_property: bool,

    /// Do not ask which failure to preserve
    ///
    /// Questions are asked on a terminal only.
    #[arg(short, long, hide = true, help_heading = heading::EXPERT)]
    pub(crate) yes: bool,

    /// Feed the candidate to the command's standard input
    #[arg(long, help_heading = heading::RUN)]
    pub(crate) stdin: bool,

    /// The failure occurs in some runs only
    ///
    /// Measures how often it occurs on the input, and preserves that rate.
    #[arg(long)]
    pub(crate) flaky: bool,
}

impl PropertyArgs {
    /// Returns the quantity that has to be large enough.
    ///
    /// # Errors
    /// [`OracleError`] when the least value is none.
    pub(crate) fn measure(&self) -> Result<Option<Measure>, OracleError> {
        let pair = self.measure.clone().zip(self.at_least.as_ref());
        pair.map(|(what, at_least)| Measure::new(what, at_least))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_for_the_identity_are_those_of_earlier_versions() {
        let sandbox = SandboxArgs {
            writable: vec![PathBuf::from("/a")],
            no_sandbox: false,
            no_network: true,
            memory: Some(MemoryLimit::Bytes(500)),
            processes: None,
        };
        assert_eq!(
            sandbox.identity(),
            "Containment { writable: [\"/a\"], no_sandbox: false, no_network: true, \
             memory: Some(Bytes(500)), processes: None }"
        );
        let expectations = ExpectationArgs {
            exit: None,
            stdout: Vec::new(),
            stderr: Vec::new(),
            not_stderr: Vec::new(),
            hangs: Some(Duration::from_secs(5)),
        };
        assert_eq!(
            expectations.identity(),
            "Looks { exit: None, stdout: [], stderr: [], not_stderr: [], hangs: Some(5s) }"
        );
    }
}
