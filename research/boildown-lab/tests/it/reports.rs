//! Reports of small experiments: tables, CSV and HTML pages.

use boildown_document::Language;
use boildown_lab::Report;
use boildown_lab::experiments::{
    Contestant, RunPlan, compare, flaky, programs, removability, scaling, sigma, weights,
};
use boildown_lab::recorded::{RecordedInput, TokenChoice};
use boildown_lab::workload::Shape;
use boildown_literature::list::{ActiveCoarsen, Ddmin};
use boildown_literature::tree::KnownSchedule;
use boildown_search::algorithms::{Algorithm, Schedule};
use boildown_search::list::Adaptive;
use serde::de::DeserializeOwned;

fn contestants() -> Vec<Contestant> {
    let algorithms = [
        Algorithm::of::<Ddmin>(),
        Algorithm::halving(),
        Algorithm::of::<Adaptive>(),
    ];
    algorithms.map(Contestant::from).to_vec()
}

const SHAPES: [Shape; 2] = [Shape::Independent { needed: 0.1 }, Shape::DefUse];

fn small_weights() -> weights::WeightsResult {
    let setup = weights::WeightsSetup {
        lists: 10,
        ..weights::WeightsSetup::default()
    };
    weights::run(&contestants(), &setup)
}

fn small_scaling() -> scaling::ScalingResult {
    let setup = scaling::ScalingSetup {
        workers: scaling::powers_of_two(8),
        length: 40,
        problems: 2,
        ..scaling::ScalingSetup::default()
    };
    scaling::run(&contestants()[1..2], &SHAPES[..1], &setup)
}

fn small_compare() -> compare::CompareResult {
    let setup = compare::CompareSetup {
        length: 40,
        problems: 5,
        ..compare::CompareSetup::default()
    };
    compare::run(&contestants(), &SHAPES, &setup)
}

fn small_sigma() -> sigma::SigmaResult {
    let family = sigma::AlgorithmFamily::new("halving", &sigma::SIGMAS, |_| Algorithm::halving());
    let setup = compare::CompareSetup {
        length: 40,
        problems: 2,
        ..compare::CompareSetup::default()
    };
    sigma::run(&[family], &SHAPES, &setup)
}

fn small_flaky() -> flaky::FlakyResult {
    let setup = flaky::FlakySetup {
        length: 30,
        problems: 1,
        ..flaky::FlakySetup::default()
    };
    flaky::run(&Algorithm::halving().into(), &setup)
}

fn small_programs() -> programs::ProgramsResult {
    let json = Language::named("JSON").unwrap();
    let texts = [
        (
            "one.json",
            r#"{"a": [1, 2, [3, 4, {"b": 5}], 6], "c": {"d": [7, 8], "e": null}, "f": "g h i"}"#,
        ),
        (
            "<two>.json",
            r#"[[1, 2, 3], [4, 5, 6, [7, 8, 9]], {"x": [10, 11], "y": {"z": [12, 13, 14]}}]"#,
        ),
    ];
    let record = |(name, text): (&str, &str)| {
        RecordedInput::new(
            name,
            text.as_bytes(),
            json,
            TokenChoice { tokens: 2, seed: 3 },
        )
        .unwrap()
    };
    programs::run(
        &texts.map(record),
        &[Schedule::default(), KnownSchedule::HddCoarse.into()],
        &contestants(),
        RunPlan::default(),
    )
}

fn small_removability() -> removability::RemovabilityResult {
    let json = Language::named("JSON").unwrap();
    let text = r#"{"a": [1, 2, [3, 4, {"b": 5}], 6], "c": {"d": [7, 8], "e": null}, "f": "g h i"}"#;
    let choice = TokenChoice { tokens: 2, seed: 3 };
    let program = RecordedInput::new("<one>.json", text.as_bytes(), json, choice).unwrap();
    let ddmin = Algorithm::of::<Ddmin>();
    removability::run(&[program], &ddmin, choice)
}

/// Reads the CSV of a report and compares it with the rows that it was written from.
#[track_caller]
fn check_csv_round_trip<R: DeserializeOwned + PartialEq + std::fmt::Debug>(
    report: &dyn Report,
    rows: &[R],
) {
    let text = report.csv();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let read: Vec<R> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, rows);
}

#[test]
fn csv_is_read_back_as_the_same_rows() {
    let weights = small_weights();
    check_csv_round_trip(&weights, &weights.rows);
    let scaling = small_scaling();
    check_csv_round_trip(&scaling, &scaling.rows);
    let compared = small_compare();
    check_csv_round_trip(&compared, &compared.rows);
    let sigma = small_sigma();
    check_csv_round_trip(&sigma, &sigma.rows);
    let programs = small_programs();
    check_csv_round_trip(&programs, &programs.rows);
    let removability = small_removability();
    check_csv_round_trip(&removability, &removability.rows());
}

/// Column names of CSV are read by scripts: they stay.
#[test]
fn csv_has_fixed_column_names() {
    #[track_caller]
    fn check(report: &dyn Report, expected: &str) {
        let text = report.csv();
        assert_eq!(text.lines().next(), Some(expected));
    }
    check(
        &small_weights(),
        "list,elements,tokens,removable,needed,algorithm,queries,kept",
    );
    check(
        &small_scaling(),
        "shape,problem,algorithm,workers,told,executed,latency,alone_told,alone,kept",
    );
    check(
        &small_compare(),
        "shape,problem,elements,algorithm,queries,kept,run,finished",
    );
    check(&small_sigma(), "shape,problem,family,sigma,queries,kept");
    check(
        &small_programs(),
        "program,tokens,needed,schedule,algorithm,queries,left,run,finished",
    );
    check(&small_removability(), "program,weight,elements,removed");
    check(&small_flaky(), "helpers,problem,way,queries,runs,kept,rate");
}

#[test]
fn tables_of_small_experiments() {
    insta::assert_snapshot!("weights", small_weights().table());
    insta::assert_snapshot!("scaling", small_scaling().table());
    insta::assert_snapshot!("compare", small_compare().table());
    insta::assert_snapshot!("sigma", small_sigma().table());
    insta::assert_snapshot!("programs", small_programs().table());
    insta::assert_snapshot!("removability", small_removability().table());
}

#[test]
fn pages_are_complete_and_need_no_other_file() {
    let reports: [&dyn Report; 6] = [
        &small_weights(),
        &small_scaling(),
        &small_compare(),
        &small_sigma(),
        &small_programs(),
        &small_removability(),
    ];
    for report in reports {
        let html = report.html();
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
        assert!(html.contains("<svg"));
        for outside in ["<script", "src=", "@import", "url(", "href="] {
            assert!(!html.contains(outside), "{outside}");
        }
        for broken in ["NaN", "inf,", "<one>", "<two>"] {
            assert!(!html.contains(broken), "{broken}");
        }
    }
}

#[test]
fn the_first_contestant_is_compared_with_itself() {
    let weights = small_weights();
    let own = weights.comparison(0);
    assert!((own.mean_of_ratios.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(own.p, None);
    assert!(
        weights.comparison(1).ratio_of_sums.unwrap() < 1.0,
        "halving needs fewer tests than ddmin"
    );
    assert_eq!(weights.exact(0), 10);
}

/// Compares coarsen, which draws random numbers, with halving, which does not.
fn seeded(seeds: u64, max_tests: Option<u64>) -> compare::CompareResult {
    let algorithms = [Algorithm::halving(), Algorithm::of::<ActiveCoarsen>()];
    let mut setup = compare::CompareSetup {
        length: 40,
        problems: 5,
        ..compare::CompareSetup::default()
    };
    (setup.plan.seeds, setup.plan.rules.max_tests) = (seeds, max_tests);
    compare::run(&algorithms.map(Contestant::from), &SHAPES[..1], &setup)
}

#[test]
fn random_algorithms_are_run_with_each_seed_and_others_once() {
    let result = seeded(4, None);
    let runs_of = |name: &str| {
        result
            .rows
            .iter()
            .filter(|row| row.algorithm == name)
            .count()
    };
    assert_eq!((runs_of("halving"), runs_of("coarsen")), (5, 20));
    let alone = seeded(1, None).rows;
    let first_runs: Vec<_> = result
        .rows
        .iter()
        .filter(|row| row.run == 0)
        .cloned()
        .collect();
    assert_eq!(first_runs, alone);
    assert_eq!(seeded(4, None), result);
    insta::assert_snapshot!(result.table(), @r"
    kind of list            algorithm  tests, mean       95 %  bound  geom. ratio       p  kept, mean     95 %  p
    independent:needed=0.1  halving           26.6          –   18.8        1.000       –         4.8        –  –
    independent:needed=0.1  coarsen           37.5  36.0–39.0   18.8        1.408  0.0625         4.8  4.8–4.8  –
    ");
}

#[test]
fn runs_that_meet_the_limit_are_marked() {
    let result = seeded(1, Some(30));
    assert!(
        result.rows.iter().any(|row| row.finished) && result.rows.iter().any(|row| !row.finished)
    );
    assert!(
        result
            .rows
            .iter()
            .all(|row| row.finished || row.queries == 30)
    );
    insta::assert_snapshot!(result.table(), @r"
    kind of list            algorithm  tests, mean  median  bound  geom. ratio       p  kept, mean       p
    independent:needed=0.1  halving         > 24.2    24.0   18.8            –       –         8.2       –
    independent:needed=0.1  coarsen         > 29.6  > 30.0   18.8            –  0.1250        11.4  0.2500
    ");
    assert!(result.html().contains("tests of a run at most"));
}
