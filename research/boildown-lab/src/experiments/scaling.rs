//! Scaling with the number of workers: the speedup and the extra work of speculation, which runs
//! queries that the search is likely to ask later ([`Planner`](boildown_search::Planner)).

use std::num::NonZeroUsize;

use boildown_search::Subset;
use boildown_search::list::ListAlgorithm as _;
use serde::{Deserialize, Serialize};

use super::{Contestant, problems};
use crate::parallel;
use crate::report::plot::{Axis, LinePlot, LineSeries, Plot as _, Scale};
use crate::report::{Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number};
use crate::simulate::{Latency, WorkerPool, simulate};
use crate::statistics::{geometric_mean, ratio_of_geometric_means};
use crate::workload::Shape;

/// The parameters of the measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalingSetup {
    /// The numbers of workers to measure, ascending.
    pub workers: Vec<NonZeroUsize>,
    /// Number of elements of a list, for kinds without a length of their own.
    pub length: usize,
    /// Number of problems of each kind; fixed kinds have one.
    pub problems: u64,
    /// The random seed of the lists.
    pub seed: u64,
    /// The virtual time that a query takes.
    pub latency: Latency,
}

impl Default for ScalingSetup {
    fn default() -> Self {
        Self {
            workers: powers_of_two(1024),
            length: 200,
            problems: 3,
            seed: 1,
            latency: Latency::Unit,
        }
    }
}

/// Returns the powers of two from 1 to `bound`.
#[must_use]
pub fn powers_of_two(bound: usize) -> Vec<NonZeroUsize> {
    let double = |workers: &NonZeroUsize| workers.checked_mul(NonZeroUsize::MIN.saturating_add(1));
    std::iter::successors(Some(NonZeroUsize::MIN), double)
        .take_while(|workers| workers.get() <= bound)
        .collect()
}

/// The run of one contestant on one problem with a number of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingRow {
    /// The kind of list.
    pub shape: String,
    /// The number of the problem.
    pub problem: u64,
    /// The name of the contestant.
    pub algorithm: String,
    /// Number of workers.
    pub workers: usize,
    /// Number of verdicts that the search received.
    pub told: u64,
    /// Number of queries started, including speculative ones that were not needed.
    pub executed: u64,
    /// Virtual time of the run.
    pub latency: f64,
    /// Number of queries of one worker.
    #[serde(rename = "alone_told")]
    pub single_told: u64,
    /// Virtual time of one worker.
    #[serde(rename = "alone")]
    pub single_latency: f64,
    /// Number of elements kept.
    pub kept: usize,
}

/// The result of the measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingResult {
    /// The parameters.
    pub setup: ScalingSetup,
    /// The kinds of lists.
    pub shapes: Vec<String>,
    /// The names of the contestants.
    pub algorithms: Vec<String>,
    /// The runs, ordered by problem, then by contestant, and by number of workers.
    pub rows: Vec<ScalingRow>,
}

/// Runs every contestant on every problem with every number of workers.
///
/// # Cost
/// Dominated by the planner with many workers.
#[must_use]
pub fn run(contestants: &[Contestant], shapes: &[Shape], setup: &ScalingSetup) -> ScalingResult {
    let mut tasks = Vec::new();
    for (shape, problem) in problems(shapes, setup.problems) {
        for contestant in contestants {
            tasks.push((shape, problem, contestant));
        }
    }
    let rows = parallel::map(&tasks, |&(shape, index, contestant)| {
        let problem = shape.problem(setup.length, setup.seed, index);
        let measured = |workers| {
            let pool = WorkerPool {
                workers,
                latency: setup.latency,
            };
            let search = contestant.algorithm.on(problem.list());
            simulate(search, |kept: &Subset| problem.judge(kept), pool)
        };
        let single = measured(NonZeroUsize::MIN);
        let mut rows = Vec::new();
        for &workers in &setup.workers {
            let run = measured(workers);
            rows.push(ScalingRow {
                shape: shape.to_string(),
                problem: index,
                algorithm: contestant.label.clone(),
                workers: workers.get(),
                told: run.told,
                executed: run.executed,
                latency: run.latency,
                single_told: single.told,
                single_latency: single.latency,
                kept: run.best.count(),
            });
        }
        rows
    });
    ScalingResult {
        setup: setup.clone(),
        shapes: shapes.iter().map(Shape::to_string).collect(),
        algorithms: (contestants.iter())
            .map(|contestant| contestant.label.clone())
            .collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

/// The result of one number of workers on one kind of list, in geometric means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalingPoint {
    /// Virtual time.
    pub latency: f64,
    /// Virtual time of one worker, divided by this one.
    pub speedup: f64,
    /// Number of queries started, including speculative ones.
    pub executed: f64,
    /// Number of queries started, divided by that of one worker.
    pub work: f64,
}

impl ScalingResult {
    /// Returns the result for a number of workers; `None` when it was not measured, or a list
    /// needed no test.
    #[must_use]
    pub fn point(&self, shape: usize, algorithm: usize, workers: usize) -> Option<ScalingPoint> {
        let (shape, algorithm) = (self.shapes.get(shape)?, self.algorithms.get(algorithm)?);
        let rows: Vec<&ScalingRow> = (self.rows.iter())
            .filter(|row| row.workers == workers)
            .filter(|row| row.shape == *shape && row.algorithm == *algorithm)
            .collect();
        let all =
            |value: fn(&ScalingRow) -> f64| rows.iter().map(|row| value(row)).collect::<Vec<f64>>();
        let (latency, executed) = (all(|row| row.latency), all(|row| row.executed as f64));
        Some(ScalingPoint {
            latency: geometric_mean(&latency)?,
            speedup: ratio_of_geometric_means(&all(|row| row.single_latency), &latency)?,
            executed: geometric_mean(&executed)?,
            work: ratio_of_geometric_means(&executed, &all(|row| row.single_told as f64))?,
        })
    }

    fn summary(&self) -> TextTable {
        let columns = [
            ("kind of list", Align::Left),
            ("algorithm", Align::Left),
            ("workers", Align::Right),
            ("latency", Align::Right),
            ("times faster", Align::Right),
            ("tests run", Align::Right),
            ("times the work", Align::Right),
        ];
        let mut table = TextTable::new(columns);
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                for workers in &self.setup.workers {
                    let point = self.point(shape, algorithm, workers.get());
                    table.push([
                        shape_name.clone(),
                        name.clone(),
                        number(workers.get() as f64, 0),
                        maybe(point.map(|point| point.latency), 1),
                        maybe(point.map(|point| point.speedup), 2),
                        maybe(point.map(|point| point.executed), 0),
                        maybe(point.map(|point| point.work), 2),
                    ]);
                }
            }
        }
        table
    }

    fn figures(&self) -> Vec<ReportFigure> {
        let mut figures = Vec::new();
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                let lines = |label: &str, value: fn(ScalingPoint) -> f64| LinePlot {
                    x: Axis::new("workers", Scale::Log).with_ticks(
                        self.setup
                            .workers
                            .iter()
                            .map(|workers| workers.get() as f64),
                    ),
                    y: Axis::new(label, Scale::Log),
                    series: vec![LineSeries {
                        name: "speculation".to_owned(),
                        style: 0,
                        points: (self.setup.workers.iter())
                            .filter_map(|workers| {
                                let point = self.point(shape, algorithm, workers.get())?;
                                Some((workers.get() as f64, value(point)))
                            })
                            .collect(),
                    }],
                    reference: Some(1.0),
                };
                figures.push(lines("times faster", |point| point.speedup).figure(
                    format!("{name}, {shape_name}: time"),
                    "How many times faster than one worker; higher is better.",
                ));
                figures.push(lines("times the tests", |point| point.work).figure(
                    format!("{name}, {shape_name}: work"),
                    "Tests run, including speculative ones that were not needed, divided by those \
                     of one worker; lower is better.",
                ));
            }
        }
        figures
    }
}

impl Report for ScalingResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let latency = match self.setup.latency {
            Latency::Unit => "1 each".to_owned(),
            Latency::Drawn { seed } => format!("drawn, seed {seed}"),
        };
        let page = HtmlPage {
            title: "Many workers".to_owned(),
            lead: "Virtual time and tests run with a growing number of workers. Speculation runs tests that are likely \
                   to be needed next. Geometric means over the lists of a kind."
                .to_owned(),
            settings: vec![
                ("elements", number(self.setup.length as f64, 0)),
                ("problems of each kind", number(self.setup.problems as f64, 0)),
                ("seed", self.setup.seed.to_string()),
                ("a test takes", latency),
            ],
            figures: self.figures(),
            tables: vec![("All numbers of workers".to_owned(), self.summary())],
        };
        page.html()
    }
}
