//! Comparison of list algorithms on recorded lists of real reductions.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use boildown_search::Subset;
use boildown_search::assumptions::{Agreement, AssumptionCounts, TestedSubsets};
use serde::Serialize;

use super::Contestant;
use super::compare::Finish;
use super::runs::{Average, Measure, PairedRuns, RunPlan, RunRecord, Runs, interval};
use crate::recorded_lists::{ListKind, ListRecording, RunLimit, TimedTest};
use crate::report::plot::Plot as _;
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::statistics::bootstrap_ratio;

/// The run of one contestant on one list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayRow {
    /// The name of the input.
    pub input: String,
    /// The kind of list.
    pub lists: ListKind,
    /// The number of the list.
    pub number: usize,
    /// Number of elements of the list.
    pub elements: usize,
    /// The name of the contestant.
    pub algorithm: String,
    /// Number of tests.
    pub tests: u64,
    /// Number of elements kept.
    pub kept: usize,
    /// Sum of the weights of the elements kept.
    pub weight: u64,
    /// Sum of the weights of the others.
    pub deleted: u64,
    /// The number of the run, from 0: runs have different seeds.
    pub run: u64,
    /// Whether the search ended by itself.
    pub finished: bool,
    /// The seconds of all tests, if every one was made by the command, and none recorded.
    pub seconds: Option<f64>,
}

/// The runs of all contestants on one list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListReplay {
    /// The runs, in the order of the contestants.
    pub rows: Vec<ReplayRow>,
    /// How monotone and unambiguous the property is, as far as their tests say.
    pub assumptions: AssumptionCounts,
}

/// The most pairs of candidates of a list that are compared with each other.
const MAX_PAIRS: u64 = 1_000_000;

/// The parameters of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplaySetup {
    /// The step after each algorithm.
    pub finish: Finish,
    /// The random seed of the intervals.
    pub seed: u64,
    /// The runs of each contestant on a list. No candidate is tested twice.
    pub plan: RunPlan,
    /// The time of all tests after which a run ends. Recorded tests take none.
    pub max_time: Option<Duration>,
}

impl Default for ReplaySetup {
    fn default() -> Self {
        Self {
            finish: Finish::Swept,
            seed: 1,
            plan: RunPlan::default(),
            max_time: None,
        }
    }
}

/// Runs every contestant on a list. `ask` is called about subsets that are not recorded.
///
/// # Errors
/// The first error of `ask`.
pub fn run<E>(
    recording: &mut ListRecording,
    contestants: &[Contestant],
    setup: &ReplaySetup,
    mut ask: impl FnMut(&Subset) -> Result<TimedTest, E>,
) -> Result<ListReplay, E> {
    let limit = RunLimit {
        max_tests: setup.plan.rules.max_tests,
        max_time: setup.max_time,
    };
    let (mut rows, mut tested) = (Vec::new(), TestedSubsets::default());
    for contestant in contestants {
        for (run, algorithm) in setup.plan.algorithms(&contestant.algorithm) {
            let list = recording.list();
            let search = setup.finish.search(&algorithm, list.clone());
            let ended = recording.run(search, limit, &mut ask)?;
            for (subset, verdict) in &ended.told {
                tested.add(subset, *verdict);
            }
            let weight_of = |elements: &Subset| -> u64 {
                elements.iter().map(|element| list.weight(element)).sum()
            };
            let (whole, weight) = (weight_of(&list.kept), weight_of(&ended.left));
            rows.push(ReplayRow {
                input: recording.input.clone(),
                lists: recording.lists,
                number: recording.number,
                elements: list.kept.universe(),
                algorithm: contestant.label.clone(),
                tests: ended.tests,
                kept: ended.left.count(),
                weight,
                deleted: whole - weight,
                run,
                finished: ended.finished,
                seconds: ended.took.map(|took| took.as_secs_f64()),
            });
        }
    }
    let assumptions = tested.counts(MAX_PAIRS);
    Ok(ListReplay { rows, assumptions })
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayResult {
    /// The parameters.
    pub setup: ReplaySetup,
    /// The names of the contestants.
    pub algorithms: Vec<String>,
    /// The runs, for each list in the order of the contestants.
    pub rows: Vec<ReplayRow>,
    /// How monotone and unambiguous the properties of the inputs are, as far as the tests of all
    /// contestants say.
    assumptions: BTreeMap<(ListKind, String), AssumptionCounts>,
}

impl ReplayResult {
    /// Returns the result of these runs.
    #[must_use]
    pub fn new(setup: &ReplaySetup, contestants: &[Contestant], lists: Vec<ListReplay>) -> Self {
        let labels = contestants.iter().map(|contestant| &contestant.label);
        let mut result = Self {
            setup: *setup,
            algorithms: labels.cloned().collect(),
            rows: Vec::new(),
            assumptions: BTreeMap::new(),
        };
        for list in lists {
            if let Some(ReplayRow { lists, input, .. }) = list.rows.first() {
                let counts = result.assumptions.entry((*lists, input.clone()));
                *counts.or_default() += list.assumptions;
            }
            result.rows.extend(list.rows);
        }
        result
    }

    fn kinds(&self) -> BTreeSet<ListKind> {
        self.rows.iter().map(|row| row.lists).collect()
    }

    fn inputs(&self, kind: ListKind) -> BTreeSet<&str> {
        let rows = self.rows.iter().filter(|row| row.lists == kind);
        rows.map(|row| row.input.as_str()).collect()
    }

    /// Returns the first runs of the first contestant: one for each list.
    fn lists(&self) -> impl Iterator<Item = &ReplayRow> {
        let rows = self.rows.iter().filter(|row| row.run == 0);
        rows.filter(|row| row.algorithm == self.algorithms[0])
    }

    fn runs(&self) -> Runs<'_> {
        let records = self.rows.iter().map(|row| RunRecord {
            group: row.lists.name(),
            contestant: &row.algorithm,
            case: (0, &row.input),
            run: row.run,
            finished: row.finished,
            tests: row.tests,
            size: row.weight,
        });
        Runs {
            records: records.collect(),
            contestants: &self.algorithms,
        }
    }

    /// Returns the comparison. The figures of a kind of lists are sums over all inputs.
    fn summary(&self) -> TextTable {
        let plan = &self.setup.plan;
        let ratio = || {
            [
                ("ratio", Align::Right),
                ("95 %", Align::Right),
                ("p", Align::Right),
            ]
        };
        let names = [("lists", Align::Left), ("algorithm", Align::Left)];
        let heading = names.into_iter().chain(plan.tests_heading("tests"));
        let heading = (heading.chain(ratio()).chain(plan.heading("weight kept"))).chain(ratio());
        let mut table = TextTable::new(heading);
        let sum: Average = |numbers| Some(numbers.iter().sum());
        for kind in self.kinds() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                let runs = |measure| self.runs().paired(kind.name(), algorithm, measure);
                let (tests, kept) = (runs(Measure::Tests), runs(Measure::Size));
                let ratio_cells = |runs: &PairedRuns, ratio: String| {
                    let (ours, first) = (runs.means(), runs.first_means());
                    let range = bootstrap_ratio(&ours, &first, self.setup.seed);
                    [ratio, interval(range, 3), p_value(runs.comparison().p)]
                };
                let mut cells = vec![kind.name().to_owned(), name.clone()];
                cells.extend(plan.tests_cells(&tests, sum, 0));
                cells.extend(ratio_cells(
                    &tests,
                    tests.ratio(tests.comparison().geometric),
                ));
                cells.extend(plan.cells(&kept, sum, 0));
                cells.extend(ratio_cells(&kept, maybe(kept.comparison().geometric, 3)));
                table.push(cells);
            }
        }
        table
    }

    /// Returns the time of the tests, and what was deleted in it; `None` unless all were timed.
    fn times(&self) -> Option<TextTable> {
        let mut table = TextTable::new([
            ("lists", Align::Left),
            ("algorithm", Align::Left),
            ("seconds", Align::Right),
            ("deleted tokens", Align::Right),
            ("tokens/s", Align::Right),
        ]);
        for kind in self.kinds() {
            for name in &self.algorithms {
                let is_row = |row: &&ReplayRow| row.lists == kind && row.algorithm == *name;
                let rows = || self.rows.iter().filter(is_row);
                let seconds: f64 = rows().map(|row| row.seconds).sum::<Option<f64>>()?;
                let deleted = rows().map(|row| row.deleted).sum::<u64>() as f64;
                let mark = match rows().all(|row| row.finished) {
                    true => "",
                    false => "> ",
                };
                table.push([
                    kind.name().to_owned(),
                    name.clone(),
                    mark.to_owned() + &number(seconds, 1),
                    number(deleted, 0),
                    maybe((seconds > 0.0).then_some(deleted / seconds), 1),
                ]);
            }
        }
        (!self.rows.is_empty()).then_some(table)
    }

    /// Returns the tests of every contestant on every input.
    fn by_input(&self, kind: ListKind) -> TextTable {
        let heading = [
            ("input", Align::Left),
            ("lists", Align::Right),
            ("elements", Align::Right),
        ];
        let names = self.algorithms.iter();
        let names = names.map(|name| (name.as_str(), Align::Right));
        let mut table = TextTable::new(heading.into_iter().chain(names));
        let tests: Vec<Vec<String>> = (0..self.algorithms.len())
            .map(|algorithm| {
                (self.runs())
                    .paired(kind.name(), algorithm, Measure::Tests)
                    .case_cells()
            })
            .collect();
        for (place, input) in self.inputs(kind).into_iter().enumerate() {
            let lists = self
                .lists()
                .filter(|row| row.lists == kind && row.input == input);
            let lists: Vec<usize> = lists.map(|row| row.elements).collect();
            let counts = [lists.len(), lists.iter().sum()].map(|count| number(count as f64, 0));
            let tests = tests.iter().map(|tests| tests[place].clone());
            table.push([input.to_owned()].into_iter().chain(counts).chain(tests));
        }
        table
    }

    /// Returns how monotone and unambiguous the properties of the inputs are.
    fn assumptions(&self) -> TextTable {
        let mut table = TextTable::new([
            ("lists", Align::Left),
            ("input", Align::Left),
            ("candidates", Align::Right),
            ("pairs", Align::Right),
            ("monotony predicts", Align::Right),
            ("contradicted", Align::Right),
            ("%", Align::Right),
            ("unambiguity predicts", Align::Right),
            ("contradicted", Align::Right),
            ("%", Align::Right),
        ]);
        for kind in self.kinds() {
            let of_kind = (self.assumptions.iter()).filter(|((lists, _), _)| *lists == kind);
            let mut all = AssumptionCounts::default();
            let mut push = |input: &str, counts: &AssumptionCounts| {
                let agreement = |agreement: Agreement| {
                    let predicted = agreement.predicted as f64;
                    let share = 100.0 * agreement.contradicted as f64 / predicted;
                    [
                        number(predicted, 0),
                        number(agreement.contradicted as f64, 0),
                        maybe((predicted > 0.0).then_some(share), 1),
                    ]
                };
                let names = [kind.name().to_owned(), input.to_owned()];
                let compared = [counts.tested, counts.pairs].map(|it| number(it as f64, 0));
                let monotony = agreement(counts.monotony);
                table.push(
                    (names.into_iter().chain(compared))
                        .chain(monotony)
                        .chain(agreement(counts.unambiguity)),
                );
            };
            for ((_, input), counts) in of_kind {
                push(input, counts);
                all += *counts;
            }
            push("all", &all);
        }
        table
    }

    fn figure(&self, kind: ListKind) -> ReportFigure {
        let (runs, inputs) = (self.runs(), self.inputs(kind));
        let dots = runs.case_plot(kind.name(), inputs, "tests", Measure::Tests);
        dots.figure(
            format!("Tests by input, {}", kind.name()),
            "Sums over the lists of an input; further left is better.",
        )
    }
}

impl Report for ReplayResult {
    fn table(&self) -> String {
        let times = self.times().map(|times| format!("\n{}", times.plain()));
        self.summary().plain() + &times.unwrap_or_default()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let kinds = || self.kinds().into_iter();
        let names = || kinds().map(ListKind::name);
        let ratios = |titles, measure| self.runs().ratios(titles, names(), measure);
        let inputs: BTreeSet<&str> = kinds().flat_map(|kind| self.inputs(kind)).collect();
        let by_input = kinds().map(|kind| {
            let title = format!("Tests by input, {}", kind.name());
            (title, self.by_input(kind))
        });
        let page = HtmlPage {
            title: "Recorded lists".to_owned(),
            lead: "Lists that reductions of real inputs met, each minimised by every algorithm with the verdicts of the \
                   real command. Levels are the lists of HDD, siblings the children of one node. Candidates that do not \
                   parse are not tested, and no candidate twice. The numbers of an input are sums over its lists; \
                   ratios are those of geometric means over inputs, against the first algorithm, with intervals from \
                   10,000 bootstrap samples of inputs, and p-values of the paired Wilcoxon signed-rank test. The last table \
                   compares the candidates of all algorithms on a list with each other: monotony predicts that those \
                   which contain an interesting one are interesting, unambiguity that the intersections of two \
                   interesting ones are, neither of which contains the other."
                .to_owned(),
            settings: [
                ("inputs", inputs.len().to_string()),
                ("lists", number(self.lists().count() as f64, 0)),
                ("followed by", self.setup.finish.name().to_owned()),
                ("seed", self.setup.seed.to_string()),
            ]
            .into_iter()
            .chain(self.setup.plan.settings())
            .collect(),
            figures: (kinds().map(|kind| self.figure(kind)))
                .chain([
                    ratios(["Tests by input, as ratios", "tests"], Measure::Tests),
                    ratios(["Results by input, as ratios", "weight kept"], Measure::Size),
                ])
                .collect(),
            tables: std::iter::once(("Comparison".to_owned(), self.summary()))
                .chain(by_input)
                .chain([("Monotony and unambiguity".to_owned(), self.assumptions())])
                .collect(),
        };
        page.html()
    }
}
