//! Arguments of `boildown lab`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use boildown_lab::experiments::RunPlan;
use boildown_lab::recorded_lists::ListKind;
use boildown_lab::simulate::{RepeatedCandidates, RunRules};
use boildown_lab::workload::Shape;
use boildown_literature::tree::NodeWeights;
use boildown_search::algorithms::{Algorithm, Schedule};
use clap::{Args, Subcommand};

use crate::options::algorithms;
use crate::options::values::{at_least_one, jobs};

#[derive(Debug, Args)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) experiment: Experiment,

    /// Algorithm to compare; may be repeated. The first is the reference [default: ddmin and the
    /// algorithms worth considering]
    #[arg(long = "algorithm", value_name = "NAME", value_parser = algorithms::list_algorithm, global = true)]
    pub(crate) algorithms: Vec<Algorithm>,

    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, global = true)]
    pub(crate) seed: u64,

    /// Write all measurements to a CSV file
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) csv: Option<PathBuf>,

    /// Write an HTML page with plots
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RepeatArgs {
    /// Count repeated candidates as tests, as for tools without a cache
    #[arg(long)]
    count_repeats: bool,
}

impl RepeatArgs {
    /// Returns the way of counting repeated candidates.
    pub(crate) fn repeats(&self) -> RepeatedCandidates {
        if self.count_repeats {
            RepeatedCandidates::Counted
        } else {
            RepeatedCandidates::Skipped
        }
    }
}

/// How often an algorithm is run, and how long.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Run an algorithm that draws random numbers this often, each time with its own seed; others
    /// are run once
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seeds: u64,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// End each run after this number of tests, with the best result so far
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tests: Option<u64>,
}

impl PlanArgs {
    /// Returns the runs.
    pub(crate) fn plan(&self, repeats: RepeatedCandidates) -> RunPlan {
        RunPlan {
            seeds: self.seeds,
            rules: self.limit.rules(repeats),
        }
    }
}

impl LimitArgs {
    /// Returns the rules of a run.
    pub(crate) fn rules(&self, repeats: RepeatedCandidates) -> RunRules {
        RunRules {
            repeats,
            max_tests: self.max_tests,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Experiment {
    /// Compare list algorithms on synthetic lists
    Compare {
        /// Kind of list, such as independent:needed=0.1, def-use or pairs:distance=3; may be
        /// repeated [default: all]
        #[arg(long = "workload", value_name = "KIND")]
        workloads: Vec<Shape>,
        /// Number of elements in a list
        #[arg(long, value_name = "N", default_value_t = 120, value_parser = at_least_one)]
        length: usize,
        /// Number of lists of each kind
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
        /// Omit the final pass that makes the result 1-minimal
        #[arg(long)]
        bare: bool,
        #[command(flatten)]
        repeats: RepeatArgs,
        #[command(flatten)]
        plan: PlanArgs,
    },
    /// Compare list algorithms on lists of weighted elements, as in the paper on weighted delta
    /// debugging
    Weights {
        /// Number of lists
        #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
        lists: u64,
    },
    /// Compare tree schedules on programs of which a random choice of tokens is needed
    Programs {
        /// Programs in supported languages
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Tree schedule; may be repeated [default: hdd and boildown]
        #[arg(long = "schedule", value_name = "NAME", value_parser = algorithms::schedule)]
        schedules: Vec<Schedule>,
        /// Number of tokens that are chosen; tokens that they need to parse are needed too
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = at_least_one)]
        needed: usize,
        /// Weights of nodes in lists: tokens, volume or structure; may be repeated [default:
        /// tokens]
        #[arg(long = "weights", value_name = "NAME", value_parser = weights)]
        weights: Vec<NodeWeights>,
        #[command(flatten)]
        repeats: RepeatArgs,
        #[command(flatten)]
        plan: PlanArgs,
    },
    /// Measure whether heavy elements of lists are removed less often, on programs of which a
    /// random choice of tokens is needed
    Removability {
        /// Programs in supported languages
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Number of tokens that are chosen; tokens that they need to parse are needed too
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = at_least_one)]
        needed: usize,
    },
    /// Reduce real inputs with their own tests, and record the lists that the reductions meet
    Record {
        /// Subjects: folders with subject.json, the input and test.sh, as CONTRIBUTING.md says
        #[arg(required = true)]
        subjects: Vec<PathBuf>,
        /// Kind of lists: levels, as in HDD, or siblings, as in HDDr; may be repeated [default:
        /// both]
        #[arg(long = "lists", value_name = "KIND")]
        lists: Vec<ListKind>,
        /// Folder that gets a file for each subject
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        to: PathBuf,
        #[command(flatten)]
        limit: LimitArgs,
        /// End a reduction after the test with which all took this long together
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        max_seconds: Option<Duration>,
    },
    /// Compare list algorithms on recorded lists
    Replay {
        /// Files that `lab record` wrote, or folders of them
        #[arg(required = true)]
        recordings: Vec<PathBuf>,
        /// Folder of the subjects, whose tests judge candidates that are not recorded; their
        /// verdicts are added to the recordings
        #[arg(long, value_name = "FOLDER")]
        subjects: Option<PathBuf>,
        /// Use no recorded verdict, and record none: every test is run and timed
        #[arg(long, requires = "subjects")]
        fresh: bool,
        /// Omit the final pass that makes the result 1-minimal
        #[arg(long)]
        bare: bool,
        /// Write a line of JSON for each list and algorithm
        #[arg(long, value_name = "FILE")]
        json_lines: Option<PathBuf>,
        #[command(flatten)]
        plan: PlanArgs,
        /// End each run after the test with which all took this long together
        #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "fresh")]
        max_seconds: Option<Duration>,
    },
    /// Compare CHISEL with list algorithms on programs of which a random choice of tokens has to be
    /// kept and every name declared
    Debloat {
        /// Programs in supported languages
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Number of tokens that are chosen
        #[arg(long, value_name = "N", default_value_t = 60, value_parser = at_least_one)]
        needed: usize,
        #[command(flatten)]
        repeats: RepeatArgs,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Compare algorithms with the exact posterior over all sets of needed elements, on short lists
    Posterior {
        /// Number of elements in a list
        #[arg(long, value_name = "N", default_value_t = 12, value_parser = short)]
        length: usize,
        /// Number of lists for each share of needed elements
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
    },
    /// Vary sigma, the parameter of the probabilistic algorithms, from 0.01 to 0.3
    Sigma {
        /// Kind of list; may be repeated [default: all]
        #[arg(long = "workload", value_name = "KIND")]
        workloads: Vec<Shape>,
        /// Number of elements in a list
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one)]
        length: usize,
        /// Number of lists of each kind
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
        #[command(flatten)]
        repeats: RepeatArgs,
    },
    /// Measure the cost of reducing flaky properties, and how often the results fail
    Flaky {
        /// Probability that the property holds on the whole list, per run
        #[arg(long, value_name = "RATE", value_parser = rate, default_value = "0.6")]
        rate: f64,
        /// Number of elements that are not needed but make the failure more likely
        #[arg(long, value_name = "N", default_value_t = 3)]
        helpers: usize,
        /// Factor by which the probability drops when one of them is removed
        #[arg(long, value_name = "SHARE", value_parser = rate, default_value = "0.5")]
        without: f64,
        /// Number of elements in a list
        #[arg(long, value_name = "N", default_value_t = 120, value_parser = at_least_one)]
        length: usize,
        /// Number of lists
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
    },
    /// Measure the speed-up of more workers by speculation
    Scaling {
        /// Kind of list; may be repeated [default: all]
        #[arg(long = "workload", value_name = "KIND")]
        workloads: Vec<Shape>,
        /// Number of elements in a list
        #[arg(long, value_name = "N", default_value_t = 200, value_parser = at_least_one)]
        length: usize,
        /// Number of lists of each kind
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
        problems: u64,
        /// Maximum number of workers; 1, 2, 4 and so on are measured
        #[arg(long, value_name = "N", default_value_t = 1024, value_parser = workers)]
        workers: usize,
        /// Let tests take different times, some of them very long
        #[arg(long)]
        uneven: bool,
    },
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok().filter(|&seconds| seconds > 0_u64);
    seconds
        .map(Duration::from_secs)
        .ok_or("not a whole number of seconds from 1")
}

fn workers(text: &str) -> Result<usize, &'static str> {
    jobs(text).map(NonZeroUsize::get)
}

fn weights(text: &str) -> Result<NodeWeights, String> {
    let known = NodeWeights::NAMES.iter().find(|(name, _)| *name == text);
    let names = || NodeWeights::NAMES.map(|(name, _)| name).join(", ");
    known
        .map(|&(_, weights)| weights)
        .ok_or_else(|| format!("not one of {}", names()))
}

fn short(text: &str) -> Result<usize, String> {
    let most = boildown_lab::experiments::posterior::MAX_LENGTH;
    let length = text
        .parse()
        .ok()
        .filter(|length| (1..=most).contains(length));
    length.ok_or_else(|| format!("not a number from 1 to {most}"))
}

fn rate(text: &str) -> Result<f64, &'static str> {
    let rate = text.parse().ok().filter(|rate| (0.05..=1.0).contains(rate));
    rate.ok_or("not a number from 0.05 to 1")
}
