//! Experiments: comparisons of algorithms on many problems.
//!
//! Each module holds one experiment: a setup, a function `run`, and a result that is a
//! [`Report`](crate::Report). In each experiment the first contestant is the reference that the
//! others are compared with.

pub mod compare;
pub mod debloat;
pub mod flaky;
pub mod posterior;
pub mod programs;
pub mod removability;
pub mod replay;
mod runs;
pub mod scaling;
pub mod sigma;
pub mod weights;

use boildown_literature::tree::NodeWeights;
use boildown_search::algorithms::Algorithm;
use boildown_search::{Search, Subset};

pub use self::runs::RunPlan;
use crate::simulate::{RunRules, run_single_worker};
use crate::statistics::{mean, ratio_of_geometric_means, wilcoxon};
use crate::workload::{ListProblem, Shape};

/// An algorithm with its name in reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Contestant {
    /// The name in reports.
    pub label: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The weights of nodes in lists. Only experiments on programs have nodes.
    pub weights: NodeWeights,
}

impl Contestant {
    /// Returns the algorithm with other weights, which are part of the name.
    #[must_use]
    pub fn weighted(algorithm: Algorithm, weights: NodeWeights) -> Self {
        let label = match weights {
            NodeWeights::Tokens => algorithm.to_string(),
            _ => format!("{algorithm}, {} weights", weights.name()),
        };
        Self {
            label,
            algorithm,
            weights,
        }
    }
}

impl From<Algorithm> for Contestant {
    fn from(algorithm: Algorithm) -> Self {
        Self::weighted(algorithm, NodeWeights::Tokens)
    }
}

/// The cost and the size of one result.
struct RunResult {
    queries: u64,
    kept: usize,
    finished: bool,
}

/// Runs a search on a list problem.
fn run_on_problem(
    problem: &ListProblem,
    search: impl Search<Candidate = Subset>,
    rules: RunRules,
) -> RunResult {
    let ended = run_single_worker(search, |kept| problem.judge(kept), rules);
    RunResult {
        queries: ended.told,
        kept: ended.best.count(),
        finished: ended.finished,
    }
}

/// A comparison of the numbers of one contestant with those of the first, paired by problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Arithmetic mean of the numbers.
    pub mean: f64,
    /// Sum of the numbers, divided by the sum of the first contestant's. Long lists weigh more.
    pub ratio_of_sums: Option<f64>,
    /// Mean of the ratios, one per problem. All lists weigh the same.
    pub mean_of_ratios: Option<f64>,
    /// Geometric mean of the numbers, divided by that of the first contestant's; `None` when any
    /// number is 0.
    pub geometric: Option<f64>,
    /// P-value of the paired Wilcoxon signed-rank test; `None` when no pair differs.
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

/// Returns the problems of an experiment, by kind and number: `count` of each kind, but only one of
/// a kind that is fixed.
fn problems(shapes: &[Shape], count: u64) -> Vec<(Shape, u64)> {
    let problems_of = |&shape: &Shape| {
        let count = if shape.is_fixed() {
            count.min(1)
        } else {
            count
        };
        (0..count).map(move |index| (shape, index))
    };
    shapes.iter().flat_map(problems_of).collect()
}
