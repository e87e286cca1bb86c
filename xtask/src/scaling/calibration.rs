//! Calibration: the odds that verdicts were given, beside those that were observed.

use boildown_search::Verdict;

use crate::table::{Align, Table};

/// The upper ends of the intervals of odds.
const ENDS: [f64; 12] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 1.0,
];

/// The verdicts told, by the odds that the search gave them, and by those that the planner gave
/// them when their tests were started.
#[derive(Debug, Clone, Default)]
pub(super) struct Calibration {
    search: [Interval; ENDS.len()],
    planner: [Interval; ENDS.len()],
}

/// The verdicts whose odds are in one interval.
#[derive(Debug, Clone, Copy, Default)]
struct Interval {
    questions: u64,
    /// The sum of their odds: the hits that were expected.
    expected: f64,
    hits: u64,
    /// How surprising they were, in bits.
    surprise: f64,
}

impl Interval {
    fn add(&mut self, odds: f64, verdict: Verdict) {
        let is_hit = verdict.is_interesting();
        self.questions += 1;
        self.expected += odds;
        self.hits += u64::from(is_hit);
        let likely = if is_hit { odds } else { 1.0 - odds };
        self.surprise -= likely.max(1e-6).log2();
    }
}

impl Calibration {
    /// Adds a verdict.
    pub(super) fn add(&mut self, search: f64, planner: Option<f64>, verdict: Verdict) {
        for (intervals, odds) in [
            (&mut self.search, search),
            (&mut self.planner, planner.unwrap_or(search)),
        ] {
            let place = ENDS.partition_point(|&end| end < odds).min(ENDS.len() - 1);
            intervals[place].add(odds, verdict);
        }
    }

    /// Returns the intervals as a table.
    pub(super) fn as_table(&self) -> Table {
        use Align::{Left, Right};
        let mut table = Table::new(&[
            ("odds of", Left),
            ("up to", Right),
            ("questions", Right),
            ("expected hits", Right),
            ("hits", Right),
            ("bits", Right),
        ]);
        for (name, intervals) in [("search", &self.search), ("planner", &self.planner)] {
            for (end, interval) in ENDS.iter().zip(intervals) {
                if interval.questions > 0 {
                    table.push(vec![
                        name.to_owned(),
                        format!("{end:.2}"),
                        interval.questions.to_string(),
                        format!("{:.1}", interval.expected),
                        interval.hits.to_string(),
                        format!("{:.1}", interval.surprise),
                    ]);
                }
            }
        }
        table
    }
}
