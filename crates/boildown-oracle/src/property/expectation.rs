//! A single condition on a run.

use std::fmt;
use std::time::Duration;

use super::{ExitSpec, Measure, Measured, Pattern};
use crate::duration::format_duration;
use crate::shell::quote;
use crate::{Outcome, Run};

/// A single condition on a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// The exit status is this one.
    Exit(ExitSpec),
    /// The standard output matches.
    Stdout(Pattern),
    /// The standard error matches.
    Stderr(Pattern),
    /// The standard error does not match.
    NotStderr(Pattern),
    /// The run takes at least this long.
    Hangs(Duration),
    /// A quantity is large enough.
    Measure(Measure),
    /// The command is an interestingness test, and exits with 0.
    Test,
}

impl Expectation {
    pub(super) fn holds(&self, run: &Run) -> bool {
        match self {
            Self::Exit(spec) => spec.matches(run.outcome),
            Self::Stdout(pattern) => pattern.matches(&run.stdout),
            Self::Stderr(pattern) => pattern.matches(&run.stderr),
            Self::NotStderr(pattern) => !pattern.matches(&run.stderr),
            Self::Hangs(duration) => run.took >= *duration,
            Self::Measure(measure) => measure.holds(run),
            Self::Test => run.outcome == Outcome::Exited(0),
        }
    }

    /// Returns the time of a run as a share of the least one; `None` when no time is measured.
    pub(super) fn time_share(&self, run: &Run) -> Option<f64> {
        match self {
            Self::Hangs(duration) => Measure::of_hang(*duration).time_share(run),
            Self::Measure(measure) => measure.time_share(run),
            _ => None,
        }
    }

    pub(super) fn is_about_resources(&self) -> bool {
        match self {
            Self::Hangs(_) => true,
            Self::Measure(measure) => !matches!(measure.what(), Measured::Stdout(_)),
            _ => false,
        }
    }

    /// Returns what was measured of a run beside the least value. A time is the share of the least
    /// one, if that is given.
    pub(super) fn measured(&self, run: &Run, share: Option<f64>) -> Option<String> {
        match self {
            Self::Hangs(duration) => Measure::of_hang(*duration).shown(run, share),
            Self::Measure(measure) => measure.shown(run, share),
            _ => None,
        }
    }

    pub(super) fn flag(&self) -> String {
        match self {
            Self::Exit(spec) => format!("--exit {}", spec.flag_value()),
            Self::Stdout(pattern) => format!("--stdout {}", quote(pattern.as_str())),
            Self::Stderr(pattern) => format!("--stderr {}", quote(pattern.as_str())),
            Self::NotStderr(pattern) => format!("--not-stderr {}", quote(pattern.as_str())),
            Self::Hangs(duration) => format!("--hangs {}", format_duration(*duration)),
            Self::Measure(measure) => measure.flag(),
            Self::Test => "--exit 0".to_owned(),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(spec) => write!(f, "{spec}"),
            Self::Stdout(pattern) => write!(f, "stdout matches /{pattern}/"),
            Self::Stderr(pattern) => write!(f, "stderr matches /{pattern}/"),
            Self::NotStderr(pattern) => write!(f, "stderr does not match /{pattern}/"),
            Self::Hangs(duration) => write!(f, "runs for {} or longer", format_duration(*duration)),
            Self::Measure(measure) => write!(f, "{measure}"),
            Self::Test => f.write_str("the test exits with 0"),
        }
    }
}
