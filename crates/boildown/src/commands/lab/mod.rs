//! `boildown lab`.

use std::path::{Path, PathBuf};

use boildown_document::Language;
use boildown_lab::Report;
use boildown_lab::experiments::compare::{self, Finish};
use boildown_lab::experiments::debloat::{self, DebloatSearch, DebloatedProgram};
use boildown_lab::experiments::replay::ReplaySetup;
use boildown_lab::experiments::sigma::{self, AlgorithmFamily, SIGMAS};
use boildown_lab::experiments::{
    Contestant, RunPlan, flaky, posterior, programs, removability, scaling, weights,
};
use boildown_lab::recorded::{RecordedInput, TokenChoice};
use boildown_lab::recorded_lists::RunLimit;
use boildown_lab::simulate::{Latency, RepeatedCandidates, RunRules};
use boildown_lab::workload::Shape;
use boildown_literature::tree::{KnownSchedule, LastNode, NodeWeights};
use boildown_search::algorithms::{Algorithm, ListEntry, Schedule};

use self::args::{Experiment, LabArgs};
use self::real_lists::RecordedVerdicts;
use crate::error::{CliError, ExitKind};
use crate::options::algorithms;
use crate::stdout;

pub(crate) mod args;
mod files;
mod real_lists;

/// Runs an experiment, prints its table, and writes the files that were asked for.
pub(crate) fn run(args: &LabArgs) -> Result<ExitKind, CliError> {
    let json_lines = match &args.experiment {
        Experiment::Replay { json_lines, .. } => json_lines,
        _ => &None,
    };
    files::check([&args.csv, &args.html, json_lines].into_iter().flatten())?;
    match &args.experiment {
        Experiment::Compare {
            workloads,
            length,
            problems,
            bare,
            repeats,
            plan,
        } => {
            let setup = compare::CompareSetup {
                length: *length,
                problems: *problems,
                seed: args.seed,
                plan: plan.plan(repeats.repeats()),
                finish: if *bare { Finish::Bare } else { Finish::Swept },
            };
            let contestants = contestants(args, &default_algorithms());
            let result = compare::run(&contestants, &shapes(workloads), &setup);
            publish(args, &result)
        }
        Experiment::Weights { lists } => {
            let setup = weights::WeightsSetup {
                lists: *lists,
                seed: args.seed,
            };
            let contestants = contestants(args, &default_algorithms());
            publish(args, &weights::run(&contestants, &setup))
        }
        Experiment::Programs {
            files,
            schedules,
            needed,
            weights,
            repeats,
            plan,
        } => {
            let plan = plan.plan(repeats.repeats());
            compare_on_programs(args, files, schedules, *needed, weights, plan)
        }
        Experiment::Removability { files, needed } => measure_removability(args, files, *needed),
        Experiment::Posterior { length, problems } => {
            let setup = posterior::PosteriorSetup {
                length: *length,
                problems: *problems,
                seed: args.seed,
            };
            let default = [Algorithm::halving(), Algorithm::group_testing()];
            let algorithms = match args.algorithms.as_slice() {
                [] => &default,
                chosen => chosen,
            };
            publish(args, &posterior::run(algorithms, &setup))
        }
        Experiment::Debloat {
            files,
            needed,
            repeats,
            limit,
        } => debloat_programs(args, files, *needed, limit.rules(repeats.repeats())),
        Experiment::Sigma {
            workloads,
            length,
            problems,
            repeats,
        } => {
            let setup = compare::CompareSetup {
                length: *length,
                problems: *problems,
                seed: args.seed,
                plan: RunPlan::from(RunRules {
                    repeats: repeats.repeats(),
                    max_tests: None,
                }),
                finish: Finish::Bare,
            };
            publish(args, &sigma::run(&families(), &shapes(workloads), &setup))
        }
        Experiment::Record {
            subjects,
            lists,
            to,
            limit,
            max_seconds,
        } => {
            let limit = RunLimit {
                max_tests: limit.max_tests,
                max_time: *max_seconds,
            };
            real_lists::record(args, subjects, lists, to, limit)
        }
        Experiment::Replay {
            recordings,
            subjects,
            fresh,
            bare,
            json_lines,
            plan,
            max_seconds,
        } => {
            let replay = real_lists::Replay {
                contestants: contestants(args, &default_algorithms()),
                setup: ReplaySetup {
                    finish: if *bare { Finish::Bare } else { Finish::Swept },
                    seed: args.seed,
                    plan: plan.plan(RepeatedCandidates::Skipped),
                    max_time: *max_seconds,
                },
                recordings,
                subjects: subjects.as_deref(),
                verdicts: match fresh {
                    true => RecordedVerdicts::Ignored,
                    false => RecordedVerdicts::Used,
                },
            };
            let result = replay.run()?;
            if let Some(path) = json_lines {
                files::write(path, &real_lists::json_lines(&result.rows))?;
            }
            publish(args, &result)
        }
        Experiment::Flaky {
            rate,
            helpers,
            without,
            length,
            problems,
        } => {
            let setup = flaky::FlakySetup {
                length: *length,
                problems: *problems,
                seed: args.seed,
                rate: *rate,
                helpers: *helpers,
                without: *without,
            };
            let contestants = contestants(args, &[Algorithm::halving()]);
            publish(args, &flaky::run(&contestants[0], &setup))
        }
        Experiment::Scaling {
            workloads,
            length,
            problems,
            workers,
            uneven,
        } => {
            let setup = scaling::ScalingSetup {
                workers: scaling::powers_of_two(*workers),
                length: *length,
                problems: *problems,
                seed: args.seed,
                latency: match uneven {
                    true => Latency::Drawn { seed: args.seed },
                    false => Latency::Unit,
                },
            };
            let default = ["halving", "cdd", "probdd"].map(named);
            let contestants = contestants(args, &default);
            publish(
                args,
                &scaling::run(&contestants, &shapes(workloads), &setup),
            )
        }
    }
}

fn compare_on_programs(
    args: &LabArgs,
    files: &[PathBuf],
    schedules: &[Schedule],
    needed: usize,
    weights: &[NodeWeights],
    plan: RunPlan,
) -> Result<ExitKind, CliError> {
    let default = [
        KnownSchedule::Hdd(LastNode::Tried).into(),
        Schedule::default(),
    ];
    let schedules = match schedules {
        [] => &default,
        chosen => chosen,
    };
    let choice = TokenChoice {
        tokens: needed,
        seed: args.seed,
    };
    let programs = record(files, choice)?;
    let weights = match weights {
        [] => &[NodeWeights::Tokens],
        chosen => chosen,
    };
    let contestants: Vec<Contestant> = (contestants(args, &default_algorithms()).iter())
        .flat_map(|it| {
            (weights.iter()).map(|&weights| Contestant::weighted(it.algorithm.clone(), weights))
        })
        .collect();
    publish(
        args,
        &programs::run(&programs, schedules, &contestants, plan),
    )
}

fn measure_removability(
    args: &LabArgs,
    files: &[PathBuf],
    needed: usize,
) -> Result<ExitKind, CliError> {
    let choice = TokenChoice {
        tokens: needed,
        seed: args.seed,
    };
    let programs = record(files, choice)?;
    let contestants = contestants(args, &default_algorithms());
    let algorithm = &contestants[0].algorithm;
    publish(args, &removability::run(&programs, algorithm, choice))
}

fn debloat_programs(
    args: &LabArgs,
    files: &[PathBuf],
    needed: usize,
    rules: RunRules,
) -> Result<ExitKind, CliError> {
    let choice = TokenChoice {
        tokens: needed,
        seed: args.seed,
    };
    let mut programs = Vec::new();
    for text in read_programs(files)? {
        let program = DebloatedProgram::new(&text.name, &text.bytes, text.language, choice);
        programs.push(program.ok_or_else(|| {
            CliError::usage(format!("failed to use `{}`", text.name)).because("it has no token")
        })?);
    }
    let default = ["ddmin", "probdd", "halving"].map(named);
    let algorithms = match args.algorithms.as_slice() {
        [] => &default,
        chosen => chosen,
    };
    let searches = DebloatSearch::with(algorithms);
    publish(args, &debloat::run(&programs, &searches, choice, rules))
}

/// Returns the algorithms that are compared by default: ddmin as the reference, and those worth
/// considering.
fn default_algorithms() -> Vec<Algorithm> {
    const FOR_REFERENCE: [&str; 6] = [
        "ddmin",
        "naive",
        "bisection",
        "sweep",
        "n-minimal",
        "ddmin*",
    ];
    let known = algorithms::known();
    let others = known
        .lists()
        .filter(|known| !FOR_REFERENCE.contains(&known.entry.name));
    std::iter::once(named("ddmin"))
        .chain(others.map(ListEntry::algorithm))
        .collect()
}

fn contestants(args: &LabArgs, default: &[Algorithm]) -> Vec<Contestant> {
    let chosen = match args.algorithms.as_slice() {
        [] => default,
        chosen => chosen,
    };
    chosen.iter().cloned().map(Contestant::from).collect()
}

/// Returns an algorithm of the literature.
fn named(name: impl AsRef<str>) -> Algorithm {
    let known = algorithms::known().parse_list(name.as_ref());
    known.expect("the laboratory has the literature")
}

fn families() -> [AlgorithmFamily; 3] {
    ["probdd", "wprobdd", "cdd"].map(|name| {
        let member = |sigma| named(format!("{name}:sigma={sigma}"));
        AlgorithmFamily::new(name, &SIGMAS, member)
    })
}

fn shapes(chosen: &[Shape]) -> Vec<Shape> {
    match chosen {
        [] => Shape::ALL.to_vec(),
        chosen => chosen.to_vec(),
    }
}

/// A program as it was read.
struct ProgramText {
    name: String,
    bytes: Vec<u8>,
    language: &'static Language,
}

fn read_programs(files: &[PathBuf]) -> Result<Vec<ProgramText>, CliError> {
    let failed = |path: &Path| CliError::usage(format!("failed to use {}", path.display()));
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).map_err(|error| failed(path).because(error))?;
        let language = Language::detect(&path.to_string_lossy(), &bytes[..bytes.len().min(256)])
            .ok_or_else(|| {
                failed(path)
                    .because("its language is not recognised")
                    .hint("`boildown languages` lists the languages and their file names")
            })?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(ProgramText {
            name: name.to_string_lossy().into_owned(),
            bytes,
            language,
        })
    };
    files.iter().map(read).collect()
}

/// Reads programs and chooses the tokens that each needs.
fn record(files: &[PathBuf], choice: TokenChoice) -> Result<Vec<RecordedInput>, CliError> {
    let texts = read_programs(files)?;
    let texts: Vec<(&str, &[u8], &'static Language)> = (texts.iter())
        .map(|text| (&*text.name, &*text.bytes, text.language))
        .collect();
    RecordedInput::all(&texts, choice)
        .map_err(|error| CliError::usage("failed to use the programs").because(error))
}

fn publish(args: &LabArgs, result: &impl Report) -> Result<ExitKind, CliError> {
    if let Some(failure) = algorithms::failure() {
        return Err(failure);
    }
    if let Some(path) = &args.csv {
        files::write(path, &result.csv())?;
    }
    if let Some(path) = &args.html {
        files::write(path, &result.html())?;
    }
    stdout::write(result.table().as_bytes());
    Ok(ExitKind::Reduced)
}
