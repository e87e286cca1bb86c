//! Properties that hold in some runs only: what to make of a run?

use std::cell::Cell;
use std::num::NonZeroUsize;

use boildown_search::flaky::{Law, Tally};
use boildown_search::list::{Minimise as _, Sweep};
use boildown_search::{Fingerprinted as _, Sequence, Subset, Verdict};
use serde::Serialize;

use super::{Contestant, THREADS};
use crate::dice::Dice;
use crate::parallel;
use crate::report::{Align, Page, Report, Table, csv, maybe, number};
use crate::simulate::{Repeats, alone};
use crate::statistics::mean;
use crate::workload::{Problem, Shape};

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// Elements of a list, a tenth of which are needed.
    pub length: usize,
    /// How many lists.
    pub problems: u64,
    /// What they and their coins are made from.
    pub seed: u64,
    /// The share of runs in which the property holds on the whole list.
    pub rate: f64,
    /// Elements that nothing needs and that make the failure likelier.
    pub helpers: usize,
    /// What is left of the rate when one of them goes.
    pub without: f64,
    /// How many threads do it; the result does not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            length: 120,
            problems: 20,
            seed: 1,
            rate: 0.6,
            helpers: 3,
            without: 0.5,
            threads: THREADS,
        }
    }
}

/// What is made of a candidate's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// There is no coin: the property holds whenever it can.
    Calm,
    /// One run is believed.
    Once,
    /// Interesting when any of five runs is: what people write into their scripts.
    AnyOfFive,
    /// Our law.
    Sequential,
}

impl Way {
    const ALL: [Self; 4] = [Self::Calm, Self::Once, Self::AnyOfFive, Self::Sequential];

    fn name(self) -> &'static str {
        match self {
            Self::Calm => "no coin",
            Self::Once => "one run",
            Self::AnyOfFive => "any of five runs",
            Self::Sequential => "sequential",
        }
    }
}

/// One way on one list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The elements that make the failure likelier.
    pub helpers: usize,
    /// The number of the list.
    pub problem: u64,
    /// What was made of a candidate's runs.
    pub way: &'static str,
    /// The questions asked.
    pub questions: u64,
    /// The runs, those on the whole list included.
    pub runs: u64,
    /// The elements kept.
    pub kept: usize,
    /// The true rate of what was kept.
    pub rate: f64,
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct Flaky {
    /// What was simulated.
    pub setup: Setup,
    /// Without helpers, then with them; then by list, then by way.
    pub rows: Vec<Row>,
}

/// A list, and a coin for each of its subsets.
struct Noisy {
    problem: Problem,
    helpers: Vec<usize>,
    rate: f64,
    without: f64,
    seed: u64,
}

/// The stream of a seed that belongs to what is drawn once for a list.
const ONCE: u64 = u64::MAX;

impl Noisy {
    fn new(setup: &Setup, helpers: usize, index: u64) -> Self {
        let shape: Shape = "independent:needed=0.1".parse().expect("a test parses it");
        let seed = setup.seed.wrapping_mul(1_000_003).wrapping_add(index);
        let mut dice = Dice::new(seed, ONCE);
        Self {
            problem: shape.problem(setup.length, setup.seed, index),
            helpers: (0..helpers).map(|_| dice.below(setup.length)).collect(),
            rate: setup.rate,
            without: setup.without,
            seed,
        }
    }

    /// The share of runs in which the property holds.
    fn rate(&self, kept: &Subset) -> f64 {
        if !self.problem.judge(kept).is_interesting() {
            return 0.0;
        }
        let gone = self
            .helpers
            .iter()
            .filter(|&&helper| !kept.contains(helper));
        self.rate
            * self
                .without
                .powi(i32::try_from(gone.count()).expect("a few helpers"))
    }

    /// Runs that show the property or not, the same each time.
    fn runs(&self, kept: &Subset) -> impl Iterator<Item = bool> {
        let rate = self.rate(kept);
        let content = kept.fingerprint().bits();
        #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
        let mut dice = Dice::new(self.seed, content as u64);
        std::iter::repeat_with(move || dice.happens(rate))
    }

    fn reduce(&self, contestant: &Contestant, way: Way) -> Row {
        let runs = Cell::new(0);
        let full = Subset::full(self.problem.length);
        let mut input = Tally::default();
        if way == Way::Sequential {
            for hit in self.runs(&full) {
                input.count(hit);
                if input.is_known_well() {
                    break;
                }
            }
            runs.set(u64::from(input.runs));
        }
        let law = Law::for_rate(input);
        let judge = |kept: &Subset| -> Verdict {
            let mut tally = Tally::default();
            let mut decide = |hit: bool| {
                tally.count(hit);
                match way {
                    Way::Calm => Some(self.rate(kept) > 0.0),
                    Way::Once => Some(hit),
                    Way::AnyOfFive => (hit || tally.runs == 5).then_some(hit),
                    Way::Sequential => law.unwrap_or(Law::once()).decide(tally),
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
        let ended = alone(search, judge, Repeats::Skipped);
        Row {
            helpers: self.helpers.len(),
            problem: 0,
            way: way.name(),
            questions: ended.told,
            runs: runs.get(),
            kept: ended.best.count(),
            rate: self.rate(&ended.best),
        }
    }
}

/// Reduces every list in every way, with an algorithm and a sweep after it.
#[must_use]
pub fn run(contestant: &Contestant, setup: &Setup) -> Flaky {
    let problems: Vec<(usize, u64)> = [0, setup.helpers]
        .into_iter()
        .flat_map(|helpers| (0..setup.problems).map(move |index| (helpers, index)))
        .collect();
    let rows = parallel::map(&problems, setup.threads, |_, &(helpers, problem)| {
        let noisy = Noisy::new(setup, helpers, problem);
        Way::ALL.map(|way| Row {
            problem,
            ..noisy.reduce(contestant, way)
        })
    });
    Flaky {
        setup: *setup,
        rows: rows.into_iter().flatten().collect(),
    }
}

impl Flaky {
    fn summary(&self) -> Table {
        let columns = [
            "questions",
            "runs",
            "runs of one",
            "kept",
            "rate, mean",
            "rate, lowest",
            "lower than the list's",
        ];
        let numbers = columns.map(|name| (name, Align::Right));
        let mut table = Table::new(
            [
                ("helpers", Align::Right),
                ("a candidate is judged by", Align::Left),
            ]
            .into_iter()
            .chain(numbers),
        );
        for helpers in [0, self.setup.helpers] {
            let of = |way: Way, value: &dyn Fn(&Row) -> f64| -> Vec<f64> {
                let rows = self.rows.iter();
                rows.filter(|row| row.helpers == helpers && row.way == way.name())
                    .map(value)
                    .collect()
            };
            let calm = mean(&of(Way::Calm, &|row| row.runs as f64));
            for way in Way::ALL {
                let runs = mean(&of(way, &|row| row.runs as f64));
                let rates = of(way, &|row| row.rate);
                let lowest = rates.iter().copied().reduce(f64::min);
                let lower = rates.iter().filter(|rate| **rate < self.setup.rate - 1e-9);
                table.push([
                    helpers.to_string(),
                    way.name().to_owned(),
                    maybe(mean(&of(way, &|row| row.questions as f64)), 0),
                    maybe(runs, 0),
                    maybe(runs.zip(calm).map(|(runs, calm)| runs / calm), 1),
                    maybe(mean(&of(way, &|row| row.kept as f64)), 1),
                    maybe(mean(&rates), 3),
                    maybe(lowest, 3),
                    format!("{} of {}", lower.count(), rates.len()),
                ]);
            }
        }
        table
    }
}

impl Report for Flaky {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let setup = &self.setup;
        let page = Page {
            title: "Properties that hold in some runs".to_owned(),
            lead: "Lists a tenth of which is needed. Each run tosses a coin. Helpers are elements that nothing needs and without \
                   which the property holds less often."
                .to_owned(),
            settings: vec![
                ("lists".to_owned(), number(setup.problems as f64, 0)),
                ("elements".to_owned(), number(setup.length as f64, 0)),
                ("seed".to_owned(), setup.seed.to_string()),
                ("rate".to_owned(), number(setup.rate, 2)),
                ("left of it without a helper".to_owned(), number(setup.without, 2)),
            ],
            figures: Vec::new(),
            tables: vec![("What it takes, and what is left".to_owned(), self.summary())],
        };
        page.html()
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::list::Algorithm;

    use super::*;

    #[test]
    fn a_result_is_as_likely_to_fail_as_the_list_and_costs_runs() {
        let result = run(&Algorithm::HALVING.into(), &Setup::default());
        let of = |helpers: usize, way: Way| -> Vec<&Row> {
            let rows = result.rows.iter();
            rows.filter(|row| row.helpers == helpers && row.way == way.name())
                .collect()
        };
        for helpers in [0, 3] {
            for row in of(helpers, Way::Sequential) {
                assert!(row.rate >= 0.6 - 1e-9, "{row:?}");
            }
        }
        assert!(of(3, Way::Calm).iter().all(|row| row.rate < 0.6));
        assert!(of(0, Way::Once).iter().all(|row| row.runs == row.questions));
        // What is done without us: parts of the list stay for nothing, or its rate falls.
        let kept = |way| of(0, way).iter().map(|row| row.kept).sum::<usize>();
        assert!(kept(Way::Once) > kept(Way::Sequential));
        assert!(of(3, Way::AnyOfFive).iter().any(|row| row.rate < 0.6));
        assert_eq!(
            run(
                &Algorithm::HALVING.into(),
                &Setup {
                    threads: NonZeroUsize::MIN,
                    ..Setup::default()
                }
            )
            .rows,
            result.rows
        );
    }
}
