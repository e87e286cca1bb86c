//! A quantity of a run that has to stay large enough.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Pattern;
use crate::duration::{format_duration, parse_duration};
use crate::shell::quote;
use crate::{OracleError, Outcome, Run};

/// What is measured of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measured {
    /// The time from its start to its end.
    Wall,
    /// The processor time of its processes.
    Processor,
    /// The last number that a part of its standard output has: the first group of the expression,
    /// or all that it matches.
    Stdout(Pattern),
}

/// A quantity of a run, and the least value that it has to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    what: Measured,
    /// In millionths of a second, or of the printed number.
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
            (_, Some(pattern)) => Ok(Self::Stdout(pattern.parse()?)),
            _ => Err(OracleError::Expectation {
                text: text.to_owned(),
                wanted: "wall, cpu, or stdout:REGEX".to_owned(),
            }),
        }
    }
}

impl Measured {
    pub(super) fn is_time(&self) -> bool {
        matches!(self, Self::Wall | Self::Processor)
    }

    fn flag_value(&self) -> String {
        match self {
            Self::Wall => "wall".to_owned(),
            Self::Processor => "cpu".to_owned(),
            Self::Stdout(pattern) => quote(format!("stdout:{pattern}")),
        }
    }
}

impl Measure {
    /// Reads the least value: a duration for a time, else a number.
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
        };
        let at_least = value.ok_or_else(|| OracleError::Expectation {
            text: at_least.to_owned(),
            wanted: "a number".to_owned(),
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

    /// Returns the value of a run; `None` when it printed no number.
    fn value(&self, run: &Run) -> Option<i64> {
        match &self.what {
            Measured::Wall | Measured::Processor => i64::try_from(run.took.as_micros()).ok(),
            Measured::Stdout(pattern) => millionths(&pattern.last_text(&run.stdout)?),
        }
    }

    /// Returns whether the value of a run is large enough. A time counts even if the run was
    /// stopped at its time limit.
    pub(super) fn holds(&self, run: &Run) -> bool {
        let has_ended = !run.outcome.is_cut_short() || self.is_reached_at_time_limit(run);
        has_ended && self.value(run) >= Some(self.at_least)
    }

    pub(super) fn is_reached_at_time_limit(&self, run: &Run) -> bool {
        self.what.is_time() && run.outcome == Outcome::TimedOut
    }

    /// Returns whether a run holds with so little to spare that another one may not. Printed
    /// numbers are taken to be exact.
    pub(super) fn is_close(&self, run: &Run) -> bool {
        self.what.is_time()
            && self.value(run) < Some(self.at_least + self.at_least / i64::from(SPARE))
    }

    /// Returns the value of a run and the least one, as a sentence without a subject.
    pub(super) fn shown(&self, run: &Run) -> Option<String> {
        let value = self.written(self.value(run)?);
        let at_least = self.written(self.at_least);
        let close = match self.is_close(run) {
            true => ", which is close",
            false => "",
        };
        Some(format!(
            "{} {value}, at least {at_least}{close}",
            self.noun()
        ))
    }

    fn noun(&self) -> String {
        match &self.what {
            Measured::Wall => "wall time".to_owned(),
            Measured::Processor => "processor time".to_owned(),
            Measured::Stdout(pattern) => format!("number in stdout after /{pattern}/"),
        }
    }

    fn written(&self, value: i64) -> String {
        match self.what.is_time() {
            true => format_duration(Duration::from_millis(
                u64::try_from(value / 1000).unwrap_or_default(),
            )),
            false => format!("{}", value as f64 / UNIT),
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

/// Reads a number, in millionths.
fn millionths(text: &str) -> Option<i64> {
    let number: f64 = text.trim().replace(',', "").parse().ok()?;
    let scaled = (number * UNIT).round();
    let is_in_range = scaled.abs() < i64::MAX as f64;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    is_in_range.then_some(scaled as i64)
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = self.written(self.at_least);
        write!(f, "has a {} of at least {at_least}", self.noun())
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
            (measure.holds(&run), measure.is_close(&run))
        };
        assert_eq!(at(Outcome::Exited(0), 3900), (false, true));
        assert_eq!(at(Outcome::Exited(1), 4100), (true, true));
        assert_eq!(at(Outcome::TimedOut, 4900), (true, false));
        assert_eq!(measure.flag(), "--measure wall --at-least 4s");
    }

    #[test]
    fn a_printed_number_is_the_last_one_that_the_expression_finds() {
        let what = "stdout:covered (\\d+)".parse().unwrap();
        let measure = Measure::new(what, "12").unwrap();
        let holds = |stdout| measure.holds(&run(Outcome::Exited(0), stdout, 1));
        assert!(holds("covered 3\ncovered 12\n"));
        assert!(!holds("covered 12\ncovered 3\n"));
        assert!(!holds("nothing\n"));
        assert!(!measure.is_close(&run(Outcome::Exited(0), "covered 12", 1)));
        let shown = measure.shown(&run(Outcome::Exited(0), "covered 13", 1));
        let expected = "number in stdout after /covered (\\d+)/ 13, at least 12";
        assert_eq!(shown.as_deref(), Some(expected));
    }

    #[test]
    fn other_quantities_are_refused() {
        assert!("speed".parse::<Measured>().is_err());
        assert!(Measure::new(Measured::Processor, "fast").is_err());
        assert!(Measure::new("stdout:x".parse().unwrap(), "many").is_err());
    }
}
