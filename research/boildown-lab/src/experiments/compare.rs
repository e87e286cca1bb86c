//! Comparison of list algorithms on synthetic lists.

use std::num::NonZeroUsize;

use boildown_search::list::{ListAlgorithm as _, Sweep};
use boildown_search::{Sequence, Subset};
use serde::{Deserialize, Serialize};

use super::{
    Comparison, Contestant, DEFAULT_THREADS, RunResult, describe_repeats, problems, run_on_problem,
};
use crate::parallel;
use crate::report::plot::{Axis, DotPlot, DotPlotRow, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::simulate::{RepeatedCandidates, run_single_worker};
use crate::statistics::mean;
use crate::workload::{ListProblem, Shape};

/// The parameters of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompareSetup {
    /// Number of elements of a list, for kinds without a length of their own.
    pub length: usize,
    /// Number of problems of each kind; fixed kinds have one.
    pub problems: u64,
    /// The random seed of the lists.
    pub seed: u64,
    /// The way of counting repeated candidates.
    pub repeats: RepeatedCandidates,
    /// The step after each algorithm.
    pub finish: Finish,
    /// Number of threads. The result does not depend on it.
    pub threads: NonZeroUsize,
}

/// The step after an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// None: results are what each algorithm guarantees.
    Bare,
    /// A sweep over single elements, so that all results are 1-minimal.
    Swept,
}

impl Finish {
    /// Returns the name for the settings of a page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bare => "no other step",
            Self::Swept => "a sweep over single elements",
        }
    }
}

impl Default for CompareSetup {
    fn default() -> Self {
        Self {
            length: 120,
            problems: 20,
            seed: 1,
            repeats: RepeatedCandidates::Skipped,
            finish: Finish::Bare,
            threads: DEFAULT_THREADS,
        }
    }
}

/// The run of one contestant on one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRow {
    /// The kind of list.
    pub shape: String,
    /// The number of the problem.
    pub problem: u64,
    /// Number of elements of the list.
    pub elements: usize,
    /// The name of the contestant.
    pub algorithm: String,
    /// Number of tests.
    pub queries: u64,
    /// Number of elements kept.
    pub kept: usize,
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareResult {
    /// The parameters.
    pub setup: CompareSetup,
    /// The kinds of lists.
    pub shapes: Vec<String>,
    /// For each kind, the information in the choice of the needed elements, as a mean in bits: no
    /// algorithm asks fewer questions in the mean. `None` where it is not known.
    pub bits: Vec<Option<f64>>,
    /// The names of the contestants.
    pub algorithms: Vec<String>,
    /// The runs, ordered by kind, then by problem, then by contestant.
    pub rows: Vec<CompareRow>,
}

/// Runs every contestant on every problem.
#[must_use]
pub fn run(contestants: &[Contestant], shapes: &[Shape], setup: &CompareSetup) -> CompareResult {
    let bits = |shape: &Shape| {
        let problems =
            (0..setup.problems).map(|index| shape.problem(setup.length, setup.seed, index));
        let bits = problems
            .map(|problem| problem.bits)
            .collect::<Option<Vec<f64>>>()?;
        mean(&bits)
    };
    let problems = problems(shapes, setup.problems);
    let rows = parallel::map(&problems, setup.threads, |_, &(shape, index)| {
        let problem = shape.problem(setup.length, setup.seed, index);
        let row = |contestant: &Contestant| {
            let RunResult { queries, kept } = run_with_finish(&problem, contestant, setup);
            CompareRow {
                shape: shape.to_string(),
                problem: index,
                elements: problem.length,
                algorithm: contestant.label.clone(),
                queries,
                kept,
            }
        };
        contestants.iter().map(row).collect::<Vec<_>>()
    });
    CompareResult {
        setup: *setup,
        shapes: shapes.iter().map(Shape::to_string).collect(),
        bits: shapes.iter().map(bits).collect(),
        algorithms: (contestants.iter())
            .map(|contestant| contestant.label.clone())
            .collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

/// Runs a contestant, and the step after it.
fn run_with_finish(
    problem: &ListProblem,
    contestant: &Contestant,
    setup: &CompareSetup,
) -> RunResult {
    match setup.finish {
        Finish::Bare => run_on_problem(problem, &contestant.algorithm, setup.repeats),
        Finish::Swept => {
            let list = problem.list();
            let both = Sequence::new(contestant.algorithm.on(list.clone()), Sweep::on(list));
            let ended = run_single_worker(both, |kept: &Subset| problem.judge(kept), setup.repeats);
            RunResult {
                queries: ended.told,
                kept: ended.best.count(),
            }
        }
    }
}

impl CompareResult {
    fn values(
        &self,
        shape: usize,
        contestant: usize,
        value: impl Fn(&CompareRow) -> f64,
    ) -> Vec<f64> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.shape == self.shapes[shape]);
        rows.filter(|row| row.algorithm == self.algorithms[contestant])
            .map(value)
            .collect()
    }

    /// Compares the tests of a contestant on a kind of list with those of the first contestant.
    #[must_use]
    pub fn queries(&self, shape: usize, contestant: usize) -> Comparison {
        let queries = |contestant| self.values(shape, contestant, |row| row.queries as f64);
        Comparison::new(&queries(contestant), &queries(0))
    }

    /// Compares the elements kept by a contestant with those kept by the first.
    #[must_use]
    pub fn kept(&self, shape: usize, contestant: usize) -> Comparison {
        let kept = |contestant| self.values(shape, contestant, |row| row.kept as f64);
        Comparison::new(&kept(contestant), &kept(0))
    }

    fn summary(&self) -> TextTable {
        let mut table = TextTable::new([
            ("kind of list", Align::Left),
            ("algorithm", Align::Left),
            ("tests, mean", Align::Right),
            ("bound", Align::Right),
            ("geom. ratio", Align::Right),
            ("p", Align::Right),
            ("kept, mean", Align::Right),
            ("p", Align::Right),
        ]);
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (contestant, name) in self.algorithms.iter().enumerate() {
                let (queries, kept) = (
                    self.queries(shape, contestant),
                    self.kept(shape, contestant),
                );
                table.push([
                    shape_name.clone(),
                    name.clone(),
                    number(queries.mean, 1),
                    maybe(self.bits[shape], 1),
                    maybe(queries.geometric, 3),
                    p_value(queries.p),
                    number(kept.mean, 1),
                    p_value(kept.p),
                ]);
            }
        }
        table
    }

    fn figure(
        &self,
        title: &str,
        label: &str,
        scale: Scale,
        mean: impl Fn(usize, usize) -> f64,
    ) -> ReportFigure {
        let row = |(shape, name): (usize, &String)| DotPlotRow {
            name: name.clone(),
            values: (0..self.algorithms.len())
                .map(|contestant| Some(mean(shape, contestant)))
                .collect(),
        };
        let dots = DotPlot {
            x: Axis::new(label, scale),
            series: self.algorithms.clone(),
            rows: self.shapes.iter().enumerate().map(row).collect(),
            reference: None,
        };
        ReportFigure {
            title: title.to_owned(),
            caption: "Arithmetic means over the lists of a kind; further left is better."
                .to_owned(),
            svg: dots.svg(),
        }
    }
}

impl Report for CompareResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let page = HtmlPage {
            title: "Algorithms on lists".to_owned(),
            lead: "Synthetic lists of several kinds, each minimised by every algorithm. Ratios and p-values (paired \
                   Wilcoxon signed-rank test) are against the first algorithm. The bound is the information in the \
                   choice of the needed elements, n times the entropy of their share where each is chosen alone: no \
                   search that finds them asks fewer questions in the mean."
                .to_owned(),
            settings: vec![
                ("elements".to_owned(), number(self.setup.length as f64, 0)),
                ("problems of each kind".to_owned(), number(self.setup.problems as f64, 0)),
                ("seed".to_owned(), self.setup.seed.to_string()),
                ("repeated candidates".to_owned(), describe_repeats(self.setup.repeats)),
                ("followed by".to_owned(), self.setup.finish.name().to_owned()),
            ],
            figures: vec![
                self.figure("Tests", "tests, mean", Scale::Log, |shape, contestant| {
                    self.queries(shape, contestant).mean
                }),
                self.figure("Results", "elements kept, mean", Scale::Log, |shape, contestant| {
                    self.kept(shape, contestant).mean
                }),
            ],
            tables: vec![("All kinds".to_owned(), self.summary())],
        };
        page.html()
    }
}
