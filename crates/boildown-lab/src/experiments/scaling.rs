//! Many workers: what do guesses and width gain, and what do they waste?

use std::fmt;
use std::num::NonZeroUsize;

use boildown_search::list::{Algorithm, Minimise as _};
use boildown_search::{Epochs, Subset};
use serde::{Deserialize, Serialize};

use super::{Contestant, THREADS, problems};
use crate::parallel;
use crate::report::plot::{Axis, Lines, Scale, Series};
use crate::report::{Align, Figure, Page, Report, Table, csv, maybe, number};
use crate::simulate::{Ahead, Latency, Pool, Simulated, simulate};
use crate::statistics::{geometric_mean, ratio_of_geometric_means};
use crate::workload::{Problem, Shape};

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The numbers of workers, ascending.
    pub workers: Vec<NonZeroUsize>,
    /// How long the lists are whose kind has no length of its own.
    pub length: usize,
    /// How many problems of each kind; the examples of papers are one each.
    pub problems: u64,
    /// What they are made from.
    pub seed: u64,
    /// How long a question takes.
    pub latency: Latency,
    /// How many threads do it; the result does not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            workers: powers_of_two(1024),
            length: 200,
            problems: 3,
            seed: 1,
            latency: Latency::Unit,
            threads: THREADS,
        }
    }
}

/// Returns 1, 2, 4 … up to a bound.
#[must_use]
pub fn powers_of_two(bound: usize) -> Vec<NonZeroUsize> {
    let double = |workers: &NonZeroUsize| workers.checked_mul(NonZeroUsize::MIN.saturating_add(1));
    std::iter::successors(Some(NonZeroUsize::MIN), double)
        .take_while(|workers| workers.get() <= bound)
        .collect()
}

/// What keeps the workers busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Guesses about what is asked next: the planner over the bare machine.
    Speculation,
    /// Deletions asked together, as many as there are workers, and nothing else.
    Width,
    /// Both.
    Both,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 3] = [Self::Speculation, Self::Width, Self::Both];
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Speculation => "speculation",
            Self::Width => "width",
            Self::Both => "both",
        })
    }
}

/// One contestant on one problem with some workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kind of problem.
    pub shape: String,
    /// Its number.
    pub problem: u64,
    /// Who.
    pub algorithm: String,
    /// What keeps the workers busy.
    pub layer: Layer,
    /// How many there are.
    pub workers: usize,
    /// The questions whose answers were heard.
    pub told: u64,
    /// The questions started.
    pub executed: u64,
    /// The virtual time it took; one worker with the bare machine needs `alone`.
    pub latency: f64,
    /// The questions of one worker with the bare machine.
    pub alone_told: u64,
    /// The virtual time of one worker with the bare machine.
    pub alone: f64,
    /// The elements kept.
    pub kept: usize,
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// What was measured.
    pub setup: Setup,
    /// The kinds of problems.
    pub shapes: Vec<String>,
    /// The contestants.
    pub algorithms: Vec<String>,
    /// By problem, then by contestant, then by layer, then by workers.
    pub rows: Vec<Row>,
}

/// Runs every contestant on every problem with every number of workers.
///
/// # Cost
/// Most of it is the planner with 1,000 workers.
#[must_use]
pub fn run(contestants: &[Contestant], shapes: &[Shape], setup: &Setup) -> Scaling {
    let mut tasks = Vec::new();
    for (shape, problem) in problems(shapes, setup.problems) {
        for contestant in contestants {
            tasks.push((shape, problem, contestant));
        }
    }
    let rows = parallel::map(&tasks, setup.threads, |_, &(shape, index, contestant)| {
        let problem = shape.problem(setup.length, setup.seed, index);
        let measured = |layer, workers| {
            measure(
                &problem,
                contestant.algorithm,
                layer,
                (workers, setup.latency),
            )
        };
        let alone = measured(Layer::Speculation, NonZeroUsize::MIN);
        let mut rows = Vec::new();
        for layer in Layer::ALL {
            for &workers in &setup.workers {
                let run = measured(layer, workers);
                rows.push(Row {
                    shape: shape.to_string(),
                    problem: index,
                    algorithm: contestant.label.clone(),
                    layer,
                    workers: workers.get(),
                    told: run.told,
                    executed: run.executed,
                    latency: run.latency,
                    alone_told: alone.told,
                    alone: alone.latency,
                    kept: run.best.count(),
                });
            }
        }
        rows
    });
    Scaling {
        setup: setup.clone(),
        shapes: shapes.iter().map(Shape::to_string).collect(),
        algorithms: (contestants.iter())
            .map(|contestant| contestant.label.clone())
            .collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

fn measure(
    problem: &Problem,
    algorithm: Algorithm,
    layer: Layer,
    (workers, latency): (NonZeroUsize, Latency),
) -> Simulated<Subset> {
    let machine = algorithm.on(problem.list());
    let judge = |kept: &Subset| problem.judge(kept);
    let pool = |ahead| Pool {
        workers,
        latency,
        ahead,
    };
    match layer {
        Layer::Speculation => simulate(machine, judge, pool(Ahead::Guesses)),
        Layer::Width => simulate(
            Epochs::new(machine, workers),
            judge,
            pool(Ahead::Certainties),
        ),
        Layer::Both => simulate(Epochs::new(machine, workers), judge, pool(Ahead::Guesses)),
    }
}

/// What some workers come to on one kind of problem, in geometric means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The virtual time.
    pub latency: f64,
    /// How many times faster than one worker with the bare machine.
    pub speedup: f64,
    /// The questions started.
    pub executed: f64,
    /// How many times the questions of one worker with the bare machine.
    pub work: f64,
}

impl Scaling {
    /// Returns what so many workers come to; `None` when that was not measured, or a list needed no question.
    #[must_use]
    pub fn point(
        &self,
        shape: usize,
        algorithm: usize,
        layer: Layer,
        workers: usize,
    ) -> Option<Point> {
        let (shape, algorithm) = (self.shapes.get(shape)?, self.algorithms.get(algorithm)?);
        let rows: Vec<&Row> = (self.rows.iter())
            .filter(|row| row.layer == layer && row.workers == workers)
            .filter(|row| row.shape == *shape && row.algorithm == *algorithm)
            .collect();
        let all = |value: fn(&Row) -> f64| rows.iter().map(|row| value(row)).collect::<Vec<f64>>();
        let (latency, executed) = (all(|row| row.latency), all(|row| row.executed as f64));
        Some(Point {
            latency: geometric_mean(&latency)?,
            speedup: ratio_of_geometric_means(&all(|row| row.alone), &latency)?,
            executed: geometric_mean(&executed)?,
            work: ratio_of_geometric_means(&executed, &all(|row| row.alone_told as f64))?,
        })
    }

    fn summary(&self) -> Table {
        let columns = [
            ("kind of list", Align::Left),
            ("algorithm", Align::Left),
            ("busy by", Align::Left),
            ("workers", Align::Right),
            ("latency", Align::Right),
            ("times faster", Align::Right),
            ("questions run", Align::Right),
            ("times the work", Align::Right),
        ];
        let mut table = Table::new(columns);
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                for layer in Layer::ALL {
                    for workers in &self.setup.workers {
                        let point = self.point(shape, algorithm, layer, workers.get());
                        table.push([
                            shape_name.clone(),
                            name.clone(),
                            layer.to_string(),
                            number(workers.get() as f64, 0),
                            maybe(point.map(|point| point.latency), 1),
                            maybe(point.map(|point| point.speedup), 2),
                            maybe(point.map(|point| point.executed), 0),
                            maybe(point.map(|point| point.work), 2),
                        ]);
                    }
                }
            }
        }
        table
    }

    fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                let lines = |label: &str, value: fn(Point) -> f64| Lines {
                    x: Axis::new("workers", Scale::Log).with_ticks(
                        self.setup
                            .workers
                            .iter()
                            .map(|workers| workers.get() as f64),
                    ),
                    y: Axis::new(label, Scale::Log),
                    series: (Layer::ALL.iter().enumerate())
                        .map(|(style, &layer)| Series {
                            name: layer.to_string(),
                            style,
                            points: (self.setup.workers.iter())
                                .filter_map(|workers| {
                                    let point =
                                        self.point(shape, algorithm, layer, workers.get())?;
                                    Some((workers.get() as f64, value(point)))
                                })
                                .collect(),
                        })
                        .collect(),
                    reference: Some(1.0),
                };
                figures.push(Figure {
                    title: format!("{name}, {shape_name}: time"),
                    caption: "How many times faster than one worker; higher is better.".to_owned(),
                    svg: lines("times faster", |point| point.speedup).svg(),
                });
                figures.push(Figure {
                    title: format!("{name}, {shape_name}: work"),
                    caption: "Questions run, guesses in vain included, for each question of one worker; lower is better."
                        .to_owned(),
                    svg: lines("times the questions", |point| point.work).svg(),
                });
            }
        }
        figures
    }
}

impl Report for Scaling {
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
        let page = Page {
            title: "Many workers".to_owned(),
            lead: "Virtual time and questions run with a growing number of workers. Speculation runs what is likely to be \
                   asked next; width asks about several deletions together, one for each worker; or both. Geometric \
                   means over the problems of a kind."
                .to_owned(),
            settings: vec![
                ("elements".to_owned(), number(self.setup.length as f64, 0)),
                ("problems of each kind".to_owned(), number(self.setup.problems as f64, 0)),
                ("seed".to_owned(), self.setup.seed.to_string()),
                ("a question takes".to_owned(), latency),
            ],
            figures: self.figures(),
            tables: vec![("All numbers of workers".to_owned(), self.summary())],
        };
        page.html()
    }
}
