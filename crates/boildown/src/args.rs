//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use boildown_oracle::{ExitSpec, Pattern, parse_duration};
use clap::{Args as ClapArgs, Parser, Subcommand};

/// Boil a failing input down to its cause
#[derive(Debug, Parser)]
#[command(name = "boildown", version, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a file as small as possible while a command still fails on it in the same way
    Reduce(Box<Reduce>),
    /// List the languages that are understood
    Languages,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

const EXAMPLES: &str = "\
Examples:
  boildown reduce crash.c -- clang -O2 -c crash.c
          keep what the first run shows: the exit code and the line that names the failure
  boildown reduce crash.c --test ./interesting.sh
          any script of C-Reduce, C-Vise or Shrink Ray: exit code 0 means interesting
  boildown reduce big.json --stderr 'KeyError' -- python3 tool.py {}
          state what to keep; {} is the path of the candidate
  boildown reduce slow.sql --hangs 5s --stdin -- ./query
          an input that hangs, read from standard input

Exit codes:
  0  reduced                            4  the property holds only sometimes
  1  the command line makes no sense    5  the command could not be run
  2  nothing could be removed           6  stopped early; the best result is saved
  3  the property does not hold        70  a defect of boildown";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reduce {
    /// The file to reduce; it is never changed unless --in-place is given
    pub(crate) input: PathBuf,

    /// The command that fails on it. A word that names the input, or {}, becomes the path of the candidate
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) property: Property,

    /// Questions to run at once; the result is the same for any number [default: all cores]
    #[arg(short, long, alias = "n", value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,

    /// How long one run may take, such as 30 or 500ms [default: ten times a run on the input]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Where the result goes, at every moment the best so far [default: crash.min.c for crash.c]
    #[arg(short, long, value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the input by the result, and keep a copy of it as crash.c.orig
    #[arg(long)]
    pub(crate) in_place: bool,

    /// The language of the input, or `none` [default: by its name]
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,

    /// Print events as JSON, one a line, on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Stop after so many questions
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) max_questions: Option<u64>,

    /// Also run candidates that do not parse
    #[arg(long, hide = true)]
    pub(crate) no_gate: bool,
}

/// What makes a candidate interesting. Everything that is given has to hold.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to preserve (default: what the first run shows)")]
pub(crate) struct Property {
    /// A script that exits with 0 when the candidate, which lies in its working directory, is interesting
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command")]
    pub(crate) test: Option<PathBuf>,

    /// The command ends so: a code, `nonzero`, `signal`, or a signal such as SIGSEGV
    #[arg(long, value_name = "HOW", value_parser = parse::<ExitSpec>)]
    pub(crate) exit: Option<ExitSpec>,

    /// Its standard output matches
    #[arg(long, value_name = "REGEX", value_parser = parse::<Pattern>)]
    pub(crate) stdout: Vec<Pattern>,

    /// Its standard error matches
    #[arg(long, value_name = "REGEX", value_parser = parse::<Pattern>)]
    pub(crate) stderr: Vec<Pattern>,

    /// Its standard error does not match
    #[arg(long, value_name = "REGEX", value_parser = parse::<Pattern>)]
    pub(crate) not_stderr: Vec<Pattern>,

    /// It is still running after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) hangs: Option<Duration>,

    /// Feed the candidate to the command's standard input
    #[arg(long)]
    pub(crate) stdin: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}
