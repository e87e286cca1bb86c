//! The quantity that a reduction makes small: a measure of the text, or quantities of runs.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Measured;
use super::measure::{format_bytes, millionths};
use crate::duration::format_duration;
use crate::{OracleError, Run};

/// A measure of the text alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextMeasure {
    /// Tokens, then bytes.
    #[default]
    Tokens,
    /// Bytes.
    Bytes,
    /// Lines, then tokens.
    Lines,
}

/// Measures in descending importance: quantities of runs, and then one of the text.
///
/// Two texts are hardly ever alike in a measure of the text, so nothing can come after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureList {
    of_runs: Vec<Measured>,
    of_text: TextMeasure,
}

/// Whether small or large quantities are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// The smallest.
    Least,
    /// The largest.
    Most,
}

/// The quantities of runs by which interesting candidates are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objective {
    quantities: Vec<Measured>,
    wanted: Extreme,
}

/// What a run used, beside what it returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunUsage {
    /// The time from its start to its end.
    pub wall: Duration,
    /// The processor time of its processes, if the system says it.
    pub processor: Option<Duration>,
    /// The peak of memory of the largest of its processes, in bytes, if it was seen.
    pub peak: Option<u64>,
}

impl FromStr for MeasureList {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Self, OracleError> {
        let wrong = |wanted: &str| OracleError::Expectation {
            text: text.to_owned(),
            wanted: wanted.to_owned(),
        };
        let (mut of_runs, mut of_text) = (Vec::new(), None);
        for item in items(text) {
            if of_text.is_some() {
                return Err(wrong(
                    "a list with quantities of runs first, as in memory,bytes",
                ));
            }
            match item.as_str() {
                "tokens" => of_text = Some(TextMeasure::Tokens),
                "bytes" => of_text = Some(TextMeasure::Bytes),
                "lines" => of_text = Some(TextMeasure::Lines),
                "time" => of_runs.push(Measured::Processor),
                item => of_runs.push(item.parse().map_err(|error| match error {
                    OracleError::Expectation { wanted, .. } if item.starts_with("stdout:") => {
                        wrong(&wanted)
                    }
                    _ => wrong("tokens, bytes, lines, cpu, wall, memory, or stdout:REGEX"),
                })?),
            }
        }
        Ok(Self {
            of_runs,
            of_text: of_text.unwrap_or_default(),
        })
    }
}

/// Returns the items of a list. A comma of an expression divides nothing unless the name of a
/// measure follows it.
fn items(text: &str) -> Vec<String> {
    const NAMES: [&str; 7] = ["tokens", "bytes", "lines", "time", "cpu", "wall", "memory"];
    let mut items: Vec<String> = Vec::new();
    for piece in text.split(',') {
        let is_name = NAMES.contains(&piece) || piece.starts_with("stdout:");
        match items.last_mut() {
            Some(last) if !is_name && last.starts_with("stdout:") => {
                last.push(',');
                last.push_str(piece);
            }
            _ => items.push(piece.to_owned()),
        }
    }
    items
}

impl MeasureList {
    /// Returns the measure of the text.
    #[must_use]
    pub fn of_text(&self) -> TextMeasure {
        self.of_text
    }

    /// Returns the quantities of runs as an objective; `None` if there are none.
    #[must_use]
    pub fn objective(&self, wanted: Extreme) -> Option<Objective> {
        (!self.of_runs.is_empty()).then(|| Objective {
            quantities: self.of_runs.clone(),
            wanted,
        })
    }
}

/// Written as on the command line.
impl fmt::Display for MeasureList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for measured in &self.of_runs {
            write!(f, "{},", measured.name())?;
        }
        f.write_str(match self.of_text {
            TextMeasure::Tokens => "tokens",
            TextMeasure::Bytes => "bytes",
            TextMeasure::Lines => "lines",
        })
    }
}

impl Objective {
    /// Returns whether small or large quantities are wanted.
    #[must_use]
    pub fn wanted(&self) -> Extreme {
        self.wanted
    }

    /// Returns whether two runs of the same candidate may differ in a quantity.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        let is_exact = |measured: &Measured| matches!(measured, Measured::Stdout(_));
        !self.quantities.iter().all(is_exact)
    }

    /// Returns the quantities of a run: microseconds, bytes, or millionths of a number. `None` if
    /// one of them is not known, for example because no number was printed.
    #[must_use]
    pub fn values(&self, run: &Run, usage: &RunUsage) -> Option<Vec<i64>> {
        let micros = |time: Duration| i64::try_from(time.as_micros()).ok();
        let values = self.quantities.iter().map(|measured| match measured {
            Measured::Wall => micros(usage.wall),
            Measured::Processor => micros(usage.processor?),
            Measured::Memory => i64::try_from(usage.peak?).ok(),
            Measured::Stdout(pattern) => millionths(&pattern.last_text(&run.stdout)?),
        });
        values.collect()
    }

    /// Compares quantities: the first in which they differ by more than chance decides. The better
    /// ones are less.
    #[must_use]
    pub fn compare(&self, left: &[i64], right: &[i64]) -> Ordering {
        let each = self.quantities.iter().zip(left.iter().zip(right));
        each.map(|(measured, (left, right))| self.order(measured, *left, *right))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Returns the better value of each quantity, up to the first in which they differ by more
    /// than chance; after it, those of the better side.
    ///
    /// A bound that is made so never becomes worse by small steps.
    #[must_use]
    pub fn tightened(&self, left: &[i64], right: &[i64]) -> Vec<i64> {
        let decided = self.compare(left, right);
        let mut is_decided = false;
        let each = self.quantities.iter().zip(left.iter().zip(right));
        each.map(|(measured, (&left, &right))| {
            is_decided |= self.order(measured, left, right).is_ne();
            match (is_decided, decided, self.wanted) {
                (true, Ordering::Greater, _) => right,
                (true, _, _) => left,
                (false, _, Extreme::Least) => left.min(right),
                (false, _, Extreme::Most) => left.max(right),
            }
        })
        .collect()
    }

    fn order(&self, measured: &Measured, left: i64, right: i64) -> Ordering {
        if left.abs_diff(right) <= margin(measured, left.min(right)) {
            return Ordering::Equal;
        }
        match self.wanted {
            Extreme::Least => left.cmp(&right),
            Extreme::Most => right.cmp(&left),
        }
    }

    /// Describes each quantity of the input and of the result.
    #[must_use]
    pub fn shown(&self, before: &[i64], after: &[i64]) -> String {
        let each = self.quantities.iter().zip(before.iter().zip(after));
        let each = each.map(|(measured, (&before, &after))| {
            let [before, after] = [before, after].map(|value| written(measured, value));
            format!("{} {before} -> {after}", measured.noun())
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// Returns the names of the quantities, as on the command line.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.quantities.iter().map(Measured::name)
    }
}

/// Returns the difference that counts as chance: for times a tenth, and two ticks of the clock of
/// processor time; for memory a fiftieth, and 256 KiB, as the peak is seen every few milliseconds
/// only; for numbers nothing.
fn margin(measured: &Measured, smaller: i64) -> u64 {
    let smaller = smaller.unsigned_abs();
    match measured {
        Measured::Wall | Measured::Processor => (smaller / 10).max(20_000),
        Measured::Memory => (smaller / 50).max(256 << 10),
        Measured::Stdout(_) => 0,
    }
}

fn written(measured: &Measured, value: i64) -> String {
    let positive = u64::try_from(value).unwrap_or_default();
    match measured {
        Measured::Wall | Measured::Processor if positive >= 1_000_000 => {
            format!("{:.2}s", value as f64 / 1e6)
        }
        Measured::Wall | Measured::Processor => {
            format_duration(Duration::from_millis(positive / 1000))
        }
        Measured::Memory if positive >= 10_000_000 => format!("{}M", positive / 1_000_000),
        Measured::Memory => format_bytes(positive / 1000 * 1000),
        Measured::Stdout(_) => format!("{}", value as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    fn least(text: &str) -> Objective {
        let list: MeasureList = text.parse().unwrap();
        list.objective(Extreme::Least).unwrap()
    }

    #[test]
    fn a_list_has_quantities_of_runs_and_then_a_measure_of_the_text() {
        for (text, written) in [
            ("bytes", "bytes"),
            ("memory,lines", "memory,lines"),
            ("time", "cpu,tokens"),
            (
                r"stdout:/(\d{1,3}) nodes/,wall",
                r"stdout:(\d{1,3}) nodes,wall,tokens",
            ),
        ] {
            let list: MeasureList = text.parse().unwrap();
            assert_eq!(list.to_string(), written);
        }
        let complaint = |text: &str| text.parse::<MeasureList>().unwrap_err().to_string();
        assert!(complaint("bytes,memory").contains("quantities of runs first"));
        assert!(complaint("speed").contains("tokens, bytes, lines, cpu"));
        assert!(complaint("stdout:(").contains("a regular expression"));
        assert_eq!(
            "bytes"
                .parse::<MeasureList>()
                .unwrap()
                .objective(Extreme::Least),
            None
        );
    }

    #[test]
    fn the_first_quantity_that_differs_by_more_than_chance_decides() {
        let objective = least("cpu,memory");
        let compare = |left: [i64; 2], right: [i64; 2]| objective.compare(&left, &right);
        const M: i64 = 1_000_000;
        assert_eq!(compare([M, 5 * M], [2 * M, M]), Ordering::Less);
        assert_eq!(compare([100 * M, 5 * M], [105 * M, M]), Ordering::Greater);
        assert_eq!(compare([M, 100 * M], [M, 101 * M]), Ordering::Equal);
        let most = "cpu".parse::<MeasureList>().unwrap();
        let most = most.objective(Extreme::Most).unwrap();
        assert_eq!(most.compare(&[M], &[2 * M]), Ordering::Greater);
    }

    #[test]
    fn a_bound_does_not_become_worse_by_small_steps() {
        let objective = least("cpu");
        let mut bound = vec![1_000_000];
        for _ in 0..9 {
            let worse = vec![bound[0] + bound[0] / 11];
            assert_eq!(objective.compare(&worse, &bound), Ordering::Equal);
            bound = objective.tightened(&worse, &bound);
        }
        assert_eq!(bound, [1_000_000]);
        assert_eq!(
            least("cpu,memory").tightened(&[9, 1], &[900_000, 7]),
            [9, 1]
        );
    }

    #[test]
    fn a_quantity_that_is_not_known_leaves_a_run_without_values() {
        let run = |stdout: &str| Run {
            outcome: Outcome::Exited(0),
            stdout: stdout.into(),
            stderr: Vec::new(),
            took: Duration::ZERO,
        };
        let usage = RunUsage::default();
        let objective = least(r"stdout:(\d+) nodes");
        assert_eq!(
            objective.values(&run("7 nodes"), &usage),
            Some(vec![7_000_000])
        );
        assert_eq!(objective.values(&run("none"), &usage), None);
        assert_eq!(least("memory").values(&run(""), &usage), None);
        assert_eq!(
            objective.shown(&[7_000_000], &[2_500_000]),
            r"number in stdout after /(\d+) nodes/ 7 -> 2.5"
        );
    }
}
