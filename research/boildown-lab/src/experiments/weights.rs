//! The simulation of the paper on weighted delta debugging: the tests that weights save.

use boildown_search::list::ListAlgorithm as _;
use serde::{Deserialize, Serialize};

use super::{Comparison, Contestant, run_on_problem};
use crate::parallel;
use crate::report::plot::{Axis, LinePlot, LineSeries, Plot as _, PlotRow, RowPlot, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::rng::SeededRng;
use crate::simulate::{RepeatedCandidates, RunRules};
use crate::statistics::mean;
use crate::workload::WeightedList;

/// The parameters of the simulation.
///
/// # Source
/// X. Zhou et al., *WDD: Weighted Delta Debugging*, ICSE 2025: on 5,000 lists, Wddmin needs 23 %
/// fewer tests than ddmin on average. The paper does not say which average, so two are reported. It
/// does not say either whether repeated candidates count. They are skipped here, because the
/// implementations differ in how many repeats they avoid by themselves, and would otherwise be
/// compared by that alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightsSetup {
    /// Number of lists.
    pub lists: u64,
    /// The random seed of the lists.
    pub seed: u64,
}

impl Default for WeightsSetup {
    fn default() -> Self {
        Self {
            lists: 5_000,
            seed: 1,
        }
    }
}

/// The run of one contestant on one list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightsRow {
    /// The number of the list.
    pub list: u64,
    /// Number of elements of the list.
    pub elements: usize,
    /// Number of tokens of the list: the sum of the weights.
    pub tokens: u64,
    /// The probability that a token can be removed.
    pub removable: f64,
    /// Number of needed elements.
    pub needed: usize,
    /// The name of the contestant.
    pub algorithm: String,
    /// Number of tests.
    pub queries: u64,
    /// Number of elements kept.
    pub kept: usize,
}

/// The result of the simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightsResult {
    /// The parameters.
    pub setup: WeightsSetup,
    /// The names of the contestants.
    pub algorithms: Vec<String>,
    /// The runs, ordered by list, then by contestant.
    pub rows: Vec<WeightsRow>,
}

/// Runs every contestant on every list.
#[must_use]
pub fn run(contestants: &[Contestant], setup: &WeightsSetup) -> WeightsResult {
    let lists: Vec<u64> = (0..setup.lists).collect();
    let rows = parallel::map(&lists, |&list| {
        let drawn = WeightedList::draw(&mut SeededRng::new(setup.seed, list));
        let problem = drawn.problem();
        let row = |contestant: &Contestant| {
            let search = contestant.algorithm.on(problem.list());
            let ended = run_on_problem(&problem, search, RunRules::default());
            WeightsRow {
                list,
                elements: problem.length,
                tokens: drawn.weights.iter().map(|&weight| u64::from(weight)).sum(),
                removable: drawn.removable,
                needed: drawn.needed.count(),
                algorithm: contestant.label.clone(),
                queries: ended.queries,
                kept: ended.kept,
            }
        };
        contestants.iter().map(row).collect::<Vec<_>>()
    });
    WeightsResult {
        setup: *setup,
        algorithms: contestants
            .iter()
            .map(|contestant| contestant.label.clone())
            .collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

impl WeightsResult {
    fn rows_of(&self, contestant: usize) -> impl Iterator<Item = &WeightsRow> {
        let rows = self.rows.iter().skip(contestant);
        rows.step_by(self.algorithms.len().max(1))
    }

    fn queries(&self, contestant: usize) -> Vec<f64> {
        let rows = self.rows_of(contestant);
        rows.map(|row| row.queries as f64).collect()
    }

    /// Compares the tests of a contestant with those of the first contestant.
    #[must_use]
    pub fn comparison(&self, contestant: usize) -> Comparison {
        Comparison::new(&self.queries(contestant), &self.queries(0))
    }

    /// Returns the number of lists on which a contestant kept only needed elements. Where no
    /// element is needed a single one counts as well, because ddmin never tests the empty list.
    #[must_use]
    pub fn exact(&self, contestant: usize) -> usize {
        let rows = self.rows_of(contestant);
        rows.filter(|row| (row.needed..=row.needed.max(1)).contains(&row.kept))
            .count()
    }

    fn summary(&self) -> TextTable {
        let mut table = TextTable::new([
            ("algorithm", Align::Left),
            ("tests, mean", Align::Right),
            ("ratio of sums", Align::Right),
            ("mean of ratios", Align::Right),
            ("geom. ratio", Align::Right),
            ("p", Align::Right),
            ("minimal lists", Align::Right),
        ]);
        for (contestant, name) in self.algorithms.iter().enumerate() {
            let comparison = self.comparison(contestant);
            table.push([
                name.clone(),
                number(comparison.mean, 1),
                maybe(comparison.ratio_of_sums, 3),
                maybe(comparison.mean_of_ratios, 3),
                maybe(comparison.geometric, 3),
                p_value(comparison.p),
                number(self.exact(contestant) as f64, 0),
            ]);
        }
        table
    }

    fn averages(&self) -> ReportFigure {
        let row = |(contestant, name): (usize, &String)| {
            let comparison = self.comparison(contestant);
            PlotRow {
                name: name.clone(),
                values: vec![comparison.ratio_of_sums, comparison.mean_of_ratios],
            }
        };
        let first = self.algorithms.first().map_or("", String::as_str);
        let dots = RowPlot {
            x: Axis::new(
                &format!("tests, divided by those of {first}"),
                Scale::Linear,
            ),
            series: vec!["ratio of sums".to_owned(), "mean of ratios".to_owned()],
            rows: self.algorithms.iter().enumerate().map(row).collect(),
            reference: Some(1.0),
        };
        dots.figure(
            "Tests by both averages",
            "The ratio of sums gives long lists more weight, the mean of ratios gives all \
             lists the same. Left of the dashed line are fewer tests.",
        )
    }

    /// Draws the tests per element over the share of needed elements.
    fn by_need(&self) -> ReportFigure {
        const CLASSES: usize = 10;
        let class =
            |row: &WeightsRow| (CLASSES * row.needed / row.elements.max(1)).min(CLASSES - 1);
        let series = |(contestant, name): (usize, &String)| {
            let mut classes = vec![Vec::new(); CLASSES];
            for row in self.rows_of(contestant) {
                classes[class(row)].push(row.queries as f64 / row.elements as f64);
            }
            let points = classes.iter().enumerate().filter_map(|(class, numbers)| {
                Some((
                    100.0 * (class as f64 + 0.5) / CLASSES as f64,
                    mean(numbers)?,
                ))
            });
            LineSeries {
                name: name.clone(),
                style: contestant,
                points: points.collect(),
            }
        };
        let lines = LinePlot {
            x: Axis::new("elements needed, % of the list", Scale::Linear),
            y: Axis::new("tests per element, mean", Scale::Log),
            series: self.algorithms.iter().enumerate().map(series).collect(),
            reference: None,
        };
        lines.figure(
            "Tests by the share of needed elements",
            "Lists in classes of ten per cent. In most lists of this simulation nearly all \
             elements are needed, so that it favours algorithms with few tests on such \
             lists.",
        )
    }
}

impl Report for WeightsResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let page = HtmlPage {
            title: "Weighted lists".to_owned(),
            lead: "The simulation of the paper on weighted delta debugging: lists of 2 to 1,000 elements with 1 to 10 \
                   tokens each on average. A token can be removed with a probability drawn for the list, an \
                   element when all of its tokens can."
                .to_owned(),
            settings: vec![
                ("lists", number(self.setup.lists as f64, 0)),
                ("seed", self.setup.seed.to_string()),
                ("repeated candidates", RepeatedCandidates::Skipped.name().to_owned()),
            ],
            figures: vec![self.averages(), self.by_need()],
            tables: vec![("Tests".to_owned(), self.summary())],
        };
        page.html()
    }
}
