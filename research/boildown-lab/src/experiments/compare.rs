//! Comparison of list algorithms on synthetic lists.

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm as _, Sweep};
use boildown_search::{AnyListSearch, Sequence};
use serde::{Deserialize, Serialize};

use super::runs::{Measure, RunPlan, RunRecord, Runs};
use super::{Comparison, Contestant, problems, run_on_problem};
use crate::parallel;
use crate::report::plot::{Axis, Plot as _, PlotRow, RowPlot, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::statistics::mean;
use crate::workload::Shape;

/// The parameters of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompareSetup {
    /// Number of elements of a list, for kinds without a length of their own.
    pub length: usize,
    /// Number of problems of each kind; fixed kinds have one.
    pub problems: u64,
    /// The random seed of the lists.
    pub seed: u64,
    /// The runs of each contestant on a problem.
    pub plan: RunPlan,
    /// The step after each algorithm.
    pub finish: Finish,
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

    /// Starts an algorithm on a list, and the step after it.
    pub(super) fn search(self, algorithm: &Algorithm, list: List) -> AnyListSearch {
        let search = algorithm.on(list.clone());
        match self {
            Self::Bare => search,
            Self::Swept => AnyListSearch::new(Sequence::new(search, Sweep::on(list))),
        }
    }
}

impl Default for CompareSetup {
    fn default() -> Self {
        Self {
            length: 120,
            problems: 20,
            seed: 1,
            plan: RunPlan::default(),
            finish: Finish::Bare,
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
    /// The number of the run, from 0: runs have different seeds.
    pub run: u64,
    /// Whether the search ended by itself.
    pub finished: bool,
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
    let rows = parallel::map(&problems, |&(shape, index)| {
        let problem = shape.problem(setup.length, setup.seed, index);
        let row = |contestant: &Contestant, run: u64, algorithm: &Algorithm| {
            let search = setup.finish.search(algorithm, problem.list());
            let ended = run_on_problem(&problem, search, setup.plan.rules);
            CompareRow {
                shape: shape.to_string(),
                problem: index,
                elements: problem.length,
                algorithm: contestant.label.clone(),
                queries: ended.queries,
                kept: ended.kept,
                run,
                finished: ended.finished,
            }
        };
        let rows = contestants.iter().flat_map(|contestant| {
            let runs = setup.plan.algorithms(&contestant.algorithm);
            runs.map(|(run, algorithm)| row(contestant, run, &algorithm))
        });
        rows.collect::<Vec<_>>()
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

impl CompareResult {
    fn runs(&self) -> Runs<'_> {
        let records = self.rows.iter().map(|row| RunRecord {
            group: &row.shape,
            contestant: &row.algorithm,
            case: (row.problem, ""),
            run: row.run,
            finished: row.finished,
            tests: row.queries,
            size: row.kept as u64,
        });
        Runs {
            records: records.collect(),
            contestants: &self.algorithms,
        }
    }

    /// Compares the tests of a contestant on a kind of list with those of the first contestant.
    #[must_use]
    pub fn queries(&self, shape: usize, contestant: usize) -> Comparison {
        self.runs()
            .paired(&self.shapes[shape], contestant, Measure::Tests)
            .comparison()
    }

    fn summary(&self) -> TextTable {
        let plan = &self.setup.plan;
        let names = [("kind of list", Align::Left), ("algorithm", Align::Left)];
        let compared = [("bound", Align::Right), ("geom. ratio", Align::Right)];
        let p = || [("p", Align::Right)];
        let mut table = TextTable::new(
            (names.into_iter().chain(plan.tests_heading("tests, mean")))
                .chain(compared.into_iter().chain(p()))
                .chain(plan.heading("kept, mean").chain(p())),
        );
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (contestant, name) in self.algorithms.iter().enumerate() {
                let queries = self.runs().paired(shape_name, contestant, Measure::Tests);
                let kept = self.runs().paired(shape_name, contestant, Measure::Size);
                let compared = queries.comparison();
                let mut cells = vec![shape_name.clone(), name.clone()];
                cells.extend(plan.tests_cells(&queries, mean, 1));
                cells.extend([
                    maybe(self.bits[shape], 1),
                    queries.ratio(compared.geometric),
                    p_value(compared.p),
                ]);
                cells.extend(plan.cells(&kept, mean, 1));
                cells.push(p_value(kept.comparison().p));
                table.push(cells);
            }
        }
        table
    }

    /// Draws the mean of a number by kind of list.
    fn means(&self, title: &str, label: &str, measure: Measure) -> ReportFigure {
        let runs = self.runs();
        let row = |name: &String| PlotRow {
            name: name.clone(),
            values: (0..self.algorithms.len())
                .map(|contestant| mean(&runs.paired(name, contestant, measure).means()))
                .collect(),
        };
        let dots = RowPlot {
            x: Axis::new(label, Scale::Log),
            series: self.algorithms.clone(),
            rows: self.shapes.iter().map(row).collect(),
            reference: None,
        };
        dots.figure(
            title,
            "Arithmetic means over the lists of a kind; further left is better.",
        )
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
        let shapes = || self.shapes.iter().map(String::as_str);
        let ratios = |titles, measure| self.runs().ratios(titles, shapes(), measure);
        let page = HtmlPage {
            title: "Algorithms on lists".to_owned(),
            lead: "Synthetic lists of several kinds, each minimised by every algorithm. Ratios and p-values (paired \
                   Wilcoxon signed-rank test) are against the first algorithm. The bound is the information in the \
                   choice of the needed elements, n times the entropy of their share where each is chosen alone: no \
                   search that finds them asks fewer questions in the mean."
                .to_owned(),
            settings: [
                ("elements", number(self.setup.length as f64, 0)),
                ("problems of each kind", number(self.setup.problems as f64, 0)),
                ("seed", self.setup.seed.to_string()),
                ("repeated candidates", self.setup.plan.rules.repeats.name().to_owned()),
                ("followed by", self.setup.finish.name().to_owned()),
            ]
            .into_iter()
            .chain(self.setup.plan.settings())
            .collect(),
            figures: vec![
                self.means("Tests", "tests, mean", Measure::Tests),
                ratios(["Tests by list", "tests"], Measure::Tests),
                self.means("Results", "elements kept, mean", Measure::Size),
                ratios(["Results by list", "elements kept"], Measure::Size),
            ],
            tables: vec![("All kinds".to_owned(), self.summary())],
        };
        page.html()
    }
}
