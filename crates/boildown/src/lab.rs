//! `boildown lab`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use boildown_lab::Report;
use boildown_lab::experiments::compare::{self, Finish};
use boildown_lab::experiments::sigma::{self, Family, SIGMAS};
use boildown_lab::experiments::{Contestant, flaky, programs, scaling, weights};
use boildown_lab::recorded::{Choice, Recorded};
use boildown_lab::simulate::{Latency, Repeats};
use boildown_lab::workload::Shape;
use boildown_oracle::fsx;
use boildown_search::list::{Algorithm, DdminOptions, Direction, Sigma, Ties};
use boildown_search::tree::Schedule;
use boildown_syntax::Language;

use crate::args::{Experiment, Lab};
use crate::error::{CliError, Kind};

/// Runs an experiment, prints its table, and writes what else was asked for.
pub(crate) fn run(args: &Lab) -> Result<Kind, CliError> {
    match &args.experiment {
        Experiment::Compare {
            workloads,
            length,
            problems,
            bare,
        } => {
            let setup = compare::Setup {
                length: *length,
                problems: *problems,
                seed: args.seed,
                repeats: repeats(args),
                finish: if *bare { Finish::Bare } else { Finish::Swept },
                ..compare::Setup::default()
            };
            let result = compare::run(&contestants(args, &usual()), &shapes(workloads), &setup);
            publish(args, &result)
        }
        Experiment::Weights { lists } => {
            let setup = weights::Setup {
                lists: *lists,
                seed: args.seed,
                repeats: repeats(args),
                ..weights::Setup::default()
            };
            publish(args, &weights::run(&contestants(args, &usual()), &setup))
        }
        Experiment::Programs {
            files,
            schedules,
            needed,
        } => {
            let schedules = match schedules.as_slice() {
                [] => &[Schedule::Hdd, Schedule::Boildown],
                chosen => chosen,
            };
            let setup = programs::Setup {
                repeats: repeats(args),
                ..programs::Setup::default()
            };
            let choice = Choice {
                tokens: *needed,
                seed: args.seed,
            };
            let programs = record(files, choice)?;
            let contestants = contestants(args, &usual());
            publish(
                args,
                &programs::run(&programs, schedules, &contestants, &setup),
            )
        }
        Experiment::Sigma {
            workloads,
            length,
            problems,
        } => {
            let setup = sigma::Setup {
                length: *length,
                problems: *problems,
                seed: args.seed,
                repeats: repeats(args),
                ..sigma::Setup::default()
            };
            publish(args, &sigma::run(&families(), &shapes(workloads), &setup))
        }
        Experiment::Flaky {
            rate,
            helpers,
            without,
            length,
            problems,
        } => {
            let setup = flaky::Setup {
                length: *length,
                problems: *problems,
                seed: args.seed,
                rate: *rate,
                helpers: *helpers,
                without: *without,
                ..flaky::Setup::default()
            };
            let contestants = contestants(args, &[Algorithm::HALVING]);
            publish(args, &flaky::run(&contestants[0], &setup))
        }
        Experiment::Scaling {
            workloads,
            length,
            problems,
            workers,
            uneven,
        } => {
            let setup = scaling::Setup {
                workers: scaling::powers_of_two(*workers),
                length: *length,
                problems: *problems,
                seed: args.seed,
                latency: match uneven {
                    true => Latency::Drawn { seed: args.seed },
                    false => Latency::Unit,
                },
                ..scaling::Setup::default()
            };
            let usual = [
                Algorithm::HALVING,
                Algorithm::Cdd(Sigma::TENTH, Direction::Backwards),
                Algorithm::ProbDd(Sigma::TENTH, Ties::Last),
            ];
            let contestants = contestants(args, &usual);
            publish(
                args,
                &scaling::run(&contestants, &shapes(workloads), &setup),
            )
        }
    }
}

/// The algorithms that are compared when none are chosen: those that are worth a thought, and the one they are measured by.
fn usual() -> Vec<Algorithm> {
    let ddmin = Algorithm::Ddmin(DdminOptions::PAPER);
    let others = Algorithm::ALL.into_iter().filter(|&algorithm| {
        let reference = matches!(
            algorithm,
            Algorithm::Naive
                | Algorithm::Bisection
                | Algorithm::Sweep
                | Algorithm::NMinimal(_)
                | Algorithm::DdminStar(_)
        );
        algorithm != ddmin && !reference
    });
    std::iter::once(ddmin).chain(others).collect()
}

fn contestants(args: &Lab, usual: &[Algorithm]) -> Vec<Contestant> {
    let chosen = match args.algorithms.as_slice() {
        [] => usual,
        chosen => chosen,
    };
    chosen.iter().copied().map(Contestant::from).collect()
}

fn families() -> [Family; 3] {
    let sigma = |value| Sigma::new(value).expect("the values to try are between 0 and 1");
    [
        Family::new("probdd", &SIGMAS, |value| {
            Algorithm::ProbDd(sigma(value), Ties::Last)
        }),
        Family::new("wprobdd", &SIGMAS, |value| {
            Algorithm::WProbDd(sigma(value), Ties::Last)
        }),
        Family::new("cdd", &SIGMAS, |value| {
            Algorithm::Cdd(sigma(value), Direction::Backwards)
        }),
    ]
}

fn shapes(chosen: &[Shape]) -> Vec<Shape> {
    match chosen {
        [] => Shape::ALL.to_vec(),
        chosen => chosen.to_vec(),
    }
}

fn repeats(args: &Lab) -> Repeats {
    if args.count_repeats {
        Repeats::Counted
    } else {
        Repeats::Skipped
    }
}

/// Reads programs and chooses what each needs.
fn record(files: &[PathBuf], choice: Choice) -> Result<Vec<Recorded>, CliError> {
    let failed =
        |path: &Path| CliError::new(Kind::Usage, format!("failed to use {}", path.display()));
    let mut texts = Vec::new();
    for path in files {
        let bytes = std::fs::read(path).map_err(|error| failed(path).because(error))?;
        let language = Language::detect(&path.to_string_lossy(), &bytes[..bytes.len().min(256)])
            .ok_or_else(|| {
                failed(path)
                    .because("its language is not known")
                    .hint("`boildown languages` lists the names by which files are recognised")
            })?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        texts.push((name.to_string_lossy().into_owned(), bytes, language));
    }
    let texts: Vec<(&str, &[u8], &'static Language)> = (texts.iter())
        .map(|(name, bytes, language)| (&**name, &**bytes, *language))
        .collect();
    Recorded::all(&texts, choice, programs::Setup::default().threads)
        .map_err(|error| CliError::new(Kind::Usage, "failed to use the programs").because(error))
}

fn publish(args: &Lab, result: &impl Report) -> Result<Kind, CliError> {
    let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| {
        let Some(path) = path else {
            return Ok(());
        };
        fsx::write_atomic(&fsx::settle(path), text().as_bytes())
            .map_err(|error| CliError::failed_to(Kind::CannotRun, &error))
    };
    write(&args.csv, &|| result.csv())?;
    write(&args.html, &|| result.html())?;
    // A reader that has seen enough is no error.
    drop(std::io::stdout().write_all(result.table().as_bytes()));
    Ok(Kind::Reduced)
}
