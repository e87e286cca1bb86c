//! What a run did: facts only.

use std::fmt;
use std::time::Duration;

use crate::signal;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It ended by itself with this exit code.
    Exited(i32),
    /// A signal that we did not send ended it.
    Signalled(i32),
    /// It ran past its time limit and was stopped.
    TimedOut,
    /// It took more of this than it may and was killed.
    Exceeded(Resource),
}

/// Something that a run may take so much of and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Memory, all its processes together.
    Memory,
    /// Processes at the same time.
    Processes,
}

impl Outcome {
    /// Returns whether a limit of ours ended the run, so that it says nothing of how it would have ended. On a busy machine
    /// another run of the same may end by itself.
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
            Self::Signalled(number) => write!(f, "killed by {}", signal::Named(number)),
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
    /// What it wrote to its standard output; empty when nobody asked for it, shortened in the middle when it was long.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error; empty or shortened like `stdout`.
    pub stderr: Vec<u8>,
    /// Wall time from the start of the command to its end.
    pub took: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_reads_as_a_sentence_part() {
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
