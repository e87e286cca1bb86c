//! One thing that is expected of a run.

use std::fmt;
use std::time::Duration;

use super::{ExitSpec, Pattern};
use crate::duration::format_duration;
use crate::shell::quote;
use crate::{Outcome, Run};

/// One thing that is expected of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// It ends in this way.
    Exit(ExitSpec),
    /// Its standard output matches.
    Stdout(Pattern),
    /// Its standard error matches.
    Stderr(Pattern),
    /// Its standard error does not match.
    NotStderr(Pattern),
    /// It runs for at least this long.
    Hangs(Duration),
    /// It is an interestingness test and exits with 0.
    Test,
}

impl Expectation {
    pub(super) fn holds(&self, run: &Run) -> bool {
        match self {
            Self::Exit(spec) => spec.matches(run.outcome),
            Self::Stdout(pattern) => pattern.matches(&run.stdout),
            Self::Stderr(pattern) => pattern.matches(&run.stderr),
            Self::NotStderr(pattern) => !pattern.matches(&run.stderr),
            Self::Hangs(length) => run.outcome == Outcome::TimedOut && run.took >= *length,
            Self::Test => run.outcome == Outcome::Exited(0),
        }
    }

    pub(super) fn flag(&self) -> String {
        match self {
            Self::Exit(spec) => format!("--exit {}", spec.flag_value()),
            Self::Stdout(pattern) => format!("--stdout {}", quote(pattern.as_str())),
            Self::Stderr(pattern) => format!("--stderr {}", quote(pattern.as_str())),
            Self::NotStderr(pattern) => format!("--not-stderr {}", quote(pattern.as_str())),
            Self::Hangs(length) => format!("--hangs {}", format_duration(*length)),
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
            Self::Hangs(length) => write!(f, "runs for {} or longer", format_duration(*length)),
            Self::Test => f.write_str("the test exits with 0"),
        }
    }
}
