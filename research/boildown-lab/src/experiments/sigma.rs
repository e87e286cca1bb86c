//! Sensitivity of the probabilistic algorithms to their parameter σ.

use boildown_search::algorithms::Algorithm;
use serde::{Deserialize, Serialize};

use super::Contestant;
use super::compare::{self, CompareRow, CompareSetup};
use crate::report::plot::{Axis, LinePlot, LineSeries, Plot as _, Scale};
use crate::report::{Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number};
use crate::statistics::mean;
use crate::workload::Shape;

/// The values of σ in the ProbDD paper. σ is the estimated probability that an element is needed,
/// before any test.
pub const SIGMAS: [f64; 7] = [0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3];

/// An algorithm with one parameter, for several values of the parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct AlgorithmFamily {
    /// The name without the parameter.
    pub label: String,
    /// The values of the parameter, ascending, each with the algorithm.
    pub members: Vec<(f64, Algorithm)>,
}

impl AlgorithmFamily {
    /// Makes one member for each value of the parameter.
    pub fn new(label: &str, values: &[f64], member: impl Fn(f64) -> Algorithm) -> Self {
        Self {
            label: label.to_owned(),
            members: values.iter().map(|&value| (value, member(value))).collect(),
        }
    }
}

/// The run of one member of a family on one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SigmaRow {
    /// The kind of list.
    pub shape: String,
    /// The number of the problem.
    pub problem: u64,
    /// The family.
    pub family: String,
    /// The value of the parameter.
    pub sigma: f64,
    /// Number of tests.
    pub queries: u64,
    /// Number of elements kept.
    pub kept: usize,
}

/// The result of the measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct SigmaResult {
    /// The parameters.
    pub setup: CompareSetup,
    /// The kinds of lists.
    pub shapes: Vec<String>,
    /// The names of the families, each with the values of its parameter.
    pub families: Vec<(String, Vec<f64>)>,
    /// The runs, ordered by kind, then by problem, then by family, then by parameter.
    pub rows: Vec<SigmaRow>,
}

/// Runs every member of every family on every problem.
#[must_use]
pub fn run(families: &[AlgorithmFamily], shapes: &[Shape], setup: &CompareSetup) -> SigmaResult {
    let members = || {
        let families = families.iter();
        families.flat_map(|family| family.members.iter().map(move |member| (family, member)))
    };
    let contestants: Vec<Contestant> = members()
        .map(|(_, (_, algorithm))| algorithm.clone().into())
        .collect();
    let compared = compare::run(&contestants, shapes, setup);
    let row = |(row, (family, (sigma, _))): (CompareRow, (&AlgorithmFamily, &(f64, _)))| SigmaRow {
        shape: row.shape,
        problem: row.problem,
        family: family.label.clone(),
        sigma: *sigma,
        queries: row.queries,
        kept: row.kept,
    };
    let rows = compared.rows.into_iter().zip(members().cycle());
    let sigmas =
        |family: &AlgorithmFamily| family.members.iter().map(|(sigma, _)| *sigma).collect();
    SigmaResult {
        setup: *setup,
        shapes: compared.shapes,
        families: (families.iter())
            .map(|family| (family.label.clone(), sigmas(family)))
            .collect(),
        rows: rows.map(row).collect(),
    }
}

impl SigmaResult {
    /// Returns the mean of a value over the problems of a kind, for one member of a family.
    fn mean(
        &self,
        shape: &str,
        family: &str,
        sigma: f64,
        value: impl Fn(&SigmaRow) -> f64,
    ) -> Option<f64> {
        let rows = self.rows.iter().filter(|row| {
            row.shape == shape && row.family == family && row.sigma.total_cmp(&sigma).is_eq()
        });
        mean(&rows.map(value).collect::<Vec<_>>())
    }

    fn summary(&self) -> TextTable {
        let mut table = TextTable::new([
            ("kind of list", Align::Left),
            ("algorithm", Align::Left),
            ("σ", Align::Right),
            ("tests, mean", Align::Right),
            ("kept, mean", Align::Right),
        ]);
        for shape in &self.shapes {
            for (family, sigmas) in &self.families {
                for &sigma in sigmas {
                    let mean = |value: fn(&SigmaRow) -> f64| self.mean(shape, family, sigma, value);
                    table.push([
                        shape.clone(),
                        family.clone(),
                        sigma.to_string(),
                        maybe(mean(|row| row.queries as f64), 1),
                        maybe(mean(|row| row.kept as f64), 1),
                    ]);
                }
            }
        }
        table
    }

    fn figure(&self, shape: &str) -> ReportFigure {
        let series = |(style, (family, sigmas)): (usize, &(String, Vec<f64>))| LineSeries {
            name: family.clone(),
            style,
            points: (sigmas.iter())
                .filter_map(|&sigma| {
                    let queries = self.mean(shape, family, sigma, |row| row.queries as f64)?;
                    Some((sigma, queries))
                })
                .collect(),
        };
        let lines = LinePlot {
            x: Axis::new(
                "σ, the estimated probability that an element is needed",
                Scale::Log,
            )
            .with_ticks(
                self.families
                    .first()
                    .map_or(&[][..], |(_, sigmas)| sigmas)
                    .iter()
                    .copied(),
            ),
            y: Axis::new("tests, mean", Scale::Linear),
            series: self.families.iter().enumerate().map(series).collect(),
            reference: None,
        };
        lines.figure(shape, "")
    }
}

impl Report for SigmaResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let page = HtmlPage {
            title: "Tests by σ".to_owned(),
            lead: "The number of tests of the probabilistic algorithms by their parameter σ, on several kinds of lists."
                .to_owned(),
            settings: vec![
                ("elements", number(self.setup.length as f64, 0)),
                ("problems of each kind", number(self.setup.problems as f64, 0)),
                ("seed", self.setup.seed.to_string()),
                ("repeated candidates", self.setup.plan.rules.repeats.name().to_owned()),
            ],
            figures: self.shapes.iter().map(|shape| self.figure(shape)).collect(),
            tables: vec![("All values".to_owned(), self.summary())],
        };
        page.html()
    }
}
