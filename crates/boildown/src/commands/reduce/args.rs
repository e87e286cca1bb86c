//! Arguments of `boildown reduce`.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use boildown_document::{CommandParts, Split};
use boildown_exec::CommandLine;
use boildown_reduce::Units;
use boildown_search::algorithms::{Algorithm, Schedule};
use boildown_session::TargetSize;
use clap::builder::{ArgPredicate, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::commands::reduce::objective::ObjectiveArgs;
use crate::commands::reduce::same_culprit::SameCulpritArgs;
use crate::folder::FolderArgs;
use crate::options::algorithms;
use crate::options::values::named;
use crate::options::{GeneralArgs, RunArgs, WarmArgs, heading};
use crate::own_language::OwnLanguageArgs;
use crate::report::ui::Ui;
use crate::valid;

/// Stands for the input where the command is reduced, and no file is given.
pub(crate) const NO_FILE: &str = "(no file)";

#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct ReduceArgs {
    /// The file or folder to reduce
    ///
    /// It is never modified unless --in-place is given.
    #[arg(
        value_name = "FILE",
        required = false,
        required_unless_present = "parts",
        default_value_if("parts", ArgPredicate::IsPresent, NO_FILE),
        hide_short_help = true
    )]
    pub(crate) input: PathBuf,

    /// More files to reduce together with it
    ///
    /// Without a command, a single one is the test script, in either order with the input.
    #[arg(value_name = "FILES", hide_short_help = true)]
    pub(crate) more: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) folder: FolderArgs,

    #[command(flatten)]
    pub(crate) runs: RunArgs,

    /// Candidates have to be valid too: they parse and compile
    ///
    /// Ready-made checks for the language of the input, each in a run of its own on candidates that
    /// are interesting: compilers with chosen warnings as errors, sanitizers, parsers, verifiers.
    /// `--valid` takes all that are installed, --valid=KIND,KIND some of them, such as
    /// warnings,sanitizers. The input has to pass them.
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = valid::ALL, value_delimiter = ',', help_heading = heading::PRESERVE)]
    pub(crate) valid: Vec<String>,

    /// Keep lines such as 10-20, or text that matches
    ///
    /// Lines of the input, such as 12 or 10-20, or a regular expression; may be repeated. Lines
    /// that contain `boildown: keep` are kept too.
    #[arg(long, value_name = "WHAT", hide_short_help = true, help_heading = heading::PRESERVE)]
    pub(crate) keep: Vec<String>,

    /// Confirm a result by at most N runs
    ///
    /// The same candidate may fail by chance once. So the result is run again at the end, and now
    /// and then before, and candidates that did not fail are run again too. [default: more after
    /// more tests, fewer when a run takes seconds, and two when it takes minutes]
    #[arg(long, value_name = "N", hide = true, help_heading = heading::EXPERT)]
    pub(crate) confirm_runs: Option<NonZeroU32>,

    #[command(flatten)]
    pub(crate) warm: WarmArgs,

    /// Language of the input, or `none`
    ///
    /// [default: by its name, or else by its content; `boildown languages` lists them]
    #[arg(long, value_name = "NAME", help_heading = heading::REDUCE)]
    pub(crate) language: Option<String>,

    #[command(flatten)]
    pub(crate) own_language: OwnLanguageArgs,

    /// Keep what runs build, such as object files, for later runs
    ///
    /// For a folder, or with --within: a run then builds only what differs from the last one. A
    /// candidate that seems to be interesting is run again in a clean copy, and only that run
    /// counts.
    #[arg(long, hide = true, help_heading = heading::EXPERT)]
    pub(crate) incremental: bool,

    #[command(flatten)]
    pub(crate) objective: ObjectiveArgs,

    #[command(flatten)]
    pub(crate) same_culprit: SameCulpritArgs,

    /// The smallest parts to delete: lines, tokens, bytes
    ///
    /// `lines` deletes whole lines and changes nothing else; `tokens` deletes and rewrites parts of
    /// lines too; `bytes` also takes the tokens of a language apart [default: tokens; bytes for a
    /// file in no known language; whole words for --reduce]
    #[arg(long, value_name = "UNITS", value_parser = units(), hide_possible_values = true, help_heading = heading::REDUCE)]
    pub(crate) units: Option<Units>,

    /// Reduce the command itself: args, env, or args,env
    ///
    /// `args` are its arguments: an option goes together with its value, and response files
    /// (`@FILE`) are read. `env` is its environment: every variable but the `PATH`. The result is
    /// printed as a line for a shell. A file before it is reduced with its command.
    #[arg(long = "reduce", value_name = "PARTS", value_enum, value_delimiter = ',', hide_possible_values = true, hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) parts: Vec<CommandPart>,

    /// What a list consists of: lines, words, json-lines, ...
    ///
    /// One of lines, words, nul, json-lines, json-array, sql and csv; or a regular expression. One
    /// that begins with ^ matches where an element begins, any other matches what separates two.
    /// Elements are deleted as a whole first, and then parts of them [default: lines, if {items} is
    /// in the command]
    #[arg(long, value_name = "KIND", hide_short_help = true, allow_hyphen_values = true, value_parser = named::<Split>, help_heading = heading::REDUCE)]
    pub(crate) split: Option<Split>,

    /// Delete whole elements only
    #[arg(long, conflicts_with = "units", hide = true, help_heading = heading::EXPERT)]
    pub(crate) units_only: bool,

    /// Try other orders of the elements of a list too
    ///
    /// They are sorted, but for the inversions that the failure needs.
    #[arg(long, conflicts_with = "parts", hide = true, help_heading = heading::EXPERT)]
    pub(crate) order: bool,

    /// Rename identifiers to a, b, c and so on
    ///
    /// Only where the property allows it.
    #[arg(long, hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) rename: bool,

    /// Replace names, words of strings and comments, paths and numbers at the end
    ///
    /// By others that say nothing, wherever the property allows it, so that others may read the
    /// result. Words of the input that remain are listed with their lines.
    #[arg(long, conflicts_with = "preserve_names", hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) redact: bool,

    /// Never introduce a name that is not in the input
    #[arg(long, conflicts_with = "rename", hide = true, help_heading = heading::EXPERT)]
    pub(crate) preserve_names: bool,

    /// Remove all removable whitespace, including line breaks
    #[arg(long, hide = true, help_heading = heading::EXPERT)]
    pub(crate) compact: bool,

    /// Accept an input of a few characters that is no part of it
    ///
    /// Inputs such as `{` or a carriage return break many parsers. They are tried at the end, and
    /// mentioned if the property holds on them, but they are not the result. With this option they
    /// are tried first.
    #[arg(long, hide = true, help_heading = heading::EXPERT)]
    pub(crate) allow_trivial: bool,

    /// Fail in the same form throughout: message, function, exit
    ///
    /// Refuses steps after which the command ends otherwise or reports another crash, although the
    /// property holds. Without it, the summary says at which step the form changed.
    #[arg(long, hide_short_help = true, help_heading = heading::PRESERVE)]
    pub(crate) strict: bool,

    /// Continue from result N of the last run, with other options
    ///
    /// `boildown history` lists the results. N is reduced like an input, and checked like one. The
    /// result file keeps a smaller result of the last run; the new one is then beside it, as
    /// crash.min.1.c.
    #[arg(long, value_name = "N", conflicts_with_all = ["in_place", "parts"], hide = true, help_heading = heading::EXPERT)]
    pub(crate) backtrack: Option<usize>,

    /// Reduce another failure, which candidates of this run showed
    ///
    /// NAME is that of a file in the list of secondary failures, such as SIGSEGV. It is reduced in
    /// the place of the input, with the same options; --exit, --stderr and others that state the
    /// first failure are left out, and what to preserve is deduced. The result is beside the first
    /// one, as crash.min.SIGSEGV.c.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["in_place", "parts", "test", "backtrack"], hide_short_help = true, help_heading = heading::REDUCE)]
    pub(crate) failure: Option<PathBuf>,

    /// Result file, or `-` [default: crash.min.c for crash.c]
    ///
    /// It holds the best result so far at any moment. `-` prints the result at the end.
    #[arg(short, long, value_name = "FILE", conflicts_with = "in_place", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// Replace the result file in any case
    ///
    /// Even if boildown did not write it, or if it holds a smaller result of another run.
    #[arg(long, conflicts_with = "in_place", hide = true, help_heading = heading::EXPERT)]
    pub(crate) force: bool,

    /// Exit with 0, not 2, when nothing can be removed
    ///
    /// For scripts with `set -e` and for CI jobs: an input that is minimal already is no failure.
    #[arg(long, hide = true, help_heading = heading::EXPERT)]
    pub(crate) ok_if_minimal: bool,

    /// Replace the input; keep the original as crash.c.orig
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) in_place: bool,

    /// How progress is shown: tui, line, plain
    ///
    /// `tui` is a view that fills the terminal, with keys; `line` a line at the bottom; `plain`
    /// prints lines now and then [default: tui on a terminal of 80 columns and 20 rows, unless
    /// `NO_COLOR` is set; else line]
    #[arg(long, value_name = "HOW", value_enum, conflicts_with_all = ["json", "quiet"], hide_possible_values = true, hide = true, help_heading = heading::EXPERT)]
    pub(crate) ui: Option<Ui>,

    /// Stop at a size, such as 200 or 4kB, or at a `plateau`
    ///
    /// Without a unit, a size is a number of tokens. A plateau is reached when the last third of
    /// the tests, at least 30, removed less than a hundredth.
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = heading::LIMITS)]
    pub(crate) until: Option<TargetSize>,

    /// Passes to run, such as tree,tokens; or to skip, with a dash
    ///
    /// --passes=-rewriting only deletes, so that the result consists of tokens of the input, in
    /// their order.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true, hide = true, help_heading = heading::EXPERT)]
    pub(crate) passes: Vec<String>,

    /// Let another program propose candidates: 'NAME: COMMAND {in}'
    ///
    /// A line for the shell. `{in}` is the file with the best result, `{index}` the number of the
    /// proposal, from 1 up, `{out}` the file to write; without it, the program prints its proposal.
    /// An exit status other than 0 ends the list. May be repeated. `clang_delta` alone stands for
    /// the transformations of C-Vise's program for C and C++, which is used by itself where it is
    /// installed; `none` leaves it out.
    #[arg(long, value_name = "PASS", hide = true, help_heading = heading::EXPERT)]
    pub(crate) pass_command: Vec<String>,

    /// Algorithm for lists, such as ddmin or probdd:sigma=0.25
    ///
    /// `boildown algorithms` lists them. `exec:` and a command, such as 'exec:python3 mine.py', is
    /// an algorithm in a program of its own; `docs/algorithms.md` describes it.
    #[arg(long, value_name = "NAME", value_parser = algorithms::list_algorithm, hide = true, help_heading = heading::EXPERT)]
    pub(crate) algorithm: Option<Algorithm>,

    /// Order in which a tree is reduced, such as hdd or perses
    ///
    /// `boildown algorithms` lists them.
    #[arg(long, value_name = "NAME", value_parser = algorithms::schedule, default_value_t, hide_default_value = true, hide = true, help_heading = heading::EXPERT)]
    pub(crate) schedule: Schedule,

    /// A file of additional rewrite rules for the language
    ///
    /// May be repeated. `docs/rules.md` describes them.
    #[arg(long, value_name = "FILE", hide = true, help_heading = heading::EXPERT)]
    pub(crate) rules: Vec<PathBuf>,

    /// The variables of the command when it inherits none, but for the `PATH`.
    #[arg(skip)]
    pub(crate) variables: Option<Variables>,

    /// The part of the work, where a command is reduced with a file.
    #[arg(skip)]
    pub(crate) part: Part,

    /// Also run candidates that do not parse
    #[arg(long, hide = true)]
    pub(crate) no_gate: bool,

    #[command(flatten)]
    pub(crate) general: GeneralArgs,
}

/// Variables of an environment.
pub(crate) type Variables = Vec<(OsString, OsString)>;

/// A part of a command that can be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommandPart {
    Args,
    Env,
}

/// A part of the reduction of a file and its command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of the work, or the file alone.
    #[default]
    Whole,
    /// The command, on the file as it is. The result is not printed.
    First,
    /// The command, on what is left of the file.
    Last,
}

/// Returns a parser whose values shells complete.
fn units() -> impl TypedValueParser<Value = Units> {
    let units = [("lines", "line"), ("tokens", "token"), ("bytes", "char")];
    let units = units.map(|(name, other)| PossibleValue::new(name).alias(other));
    PossibleValuesParser::new(units).map(|name| match name.as_str() {
        "lines" | "line" => Units::Lines,
        "bytes" | "char" => Units::Bytes,
        _ => Units::Tokens,
    })
}

fn size(text: &str) -> Result<TargetSize, &'static str> {
    if text == "plateau" {
        return Ok(TargetSize::Plateau);
    }
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
    size.ok_or("not a number of tokens, such as 200, or of bytes, such as 4kB, or `plateau`")
}

impl ReduceArgs {
    /// Returns whether the command is reduced, and not a file.
    pub(crate) fn reduces_command(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Returns whether the environment of the command is reduced.
    pub(crate) fn reduces_environment(&self) -> bool {
        self.parts.contains(&CommandPart::Env)
    }

    /// Returns the most copies of a project that runs have at the same time.
    pub(crate) fn copies(&self) -> usize {
        // One with artefacts, and a clean one.
        self.runs.jobs.count() * if self.incremental { 2 } else { 1 }
    }

    /// Returns what the elements of the input are, if it is a list.
    pub(crate) fn split(&self) -> Option<Split> {
        if self.reduces_command() {
            let has_args = self.parts.contains(&CommandPart::Args);
            return Some(Split::Command(
                match (has_args, self.reduces_environment()) {
                    (true, true) => CommandParts::All,
                    (false, true) => CommandParts::Variables,
                    (true | false, false) => CommandParts::Arguments,
                },
            ));
        }
        (self.split.clone()).or_else(|| self.names_items().then_some(Split::Lines))
    }

    /// Returns whether a word of the command stands for items.
    pub(crate) fn names_items(&self) -> bool {
        let mut words = self.runs.command.iter();
        words.any(|word| CommandLine::names_items(word))
    }

    /// Returns the smallest parts to delete.
    pub(crate) fn smallest(&self) -> Units {
        match self.units {
            // A part of an argument may mean something else, such as the root of a path.
            None if self.units_only || self.reduces_command() => Units::Elements,
            units => units.unwrap_or_default(),
        }
    }

    /// Returns the arguments of a part of the reduction of a file and its command: with this
    /// command, and these variables of its environment, if it inherits none.
    pub(super) fn of_part(
        &self,
        part: Part,
        command: &[OsString],
        variables: Option<&Variables>,
    ) -> Self {
        let mut args = Self {
            part,
            variables: variables.cloned(),
            ..self.clone()
        };
        args.runs.command = command.to_vec();
        if part == Part::Whole {
            args.parts = Vec::new();
        } else {
            (args.input, args.output) = (PathBuf::new(), None);
            (args.folder, args.incremental) = (FolderArgs::default(), false);
        }
        args
    }

    /// Returns the inputs.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        std::iter::once(&self.input)
            .chain(&self.more)
            .cloned()
            .collect()
    }
}
