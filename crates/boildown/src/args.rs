//! What can be typed.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use boildown_lab::workload::Shape;
use boildown_oracle::{ExitSpec, Expectation, OracleError, Pattern, parse_duration};
use boildown_search::list::Algorithm;
use boildown_search::tree::Schedule;
use boildown_session::{Budget, Size};
use boildown_syntax::Finest;
use clap::{Args as ClapArgs, Parser, Subcommand};

use crate::changes::Changes;
use crate::report::{Json, Quiet, Report, Text};

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
    /// Find the smallest difference between a file that passes and a file that fails
    Isolate(Box<Isolate>),
    /// Find the change that broke something: which commit, files, hunks, lines between two states of a folder
    Changes(Box<Changes>),
    /// List the languages that are understood
    Languages,
    /// List the delta-debugging algorithms: what each works on, promises and costs
    Algorithms,
    /// Compare algorithms: exact numbers of questions, in virtual time, from a seed
    Lab(Box<Lab>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Headings of the help.
const KEEP: &str = "What to leave alone";
const FINISH: &str = "How the result is to look (default: as the input, but tidy)";
const STOP: &str = "When to stop early, with the best result so far";
const SEARCH: &str = "How to search (default: what measures best)";

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

On a terminal:
  s  leaves the pass at work and goes on with the next one
  q  stops, like Ctrl-C; the same command goes on

Exit codes:
  0  reduced                            4  the property holds too rarely
  1  the command line makes no sense    5  the command could not be run
  2  nothing could be removed           6  stopped early; the best result is saved
  3  the property does not hold        70  a defect of boildown";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags that are given or not")]
pub(crate) struct Reduce {
    /// The file to reduce; it is never changed unless --in-place is given
    pub(crate) input: PathBuf,

    /// The command that fails on it. A word that names the input, or {}, becomes the path of the candidate
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) jobs: Jobs,

    /// How long one run may take, such as 30 or 500ms [default: ten times a run on the input]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// The property holds in some runs only: measure how often, even if the first runs agree, and keep that rate
    #[arg(long)]
    pub(crate) flaky: bool,

    /// Where the result goes, at every moment the best so far [default: crash.min.c for crash.c]
    #[arg(short, long, value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the input by the result, and keep a copy of it as crash.c.orig
    #[arg(long)]
    pub(crate) in_place: bool,

    /// Start over, though an earlier run of the same command could go on
    #[arg(long)]
    pub(crate) fresh: bool,

    /// The language of the input, or `none` [default: by its name]
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,

    #[command(flatten)]
    pub(crate) printing: Printing,

    /// Keep the lines 12 or 10-20 of the input, or what matches a regular expression. A line of the input that says
    /// `boildown: keep` is kept too
    #[arg(long, value_name = "WHAT", help_heading = KEEP)]
    pub(crate) keep: Vec<String>,

    /// Never write a name that is not in the input
    #[arg(long, conflicts_with = "rename", help_heading = KEEP)]
    pub(crate) preserve_names: bool,

    /// Name everything a, b, c and so on, wherever the failure allows it
    #[arg(long, help_heading = FINISH)]
    pub(crate) rename: bool,

    /// Take away all white space that can go, line breaks too
    #[arg(long, help_heading = FINISH)]
    pub(crate) compact: bool,

    /// Stop once the result is this small, such as 200, which are tokens, or 4kB
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = STOP)]
    pub(crate) until: Option<Size>,

    #[command(flatten)]
    pub(crate) patience: Patience,

    /// The passes to run, such as tree,tokens; or with a dash those to leave out: --passes=-rewriting deletes
    /// only, so that the result is made of tokens of the input, in their order
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) passes: Vec<String>,

    /// The algorithm for every list, such as ddmin or probdd:sigma=0.25; `boildown algorithms` lists them
    #[arg(long, value_name = "NAME", value_parser = parse_name::<Algorithm>, help_heading = SEARCH)]
    pub(crate) algorithm: Option<Algorithm>,

    /// The order in which a tree is reduced, such as hdd or perses
    #[arg(long, value_name = "NAME", value_parser = parse_name::<Schedule>, default_value_t, hide_default_value = true, help_heading = SEARCH)]
    pub(crate) schedule: Schedule,

    /// Ask about so many deletions at once that do not depend on each other, and merge what works. For hundreds of
    /// jobs; the result depends on it
    #[arg(long, value_name = "N", value_parser = width, default_value = "1", hide_default_value = true, help_heading = SEARCH)]
    pub(crate) width: NonZeroUsize,

    /// A file of further rewrite rules for the language of the input; may be given several times
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub(crate) rules: Vec<PathBuf>,

    /// Also run candidates that do not parse
    #[arg(long, hide = true)]
    pub(crate) no_gate: bool,

    #[command(flatten)]
    pub(crate) containment: Containment,

    // Last, because its heading goes on to all arguments after it.
    #[command(flatten)]
    pub(crate) property: Property,
}

const ISOLATE: &str = "\
A candidate is a mixture of both files. It fails when the property holds that BAD shows, or that
options state. It passes when the command ends as it does on GOOD: with exit code 0, or else with
the same exit code or signal and the same kind of message. Anything else, and exit code 125, says
nothing about the difference, so it is left unresolved.

Examples:
  boildown isolate good.html bad.html -- ./browser {}
          leave bad.pass.html and bad.fail.html, which differ as little as can be, and print the
          difference
  boildown isolate old.sql new.sql --stderr 'deadlock' --stdin -- ./query
          state what failing is; whatever else ends as on old.sql passes
  boildown isolate good.json bad.json --units tokens -- python3 tool.py {}
          whole tokens, where single characters would say less

Exit codes:
  0  isolated                             4  GOOD passes only sometimes, or BAD fails too rarely
  1  the command line makes no sense      5  the command could not be run
  3  GOOD does not pass, or BAD does not  6  stopped early; the best result is saved
     fail                                70  a defect of boildown";

#[derive(Debug, ClapArgs)]
#[command(after_help = ISOLATE)]
pub(crate) struct Isolate {
    /// The file on which the command passes; it is never changed
    pub(crate) good: PathBuf,

    /// The file on which it fails; it is never changed
    pub(crate) bad: PathBuf,

    /// The command. A word that names BAD, or {}, becomes the path of the candidate
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    #[command(flatten)]
    pub(crate) jobs: Jobs,

    /// How long one run may take, such as 30 or 500ms [default: ten times a run on the files]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// BAD fails in some runs only: measure how often, even if the first runs agree, and keep that rate
    #[arg(long)]
    pub(crate) flaky: bool,

    /// Start over, though an earlier run of the same command could go on
    #[arg(long)]
    pub(crate) fresh: bool,

    /// The directory for the two results, at every moment the best so far [default: beside BAD, as bad.pass.html and
    /// bad.fail.html for bad.html]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// The language of both files, or `none` [default: by the name of BAD]
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,

    /// The finest units: lines, tokens, or characters
    #[arg(long, value_name = "UNITS", value_parser = units, default_value = "characters")]
    pub(crate) units: Finest,

    #[command(flatten)]
    pub(crate) printing: Printing,

    #[command(flatten)]
    pub(crate) patience: Patience,

    #[command(flatten)]
    pub(crate) containment: Containment,

    // Last, because its heading goes on to all arguments after it.
    #[command(flatten)]
    pub(crate) property: Property,
}

/// What a run may do and take.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What the command may do (default: write to its own directories)")]
pub(crate) struct Containment {
    /// Let it write to this directory or file too; may be given several times, and in `BOILDOWN_WRITABLE=A:B`
    #[arg(long, value_name = "PATH")]
    pub(crate) writable: Vec<PathBuf>,

    /// Let it write wherever you may, and signal your processes
    #[arg(long, conflicts_with_all = ["writable", "no_network"])]
    pub(crate) no_sandbox: bool,

    /// Close the network to it
    #[arg(long)]
    pub(crate) no_network: bool,

    /// Memory that all its processes may fill, such as 500M or 8G, or `none` for no limit [default: half of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<Memory>,

    /// Processes that it may have at once [default: 512, or 16 for each core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) processes: Option<usize>,
}

/// A limit of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    Unlimited,
    Bytes(u64),
}

/// How many questions are run at once.
#[derive(Debug, ClapArgs)]
pub(crate) struct Jobs {
    /// Questions to run at once; the result is the same for any number [default: all cores]
    #[arg(short, long, alias = "n", value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
}

impl Jobs {
    pub(crate) fn count(&self) -> usize {
        self.jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, usize::from)
    }
}

/// What is printed while it works.
#[derive(Debug, ClapArgs)]
pub(crate) struct Printing {
    /// Print events as JSON, one a line, on standard output
    #[arg(long)]
    json: bool,

    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
}

impl Printing {
    /// A live line ends with the hint.
    pub(crate) fn report(&self, hint: &'static str) -> Box<dyn Report> {
        match (self.json, self.quiet) {
            (true, _) => Box::new(Json),
            (false, true) => Box::new(Quiet),
            (false, false) => Box::new(Text::new(hint)),
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        !self.json && !self.quiet
    }
}

/// When to stop early, whatever is searched.
#[derive(Debug, ClapArgs)]
pub(crate) struct Patience {
    /// Stop after this time, such as 90 or 10m
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = STOP)]
    max_time: Option<Duration>,

    /// Stop after so many questions
    #[arg(long, value_name = "N", help_heading = STOP)]
    max_questions: Option<u64>,
}

impl Patience {
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            questions: self.max_questions,
            time: self.max_time,
        }
    }
}

/// What can be said of how a run looks. Everything that is given has to hold.
#[derive(Debug, ClapArgs)]
pub(crate) struct Looks {
    /// The command ends so: a code, `nonzero`, `signal`, or a signal such as SIGSEGV
    #[arg(long, value_name = "HOW", value_parser = parse::<ExitSpec>)]
    exit: Option<ExitSpec>,

    /// Its standard output matches
    #[arg(long, value_name = "REGEX", value_parser = parse::<Pattern>)]
    stdout: Vec<Pattern>,

    /// Its standard error matches
    #[arg(long, value_name = "REGEX", value_parser = parse::<Pattern>)]
    stderr: Vec<Pattern>,

    /// Its standard error does not match
    #[arg(long, value_name = "REGEX", value_parser = parse::<Pattern>)]
    not_stderr: Vec<Pattern>,

    /// It is still running after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    hangs: Option<Duration>,
}

impl Looks {
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
}

/// What makes a candidate interesting. Everything that is given has to hold.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What to preserve (default: what the first run shows)")]
pub(crate) struct Property {
    /// A script that exits with 0 when the candidate, which lies in its working directory, is interesting
    #[arg(long, value_name = "SCRIPT", conflicts_with = "command")]
    pub(crate) test: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) looks: Looks,

    /// Feed the candidate to the command's standard input
    #[arg(long, conflicts_with = "test")]
    pub(crate) stdin: bool,
}

fn units(text: &str) -> Result<Finest, &'static str> {
    match text {
        "lines" => Ok(Finest::Lines),
        "tokens" => Ok(Finest::Tokens),
        "characters" => Ok(Finest::Characters),
        _ => Err("not lines, tokens or characters"),
    }
}

fn jobs(text: &str) -> Result<NonZeroUsize, &'static str> {
    let jobs = text
        .parse()
        .ok()
        .filter(|jobs: &NonZeroUsize| jobs.get() <= 1024);
    jobs.ok_or("not a whole number from 1 to 1024")
}

fn width(text: &str) -> Result<NonZeroUsize, &'static str> {
    let width = text
        .parse()
        .ok()
        .filter(|width: &NonZeroUsize| width.get() <= 4096);
    width.ok_or("not a whole number from 1 to 4096")
}

fn size(text: &str) -> Result<Size, &'static str> {
    let digits = text.len()
        - text
            .trim_start_matches(|letter: char| letter.is_ascii_digit())
            .len();
    let (number, unit) = text.split_at(digits);
    let number = number.parse::<usize>().ok();
    let size = number.and_then(|number| match unit.trim_start().to_lowercase().as_str() {
        "" | "token" | "tokens" => Some(Size::Tokens(number)),
        "b" | "byte" | "bytes" => Some(Size::Bytes(number)),
        "k" | "kb" => number.checked_mul(1000).map(Size::Bytes),
        "m" | "mb" => number.checked_mul(1_000_000).map(Size::Bytes),
        _ => None,
    });
    size.ok_or("not a number of tokens, such as 200, or of bytes, such as 4kB")
}

fn memory(text: &str) -> Result<Memory, &'static str> {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = text[..text.len() - digits.len()].parse::<u64>().ok();
    let unit = match digits.trim_end_matches(['b', 'B']) {
        "k" | "K" => Some(1000),
        "m" | "M" => Some(1_000_000),
        "g" | "G" => Some(1_000_000_000),
        _ => None,
    };
    let bytes = number
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit));
    match (text, bytes) {
        ("none", _) => Ok(Memory::Unlimited),
        (_, Some(bytes)) if bytes > 0 => Ok(Memory::Bytes(bytes)),
        _ => Err("not an amount of memory, such as 500M or 8G, nor `none`"),
    }
}

fn parse_name<T: FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

fn workers(text: &str) -> Result<usize, &'static str> {
    jobs(text).map(NonZeroUsize::get)
}

fn rate(text: &str) -> Result<f64, &'static str> {
    let rate = text.parse().ok().filter(|rate| (0.05..=1.0).contains(rate));
    rate.ok_or("not a number from 0.05 to 1")
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or("not a whole number from 1 on")
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(complaint)
}

fn parse<T: FromStr<Err = OracleError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(complaint)
}

/// Returns what is wrong with a value. Which value of which option is said already.
fn complaint(error: OracleError) -> String {
    match error {
        OracleError::Expectation { wanted, .. } => format!("not {wanted}"),
        error => error.to_string(),
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Lab {
    #[command(subcommand)]
    pub(crate) experiment: Experiment,

    /// An algorithm to compare, once for each; the others are compared with the first [default: ddmin, then what is worth a thought]
    #[arg(long = "algorithm", value_name = "NAME", value_parser = parse_name::<Algorithm>, global = true)]
    pub(crate) algorithms: Vec<Algorithm>,

    /// What everything random is made from
    #[arg(long, value_name = "N", default_value_t = 1, global = true)]
    pub(crate) seed: u64,

    /// Count a candidate each time it is asked about, as tools without a cache do
    #[arg(long, global = true)]
    pub(crate) count_repeats: bool,

    /// Write every single number to a file
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) csv: Option<PathBuf>,

    /// Write a page with plots to a file
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Experiment {
    /// List algorithms on synthetic lists
    Compare {
        /// A kind of list, such as independent:needed=0.1, def-use or pairs:distance=3 [default: all]
        #[arg(long = "workload", value_name = "KIND")]
        workloads: Vec<Shape>,
        /// Elements of a list
        #[arg(long, value_name = "N", default_value_t = 120, value_parser = at_least_one)]
        length: usize,
        /// Lists of each kind
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
        /// Stop where each algorithm stops, without a sweep that makes the result 1-minimal
        #[arg(long)]
        bare: bool,
    },
    /// Lists whose elements weigh more or less: the simulation of the paper on weighted delta debugging
    Weights {
        /// How many lists
        #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
        lists: u64,
    },
    /// Programs that need some of their tokens, under tree schedules
    Programs {
        /// Programs in any language that is understood
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// A tree schedule, once for each [default: hdd and boildown]
        #[arg(long = "schedule", value_name = "NAME", value_parser = parse_name::<Schedule>)]
        schedules: Vec<Schedule>,
        /// How many tokens are chosen; what these need to parse is needed too
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = at_least_one)]
        needed: usize,
    },
    /// The one parameter of the probabilistic algorithms, from 0.01 to 0.3
    Sigma {
        /// A kind of list [default: all]
        #[arg(long = "workload", value_name = "KIND")]
        workloads: Vec<Shape>,
        /// Elements of a list
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one)]
        length: usize,
        /// Lists of each kind
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
    },
    /// Properties that hold in some runs only: what it costs to reduce them, and how often the result fails
    Flaky {
        /// The share of runs in which the property holds on the whole list
        #[arg(long, value_name = "RATE", value_parser = rate, default_value = "0.6")]
        rate: f64,
        /// Elements that nothing needs and that make the failure likelier
        #[arg(long, value_name = "N", default_value_t = 3)]
        helpers: usize,
        /// What is left of the rate when one of them goes
        #[arg(long, value_name = "SHARE", value_parser = rate, default_value = "0.5")]
        without: f64,
        /// Elements of a list
        #[arg(long, value_name = "N", default_value_t = 120, value_parser = at_least_one)]
        length: usize,
        /// Lists
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
    },
    /// What more workers gain: by speculation, by width, by both
    Scaling {
        /// A kind of list [default: all]
        #[arg(long = "workload", value_name = "KIND")]
        workloads: Vec<Shape>,
        /// Elements of a list
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one)]
        length: usize,
        /// Lists of each kind
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
        /// The most workers; 1, 2, 4 and so on are tried
        #[arg(long, value_name = "N", default_value_t = 1024, value_parser = workers)]
        workers: usize,
        /// Questions take different times, some of them very long
        #[arg(long)]
        uneven: bool,
    },
}
