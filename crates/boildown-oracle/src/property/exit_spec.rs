//! The expected exit status of a run.

use std::fmt;
use std::str::FromStr;

use crate::{OracleError, Outcome, signal};

/// The expected exit status of a run.
///
/// A shell reports a command that was killed by signal N as exit code 128 + N. Both count as the
/// same, so a command can be moved into a script, or out of one, without changing the expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitSpec {
    /// This exit code.
    Code(u8),
    /// Any exit code except 0, or any signal.
    Nonzero,
    /// Any signal.
    AnySignal,
    /// This signal.
    Signal(i32),
}

impl ExitSpec {
    /// Returns whether a run with this outcome has the expected exit status.
    #[must_use]
    pub fn matches(self, outcome: Outcome) -> bool {
        let shell_code = match outcome {
            Outcome::Exited(code) => code,
            Outcome::Signalled(number) => signal::SHELL_OFFSET + number,
            Outcome::TimedOut | Outcome::Exceeded(_) => return false,
        };
        match self {
            Self::Code(code) => shell_code == i32::from(code),
            Self::Nonzero => shell_code != 0,
            Self::AnySignal => is_signal(shell_code),
            Self::Signal(number) => shell_code == signal::SHELL_OFFSET + number,
        }
    }

    /// Returns the exit status of a run; `None` when a limit ended it.
    #[must_use]
    pub fn of_outcome(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Exited(code) => u8::try_from(code).ok().map(Self::Code),
            Outcome::Signalled(number) => Some(Self::Signal(number)),
            Outcome::TimedOut | Outcome::Exceeded(_) => None,
        }
    }

    /// Returns the value of `--exit` that states this exit status.
    #[must_use]
    pub fn flag_value(self) -> String {
        match self {
            Self::Code(code) => code.to_string(),
            Self::Nonzero => "nonzero".to_owned(),
            Self::AnySignal => "signal".to_owned(),
            Self::Signal(number) => {
                let name = signal::SignalName(number).to_string();
                // A signal without a name can only be stated as the exit code of a shell.
                if signal::number(&name).is_some() {
                    name
                } else {
                    (signal::SHELL_OFFSET + number).to_string()
                }
            }
        }
    }
}

fn is_signal(shell_code: i32) -> bool {
    (1..=signal::MAX).contains(&(shell_code - signal::SHELL_OFFSET))
}

impl FromStr for ExitSpec {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Self, OracleError> {
        match text {
            "nonzero" => return Ok(Self::Nonzero),
            "signal" => return Ok(Self::AnySignal),
            _ => {}
        }
        let code = text.parse().ok().map(Self::Code);
        code.or_else(|| signal::number(text).map(Self::Signal))
            .ok_or_else(|| OracleError::Expectation {
                text: text.to_owned(),
                wanted: "an exit status: an exit code from 0 to 255, `nonzero`, `signal`, \
                         or the name of a signal such as SIGSEGV"
                    .to_owned(),
            })
    }
}

impl fmt::Display for ExitSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) if is_signal(code.into()) => {
                let signal = signal::SignalName(i32::from(code) - signal::SHELL_OFFSET);
                write!(f, "exits with {code}, or is killed by {signal}")
            }
            Self::Code(code) => write!(f, "exits with {code}"),
            Self::Nonzero => {
                f.write_str("fails: exits with anything but 0, or is killed by a signal")
            }
            Self::AnySignal => {
                f.write_str("is killed by a signal, or exits with 128 and its number")
            }
            Self::Signal(number) => {
                let code = signal::SHELL_OFFSET + number;
                write!(
                    f,
                    "is killed by {}, or exits with {code}",
                    signal::SignalName(number)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Exited, Signalled, TimedOut};

    #[track_caller]
    fn check(text: &str, matching: &[Outcome], other: &[Outcome]) {
        let spec: ExitSpec = text.parse().unwrap();
        for outcome in matching {
            assert!(spec.matches(*outcome), "{text} and {outcome}");
        }
        for outcome in other {
            assert!(!spec.matches(*outcome), "{text} and {outcome}");
        }
        assert!(!spec.matches(TimedOut));
    }

    #[test]
    fn an_exit_code_matches_exactly() {
        check("0", &[Exited(0)], &[Exited(1), Signalled(11)]);
        check("3", &[Exited(3)], &[Exited(0), Signalled(3)]);
        check("255", &[Exited(255)], &[Signalled(1)]);
    }

    #[test]
    fn a_signal_and_the_exit_code_of_a_shell_for_it_are_the_same() {
        check(
            "139",
            &[Exited(139), Signalled(11)],
            &[Exited(11), Signalled(6)],
        );
        check(
            "SIGSEGV",
            &[Exited(139), Signalled(11)],
            &[Exited(134), Signalled(6)],
        );
        check("abrt", &[Exited(134), Signalled(6)], &[Exited(139)]);
    }

    #[test]
    fn nonzero_matches_every_failure() {
        check(
            "nonzero",
            &[Exited(1), Exited(255), Signalled(9)],
            &[Exited(0)],
        );
    }

    #[test]
    fn signal_matches_any_signal_directly_or_through_a_shell() {
        check(
            "signal",
            &[Signalled(6), Signalled(11), Exited(134), Exited(129)],
            &[Exited(0), Exited(1), Exited(128), Exited(255)],
        );
    }

    #[test]
    fn an_invalid_exit_status_is_refused_with_the_accepted_forms() {
        for text in ["", "256", "-1", "SIGNAL", "SIGFOO", "zero"] {
            let message = text.parse::<ExitSpec>().unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("read `{text}` as an exit status")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_flag_value_parses_to_the_same_exit_status() {
        for outcome in [
            Exited(0),
            Exited(7),
            Exited(139),
            Signalled(11),
            Signalled(40),
        ] {
            let spec = ExitSpec::of_outcome(outcome).unwrap();
            assert!(
                spec.flag_value()
                    .parse::<ExitSpec>()
                    .unwrap()
                    .matches(outcome)
            );
        }
    }
}
