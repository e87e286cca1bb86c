//! Comparison of list algorithms on recorded lists of real reductions.

use std::collections::{BTreeMap, BTreeSet};

use boildown_search::assumptions::{Agreement, AssumptionCounts, TestedSubsets};
use boildown_search::list::{ListAlgorithm as _, Sweep};
use boildown_search::{AnyListSearch, Sequence, Subset};
use serde::Serialize;

use super::Contestant;
use super::compare::Finish;
use crate::recorded_lists::{CandidateTest, ListKind, ListRecording};
use crate::report::plot::{Axis, DotPlot, DotPlotRow, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::statistics::{Interval, bootstrap_ratio, ratio_of_geometric_means, wilcoxon};

/// The run of one contestant on one list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
}

/// The runs of all contestants on one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListReplay {
    /// The runs, in the order of the contestants.
    pub rows: Vec<ReplayRow>,
    /// How monotone and unambiguous the property is, as far as their tests say.
    pub assumptions: AssumptionCounts,
}

/// The most pairs of candidates of a list that are compared with each other.
const MAX_PAIRS: u64 = 1_000_000;

/// Runs every contestant on a list. `ask` is called about subsets that are not recorded.
///
/// # Errors
/// The first error of `ask`.
pub fn run<E>(
    recording: &mut ListRecording,
    contestants: &[Contestant],
    finish: Finish,
    mut ask: impl FnMut(&Subset) -> Result<CandidateTest, E>,
) -> Result<ListReplay, E> {
    let (mut rows, mut tested) = (Vec::new(), TestedSubsets::default());
    for contestant in contestants {
        let list = recording.list();
        let search = contestant.algorithm.on(list.clone());
        let search = match finish {
            Finish::Bare => search,
            Finish::Swept => AnyListSearch::new(Sequence::new(search, Sweep::on(list.clone()))),
        };
        let ended = recording.run(search, &mut ask)?;
        for (subset, verdict) in &ended.told {
            tested.add(subset, *verdict);
        }
        rows.push(ReplayRow {
            input: recording.input.clone(),
            lists: recording.lists,
            number: recording.number,
            elements: list.kept.universe(),
            algorithm: contestant.label.clone(),
            tests: ended.tests,
            kept: ended.left.count(),
            weight: ended.left.iter().map(|element| list.weight(element)).sum(),
        });
    }
    let assumptions = tested.counts(MAX_PAIRS);
    Ok(ListReplay { rows, assumptions })
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayResult {
    /// The step after each algorithm.
    pub finish: Finish,
    /// The random seed of the intervals.
    pub seed: u64,
    /// The names of the contestants.
    pub algorithms: Vec<String>,
    /// The runs, for each list in the order of the contestants.
    pub rows: Vec<ReplayRow>,
    /// How monotone and unambiguous the properties of the inputs are, as far as the tests of all
    /// contestants say.
    assumptions: BTreeMap<(ListKind, String), AssumptionCounts>,
}

/// A comparison of one contestant with the first, over inputs: the numbers of an input are the sums
/// over its lists.
#[derive(Debug, Clone, PartialEq)]
struct InputComparison {
    sum: f64,
    /// The ratio of the geometric means.
    ratio: Option<f64>,
    interval: Option<Interval>,
    p: Option<f64>,
}

impl ReplayResult {
    /// Returns the result of these runs.
    #[must_use]
    pub fn new(
        finish: Finish,
        seed: u64,
        contestants: &[Contestant],
        lists: Vec<ListReplay>,
    ) -> Self {
        let labels = contestants.iter().map(|contestant| &contestant.label);
        let mut result = Self {
            finish,
            seed,
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

    fn rows_of(&self, kind: ListKind, algorithm: usize) -> impl Iterator<Item = &ReplayRow> {
        let name = &self.algorithms[algorithm];
        let rows = self.rows.iter().filter(move |row| row.lists == kind);
        rows.filter(move |row| row.algorithm == *name)
    }

    /// Returns the sum of each input.
    fn sums(&self, kind: ListKind, algorithm: usize, value: fn(&ReplayRow) -> u64) -> Vec<f64> {
        let sum = |input: &str| {
            let rows = self.rows_of(kind, algorithm);
            rows.filter(|row| row.input == input)
                .map(value)
                .sum::<u64>() as f64
        };
        self.inputs(kind).into_iter().map(sum).collect()
    }

    fn compare(
        &self,
        kind: ListKind,
        algorithm: usize,
        value: fn(&ReplayRow) -> u64,
    ) -> InputComparison {
        let ours = self.sums(kind, algorithm, value);
        let first = self.sums(kind, 0, value);
        InputComparison {
            sum: ours.iter().sum(),
            ratio: ratio_of_geometric_means(&ours, &first),
            interval: bootstrap_ratio(&ours, &first, self.seed),
            p: wilcoxon(&ours, &first).map(|test| test.p),
        }
    }

    fn summary(&self) -> TextTable {
        let mut table = TextTable::new([
            ("lists", Align::Left),
            ("algorithm", Align::Left),
            ("tests", Align::Right),
            ("ratio", Align::Right),
            ("95 %", Align::Right),
            ("p", Align::Right),
            ("weight kept", Align::Right),
            ("ratio", Align::Right),
            ("95 %", Align::Right),
            ("p", Align::Right),
        ]);
        let interval = |interval: Option<Interval>| match interval {
            Some(Interval { low, high }) => format!("{}–{}", number(low, 3), number(high, 3)),
            None => "–".to_owned(),
        };
        for kind in self.kinds() {
            for (algorithm, name) in self.algorithms.iter().enumerate() {
                let tests = self.compare(kind, algorithm, |row| row.tests);
                let kept = self.compare(kind, algorithm, |row| row.weight);
                table.push([
                    kind.name().to_owned(),
                    name.clone(),
                    number(tests.sum, 0),
                    maybe(tests.ratio, 3),
                    interval(tests.interval),
                    p_value(tests.p),
                    number(kept.sum, 0),
                    maybe(kept.ratio, 3),
                    interval(kept.interval),
                    p_value(kept.p),
                ]);
            }
        }
        table
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
        let tests: Vec<Vec<f64>> = (0..self.algorithms.len())
            .map(|algorithm| self.sums(kind, algorithm, |row| row.tests))
            .collect();
        for (place, input) in self.inputs(kind).into_iter().enumerate() {
            let lists: Vec<usize> = (self.rows_of(kind, 0))
                .filter(|row| row.input == input)
                .map(|row| row.elements)
                .collect();
            let elements: usize = lists.iter().sum();
            let counts = [lists.len(), elements].map(|count| number(count as f64, 0));
            let tests = tests.iter().map(|tests| number(tests[place], 0));
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
        let tests = |algorithm| self.sums(kind, algorithm, |row| row.tests);
        let tests: Vec<Vec<f64>> = (0..self.algorithms.len()).map(tests).collect();
        let row = |(place, input): (usize, &str)| DotPlotRow {
            name: input.to_owned(),
            values: tests.iter().map(|tests| Some(tests[place])).collect(),
        };
        let dots = DotPlot {
            x: Axis::new("tests", Scale::Log),
            series: self.algorithms.clone(),
            rows: self.inputs(kind).into_iter().enumerate().map(row).collect(),
            reference: None,
        };
        ReportFigure {
            title: format!("Tests by input, {}", kind.name()),
            caption: "Sums over the lists of an input; further left is better.".to_owned(),
            svg: dots.svg(),
        }
    }
}

impl Report for ReplayResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let kinds = || self.kinds().into_iter();
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
            settings: vec![
                ("inputs".to_owned(), inputs.len().to_string()),
                (
                    "lists".to_owned(),
                    number((self.rows.len() / self.algorithms.len().max(1)) as f64, 0),
                ),
                ("followed by".to_owned(), self.finish.name().to_owned()),
                ("seed".to_owned(), self.seed.to_string()),
            ],
            figures: kinds().map(|kind| self.figure(kind)).collect(),
            tables: std::iter::once(("Comparison".to_owned(), self.summary()))
                .chain(by_input)
                .chain([("Monotony and unambiguity".to_owned(), self.assumptions())])
                .collect(),
        };
        page.html()
    }
}
