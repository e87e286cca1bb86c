//! Arguments of `boildown isolate`.

use std::path::PathBuf;

use boildown_reduce::Finest;
use clap::Args;

use crate::options::{GeneralArgs, RunArgs, heading};

#[derive(Debug, Clone, Args)]
pub(crate) struct IsolateArgs {
    /// The file or folder on which the command passes; never modified
    #[arg(hide_short_help = true)]
    pub(crate) good: PathBuf,

    /// The file or folder on which the command fails; never modified
    #[arg(hide_short_help = true)]
    pub(crate) bad: PathBuf,

    #[command(flatten)]
    pub(crate) runs: RunArgs,

    /// Language of both files, or `none`
    ///
    /// [default: by the name of BAD, or else by its content; `boildown languages` lists them]
    #[arg(long, value_name = "NAME", help_heading = heading::REDUCE)]
    pub(crate) language: Option<String>,

    /// Directory for the two results [default: beside BAD]
    ///
    /// They are bad.pass.html and bad.fail.html for bad.html, and hold the best results so far at
    /// any moment.
    #[arg(short, long, value_name = "DIR", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// The smallest units to compare: keys, lines, tokens, characters
    ///
    /// `keys` compares the keys of configuration files (JSON, TOML, YAML, INI), and the entries of
    /// lock files [default: keys for such files and for --env, lines for --args, or else
    /// characters]
    #[arg(long, value_name = "UNITS", value_parser = units, help_heading = heading::REDUCE)]
    pub(crate) units: Option<Finest>,

    /// The files hold the environment, as NAME=VALUE lines
    ///
    /// The command runs with the variables of a candidate and the `PATH`.
    #[arg(long, help_heading = heading::REDUCE)]
    pub(crate) env: bool,

    /// The files hold arguments of the command
    ///
    /// They are put in the place of {items}, or after the command.
    #[arg(long, conflicts_with = "env", help_heading = heading::REDUCE)]
    pub(crate) args: bool,

    #[command(flatten)]
    pub(crate) general: GeneralArgs,
}

fn units(text: &str) -> Result<Finest, &'static str> {
    match text {
        "keys" => Ok(Finest::Keys),
        "lines" => Ok(Finest::Lines),
        "tokens" => Ok(Finest::Tokens),
        "characters" => Ok(Finest::Characters),
        _ => Err("not keys, lines, tokens or characters"),
    }
}

impl IsolateArgs {
    /// Returns the finest units of the difference. `have_keys` says that both files are
    /// configuration files.
    pub(crate) fn finest(&self, have_keys: bool) -> Finest {
        self.units.unwrap_or(match (self.env, self.args) {
            (true, _) => Finest::Keys,
            (_, true) => Finest::Lines,
            (false, false) if have_keys => Finest::Keys,
            (false, false) => Finest::default(),
        })
    }
}
