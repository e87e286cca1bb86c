//! Flaky properties: strategies for repeating runs of a property that holds only sometimes.
//!
//! A list has some *helpers*: elements that are not needed, but without which the property holds
//! less often. A strategy that believes a single success removes them, and the result fails rarely.
//! A strategy that believes a single miss keeps elements that are not needed.

use boildown_search::flaky::{RepeatPolicy, RunCounts};
use boildown_search::list::{ListAlgorithm as _, Sweep};
use boildown_search::{Fingerprinted as _, Sequence, Subset, Verdict};
use serde::Serialize;
use std::cell::Cell;

use super::Contestant;
use crate::parallel;
use crate::report::{Align, HtmlPage, Report, TextTable, csv, maybe, number};
use crate::rng::SeededRng;
use crate::simulate::{RunRules, run_single_worker};
use crate::statistics::mean;
use crate::workload::{ListProblem, Shape};

/// The parameters of the simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlakySetup {
    /// Number of elements of a list, a tenth of which are needed.
    pub length: usize,
    /// Number of lists.
    pub problems: u64,
    /// The random seed of the lists and of the runs.
    pub seed: u64,
    /// The hit rate of the whole list: the share of runs in which the property holds.
    pub rate: f64,
    /// Number of helpers: elements that are not needed and raise the hit rate.
    pub helpers: usize,
    /// The factor by which the hit rate falls when one helper is removed.
    pub without: f64,
}

impl Default for FlakySetup {
    fn default() -> Self {
        Self {
            length: 120,
            problems: 20,
            seed: 1,
            rate: 0.6,
            helpers: 3,
            without: 0.5,
        }
    }
}

/// The strategy by which runs of a candidate lead to a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RepeatStrategy {
    /// The property is not flaky: it holds in every run of a candidate with all needed elements.
    Deterministic,
    /// One run decides.
    OneRun,
    /// Interesting when the property holds in any of five runs, as in many hand-written scripts.
    AnyOfFive,
    /// The [`RepeatPolicy`] of boildown, a sequential test.
    Sequential,
}

impl RepeatStrategy {
    const ALL: [Self; 4] = [
        Self::Deterministic,
        Self::OneRun,
        Self::AnyOfFive,
        Self::Sequential,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Deterministic => "not flaky",
            Self::OneRun => "one run",
            Self::AnyOfFive => "any of five runs",
            Self::Sequential => "sequential",
        }
    }
}

/// The run of one strategy on one list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlakyRow {
    /// Number of helpers of the list.
    pub helpers: usize,
    /// The number of the list.
    pub problem: u64,
    /// The name of the strategy.
    #[serde(rename = "way")]
    pub strategy: &'static str,
    /// Number of tests.
    pub queries: u64,
    /// Number of runs, including those of the whole list at the start.
    pub runs: u64,
    /// Number of elements kept.
    pub kept: usize,
    /// The true hit rate of the result.
    pub rate: f64,
}

/// The result of the simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct FlakyResult {
    /// The parameters.
    pub setup: FlakySetup,
    /// The runs, ordered by list, then by strategy: first all without helpers, then all with them.
    pub rows: Vec<FlakyRow>,
}

/// A list with a simulated hit rate for each of its subsets.
struct FlakyList {
    problem: ListProblem,
    helpers: Vec<usize>,
    rate: f64,
    without: f64,
    seed: u64,
}

/// The random stream for numbers that are drawn once for a list. Other streams belong to subsets.
const LIST_STREAM: u64 = u64::MAX;

impl FlakyList {
    fn new(setup: &FlakySetup, helpers: usize, index: u64) -> Self {
        let shape: Shape = "independent:needed=0.1"
            .parse()
            .expect("the name of a shape with its parameter");
        let seed = setup.seed.wrapping_mul(1_000_003).wrapping_add(index);
        let mut rng = SeededRng::new(seed, LIST_STREAM);
        Self {
            problem: shape.problem(setup.length, setup.seed, index),
            helpers: (0..helpers).map(|_| rng.below(setup.length)).collect(),
            rate: setup.rate,
            without: setup.without,
            seed,
        }
    }

    /// Returns the share of runs in which the property holds on a subset.
    fn hit_rate(&self, kept: &Subset) -> f64 {
        if !self.problem.judge(kept).is_interesting() {
            return 0.0;
        }
        let removed = self
            .helpers
            .iter()
            .filter(|&&helper| !kept.contains(helper));
        self.rate
            * self
                .without
                .powi(i32::try_from(removed.count()).expect("a few helpers"))
    }

    /// Returns whether the property holds in each run of a subset. Each call returns the same runs.
    fn runs(&self, kept: &Subset) -> impl Iterator<Item = bool> {
        let rate = self.hit_rate(kept);
        let content = kept.fingerprint().bits();
        #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
        let mut rng = SeededRng::new(self.seed, content as u64);
        std::iter::repeat_with(move || rng.chance(rate))
    }

    /// Reduces the list by a contestant and a sweep. The caller sets the number of the list.
    fn reduce(&self, contestant: &Contestant, strategy: RepeatStrategy) -> FlakyRow {
        let runs = Cell::new(0);
        let full = Subset::full(self.problem.length);
        let mut input = RunCounts::default();
        if strategy == RepeatStrategy::Sequential {
            for hit in self.runs(&full) {
                input.count(hit);
                if input.hits >= ENOUGH_HITS || input.runs >= ENOUGH_RUNS {
                    break;
                }
            }
            runs.set(u64::from(input.runs));
        }
        let policy = RepeatPolicy::for_rate(input);
        let judge = |kept: &Subset| -> Verdict {
            let mut counts = RunCounts::default();
            let mut decide = |hit: bool| {
                counts.count(hit);
                match strategy {
                    RepeatStrategy::Deterministic => Some(self.hit_rate(kept) > 0.0),
                    RepeatStrategy::OneRun => Some(hit),
                    RepeatStrategy::AnyOfFive => (hit || counts.runs == 5).then_some(hit),
                    RepeatStrategy::Sequential => {
                        policy.unwrap_or(RepeatPolicy::once()).decide(counts)
                    }
                }
            };
            let decided = self.runs(kept).find_map(|hit| {
                runs.set(runs.get() + 1);
                decide(hit)
            });
            if decided == Some(true) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        };
        let list = self.problem.list();
        let search = Sequence::new(contestant.algorithm.on(list.clone()), Sweep::on(list));
        let ended = run_single_worker(search, judge, RunRules::default());
        FlakyRow {
            helpers: self.helpers.len(),
            problem: 0,
            strategy: strategy.name(),
            queries: ended.told,
            runs: runs.get(),
            kept: ended.best.count(),
            rate: self.hit_rate(&ended.best),
        }
    }
}

/// Reduces every list with every strategy, by an algorithm and a sweep over single elements.
#[must_use]
pub fn run(contestant: &Contestant, setup: &FlakySetup) -> FlakyResult {
    let problems: Vec<(usize, u64)> = [0, setup.helpers]
        .into_iter()
        .flat_map(|helpers| (0..setup.problems).map(move |index| (helpers, index)))
        .collect();
    let rows = parallel::map(&problems, |&(helpers, problem)| {
        let list = FlakyList::new(setup, helpers, problem);
        RepeatStrategy::ALL.map(|strategy| FlakyRow {
            problem,
            ..list.reduce(contestant, strategy)
        })
    });
    FlakyResult {
        setup: *setup,
        rows: rows.into_iter().flatten().collect(),
    }
}

impl FlakyResult {
    fn summary(&self) -> TextTable {
        let columns = [
            "tests",
            "runs",
            "times the runs",
            "kept",
            "hit rate, mean",
            "hit rate, lowest",
            "below the list's rate",
        ];
        let numbers = columns.map(|name| (name, Align::Right));
        let mut table = TextTable::new(
            [("helpers", Align::Right), ("strategy", Align::Left)]
                .into_iter()
                .chain(numbers),
        );
        for helpers in [0, self.setup.helpers] {
            let values = |strategy: RepeatStrategy, value: &dyn Fn(&FlakyRow) -> f64| -> Vec<f64> {
                let rows = self.rows.iter();
                rows.filter(|row| row.helpers == helpers && row.strategy == strategy.name())
                    .map(value)
                    .collect()
            };
            let deterministic = mean(&values(RepeatStrategy::Deterministic, &|row| {
                row.runs as f64
            }));
            for strategy in RepeatStrategy::ALL {
                let runs = mean(&values(strategy, &|row| row.runs as f64));
                let rates = values(strategy, &|row| row.rate);
                let lowest = rates.iter().copied().reduce(f64::min);
                let lower = rates.iter().filter(|rate| **rate < self.setup.rate - 1e-9);
                table.push([
                    helpers.to_string(),
                    strategy.name().to_owned(),
                    maybe(mean(&values(strategy, &|row| row.queries as f64)), 0),
                    maybe(runs, 0),
                    maybe(runs.zip(deterministic).map(|(runs, base)| runs / base), 1),
                    maybe(mean(&values(strategy, &|row| row.kept as f64)), 1),
                    maybe(mean(&rates), 3),
                    maybe(lowest, 3),
                    format!("{} of {}", lower.count(), rates.len()),
                ]);
            }
        }
        table
    }
}

impl Report for FlakyResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let setup = &self.setup;
        let page = HtmlPage {
            title: "Flaky properties".to_owned(),
            lead: "Lists of which a tenth of the elements is needed. The property holds in a random share of the runs. \
                   Helpers are elements that are not needed and without which it holds less often."
                .to_owned(),
            settings: vec![
                ("lists", number(setup.problems as f64, 0)),
                ("elements", number(setup.length as f64, 0)),
                ("seed", setup.seed.to_string()),
                ("hit rate", number(setup.rate, 2)),
                ("factor for each missing helper", number(setup.without, 2)),
            ],
            figures: Vec::new(),
            tables: vec![("Cost and results".to_owned(), self.summary())],
        };
        page.html()
    }
}

/// The input's rate is measured until there are this many hits or runs: longer than a
/// reduction does, so that the strategies are compared and not the measure.
const ENOUGH_HITS: u32 = 100;
const ENOUGH_RUNS: u32 = 300;

#[cfg(test)]
mod tests {
    use boildown_search::algorithms::Algorithm;

    use super::*;

    #[test]
    fn the_sequential_test_keeps_the_hit_rate_and_other_strategies_do_not() {
        let result = run(&Algorithm::halving().into(), &FlakySetup::default());
        let rows_of = |helpers: usize, strategy: RepeatStrategy| -> Vec<&FlakyRow> {
            let rows = result.rows.iter();
            rows.filter(|row| row.helpers == helpers && row.strategy == strategy.name())
                .collect()
        };
        for helpers in [0, 3] {
            for row in rows_of(helpers, RepeatStrategy::Sequential) {
                assert!(row.rate >= 0.6 - 1e-9, "{row:?}");
            }
        }
        assert!(
            rows_of(3, RepeatStrategy::Deterministic)
                .iter()
                .all(|row| row.rate < 0.6)
        );
        assert!(
            rows_of(0, RepeatStrategy::OneRun)
                .iter()
                .all(|row| row.runs == row.queries)
        );
        // Other strategies keep elements that are not needed, or lower the hit rate.
        let kept = |strategy| {
            rows_of(0, strategy)
                .iter()
                .map(|row| row.kept)
                .sum::<usize>()
        };
        assert!(kept(RepeatStrategy::OneRun) > kept(RepeatStrategy::Sequential));
        assert!(
            rows_of(3, RepeatStrategy::AnyOfFive)
                .iter()
                .any(|row| row.rate < 0.6)
        );
    }
}
