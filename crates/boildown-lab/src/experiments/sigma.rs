//! A parameter under a magnifying glass: how much do questions depend on it?

use std::num::NonZeroUsize;

use boildown_search::list::Algorithm;
use serde::{Deserialize, Serialize};

use super::{THREADS, minimise, problems, repeats_name};
use crate::parallel;
use crate::report::plot::{Axis, Lines, Scale, Series};
use crate::report::{Align, Figure, Page, Report, Table, csv, maybe, number};
use crate::simulate::Repeats;
use crate::statistics::mean;
use crate::workload::Shape;

/// The values that the ProbDD paper gives its parameter σ, the probability that an element is needed before anything is known.
pub const SIGMAS: [f64; 7] = [0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3];

/// An algorithm with a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// Its name without the parameter.
    pub label: String,
    /// The parameter and the algorithm with it, in ascending order.
    pub members: Vec<(f64, Algorithm)>,
}

impl Family {
    /// Makes one member for each value.
    pub fn new(label: &str, values: &[f64], member: impl Fn(f64) -> Algorithm) -> Self {
        Self {
            label: label.to_owned(),
            members: values.iter().map(|&value| (value, member(value))).collect(),
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// How long the lists are whose kind has no length of its own.
    pub length: usize,
    /// How many problems of each kind; the examples of papers are one each.
    pub problems: u64,
    /// What they are made from.
    pub seed: u64,
    /// How repeated candidates count.
    pub repeats: Repeats,
    /// How many threads do it; the result does not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            length: 200,
            problems: 20,
            seed: 1,
            repeats: Repeats::Skipped,
            threads: THREADS,
        }
    }
}

/// One member of a family on one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kind of problem.
    pub shape: String,
    /// Its number.
    pub problem: u64,
    /// The family.
    pub family: String,
    /// The parameter.
    pub sigma: f64,
    /// The questions asked.
    pub questions: u64,
    /// The elements kept.
    pub kept: usize,
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct Sigma {
    /// What was measured.
    pub setup: Setup,
    /// The kinds of problems.
    pub shapes: Vec<String>,
    /// The families, each with its parameters.
    pub families: Vec<(String, Vec<f64>)>,
    /// By kind, then by problem, then by family, then by parameter.
    pub rows: Vec<Row>,
}

/// Runs every member of every family on every problem.
#[must_use]
pub fn run(families: &[Family], shapes: &[Shape], setup: &Setup) -> Sigma {
    let problems = problems(shapes, setup.problems);
    let rows = parallel::map(&problems, setup.threads, |_, &(shape, index)| {
        let problem = shape.problem(setup.length, setup.seed, index);
        let members = families
            .iter()
            .flat_map(|family| family.members.iter().map(move |member| (family, member)));
        let rows = members.map(|(family, &(sigma, algorithm))| {
            let (questions, kept) = minimise(&problem, algorithm, setup.repeats);
            Row {
                shape: shape.to_string(),
                problem: index,
                family: family.label.clone(),
                sigma,
                questions,
                kept,
            }
        });
        rows.collect::<Vec<_>>()
    });
    let sigmas = |family: &Family| family.members.iter().map(|(sigma, _)| *sigma).collect();
    Sigma {
        setup: *setup,
        shapes: shapes.iter().map(Shape::to_string).collect(),
        families: (families.iter())
            .map(|family| (family.label.clone(), sigmas(family)))
            .collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

impl Sigma {
    /// Returns the mean of a number over the problems of a kind, for one member of a family.
    fn mean(
        &self,
        (shape, family, sigma): (&str, &str, f64),
        value: impl Fn(&Row) -> f64,
    ) -> Option<f64> {
        let rows = self.rows.iter().filter(|row| {
            row.shape == shape && row.family == family && row.sigma.total_cmp(&sigma).is_eq()
        });
        mean(&rows.map(value).collect::<Vec<_>>())
    }

    fn summary(&self) -> Table {
        let mut table = Table::new([
            ("kind of list", Align::Left),
            ("algorithm", Align::Left),
            ("σ", Align::Right),
            ("questions, mean", Align::Right),
            ("kept, mean", Align::Right),
        ]);
        for shape in &self.shapes {
            for (family, sigmas) in &self.families {
                for &sigma in sigmas {
                    let member = (shape.as_str(), family.as_str(), sigma);
                    table.push([
                        shape.clone(),
                        family.clone(),
                        sigma.to_string(),
                        maybe(self.mean(member, |row| row.questions as f64), 1),
                        maybe(self.mean(member, |row| row.kept as f64), 1),
                    ]);
                }
            }
        }
        table
    }

    fn figure(&self, shape: &str) -> Figure {
        let series = |(style, (family, sigmas)): (usize, &(String, Vec<f64>))| Series {
            name: family.clone(),
            style,
            points: (sigmas.iter())
                .filter_map(|&sigma| {
                    let member = (shape, family.as_str(), sigma);
                    Some((sigma, self.mean(member, |row| row.questions as f64)?))
                })
                .collect(),
        };
        let lines = Lines {
            x: Axis::new(
                "σ, the probability at first that an element is needed",
                Scale::Log,
            )
            .with_ticks(
                self.families
                    .first()
                    .map_or(&[][..], |(_, sigmas)| sigmas)
                    .iter()
                    .copied(),
            ),
            y: Axis::new("questions asked, mean", Scale::Linear),
            series: self.families.iter().enumerate().map(series).collect(),
            reference: None,
        };
        Figure {
            title: shape.to_owned(),
            caption: String::new(),
            svg: lines.svg(),
        }
    }
}

impl Report for Sigma {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let page = Page {
            title: "Questions over σ".to_owned(),
            lead: "How much the questions asked depend on the parameter σ of the probabilistic algorithms, on several \
                   kinds of lists."
                .to_owned(),
            settings: vec![
                ("elements".to_owned(), number(self.setup.length as f64, 0)),
                ("problems of each kind".to_owned(), number(self.setup.problems as f64, 0)),
                ("seed".to_owned(), self.setup.seed.to_string()),
                ("repeated candidates".to_owned(), repeats_name(self.setup.repeats)),
            ],
            figures: self.shapes.iter().map(|shape| self.figure(shape)).collect(),
            tables: vec![("All members".to_owned(), self.summary())],
        };
        page.html()
    }
}
