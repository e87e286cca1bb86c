//! Runs of contestants on cases, and what tables and plots show of them.

use std::collections::BTreeMap;

use boildown_search::algorithms::Algorithm;

use super::Comparison;
use crate::report::plot::{Axis, BoxSummary, Plot as _, PlotRow, RowPlot, Scale};
use crate::report::{Align, ReportFigure, maybe, number, p_value};
use crate::simulate::RunRules;
use crate::statistics::{Interval, bootstrap_runs, geometric_mean, mean, quartiles};

/// The runs of an experiment: how many of each algorithm, and by which rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunPlan {
    /// Number of runs of an algorithm that draws random numbers, each with its own seed. Other
    /// algorithms are run once.
    pub seeds: u64,
    /// The rules of each run.
    pub rules: RunRules,
}

impl From<RunRules> for RunPlan {
    fn from(rules: RunRules) -> Self {
        Self { seeds: 1, rules }
    }
}

impl Default for RunPlan {
    fn default() -> Self {
        RunRules::default().into()
    }
}

/// What the row of an experiment says: the run of a contestant on a case, or on one list of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunRecord<'a> {
    /// The group of cases that are compared with each other.
    pub(crate) group: &'a str,
    /// The name of the contestant.
    pub(crate) contestant: &'a str,
    /// The case, which has a number or a name.
    pub(crate) case: (u64, &'a str),
    /// The number of the run, from 0.
    pub(crate) run: u64,
    /// Whether the search ended by itself.
    pub(crate) finished: bool,
    /// Number of tests.
    pub(crate) tests: u64,
    /// Number or weight of what is left.
    pub(crate) size: u64,
}

impl RunRecord<'_> {
    pub(crate) fn number(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Tests => self.tests as f64,
            Measure::Size => self.size as f64,
        }
    }
}

/// A number of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The tests: a lower bound if the run met its limit.
    Tests,
    /// What is left.
    Size,
}

/// The numbers of a contestant on one case.
#[derive(Debug, Clone, Default)]
struct CaseRuns {
    /// The number of each run: the sum over its lists.
    numbers: Vec<f64>,
    /// Whether one of them is a lower bound.
    is_limited: bool,
}

/// The runs of all contestants.
pub(crate) struct Runs<'a> {
    pub(crate) records: Vec<RunRecord<'a>>,
    /// The names of the contestants; the first is the reference.
    pub(crate) contestants: &'a [String],
}

impl Runs<'_> {
    /// Returns a number of a contestant on each case of a group.
    fn of(
        &self,
        group: &str,
        contestant: &str,
        measure: Measure,
    ) -> BTreeMap<(u64, &str), CaseRuns> {
        let mut cases: BTreeMap<(u64, &str), CaseRuns> = BTreeMap::new();
        let is_chosen = |run: &&RunRecord<'_>| (run.group, run.contestant) == (group, contestant);
        for run in self.records.iter().filter(is_chosen) {
            let case = cases.entry(run.case).or_default();
            let place = usize::try_from(run.run).expect("the runs are in memory");
            if case.numbers.len() <= place {
                case.numbers.resize(place + 1, 0.0);
            }
            case.numbers[place] += run.number(measure);
            case.is_limited |= !run.finished && measure == Measure::Tests;
        }
        cases
    }

    /// Returns a number of a contestant on each case of a group, beside that of the first one.
    pub(crate) fn paired(&self, group: &str, contestant: usize, measure: Measure) -> PairedRuns {
        let of = |name: &String| self.of(group, name, measure).into_values().collect();
        PairedRuns {
            ours: of(&self.contestants[contestant]),
            first: of(&self.contestants[0]),
        }
    }

    /// Plots a number of each contestant on each of these cases of a group.
    pub(crate) fn case_plot<'a>(
        &self,
        group: &str,
        cases: impl IntoIterator<Item = &'a str>,
        label: &str,
        measure: Measure,
    ) -> RowPlot<f64> {
        let names = self.contestants.iter();
        let numbers: Vec<_> = names.map(|name| self.of(group, name, measure)).collect();
        let row = |case: &str| PlotRow {
            name: case.to_owned(),
            values: (numbers.iter())
                .map(|numbers| numbers.get(&(0, case)).map(CaseRuns::mean))
                .collect(),
        };
        RowPlot {
            x: Axis::new(label, Scale::Log),
            series: self.contestants.to_vec(),
            rows: cases.into_iter().map(row).collect(),
            reference: None,
        }
    }

    /// Draws the ratios to the first contestant: a box for each other one and group of cases.
    pub(crate) fn ratios<'a>(
        &self,
        [title, what]: [&str; 2],
        groups: impl IntoIterator<Item = &'a str>,
        measure: Measure,
    ) -> ReportFigure {
        let row = |group: &str| PlotRow {
            name: group.to_owned(),
            values: (0..self.contestants.len())
                .map(|contestant| match contestant {
                    0 => None,
                    _ => self.paired(group, contestant, measure).ratios(),
                })
                .collect(),
        };
        let first = self.contestants.first().map_or("", String::as_str);
        let boxes = RowPlot {
            x: Axis::new(&format!("{what}, divided by those of {first}"), Scale::Log),
            series: self.contestants.to_vec(),
            rows: groups.into_iter().map(row).collect(),
            reference: Some(1.0),
        };
        boxes.figure(
            title,
            "Boxes are the middle half of the ratios, marks their medians; lines go to the \
             smallest and the largest. Left of the dashed line is less.",
        )
    }
}

/// The numbers of a contestant on all cases of a group, beside those of the first contestant.
pub(crate) struct PairedRuns {
    ours: Vec<CaseRuns>,
    first: Vec<CaseRuns>,
}

impl PairedRuns {
    /// Returns the mean of the runs of each case.
    pub(crate) fn means(&self) -> Vec<f64> {
        means(&self.ours)
    }

    /// Returns the means of the runs of the first contestant.
    pub(crate) fn first_means(&self) -> Vec<f64> {
        means(&self.first)
    }

    /// Returns the mean of the tests of each case as text.
    pub(crate) fn case_cells(&self) -> Vec<String> {
        let cell = |case: &CaseRuns| case.mark().to_owned() + &number(case.mean(), 0);
        self.ours.iter().map(cell).collect()
    }

    /// Compares the means of the runs, paired by case.
    pub(crate) fn comparison(&self) -> Comparison {
        Comparison::new(&self.means(), &self.first_means())
    }

    /// Returns a ratio to the first contestant as text: marked as a bound if runs of one of them
    /// met the limit, and a dash if runs of both did.
    pub(crate) fn ratio(&self, ratio: Option<f64>) -> String {
        match (is_limited(&self.ours), is_limited(&self.first)) {
            (false, false) => maybe(ratio, 3),
            (true, false) => format!("> {}", maybe(ratio, 3)),
            (false, true) => format!("< {}", maybe(ratio, 3)),
            (true, true) => maybe(None, 3),
        }
    }

    /// Returns the distribution of the ratios to the first contestant, one for each case. A run
    /// that met the limit makes a ratio a bound, and both its ends are known only as such.
    pub(crate) fn ratios(&self) -> Option<BoxSummary> {
        let pairs = self.ours.iter().zip(&self.first);
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for (ours, first) in pairs {
            let ratio = ours.mean() / first.mean();
            if ratio.is_finite() {
                lows.push(if first.is_limited { 0.0 } else { ratio });
                highs.push(if ours.is_limited {
                    f64::INFINITY
                } else {
                    ratio
                });
            }
        }
        Some(BoxSummary {
            at_least: quartiles(&lows)?,
            at_most: quartiles(&highs)?,
        })
    }

    /// Returns the median over the cases, as a bound if it depends on runs that met the limit.
    fn median(&self, decimals: usize) -> String {
        let highest = self.ours.iter().map(|case| match case.is_limited {
            true => f64::INFINITY,
            false => case.mean(),
        });
        let median = |numbers: &[f64]| quartiles(numbers).map(|quartiles| quartiles[2]);
        let known = median(&self.means());
        let mark = match median(&highest.collect::<Vec<_>>()) == known {
            true => "",
            false => "> ",
        };
        format!("{mark}{}", maybe(known, decimals))
    }
}

impl CaseRuns {
    /// Returns what stands before a number of tests.
    fn mark(&self) -> &'static str {
        if self.is_limited { "> " } else { "" }
    }

    fn mean(&self) -> f64 {
        mean(&self.numbers).unwrap_or(0.0)
    }
}

fn means(cases: &[CaseRuns]) -> Vec<f64> {
    cases.iter().map(CaseRuns::mean).collect()
}

fn is_limited(cases: &[CaseRuns]) -> bool {
    cases.iter().any(|case| case.is_limited)
}

/// An average of the numbers of all cases, or their sum.
pub(crate) type Average = fn(&[f64]) -> Option<f64>;

impl RunPlan {
    /// Returns the algorithm of each run: one for each seed if it draws random numbers.
    pub(super) fn algorithms<'a>(
        &self,
        algorithm: &'a Algorithm,
    ) -> impl Iterator<Item = (u64, Algorithm)> + use<'a> {
        (0..self.seeds).map_while(|run| match run {
            0 => Some((run, algorithm.clone())),
            _ => Some((run, algorithm.reseeded(run)?)),
        })
    }

    /// Returns what the settings of a page say about seeds and limits that were chosen.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let seeds =
            (self.seeds > 1).then(|| ("seeds of random algorithms", self.seeds.to_string()));
        let limit = self.rules.max_tests.map(|tests| {
            let tests = number(tests as f64, 0);
            let limit = format!("{tests} (> and < mark what runs that met this limit bound)");
            ("tests of a run at most", limit)
        });
        seeds.into_iter().chain(limit)
    }

    /// Returns the columns of a number: its average, and the interval of that with several seeds.
    pub(super) fn heading<'a>(&self, name: &'a str) -> impl Iterator<Item = (&'a str, Align)> {
        let interval = (self.seeds > 1).then_some(("95 %", Align::Right));
        std::iter::once((name, Align::Right)).chain(interval)
    }

    /// Returns the columns of a number of tests: with a limit also the median.
    pub(super) fn tests_heading<'a>(
        &self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a str, Align)> {
        let median = (self.rules.max_tests).map(|_| ("median", Align::Right));
        self.heading(name).chain(median)
    }

    /// Returns the cells of a number. The interval is that of the chance in the runs: the cases
    /// are fixed.
    pub(super) fn cells(
        &self,
        runs: &PairedRuns,
        average: Average,
        decimals: usize,
    ) -> Vec<String> {
        let mut cells = vec![maybe(average(&runs.means()), decimals)];
        if self.seeds > 1 {
            let cases: Vec<&[f64]> = runs.ours.iter().map(|case| &*case.numbers).collect();
            cells.push(interval(bootstrap_runs(&cases, 1, average), decimals));
        }
        cells
    }

    /// Returns the cells of a number of tests.
    pub(super) fn tests_cells(
        &self,
        runs: &PairedRuns,
        average: Average,
        decimals: usize,
    ) -> Vec<String> {
        let mut cells = self.cells(runs, average, decimals);
        if is_limited(&runs.ours) {
            cells[0].insert_str(0, "> ");
        }
        if self.rules.max_tests.is_some() {
            cells.push(runs.median(decimals));
        }
        cells
    }

    /// Returns the columns of a comparison on programs.
    pub(super) fn program_heading(&self) -> impl Iterator<Item = (&'static str, Align)> {
        let compared = [("smaller by %", Align::Right), ("p", Align::Right)];
        let ratio = [("ratio", Align::Right), ("p", Align::Right)];
        (self.heading("tokens left").chain(compared))
            .chain(self.tests_heading("tests").chain(ratio))
    }

    /// Returns the cells of a comparison on programs: the tokens left, and the tests.
    pub(super) fn program_cells(&self, left: &PairedRuns, tests: &PairedRuns) -> Vec<String> {
        let (compared, compared_tests) = (left.comparison(), tests.comparison());
        let mut cells = self.cells(left, geometric_mean, 1);
        let smaller = compared.geometric.map(|ratio| 100.0 * (1.0 - ratio));
        cells.extend([maybe(smaller, 2), p_value(compared.p)]);
        cells.extend(self.tests_cells(tests, geometric_mean, 1));
        cells.extend([
            tests.ratio(compared_tests.geometric),
            p_value(compared_tests.p),
        ]);
        cells
    }
}

/// Returns an interval as text.
pub(super) fn interval(interval: Option<Interval>, decimals: usize) -> String {
    match interval {
        Some(Interval { low, high }) => {
            format!("{}–{}", number(low, decimals), number(high, decimals))
        }
        None => maybe(None, decimals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the run of a contestant, which made some tests.
    fn run(contestant: &str, case: u64, run: u64, tests: u64) -> RunRecord<'_> {
        RunRecord {
            group: "",
            contestant,
            case: (case, ""),
            run,
            finished: true,
            tests,
            size: 0,
        }
    }

    /// Returns the runs of `ours`, beside those of a contestant that makes some tests.
    fn paired(ours: Vec<RunRecord<'_>>, first: u64) -> PairedRuns {
        let contestants = &["first", "ours"].map(str::to_owned);
        let firsts = ours.iter().map(|ours| run("first", ours.case.0, 0, first));
        let firsts: Vec<RunRecord<'_>> = firsts.collect();
        let runs = Runs {
            records: [ours, firsts].concat(),
            contestants,
        };
        runs.paired("", 1, Measure::Tests)
    }

    /// Five cases. Runs of at least `limit` tests were ended there.
    fn limited(limit: u64) -> PairedRuns {
        let ours = (0..5).map(|case| RunRecord {
            finished: 2 + 2 * case < limit,
            ..run("ours", case, 0, limit.min(2 + 2 * case))
        });
        paired(ours.collect(), 2)
    }

    #[test]
    fn seeds_are_compared_by_the_means_of_cases_and_have_an_interval() {
        // Two runs of each of three cases.
        let ours = (0..6).map(|number| run("ours", number / 2, number % 2, 4 + number));
        let runs = paired(ours.collect(), 5);
        assert_eq!(runs.means(), [4.5, 6.5, 8.5]);
        let plan = RunPlan {
            seeds: 2,
            ..RunPlan::default()
        };
        // The mean of three means of two numbers that differ by 1.
        assert_eq!(plan.cells(&runs, mean, 1), ["6.5", "6.2–6.8"]);
        let first = PairedRuns {
            ours: runs.first.clone(),
            ..runs
        };
        assert_eq!(plan.cells(&first, mean, 1), ["10.0", "–"]);
    }

    #[test]
    fn a_median_is_known_while_fewer_than_half_of_the_runs_meet_the_limit() {
        let rules = RunRules {
            max_tests: Some(7),
            ..RunRules::default()
        };
        let plan = RunPlan::from(rules);
        assert_eq!(plan.tests_cells(&limited(7), mean, 1), ["> 5.2", "6.0"]);
        assert_eq!(plan.tests_cells(&limited(6), mean, 1), ["> 4.8", "> 6.0"]);
        assert_eq!(plan.tests_cells(&limited(99), mean, 1), ["6.0", "6.0"]);
        assert_eq!(limited(7).ratio(Some(2.6)), "> 2.600");
        assert_eq!(limited(99).ratio(Some(3.0)), "3.000");
    }

    #[test]
    fn boxes_are_open_where_runs_met_the_limit() {
        let infinity = f64::INFINITY;
        let open = limited(7).ratios().unwrap();
        assert_eq!(Some(open.at_least), Some([1.0, 2.0, 3.0, 3.5, 3.5]));
        assert_eq!(
            Some(open.at_most),
            Some([1.0, 2.0, 3.0, infinity, infinity])
        );
        let whole = limited(99).ratios().unwrap();
        assert_eq!(Some(whole.at_least), Some([1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!(Some(whole.at_most), Some(whole.at_least));
    }
}
