//! Arguments of `boildown reduce`.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use boildown_search::algorithms::Algorithm;
use boildown_search::algorithms::Schedule;
use boildown_session::TargetSize;
use clap::Args;

use crate::options::values::{duration, named};
use crate::options::{BudgetArgs, JobsArgs, OutputArgs, PropertyArgs, SandboxArgs, heading};

const EXAMPLES: &str = "\
Examples:
  boildown reduce crash.c -- clang -O2 -c crash.c
          preserve what the first run shows: the exit code and the line that names the failure
  boildown reduce crash.c --test ./interesting.sh
          a script for C-Reduce, C-Vise or Shrink Ray, unchanged: exit code 0 means interesting
  boildown reduce big.json --stderr 'KeyError' -- python3 tool.py {}
          state what to preserve; {} is the path of the candidate
  boildown reduce slow.sql --hangs 5s --stdin -- ./query
          an input that hangs, read from standard input

Keys, on a terminal:
  s  skips the current pass
  q  stops, like Ctrl-C; the same command resumes

Exit codes:
  0  reduced                      4  the property holds too rarely
  1  invalid usage                5  the command could not be run
  2  nothing could be removed     6  stopped early; the best result is saved
  3  the property does not hold  70  internal error (a bug in boildown)";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct ReduceArgs {
    /// The file to reduce; never modified unless --in-place is given
    pub(crate) input: PathBuf,

    /// The test script, in either order with the input
    #[arg(hide = true, value_name = "SCRIPT", conflicts_with_all = ["test", "command", "stdin"])]
    pub(crate) script: Option<PathBuf>,

    /// The command that fails on the input. A word that names the input, or {}, is replaced by the
    /// path of the candidate
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) property: PropertyArgs,

    /// Keep lines of the input, such as 12 or 10-20, or what matches a regular expression; may be
    /// repeated. Lines that contain `boildown: keep` are kept too
    #[arg(long, value_name = "WHAT", help_heading = heading::PRESERVE)]
    pub(crate) keep: Vec<String>,

    /// Never introduce a name that is not in the input
    #[arg(long, conflicts_with = "rename", help_heading = heading::PRESERVE)]
    pub(crate) preserve_names: bool,

    #[command(flatten)]
    pub(crate) jobs: JobsArgs,

    /// Language of the input, or `none` [default: by its name, or else by its content]
    #[arg(long, value_name = "NAME", help_heading = heading::RUN)]
    pub(crate) language: Option<String>,

    /// Start over instead of resuming an earlier run of the same command
    #[arg(long, help_heading = heading::RUN)]
    pub(crate) fresh: bool,

    /// Where to write the result; the file always holds the best result so far. `-` prints the
    /// result at the end [default: crash.min.c for crash.c]
    #[arg(short, long, value_name = "FILE", conflicts_with = "in_place", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// Replace the result file even if boildown did not write it, or if it holds a smaller result
    /// of another run
    #[arg(long, conflicts_with = "in_place", help_heading = heading::OUTPUT)]
    pub(crate) force: bool,

    /// Replace the input by the result, and keep the original as crash.c.orig
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) in_place: bool,

    /// Rename identifiers to a, b, c and so on, where the property allows it
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) rename: bool,

    /// Remove all removable whitespace, including line breaks
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) compact: bool,

    #[command(flatten)]
    pub(crate) printing: OutputArgs,

    /// Time limit of a run, such as 30 (seconds) or 500ms [default: ten times a run on the input]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::LIMITS)]
    pub(crate) timeout: Option<Duration>,

    /// Stop once the result is this small, such as 200 (tokens) or 4kB
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = heading::LIMITS)]
    pub(crate) until: Option<TargetSize>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Passes to run, such as tree,tokens; or, with a dash, passes to skip: --passes=-rewriting
    /// only deletes, so that the result consists of tokens of the input, in their order
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true, help_heading = heading::EXPERT)]
    pub(crate) passes: Vec<String>,

    /// Algorithm for lists, such as ddmin or probdd:sigma=0.25; `boildown algorithms` lists them
    #[arg(long, value_name = "NAME", value_parser = named::<Algorithm>, help_heading = heading::EXPERT)]
    pub(crate) algorithm: Option<Algorithm>,

    /// Order in which a tree is reduced, such as hdd or perses; `boildown algorithms` lists them
    #[arg(long, value_name = "NAME", value_parser = named::<Schedule>, default_value_t, hide_default_value = true, help_heading = heading::EXPERT)]
    pub(crate) schedule: Schedule,

    /// Test up to N independent deletions together, and merge those that succeed [default: 1].
    /// Useful with hundreds of jobs; the result depends on it
    #[arg(long, alias = "width", value_name = "N", value_parser = batch_size, default_value = "1", hide_default_value = true, help_heading = heading::EXPERT)]
    pub(crate) batch_size: NonZeroUsize,

    /// A file of additional rewrite rules for the language of the input; may be repeated
    #[arg(long, value_name = "FILE", help_heading = heading::EXPERT)]
    pub(crate) rules: Vec<PathBuf>,

    /// Also run candidates that do not parse
    #[arg(long, hide = true)]
    pub(crate) no_gate: bool,
}

fn batch_size(text: &str) -> Result<NonZeroUsize, &'static str> {
    let size = text
        .parse()
        .ok()
        .filter(|size: &NonZeroUsize| size.get() <= 4096);
    size.ok_or("not a whole number from 1 to 4096")
}

fn size(text: &str) -> Result<TargetSize, &'static str> {
    let digits = text.len()
        - text
            .trim_start_matches(|letter: char| letter.is_ascii_digit())
            .len();
    let (number, unit) = text.split_at(digits);
    let number = number.parse::<usize>().ok();
    let size = number.and_then(|number| match unit.trim_start().to_lowercase().as_str() {
        "" | "token" | "tokens" => Some(TargetSize::Tokens(number)),
        "b" | "byte" | "bytes" => Some(TargetSize::Bytes(number)),
        "k" | "kb" => number.checked_mul(1000).map(TargetSize::Bytes),
        "m" | "mb" => number.checked_mul(1_000_000).map(TargetSize::Bytes),
        _ => None,
    });
    size.ok_or("not a number of tokens, such as 200, or of bytes, such as 4kB")
}
