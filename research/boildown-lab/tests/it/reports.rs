//! Reports of small experiments: tables, CSV and HTML pages.

use std::num::NonZeroUsize;

use boildown_document::Language;
use boildown_lab::Report;
use boildown_lab::experiments::{
    Contestant, compare, flaky, programs, removability, scaling, sigma, weights,
};
use boildown_lab::recorded::{RecordedInput, TokenChoice};
use boildown_lab::workload::Shape;
use boildown_literature::list::Ddmin;
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

fn small_weights(threads: usize) -> weights::WeightsResult {
    let setup = weights::WeightsSetup {
        lists: 10,
        threads: NonZeroUsize::new(threads).unwrap(),
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
    let setup = sigma::SigmaSetup {
        length: 40,
        problems: 2,
        ..sigma::SigmaSetup::default()
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
    let setup = programs::ProgramsSetup::default();
    programs::run(
        &texts.map(record),
        &[Schedule::default(), KnownSchedule::HddCoarse.into()],
        &contestants(),
        &setup,
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

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    assert_eq!(small_weights(1).rows, small_weights(3).rows);
    assert_eq!(small_weights(1).html(), small_weights(2).html());
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
    let weights = small_weights(1);
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
        &small_weights(1),
        "list,elements,tokens,removable,needed,algorithm,queries,kept",
    );
    check(
        &small_scaling(),
        "shape,problem,algorithm,workers,told,executed,latency,alone_told,alone,kept",
    );
    check(
        &small_compare(),
        "shape,problem,elements,algorithm,queries,kept",
    );
    check(&small_sigma(), "shape,problem,family,sigma,queries,kept");
    check(
        &small_programs(),
        "program,tokens,needed,schedule,algorithm,queries,left",
    );
    check(&small_removability(), "program,weight,elements,removed");
    check(&small_flaky(), "helpers,problem,way,queries,runs,kept,rate");
}

#[test]
fn tables_of_small_experiments() {
    insta::assert_snapshot!("weights", small_weights(1).table());
    insta::assert_snapshot!("scaling", small_scaling().table());
    insta::assert_snapshot!("compare", small_compare().table());
    insta::assert_snapshot!("sigma", small_sigma().table());
    insta::assert_snapshot!("programs", small_programs().table());
    insta::assert_snapshot!("removability", small_removability().table());
}

#[test]
fn pages_are_complete_and_need_no_other_file() {
    let reports: [&dyn Report; 6] = [
        &small_weights(1),
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
    let weights = small_weights(1);
    let own = weights.comparison(0);
    assert!((own.mean_of_ratios.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(own.p, None);
    assert!(
        weights.comparison(1).ratio_of_sums.unwrap() < 1.0,
        "halving needs fewer tests than ddmin"
    );
    assert_eq!(weights.exact(0), 10);
}
