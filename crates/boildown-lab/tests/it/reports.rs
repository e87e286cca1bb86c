//! The experiments, small, and what they write.

use std::num::NonZeroUsize;

use boildown_lab::Report;
use boildown_lab::experiments::{Contestant, compare, programs, scaling, sigma, weights};
use boildown_lab::recorded::{Choice, Recorded};
use boildown_lab::workload::Shape;
use boildown_search::list::{Algorithm, DdminOptions};
use boildown_search::tree::Schedule;
use boildown_syntax::Language;
use serde::de::DeserializeOwned;

fn contestants() -> Vec<Contestant> {
    let algorithms = [
        Algorithm::Ddmin(DdminOptions::PAPER),
        Algorithm::HALVING,
        Algorithm::Adaptive,
    ];
    algorithms.map(Contestant::from).to_vec()
}

const SHAPES: [Shape; 2] = [Shape::Independent { needed: 0.1 }, Shape::DefUse];

fn small_weights(threads: usize) -> weights::Weights {
    let setup = weights::Setup {
        lists: 10,
        threads: NonZeroUsize::new(threads).unwrap(),
        ..weights::Setup::default()
    };
    weights::run(&contestants(), &setup)
}

fn small_scaling() -> scaling::Scaling {
    let setup = scaling::Setup {
        workers: scaling::powers_of_two(8),
        length: 40,
        problems: 2,
        ..scaling::Setup::default()
    };
    scaling::run(&contestants()[1..2], &SHAPES[..1], &setup)
}

fn small_compare() -> compare::Compared {
    let setup = compare::Setup {
        length: 40,
        problems: 5,
        ..compare::Setup::default()
    };
    compare::run(&contestants(), &SHAPES, &setup)
}

fn small_sigma() -> sigma::Sigma {
    let family = sigma::Family::new("halving", &sigma::SIGMAS, |_| Algorithm::HALVING);
    let setup = sigma::Setup {
        length: 40,
        problems: 2,
        ..sigma::Setup::default()
    };
    sigma::run(&[family], &SHAPES, &setup)
}

fn small_programs() -> programs::Programs {
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
        Recorded::new(name, text.as_bytes(), json, Choice { tokens: 2, seed: 3 }).unwrap()
    };
    let setup = programs::Setup::default();
    programs::run(
        &texts.map(record),
        &[Schedule::Boildown, Schedule::HddCoarse],
        &contestants(),
        &setup,
    )
}

#[test]
fn the_number_of_threads_does_not_show() {
    assert_eq!(small_weights(1).rows, small_weights(3).rows);
    assert_eq!(small_weights(1).html(), small_weights(2).html());
}

/// Reads the values back and compares them with the rows they were written from.
#[track_caller]
fn round_trip<R: DeserializeOwned + PartialEq + std::fmt::Debug>(report: &dyn Report, rows: &[R]) {
    let text = report.csv();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let read: Vec<R> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, rows);
}

#[test]
fn values_are_read_back_as_they_were() {
    let weights = small_weights(1);
    round_trip(&weights, &weights.rows);
    let scaling = small_scaling();
    round_trip(&scaling, &scaling.rows);
    let compared = small_compare();
    round_trip(&compared, &compared.rows);
    let sigma = small_sigma();
    round_trip(&sigma, &sigma.rows);
    let programs = small_programs();
    round_trip(&programs, &programs.rows);
}

#[test]
fn tables() {
    insta::assert_snapshot!("weights", small_weights(1).table());
    insta::assert_snapshot!("scaling", small_scaling().table());
    insta::assert_snapshot!("compare", small_compare().table());
    insta::assert_snapshot!("sigma", small_sigma().table());
    insta::assert_snapshot!("programs", small_programs().table());
}

#[test]
fn pages_are_whole_and_need_no_other_file() {
    let reports: [&dyn Report; 5] = [
        &small_weights(1),
        &small_scaling(),
        &small_compare(),
        &small_sigma(),
        &small_programs(),
    ];
    for report in reports {
        let html = report.html();
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
        assert!(html.contains("<svg"));
        for outside in ["<script", "src=", "@import", "url(", "href="] {
            assert!(!html.contains(outside), "{outside}");
        }
        for broken in ["NaN", "inf,", "<two>"] {
            assert!(!html.contains(broken), "{broken}");
        }
    }
}

#[test]
fn a_first_contestant_is_its_own_measure() {
    let weights = small_weights(1);
    let own = weights.comparison(0);
    assert!((own.mean_of_ratios.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(own.p, None);
    assert!(
        weights.comparison(1).ratio_of_sums.unwrap() < 1.0,
        "halving asks less than ddmin"
    );
    assert_eq!(weights.exact(0), 10);
}
