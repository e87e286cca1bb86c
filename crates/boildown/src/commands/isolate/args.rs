//! Arguments of `boildown isolate`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use boildown_syntax::Finest;
use clap::Args;

use crate::options::values::duration;
use crate::options::{BudgetArgs, JobsArgs, OutputArgs, PropertyArgs, SandboxArgs, heading};

const EXAMPLES: &str = "\
A candidate is a mixture of both files. It fails when the property of BAD holds: the one that options
state, or else the one that the run on BAD shows. It passes when the command ends as it does on GOOD:
with exit code 0, or else with the same exit code or signal and the same kind of message. Every other
outcome, and exit code 125, is unresolved.

Examples:
  boildown isolate good.html bad.html -- ./browser {}
          write bad.pass.html and bad.fail.html, which differ as little as possible, and print the
          difference
  boildown isolate old.sql new.sql --stderr 'deadlock' --stdin -- ./query
          state what failing means; a candidate that ends as old.sql does passes
  boildown isolate good.json bad.json --units tokens -- python3 tool.py {}
          report whole tokens instead of single characters

Exit codes:
  0  isolated                             4  GOOD passes only sometimes, or BAD fails too rarely
  1  invalid usage                        5  the command could not be run
  3  GOOD does not pass, or BAD does not  6  stopped early; the best result is saved
     fail                                70  internal error (a bug in boildown)";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IsolateArgs {
    /// The file on which the command passes; never modified
    pub(crate) good: PathBuf,

    /// The file on which the command fails; never modified
    pub(crate) bad: PathBuf,

    /// The command. A word that names BAD, or {}, is replaced by the path of the candidate
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) property: PropertyArgs,

    #[command(flatten)]
    pub(crate) jobs: JobsArgs,

    /// Language of both files, or `none` [default: by the name of BAD, or else by its content]
    #[arg(long, value_name = "NAME", help_heading = heading::RUN)]
    pub(crate) language: Option<String>,

    /// Start over instead of resuming an earlier run of the same command
    #[arg(long, help_heading = heading::RUN)]
    pub(crate) fresh: bool,

    /// Directory for the two results; the files always hold the best results so far [default:
    /// beside BAD, as bad.pass.html and bad.fail.html for bad.html]
    #[arg(short, long, value_name = "DIR", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// The smallest units to compare: lines, tokens, or characters
    #[arg(long, value_name = "UNITS", value_parser = units, default_value = "characters", help_heading = heading::OUTPUT)]
    pub(crate) units: Finest,

    #[command(flatten)]
    pub(crate) printing: OutputArgs,

    /// Time limit of a run, such as 30 (seconds) or 500ms [default: ten times a run on the files]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = heading::LIMITS)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
}

fn units(text: &str) -> Result<Finest, &'static str> {
    match text {
        "lines" => Ok(Finest::Lines),
        "tokens" => Ok(Finest::Tokens),
        "characters" => Ok(Finest::Characters),
        _ => Err("not lines, tokens or characters"),
    }
}
