//! Chosen algorithms on chosen kinds of lists.

use std::num::NonZeroUsize;

use boildown_search::list::{Minimise as _, Sweep};
use boildown_search::{Sequence, Subset};
use serde::{Deserialize, Serialize};

use super::{Comparison, Contestant, THREADS, minimise, problems, repeats_name};
use crate::parallel;
use crate::report::plot::{Axis, Dots, Row as DotRow, Scale};
use crate::report::{Align, Figure, Page, Report, Table, csv, maybe, number, p_value};
use crate::simulate::{Repeats, alone};
use crate::workload::{Problem, Shape};

/// What is compared.
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
    /// What follows each algorithm.
    pub finish: Finish,
    /// How many threads do it; the result does not depend on it.
    pub threads: NonZeroUsize,
}

/// What follows an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// Nothing: each stops where it stops.
    Bare,
    /// A sweep of single elements, so that all results are 1-minimal.
    Swept,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            length: 120,
            problems: 20,
            seed: 1,
            repeats: Repeats::Skipped,
            finish: Finish::Bare,
            threads: THREADS,
        }
    }
}

/// One contestant on one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kind of problem.
    pub shape: String,
    /// Its number.
    pub problem: u64,
    /// Its elements.
    pub elements: usize,
    /// Who.
    pub algorithm: String,
    /// The questions asked.
    pub questions: u64,
    /// The elements kept.
    pub kept: usize,
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// What was compared.
    pub setup: Setup,
    /// The kinds of problems.
    pub shapes: Vec<String>,
    /// The contestants.
    pub algorithms: Vec<String>,
    /// By kind, then by problem, then by contestant.
    pub rows: Vec<Row>,
}

/// Runs every contestant on every problem.
#[must_use]
pub fn run(contestants: &[Contestant], shapes: &[Shape], setup: &Setup) -> Compared {
    let problems = problems(shapes, setup.problems);
    let rows = parallel::map(&problems, setup.threads, |_, &(shape, index)| {
        let problem = shape.problem(setup.length, setup.seed, index);
        let row = |contestant: &Contestant| {
            let (questions, kept) = finished(&problem, contestant, setup);
            Row {
                shape: shape.to_string(),
                problem: index,
                elements: problem.length,
                algorithm: contestant.label.clone(),
                questions,
                kept,
            }
        };
        contestants.iter().map(row).collect::<Vec<_>>()
    });
    Compared {
        setup: *setup,
        shapes: shapes.iter().map(Shape::to_string).collect(),
        algorithms: (contestants.iter())
            .map(|contestant| contestant.label.clone())
            .collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

fn finished(problem: &Problem, contestant: &Contestant, setup: &Setup) -> (u64, usize) {
    match setup.finish {
        Finish::Bare => minimise(problem, contestant.algorithm, setup.repeats),
        Finish::Swept => {
            let list = problem.list();
            let both = Sequence::new(contestant.algorithm.on(list.clone()), Sweep::on(list));
            let ended = alone(both, |kept: &Subset| problem.judge(kept), setup.repeats);
            (ended.told, ended.best.count())
        }
    }
}

impl Compared {
    fn values(&self, shape: usize, which: usize, value: impl Fn(&Row) -> f64) -> Vec<f64> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.shape == self.shapes[shape]);
        rows.filter(|row| row.algorithm == self.algorithms[which])
            .map(value)
            .collect()
    }

    /// Returns how a contestant's questions on a kind of problem compare with the first one's.
    #[must_use]
    pub fn questions(&self, shape: usize, which: usize) -> Comparison {
        let questions = |which| self.values(shape, which, |row| row.questions as f64);
        Comparison::new(&questions(which), &questions(0))
    }

    /// Returns the same for the elements kept.
    #[must_use]
    pub fn kept(&self, shape: usize, which: usize) -> Comparison {
        let kept = |which| self.values(shape, which, |row| row.kept as f64);
        Comparison::new(&kept(which), &kept(0))
    }

    fn summary(&self) -> Table {
        let mut table = Table::new([
            ("kind of list", Align::Left),
            ("algorithm", Align::Left),
            ("questions, mean", Align::Right),
            ("geom. ratio", Align::Right),
            ("p", Align::Right),
            ("kept, mean", Align::Right),
            ("p", Align::Right),
        ]);
        for (shape, shape_name) in self.shapes.iter().enumerate() {
            for (which, name) in self.algorithms.iter().enumerate() {
                let (questions, kept) = (self.questions(shape, which), self.kept(shape, which));
                table.push([
                    shape_name.clone(),
                    name.clone(),
                    number(questions.mean, 1),
                    maybe(questions.geometric, 3),
                    p_value(questions.p),
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
    ) -> Figure {
        let row = |(shape, name): (usize, &String)| DotRow {
            name: name.clone(),
            values: (0..self.algorithms.len())
                .map(|which| Some(mean(shape, which)))
                .collect(),
        };
        let dots = Dots {
            x: Axis::new(label, scale),
            series: self.algorithms.clone(),
            rows: self.shapes.iter().enumerate().map(row).collect(),
            reference: None,
        };
        Figure {
            title: title.to_owned(),
            caption: "Arithmetic means over the problems of a kind; further left is better."
                .to_owned(),
            svg: dots.svg(),
        }
    }
}

impl Report for Compared {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let finish = match self.setup.finish {
            Finish::Bare => "nothing",
            Finish::Swept => "a sweep of single elements",
        };
        let page = Page {
            title: "Algorithms on lists".to_owned(),
            lead: "Synthetic lists of several kinds, each minimised by every algorithm. Ratios and p-values (paired \
                   Wilcoxon signed-rank test) are against the first algorithm."
                .to_owned(),
            settings: vec![
                ("elements".to_owned(), number(self.setup.length as f64, 0)),
                ("problems of each kind".to_owned(), number(self.setup.problems as f64, 0)),
                ("seed".to_owned(), self.setup.seed.to_string()),
                ("repeated candidates".to_owned(), repeats_name(self.setup.repeats)),
                ("followed by".to_owned(), finish.to_owned()),
            ],
            figures: vec![
                self.figure("Questions", "questions asked, mean", Scale::Log, |shape, which| {
                    self.questions(shape, which).mean
                }),
                self.figure("Results", "elements kept, mean", Scale::Log, |shape, which| {
                    self.kept(shape, which).mean
                }),
            ],
            tables: vec![("All kinds".to_owned(), self.summary())],
        };
        page.html()
    }
}
