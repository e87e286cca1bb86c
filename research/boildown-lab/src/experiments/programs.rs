//! Comparison on real programs with simulated properties, in the form of Table 1 of the ProbDD
//! paper.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Contestant, DEFAULT_THREADS, describe_repeats};
use crate::parallel;
use boildown_search::algorithms::Schedule;

use crate::recorded::{RecordedInput, TokenChoice};
use crate::report::plot::{Axis, DotPlot, DotPlotRow, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::simulate::RepeatedCandidates;
use crate::statistics::{geometric_mean, ratio_of_geometric_means, wilcoxon};

/// The parameters of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramsSetup {
    /// The way of counting repeated candidates.
    pub repeats: RepeatedCandidates,
    /// Number of threads. The result does not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for ProgramsSetup {
    fn default() -> Self {
        Self {
            repeats: RepeatedCandidates::Skipped,
            threads: DEFAULT_THREADS,
        }
    }
}

/// The run of one contestant on one program with one schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramsRow {
    /// The name of the program.
    pub program: String,
    /// Number of tokens of the program.
    pub tokens: usize,
    /// Number of needed tokens, which is the size of the smallest known solution.
    pub needed: usize,
    /// The name of the tree schedule.
    pub schedule: String,
    /// The name of the contestant.
    pub algorithm: String,
    /// Number of tests.
    pub queries: u64,
    /// Number of tokens left.
    pub left: usize,
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramsResult {
    /// The parameters.
    pub setup: ProgramsSetup,
    /// The names of the programs.
    pub programs: Vec<String>,
    /// For each program, the parameters by which its needed tokens were chosen.
    pub choices: Vec<TokenChoice>,
    /// The names of the tree schedules.
    pub schedules: Vec<String>,
    /// The names of the contestants.
    pub algorithms: Vec<String>,
    /// The runs, ordered by program, then by schedule, then by contestant.
    pub rows: Vec<ProgramsRow>,
}

/// Runs every contestant on every program with every schedule. The programs must have different
/// names.
///
/// # Cost
/// For C programs of 20 to 550 KB, about 0.1 to 2 ms of CPU time per test, nearly all of it
/// parsing.
#[must_use]
pub fn run(
    programs: &[RecordedInput],
    schedules: &[Schedule],
    contestants: &[Contestant],
    setup: &ProgramsSetup,
) -> ProgramsResult {
    let mut tasks = Vec::new();
    for program in programs {
        for schedule in schedules {
            for contestant in contestants {
                tasks.push((program, schedule, contestant));
            }
        }
    }
    let rows = parallel::map(
        &tasks,
        setup.threads,
        |_, &(program, schedule, contestant)| {
            let Contestant {
                algorithm, weights, ..
            } = contestant;
            let reduced = program.reduce_weighted(schedule, algorithm, *weights, setup.repeats);
            ProgramsRow {
                program: program.name.clone(),
                tokens: program.tokens(),
                needed: program.needed(),
                schedule: schedule.to_string(),
                algorithm: contestant.label.clone(),
                queries: reduced.queries,
                left: reduced.tokens,
            }
        },
    );
    ProgramsResult {
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

/// One line of the comparison: a contestant with a schedule, over all programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScheduleSummary {
    /// Geometric mean of the tokens left.
    pub left: Option<f64>,
    /// The share by which that is smaller than the mean of the first contestant.
    pub smaller: Option<f64>,
    /// P-value of the paired Wilcoxon signed-rank test on the tokens left; `None` when no pair
    /// differs.
    pub left_p: Option<f64>,
    /// Geometric mean of the tests.
    pub queries: Option<f64>,
    /// That mean, divided by the one of the first contestant.
    pub ratio: Option<f64>,
    /// P-value of the same test on the numbers of tests.
    pub queries_p: Option<f64>,
}

impl ProgramsResult {
    fn values(
        &self,
        schedule: usize,
        algorithm: usize,
        value: impl Fn(&ProgramsRow) -> f64,
    ) -> Vec<f64> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.schedule == self.schedules[schedule]);
        rows.filter(|row| row.algorithm == self.algorithms[algorithm])
            .map(value)
            .collect()
    }

    /// Compares a contestant with the first one, with one schedule.
    #[must_use]
    pub fn summary(&self, schedule: usize, algorithm: usize) -> ScheduleSummary {
        let left = |algorithm| self.values(schedule, algorithm, |row| row.left as f64);
        let queries = |algorithm| self.values(schedule, algorithm, |row| row.queries as f64);
        let p = |ours: &[f64], first: &[f64]| wilcoxon(ours, first).map(|test| test.p);
        let (ours, first) = (left(algorithm), left(0));
        let (our_queries, first_queries) = (queries(algorithm), queries(0));
        ScheduleSummary {
            left: geometric_mean(&ours),
            smaller: ratio_of_geometric_means(&ours, &first).map(|ratio| 1.0 - ratio),
            left_p: p(&ours, &first),
            queries: geometric_mean(&our_queries),
            ratio: ratio_of_geometric_means(&our_queries, &first_queries),
            queries_p: p(&our_queries, &first_queries),
        }
    }

    fn summaries(&self) -> TextTable {
        let mut table = TextTable::new([
            ("schedule", Align::Left),
            ("algorithm", Align::Left),
            ("tokens left", Align::Right),
            ("smaller by %", Align::Right),
            ("p", Align::Right),
            ("tests", Align::Right),
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
                    maybe(summary.queries, 1),
                    maybe(summary.ratio, 3),
                    p_value(summary.queries_p),
                ]);
            }
        }
        table
    }

    /// Returns the distinct values of one parameter of the choices, for the settings of the page.
    fn distinct_choices(&self, value: impl Fn(&TokenChoice) -> u64) -> String {
        let values: BTreeSet<u64> = self.choices.iter().map(value).collect();
        let values: Vec<String> = values.iter().map(u64::to_string).collect();
        values.join(", ")
    }

    fn inputs(&self) -> TextTable {
        let mut table = TextTable::new([
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

    fn overview(
        &self,
        title: &str,
        label: &str,
        value: fn(ScheduleSummary) -> Option<f64>,
    ) -> ReportFigure {
        let row = |(algorithm, name): (usize, &String)| DotPlotRow {
            name: name.clone(),
            values: (0..self.schedules.len())
                .map(|schedule| value(self.summary(schedule, algorithm)))
                .collect(),
        };
        let dots = DotPlot {
            x: Axis::new(label, Scale::Log),
            series: self.schedules.clone(),
            rows: self.algorithms.iter().enumerate().map(row).collect(),
            reference: None,
        };
        ReportFigure {
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
        value: fn(&ProgramsRow) -> f64,
    ) -> ReportFigure {
        let find = |program: &String, algorithm: &String| {
            let mut rows = self.rows.iter().filter(|row| row.schedule == schedule);
            rows.find(|row| row.program == *program && row.algorithm == *algorithm)
                .map(value)
        };
        let row = |program: &String| DotPlotRow {
            name: program.clone(),
            values: self
                .algorithms
                .iter()
                .map(|algorithm| find(program, algorithm))
                .collect(),
        };
        let dots = DotPlot {
            x: Axis::new(label, Scale::Log),
            series: self.algorithms.clone(),
            rows: self.programs.iter().map(row).collect(),
            reference: None,
        };
        ReportFigure {
            title: format!("{what} by program, schedule {schedule}"),
            caption: String::new(),
            svg: dots.svg(),
        }
    }
}

impl Report for ProgramsResult {
    fn table(&self) -> String {
        self.summaries().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let first = self.algorithms.first().map_or("", String::as_str);
        let mut figures = vec![
            self.overview("Tests", "tests, geometric mean", |summary| summary.queries),
            self.overview("Results", "tokens left, geometric mean", |summary| {
                summary.left
            }),
        ];
        for schedule in &self.schedules {
            figures.push(self.by_program(schedule, "Tests", "tests", |row| row.queries as f64));
            figures
                .push(self.by_program(schedule, "Results", "tokens left", |row| row.left as f64));
        }
        let page = HtmlPage {
            title: "Programs".to_owned(),
            lead: format!(
                "Real programs, each with a simulated property: some tokens, chosen at random, and the tokens that these \
                 need to parse have to be kept, and the text has to parse. Every list algorithm runs with every tree \
                 schedule; candidates that do not parse are not tested. Geometric means; ratios and p-values (paired \
                 Wilcoxon signed-rank test) are against {first}."
            ),
            settings: vec![
                ("programs".to_owned(), self.programs.len().to_string()),
                (
                    "tokens chosen".to_owned(),
                    self.distinct_choices(|choice| choice.tokens as u64),
                ),
                (
                    "seed".to_owned(),
                    self.distinct_choices(|choice| choice.seed),
                ),
                (
                    "repeated candidates".to_owned(),
                    describe_repeats(self.setup.repeats),
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
