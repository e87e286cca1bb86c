//! Algorithms side by side.
//!
//! In each experiment the first contestant is the one that the others are compared with.

pub mod compare;
pub mod flaky;
pub mod programs;
pub mod scaling;
pub mod sigma;
pub mod weights;

use std::num::NonZeroUsize;

use boildown_search::list::{Algorithm, Minimise as _};
use boildown_search::{Subset, Verdict};

use crate::simulate::{Repeats, alone};
use crate::statistics::{mean, ratio_of_geometric_means, wilcoxon};
use crate::workload::{Problem, Shape};

/// An algorithm under the name it has in reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Contestant {
    /// The name.
    pub label: String,
    /// The algorithm.
    pub algorithm: Algorithm,
}

impl From<Algorithm> for Contestant {
    fn from(algorithm: Algorithm) -> Self {
        Self {
            label: algorithm.to_string(),
            algorithm,
        }
    }
}

/// The number of threads that an experiment uses when nothing else is said: results do not depend on it.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).expect("2 is not 0");

/// Runs an algorithm on a list problem; returns the questions asked and the elements kept.
fn minimise(problem: &Problem, algorithm: Algorithm, repeats: Repeats) -> (u64, usize) {
    let judge = |kept: &Subset| -> Verdict { problem.judge(kept) };
    let ended = alone(algorithm.on(problem.list()), judge, repeats);
    (ended.told, ended.best.count())
}

/// How the numbers of one contestant compare with those of the first, problem by problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The arithmetic mean of the numbers.
    pub mean: f64,
    /// The sum of the numbers divided by the sum of the first contestant's: long lists count more.
    pub ratio_of_sums: Option<f64>,
    /// The mean of the ratios problem by problem: every list counts the same.
    pub mean_of_ratios: Option<f64>,
    /// The geometric mean of the numbers divided by that of the first contestant's; `None` when any of them is 0.
    pub geometric: Option<f64>,
    /// The p-value of the paired Wilcoxon signed-rank test; `None` when no pair differs.
    pub p: Option<f64>,
}

impl Comparison {
    fn new(ours: &[f64], first: &[f64]) -> Self {
        let (sum, first_sum): (f64, f64) = (ours.iter().sum(), first.iter().sum());
        let ratios: Vec<f64> = (ours.iter().zip(first))
            .filter(|(_, first)| **first > 0.0)
            .map(|(ours, first)| ours / first)
            .collect();
        Self {
            mean: mean(ours).unwrap_or(0.0),
            ratio_of_sums: (first_sum > 0.0).then(|| sum / first_sum),
            mean_of_ratios: mean(&ratios),
            geometric: ratio_of_geometric_means(ours, first),
            p: wilcoxon(ours, first).map(|test| test.p),
        }
    }
}

/// The problems of an experiment: so many of each kind, and one of a kind that leaves nothing to chance.
fn problems(shapes: &[Shape], count: u64) -> Vec<(Shape, u64)> {
    let of_kind = |&shape: &Shape| {
        let count = if shape.is_fixed() {
            count.min(1)
        } else {
            count
        };
        (0..count).map(move |index| (shape, index))
    };
    shapes.iter().flat_map(of_kind).collect()
}

/// What the settings call a way of counting.
fn repeats_name(repeats: Repeats) -> String {
    match repeats {
        Repeats::Skipped => "asked once",
        Repeats::Counted => "counted each time",
    }
    .to_owned()
}

/// The column of a table of contestants and problems that belongs to one contestant.
fn column<R>(rows: &[R], contestants: usize, which: usize, value: impl Fn(&R) -> f64) -> Vec<f64> {
    (rows.iter().skip(which))
        .step_by(contestants.max(1))
        .map(value)
        .collect()
}
