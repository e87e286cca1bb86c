//! Facts about a run: how it ended and what it printed.

use std::fmt;
use std::time::Duration;

use crate::signal;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It exited with this code.
    Exited(i32),
    /// It was killed by this signal, which boildown did not send.
    Signalled(i32),
    /// It ran past its time limit and was stopped.
    TimedOut,
    /// It used more of this resource than its limit, and was killed.
    Exceeded(Resource),
}

/// A resource with a limit for each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    /// The memory of all processes of the run together.
    Memory,
    /// The number of processes at the same time.
    Processes,
}

impl Outcome {
    /// Returns whether a limit ended the run, so that it is unknown how it would have ended. On a
    /// busy machine, another run of the same candidate may end normally.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        match self {
            Self::TimedOut | Self::Exceeded(_) => true,
            Self::Exited(_) | Self::Signalled(_) => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exited(code) => write!(f, "exited with {code}"),
            Self::Signalled(number) => write!(f, "killed by {}", signal::SignalName(number)),
            Self::TimedOut => f.write_str("timed out"),
            Self::Exceeded(Resource::Memory) => f.write_str("used too much memory"),
            Self::Exceeded(Resource::Processes) => f.write_str("started too many processes"),
        }
    }
}

/// One run of a command: how it ended and what it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What it wrote to its standard output. Empty when the output was not captured; shortened in
    /// the middle when it was long.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error; empty or shortened like `stdout`.
    pub stderr: Vec<u8>,
    /// Wall time from the start of the command to its end.
    pub took: Duration,
}

impl Run {
    /// Returns a run that ended like this and wrote to its standard error only. It took no time.
    pub fn ended(outcome: Outcome, stderr: impl Into<Vec<u8>>) -> Self {
        Self {
            outcome,
            stdout: Vec::new(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        }
    }
}

/// Which output of a command is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// Nothing: the output goes to `/dev/null`, which is faster than reading it.
    Nothing,
    /// Both streams, separately, each up to the limit on output.
    Output,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_displays_as_part_of_a_sentence() {
        assert_eq!(Outcome::Exited(3).to_string(), "exited with 3");
        assert_eq!(Outcome::Signalled(11).to_string(), "killed by SIGSEGV");
        assert_eq!(Outcome::Signalled(63).to_string(), "killed by signal 63");
        assert_eq!(Outcome::TimedOut.to_string(), "timed out");
        assert_eq!(
            Outcome::Exceeded(Resource::Memory).to_string(),
            "used too much memory"
        );
    }
}
