//! A quantity of a run that has to stay large enough.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Pattern;
use crate::duration::{format_duration, parse_duration};
use crate::shell::quote;
use crate::{OracleError, Outcome, Resource, Run};

/// What is measured of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measured {
    /// The time from its start to its end.
    Wall,
    /// The processor time of its processes.
    Processor,
    /// The memory of its largest process. A run is stopped as soon as that is enough.
    Memory,
    /// The last number that a part of its standard output has: the first group of the expression,
    /// or all that it matches.
    Stdout(Pattern),
}

/// A quantity of a run, and the least value that it has to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    what: Measured,
    /// In bytes, or in millionths of a second or of the printed number.
    at_least: i64,
}

/// Millionths of a unit.
const UNIT: f64 = 1e6;

impl FromStr for Measured {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Self, OracleError> {
        match (text, text.strip_prefix("stdout:")) {
            ("wall", _) => Ok(Self::Wall),
            ("cpu", _) => Ok(Self::Processor),
            ("memory", _) => Ok(Self::Memory),
            (_, Some(pattern)) => {
                let between = |text: &'_ str| -> Option<String> {
                    Some(text.strip_prefix('/')?.strip_suffix('/')?.to_owned())
                };
                let pattern = between(pattern).unwrap_or_else(|| pattern.to_owned());
                Ok(Self::Stdout(pattern.parse()?))
            }
            _ => Err(OracleError::Expectation {
                text: text.to_owned(),
                wanted: "wall, cpu, memory, or stdout:REGEX".to_owned(),
            }),
        }
    }
}

impl Measured {
    pub(super) fn is_time(&self) -> bool {
        matches!(self, Self::Wall | Self::Processor)
    }

    pub(super) fn noun(&self) -> String {
        match self {
            Self::Wall => "wall time".to_owned(),
            Self::Processor => "processor time".to_owned(),
            Self::Memory => "peak of memory".to_owned(),
            Self::Stdout(pattern) => format!("number in stdout after /{pattern}/"),
        }
    }

    /// Returns the name, as on the command line but without quotes.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Wall => "wall".to_owned(),
            Self::Processor => "cpu".to_owned(),
            Self::Memory => "memory".to_owned(),
            Self::Stdout(pattern) => format!("stdout:{pattern}"),
        }
    }

    fn flag_value(&self) -> String {
        match self {
            Self::Stdout(_) => quote(self.name()),
            _ => self.name(),
        }
    }
}

impl Measure {
    /// Reads the least value: a duration for a time, an amount such as `1G` for memory, else a
    /// number.
    ///
    /// # Errors
    /// [`OracleError::Expectation`] when the text is none.
    pub fn new(what: Measured, at_least: &str) -> Result<Self, OracleError> {
        let value = match what {
            Measured::Stdout(_) => millionths(at_least),
            Measured::Wall | Measured::Processor => {
                let micros = parse_duration(at_least)?.as_micros();
                i64::try_from(micros).ok()
            }
            Measured::Memory => parse_bytes(at_least).and_then(|bytes| i64::try_from(bytes).ok()),
        };
        let at_least = value.ok_or_else(|| OracleError::Expectation {
            text: at_least.to_owned(),
            wanted: match what {
                Measured::Memory => "an amount of memory, such as 500M or 8G".to_owned(),
                _ => "a number".to_owned(),
            },
        })?;
        Ok(Self { what, at_least })
    }

    /// Returns the quantity of a run that takes at least this long.
    pub(super) fn of_hang(duration: Duration) -> Self {
        Self {
            what: Measured::Wall,
            at_least: i64::try_from(duration.as_micros()).unwrap_or(i64::MAX),
        }
    }

    /// Returns what is measured.
    #[must_use]
    pub fn what(&self) -> &Measured {
        &self.what
    }

    /// Returns the memory at which a run is stopped; `None` when something else is measured.
    pub(super) fn memory(&self) -> Option<u64> {
        let bytes = (self.what == Measured::Memory).then_some(self.at_least)?;
        u64::try_from(bytes).ok()
    }

    /// Returns the value of a run; `None` when it printed no number, or did not use enough memory.
    fn value(&self, run: &Run) -> Option<i64> {
        match &self.what {
            Measured::Wall | Measured::Processor => i64::try_from(run.took.as_micros()).ok(),
            Measured::Memory => self.is_reached_at_limit(run).then_some(self.at_least),
            Measured::Stdout(pattern) => millionths(&pattern.last_text(&run.stdout)?),
        }
    }

    /// Returns whether the value of a run is large enough. A time counts even if the run was
    /// stopped at its time limit.
    pub(super) fn holds(&self, run: &Run) -> bool {
        let has_ended = !run.outcome.is_cut_short() || self.is_reached_at_limit(run);
        has_ended && self.value(run) >= Some(self.at_least)
    }

    /// Returns whether the limit that stopped a run is one on what is measured.
    pub(super) fn is_reached_at_limit(&self, run: &Run) -> bool {
        match self.what {
            Measured::Wall | Measured::Processor => run.outcome == Outcome::TimedOut,
            Measured::Memory => run.outcome == Outcome::Exceeded(Resource::Memory),
            Measured::Stdout(_) => false,
        }
    }

    /// Returns the time of a run as a share of the least one; `None` when no time is measured.
    pub(super) fn time_share(&self, run: &Run) -> Option<f64> {
        let value = self.value(run).filter(|_| self.what.is_time())?;
        Some(value as f64 / self.at_least.max(1) as f64)
    }

    /// Returns the value of a run and the least one, as a sentence without a subject. A time is the
    /// share of the least one, if that is given.
    pub(super) fn shown(&self, run: &Run, share: Option<f64>) -> Option<String> {
        let share = share.or_else(|| self.time_share(run));
        #[expect(clippy::cast_possible_truncation, reason = "a time in microseconds")]
        let value = match share.filter(|_| self.what.is_time()) {
            Some(share) => (share * self.at_least as f64).round() as i64,
            None => self.value(run)?,
        };
        let value = match self.what.is_time() && value >= 1_000_000 {
            true => format!("{:.1}s", value as f64 / UNIT),
            false => self.written(value),
        };
        let at_least = self.written(self.at_least);
        if self.what == Measured::Memory {
            return Some(format!(
                "memory reached {at_least}, and the run was stopped"
            ));
        }
        let is_close = self.what.is_time() && share.is_some_and(|share| share < 1.0 + SPARE_SHARE);
        let close = match is_close {
            true => ", which is close: smaller results may have it by chance",
            false => "",
        };
        Some(format!(
            "{} {value}, at least {at_least}{close}",
            self.what.noun()
        ))
    }

    fn written(&self, value: i64) -> String {
        let positive = |value: i64| u64::try_from(value).unwrap_or_default();
        match self.what {
            Measured::Wall | Measured::Processor => {
                format_duration(Duration::from_millis(positive(value / 1000)))
            }
            Measured::Memory => format_bytes(positive(value)),
            Measured::Stdout(_) => format!("{}", value as f64 / UNIT),
        }
    }

    pub(super) fn flag(&self) -> String {
        format!(
            "--measure {} --at-least {}",
            self.what.flag_value(),
            self.written(self.at_least)
        )
    }
}

/// A value is close to the least one when it exceeds it by less than a fifth.
pub(super) const SPARE: u32 = 5;

/// The same as a share of the least value.
const SPARE_SHARE: f64 = 1.0 / SPARE as f64;

/// Units of memory, the largest first.
const MEMORY_UNITS: [(u64, char); 3] = [(1_000_000_000, 'G'), (1_000_000, 'M'), (1000, 'k')];

/// Reads an amount of memory that is not zero, such as `500M` or `8GB`; `None` when it is none.
#[must_use]
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(['b', 'B']);
    let suffix = text.chars().last()?;
    let (unit, _) = (MEMORY_UNITS.into_iter()).find(|(_, it)| it.eq_ignore_ascii_case(&suffix))?;
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    number.checked_mul(unit).filter(|bytes| *bytes > 0)
}

/// Writes an amount of memory in the largest unit of which it is a multiple, as [`parse_bytes`]
/// reads it.
pub(super) fn format_bytes(bytes: u64) -> String {
    let mut units = MEMORY_UNITS.into_iter();
    let (unit, suffix) = units
        .find(|(unit, _)| bytes.is_multiple_of(*unit))
        .unwrap_or((1, 'B'));
    format!("{}{suffix}", bytes / unit)
}

/// Reads a number, in millionths.
pub(super) fn millionths(text: &str) -> Option<i64> {
    let number: f64 = text.trim().replace(',', "").parse().ok()?;
    let scaled = (number * UNIT).round();
    let is_in_range = scaled.abs() < i64::MAX as f64;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    is_in_range.then_some(scaled as i64)
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = self.written(self.at_least);
        write!(f, "has a {} of at least {at_least}", self.what.noun())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcome: Outcome, stdout: &str, millis: u64) -> Run {
        Run {
            outcome,
            stdout: stdout.into(),
            stderr: Vec::new(),
            took: Duration::from_millis(millis),
        }
    }

    #[test]
    fn a_time_is_compared_and_close_below_a_fifth_more() {
        let measure = Measure::new("wall".parse().unwrap(), "4s").unwrap();
        let at = |outcome, millis| {
            let run = run(outcome, "", millis);
            let shown = measure.shown(&run, None).unwrap();
            (measure.holds(&run), shown.contains("which is close"))
        };
        assert_eq!(at(Outcome::Exited(0), 3900), (false, true));
        assert_eq!(at(Outcome::Exited(1), 4100), (true, true));
        assert_eq!(at(Outcome::TimedOut, 4900), (true, false));
        assert_eq!(measure.flag(), "--measure wall --at-least 4s");
    }

    #[test]
    fn a_time_is_a_share_of_the_least_one() {
        let run = run(Outcome::Exited(0), "", 3000);
        let share = |what: &str, least| Measure::new(what.parse().unwrap(), least);
        let share = |what, least| share(what, least).unwrap().time_share(&run);
        assert_eq!(share("cpu", "4s"), Some(0.75));
        assert_eq!(share("memory", "1G"), None);
        let measure = Measure::new(Measured::Wall, "4s").unwrap();
        let shown = measure.shown(&run, Some(1.05)).unwrap();
        assert!(shown.starts_with("wall time 4.2s, at least 4s, which is close"));
    }

    #[test]
    fn memory_is_enough_when_its_limit_stopped_the_run() {
        let measure = Measure::new("memory".parse().unwrap(), "1500M").unwrap();
        assert_eq!(measure.memory(), Some(1_500_000_000));
        let holds = |outcome| measure.holds(&run(outcome, "", 1));
        assert!(holds(Outcome::Exceeded(Resource::Memory)));
        assert!(!holds(Outcome::Exceeded(Resource::Processes)));
        assert!(!holds(Outcome::TimedOut) && !holds(Outcome::Exited(0)));
        assert_eq!(measure.flag(), "--measure memory --at-least 1500M");
        assert_eq!(parse_bytes("8GB"), Some(8_000_000_000));
        assert_eq!(
            [parse_bytes("0k"), parse_bytes("5"), parse_bytes("M")],
            [None; 3]
        );
    }

    #[test]
    fn a_printed_number_is_the_last_one_that_the_expression_finds() {
        let what = "stdout:covered (\\d+)".parse().unwrap();
        let measure = Measure::new(what, "12").unwrap();
        let holds = |stdout| measure.holds(&run(Outcome::Exited(0), stdout, 1));
        assert!(holds("covered 3\ncovered 12\n"));
        assert!(!holds("covered 12\ncovered 3\n"));
        assert!(!holds("nothing\n"));
        let shown = measure.shown(&run(Outcome::Exited(0), "covered 13", 1), None);
        let expected = "number in stdout after /covered (\\d+)/ 13, at least 12";
        assert_eq!(shown.as_deref(), Some(expected));
    }

    #[test]
    fn other_quantities_are_refused() {
        assert!("speed".parse::<Measured>().is_err());
        assert!(Measure::new(Measured::Processor, "fast").is_err());
        assert!(Measure::new(Measured::Memory, "5s").is_err());
        assert!(Measure::new("stdout:x".parse().unwrap(), "many").is_err());
    }
}
