//! Comparison on real programs with simulated properties, in the form of Table 1 of the ProbDD
//! paper.

use std::collections::BTreeSet;

use boildown_search::algorithms::Schedule;
use serde::{Deserialize, Serialize};

use super::Contestant;
use super::runs::{Measure, RunPlan, RunRecord, Runs};
use crate::parallel;
use crate::recorded::{RecordedInput, TokenChoice};
use crate::report::plot::{Axis, Plot as _, PlotRow, RowPlot, Scale};
use crate::report::{Align, HtmlPage, Report, ReportFigure, TextTable, csv, number};
use crate::statistics::geometric_mean;

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
    /// The number of the run, from 0: runs have different seeds.
    pub run: u64,
    /// Whether the search ended by itself.
    pub finished: bool,
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramsResult {
    /// The runs of each contestant on a program.
    pub plan: RunPlan,
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
    plan: RunPlan,
) -> ProgramsResult {
    let mut tasks = Vec::new();
    for program in programs {
        for schedule in schedules {
            for contestant in contestants {
                for (run, algorithm) in plan.algorithms(&contestant.algorithm) {
                    tasks.push((program, schedule, contestant, run, algorithm));
                }
            }
        }
    }
    let rows = parallel::map(&tasks, |(program, schedule, contestant, run, algorithm)| {
        let reduced = program.reduce(schedule, algorithm, contestant.weights, plan.rules);
        ProgramsRow {
            program: program.name.clone(),
            tokens: program.tokens(),
            needed: program.needed(),
            schedule: schedule.to_string(),
            algorithm: contestant.label.clone(),
            queries: reduced.queries,
            left: reduced.tokens,
            run: *run,
            finished: reduced.finished,
        }
    });
    ProgramsResult {
        plan,
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

impl ProgramsResult {
    fn runs(&self) -> Runs<'_> {
        let records = self.rows.iter().map(|row| RunRecord {
            group: &row.schedule,
            contestant: &row.algorithm,
            case: (0, &row.program),
            run: row.run,
            finished: row.finished,
            tests: row.queries,
            size: row.left as u64,
        });
        Runs {
            records: records.collect(),
            contestants: &self.algorithms,
        }
    }

    fn summaries(&self) -> TextTable {
        let names = [("schedule", Align::Left), ("algorithm", Align::Left)];
        let mut table = TextTable::new(names.into_iter().chain(self.plan.program_heading()));
        for schedule in &self.schedules {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                let runs = |measure| self.runs().paired(schedule, algorithm, measure);
                let names = [schedule.clone(), name.clone()];
                let cells = self
                    .plan
                    .program_cells(&runs(Measure::Size), &runs(Measure::Tests));
                table.push(names.into_iter().chain(cells));
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

    fn overview(&self, title: &str, label: &str, measure: Measure) -> ReportFigure {
        let runs = self.runs();
        let row = |(algorithm, name): (usize, &String)| PlotRow {
            name: name.clone(),
            values: (self.schedules.iter())
                .map(|schedule| geometric_mean(&runs.paired(schedule, algorithm, measure).means()))
                .collect(),
        };
        let dots = RowPlot {
            x: Axis::new(label, Scale::Log),
            series: self.schedules.clone(),
            rows: self.algorithms.iter().enumerate().map(row).collect(),
            reference: None,
        };
        dots.figure(title, "One dot for each schedule; further left is better.")
    }

    fn by_program(&self, schedule: &str, titles: [&str; 2], measure: Measure) -> ReportFigure {
        let [what, label] = titles;
        let programs = self.programs.iter().map(String::as_str);
        let dots = self.runs().case_plot(schedule, programs, label, measure);
        dots.figure(format!("{what} by program, schedule {schedule}"), "")
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
            self.overview("Tests", "tests, geometric mean", Measure::Tests),
            self.overview("Results", "tokens left, geometric mean", Measure::Size),
        ];
        for schedule in &self.schedules {
            figures.push(self.by_program(schedule, ["Tests", "tests"], Measure::Tests));
            figures.push(self.by_program(schedule, ["Results", "tokens left"], Measure::Size));
        }
        let page = HtmlPage {
            title: "Programs".to_owned(),
            lead: format!(
                "Real programs, each with a simulated property: some tokens, chosen at random, and the tokens that these \
                 need to parse have to be kept, and the text has to parse. Every list algorithm runs with every tree \
                 schedule; candidates that do not parse are not tested. Geometric means; ratios and p-values (paired \
                 Wilcoxon signed-rank test) are against {first}."
            ),
            settings: [
                ("programs", self.programs.len().to_string()),
                (
                    "tokens chosen",
                    self.distinct_choices(|choice| choice.tokens as u64),
                ),
                ("seed", self.distinct_choices(|choice| choice.seed)),
                (
                    "repeated candidates",
                    self.plan.rules.repeats.name().to_owned(),
                ),
            ]
            .into_iter()
            .chain(self.plan.settings())
            .collect(),
            figures,
            tables: vec![
                ("Comparison".to_owned(), self.summaries()),
                ("Programs".to_owned(), self.inputs()),
            ],
        };
        page.html()
    }
}
