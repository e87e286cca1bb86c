//! Real programs with simulated properties: the comparison of ProbDD's Table 1.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Contestant, THREADS, repeats_name};
use crate::parallel;
use boildown_search::tree::Schedule;

use crate::recorded::{Choice, Recorded};
use crate::report::plot::{Axis, Dots, Row as DotRow, Scale};
use crate::report::{Align, Figure, Page, Report, Table, csv, maybe, number, p_value};
use crate::simulate::Repeats;
use crate::statistics::{geometric_mean, ratio_of_geometric_means, wilcoxon};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// How repeated candidates count.
    pub repeats: Repeats,
    /// How many threads do it; the result does not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            repeats: Repeats::Skipped,
            threads: THREADS,
        }
    }
}

/// One contestant on one program under one schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// Its tokens.
    pub tokens: usize,
    /// Those that are needed, and enough.
    pub needed: usize,
    /// The tree schedule.
    pub schedule: String,
    /// Who.
    pub algorithm: String,
    /// The questions asked.
    pub questions: u64,
    /// The tokens left.
    pub left: usize,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    /// What was compared.
    pub setup: Setup,
    /// The programs.
    pub programs: Vec<String>,
    /// What their needed tokens were chosen by.
    pub choices: Vec<Choice>,
    /// The tree schedules.
    pub schedules: Vec<String>,
    /// The contestants.
    pub algorithms: Vec<String>,
    /// By program, then by schedule, then by contestant.
    pub rows: Vec<Row>,
}

/// Runs every contestant on every program under every schedule. Programs have different names.
///
/// # Cost
/// For C programs of 20 to 550 KB about 0.1 to 2 ms of CPU time a question, nearly all of it parsing.
#[must_use]
pub fn run(
    programs: &[Recorded],
    schedules: &[Schedule],
    contestants: &[Contestant],
    setup: &Setup,
) -> Programs {
    let mut tasks = Vec::new();
    for program in programs {
        for &schedule in schedules {
            for contestant in contestants {
                tasks.push((program, schedule, contestant));
            }
        }
    }
    let rows = parallel::map(
        &tasks,
        setup.threads,
        |_, &(program, schedule, contestant)| {
            let reduced = program.reduce(schedule, contestant.algorithm, setup.repeats);
            Row {
                program: program.name.clone(),
                tokens: program.tokens(),
                needed: program.needed(),
                schedule: schedule.to_string(),
                algorithm: contestant.label.clone(),
                questions: reduced.questions,
                left: reduced.tokens,
            }
        },
    );
    Programs {
        setup: *setup,
        programs: programs
            .iter()
            .map(|program| program.name.clone())
            .collect(),
        choices: programs.iter().map(|program| program.choice).collect(),
        schedules: schedules.iter().map(Schedule::to_string).collect(),
        algorithms: (contestants.iter())
            .map(|contestant| contestant.label.clone())
            .collect(),
        rows,
    }
}

/// One line of the comparison, as in ProbDD's Table 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The tokens left, geometric mean.
    pub left: Option<f64>,
    /// By which part that is smaller than the first contestant's.
    pub smaller: Option<f64>,
    /// The p-value of the paired Wilcoxon signed-rank test on the tokens left; `None` when no pair differs.
    pub left_p: Option<f64>,
    /// The questions asked, geometric mean.
    pub questions: Option<f64>,
    /// The same as a multiple of the first contestant's.
    pub ratio: Option<f64>,
    /// The p-value on the questions asked.
    pub questions_p: Option<f64>,
}

impl Programs {
    fn values(&self, schedule: usize, algorithm: usize, value: impl Fn(&Row) -> f64) -> Vec<f64> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.schedule == self.schedules[schedule]);
        rows.filter(|row| row.algorithm == self.algorithms[algorithm])
            .map(value)
            .collect()
    }

    /// Returns how a contestant compares with the first one under a schedule.
    #[must_use]
    pub fn summary(&self, schedule: usize, algorithm: usize) -> Summary {
        let left = |algorithm| self.values(schedule, algorithm, |row| row.left as f64);
        let questions = |algorithm| self.values(schedule, algorithm, |row| row.questions as f64);
        let p = |ours: &[f64], first: &[f64]| wilcoxon(ours, first).map(|test| test.p);
        let (ours, first) = (left(algorithm), left(0));
        let (our_questions, first_questions) = (questions(algorithm), questions(0));
        Summary {
            left: geometric_mean(&ours),
            smaller: ratio_of_geometric_means(&ours, &first).map(|ratio| 1.0 - ratio),
            left_p: p(&ours, &first),
            questions: geometric_mean(&our_questions),
            ratio: ratio_of_geometric_means(&our_questions, &first_questions),
            questions_p: p(&our_questions, &first_questions),
        }
    }

    fn summaries(&self) -> Table {
        let mut table = Table::new([
            ("schedule", Align::Left),
            ("algorithm", Align::Left),
            ("tokens left", Align::Right),
            ("smaller by %", Align::Right),
            ("p", Align::Right),
            ("questions", Align::Right),
            ("ratio", Align::Right),
            ("p", Align::Right),
        ]);
        for (schedule, schedule_name) in self.schedules.iter().enumerate() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                let summary = self.summary(schedule, algorithm);
                table.push([
                    schedule_name.clone(),
                    name.clone(),
                    maybe(summary.left, 1),
                    maybe(summary.smaller.map(|part| 100.0 * part), 2),
                    p_value(summary.left_p),
                    maybe(summary.questions, 1),
                    maybe(summary.ratio, 3),
                    p_value(summary.questions_p),
                ]);
            }
        }
        table
    }

    /// The distinct values of a number of the choices.
    fn chosen(&self, value: impl Fn(&Choice) -> u64) -> String {
        let values: BTreeSet<u64> = self.choices.iter().map(value).collect();
        let values: Vec<String> = values.iter().map(u64::to_string).collect();
        values.join(", ")
    }

    fn inputs(&self) -> Table {
        let mut table = Table::new([
            ("program", Align::Left),
            ("tokens", Align::Right),
            ("needed", Align::Right),
        ]);
        for program in &self.programs {
            if let Some(row) = self.rows.iter().find(|row| row.program == *program) {
                table.push([
                    program.clone(),
                    number(row.tokens as f64, 0),
                    number(row.needed as f64, 0),
                ]);
            }
        }
        table
    }

    fn overview(&self, title: &str, label: &str, value: fn(Summary) -> Option<f64>) -> Figure {
        let row = |(algorithm, name): (usize, &String)| DotRow {
            name: name.clone(),
            values: (0..self.schedules.len())
                .map(|schedule| value(self.summary(schedule, algorithm)))
                .collect(),
        };
        let dots = Dots {
            x: Axis::new(label, Scale::Log),
            series: self.schedules.clone(),
            rows: self.algorithms.iter().enumerate().map(row).collect(),
            reference: None,
        };
        Figure {
            title: title.to_owned(),
            caption: "One dot for each schedule; further left is better.".to_owned(),
            svg: dots.svg(),
        }
    }

    fn by_program(
        &self,
        schedule: &str,
        what: &str,
        label: &str,
        value: fn(&Row) -> f64,
    ) -> Figure {
        let find = |program: &String, algorithm: &String| {
            let mut rows = self.rows.iter().filter(|row| row.schedule == schedule);
            rows.find(|row| row.program == *program && row.algorithm == *algorithm)
                .map(value)
        };
        let row = |program: &String| DotRow {
            name: program.clone(),
            values: self
                .algorithms
                .iter()
                .map(|algorithm| find(program, algorithm))
                .collect(),
        };
        let dots = Dots {
            x: Axis::new(label, Scale::Log),
            series: self.algorithms.clone(),
            rows: self.programs.iter().map(row).collect(),
            reference: None,
        };
        Figure {
            title: format!("{what} by program, schedule {schedule}"),
            caption: String::new(),
            svg: dots.svg(),
        }
    }
}

impl Report for Programs {
    fn table(&self) -> String {
        self.summaries().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let first = self.algorithms.first().map_or("", String::as_str);
        let mut figures = vec![
            self.overview("Questions", "questions asked, geometric mean", |summary| {
                summary.questions
            }),
            self.overview("Results", "tokens left, geometric mean", |summary| {
                summary.left
            }),
        ];
        for schedule in &self.schedules {
            figures.push(
                self.by_program(schedule, "Questions", "questions asked", |row| {
                    row.questions as f64
                }),
            );
            figures
                .push(self.by_program(schedule, "Results", "tokens left", |row| row.left as f64));
        }
        let page = Page {
            title: "Programs".to_owned(),
            lead: format!(
                "Real programs, each with a simulated property: some tokens, chosen by a seed, with what they need to parse \
                 have to stay, and the text has to parse. Every list algorithm under every tree schedule; what does not \
                 parse is not asked. Geometric means; ratios and p-values (paired Wilcoxon signed-rank test) are against {first}."
            ),
            settings: vec![
                ("programs".to_owned(), self.programs.len().to_string()),
                (
                    "tokens chosen".to_owned(),
                    self.chosen(|choice| choice.tokens as u64),
                ),
                ("seed".to_owned(), self.chosen(|choice| choice.seed)),
                (
                    "repeated candidates".to_owned(),
                    repeats_name(self.setup.repeats),
                ),
            ],
            figures,
            tables: vec![
                ("Comparison".to_owned(), self.summaries()),
                ("Programs".to_owned(), self.inputs()),
            ],
        };
        page.html()
    }
}
