//! What a run in a tree of files says: it works, it is broken, or nobody can tell, and why.

use boildown_oracle::spawn::Capture;
use boildown_oracle::{OracleError, Outcome, Property, Run, Verdict};

/// How runs are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Exit code 0 is good, 125 says that it cannot tell, 126 and 127 that a program could not be run; anything else is bad.
    ExitCode,
    /// As `git bisect run` reads a script: 0 is good, 125 cannot tell, up to 127 is bad, and anything else ends the search.
    BisectRun,
    /// An interestingness test: 0 is bad, for there it shows what is looked for; 125 cannot tell, anything else is good.
    Test,
    /// It is bad when all of this holds, good when it does not and the exit code is 0. Any other failure cannot be judged.
    Property(Property),
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// What breaks it.
    Culprit,
    /// What mends it.
    Fix,
}

/// Why nobody can tell whether it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The changes cannot be files of one folder, or do not apply to a state.
    DoesNotApply,
    /// A file with some of its changes is no text of its language.
    DoesNotParse,
    /// The command that builds fails.
    DoesNotBuild,
    /// The command says so: exit code 125.
    SaysSo,
    /// The command, or one that it calls, cannot be run there.
    CannotRun,
    /// It fails, but not as stated.
    FailsOtherwise,
    /// It ran into the time limit.
    TimedOut,
    /// It ran into another limit.
    TookTooMuch,
    /// It was stopped together with the search.
    Interrupted,
}

impl Reason {
    /// Returns what is said of so many runs.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::DoesNotApply => "did not apply",
            Self::DoesNotParse => "did not parse",
            Self::DoesNotBuild => "did not build",
            Self::SaysSo => "exited with 125",
            Self::CannotRun => "could not be run",
            Self::FailsOtherwise => "failed in another way",
            Self::TimedOut => "timed out",
            Self::TookTooMuch => "took too much",
            Self::Interrupted => "was interrupted",
        }
    }
}

/// What a run says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Good,
    Bad,
    CannotTell(Reason),
}

impl Says {
    pub(super) fn verdict(self, goal: Goal) -> Verdict {
        match (self, goal) {
            (Self::Good, Goal::Fix) | (Self::Bad, Goal::Culprit) => Verdict::Interesting,
            (Self::Good, Goal::Culprit) | (Self::Bad, Goal::Fix) => Verdict::Uninteresting,
            (Self::CannotTell(_), _) => Verdict::Unresolved,
        }
    }

    /// What a verdict says that was read off a run that ended so; no run when it did not build.
    pub(super) fn of(verdict: Verdict, outcome: Option<Outcome>, goal: Goal) -> Self {
        match (verdict, goal) {
            (Verdict::Interesting, Goal::Culprit) | (Verdict::Uninteresting, Goal::Fix) => {
                Self::Bad
            }
            (Verdict::Interesting, Goal::Fix) | (Verdict::Uninteresting, Goal::Culprit) => {
                Self::Good
            }
            (Verdict::Unresolved, _) => Self::CannotTell(match outcome {
                None => Reason::DoesNotBuild,
                Some(Outcome::TimedOut) => Reason::TimedOut,
                Some(Outcome::Exceeded(_)) => Reason::TookTooMuch,
                Some(Outcome::Exited(CANNOT_TELL)) => Reason::SaysSo,
                Some(Outcome::Exited(code)) if NOT_RUN.contains(&code) => Reason::CannotRun,
                Some(_) => Reason::FailsOtherwise,
            }),
        }
    }
}

const CANNOT_TELL: i32 = 125;
const NOT_RUN: std::ops::RangeInclusive<i32> = 126..=127;

impl Rule {
    pub(super) fn read(&self, run: &Run) -> Result<Says, OracleError> {
        let states =
            |code| matches!(self, Self::Property(property) if property.states_exit_code(code));
        if run.outcome == Outcome::Exited(CANNOT_TELL) && !states(CANNOT_TELL) {
            return Ok(Says::CannotTell(Reason::SaysSo));
        }
        if run.outcome == Outcome::TimedOut && self.property().is_none_or(|it| it.hang().is_none())
        {
            return Ok(Says::CannotTell(Reason::TimedOut));
        }
        if let Outcome::Exceeded(_) = run.outcome {
            return Ok(Says::CannotTell(Reason::TookTooMuch));
        }
        Ok(match (self, run.outcome) {
            (Self::BisectRun, Outcome::Exited(0)) => Says::Good,
            (Self::BisectRun, Outcome::Exited(1..=127)) => Says::Bad,
            (Self::BisectRun, ended) => {
                let ended = ended.to_string();
                return Err(OracleError::Aborted { ended });
            }
            (Self::ExitCode | Self::Test, Outcome::Exited(code)) if NOT_RUN.contains(&code) => {
                Says::CannotTell(Reason::CannotRun)
            }
            (Self::ExitCode, Outcome::Exited(0)) => Says::Good,
            (Self::Test, Outcome::Exited(0)) => Says::Bad,
            (Self::ExitCode, _) => Says::Bad,
            (Self::Test, _) => Says::Good,
            (Self::Property(property), _) if property.verdict(run).is_interesting() => Says::Bad,
            (Self::Property(_), Outcome::Exited(0)) => Says::Good,
            (Self::Property(_), Outcome::Exited(code)) if NOT_RUN.contains(&code) => {
                Says::CannotTell(Reason::CannotRun)
            }
            (Self::Property(_), _) => Says::CannotTell(Reason::FailsOtherwise),
        })
    }

    pub(super) fn property(&self) -> Option<&Property> {
        match self {
            Self::Property(property) => Some(property),
            Self::ExitCode | Self::BisectRun | Self::Test => None,
        }
    }

    pub(super) fn capture(&self) -> Capture {
        self.property().map_or(Capture::Nothing, Property::capture)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use boildown_oracle::{Expectation, Resource};

    use super::*;
    use Outcome::{Exceeded, Exited, Signalled, TimedOut};
    use Says::{Bad, CannotTell, Good};

    #[track_caller]
    fn check(rule: &Rule, expected: &[(Outcome, Says)]) {
        for (outcome, says) in expected {
            let run = Run {
                outcome: *outcome,
                stdout: Vec::new(),
                stderr: b"IndexError: 7\n".to_vec(),
                took: Duration::from_secs(1),
            };
            assert_eq!(rule.read(&run).unwrap(), *says, "{outcome}");
        }
    }

    #[test]
    fn exit_codes_mean_what_git_bisect_says() {
        let common = [
            (Exited(0), Good),
            (Exited(1), Bad),
            (Exited(124), Bad),
            (Exited(125), CannotTell(Reason::SaysSo)),
            (TimedOut, CannotTell(Reason::TimedOut)),
            (Exceeded(Resource::Memory), CannotTell(Reason::TookTooMuch)),
        ];
        check(&Rule::ExitCode, &common);
        check(&Rule::BisectRun, &common);
        check(
            &Rule::ExitCode,
            &[
                (Exited(127), CannotTell(Reason::CannotRun)),
                (Signalled(11), Bad),
                (Exited(139), Bad),
            ],
        );
        check(&Rule::BisectRun, &[(Exited(127), Bad)]);
    }

    #[test]
    fn a_bisect_script_that_ends_the_bisection_ends_the_search() {
        let run = Run {
            outcome: Exited(128),
            stdout: Vec::new(),
            stderr: Vec::new(),
            took: Duration::ZERO,
        };
        let error = Rule::BisectRun.read(&run).unwrap_err();
        assert!(matches!(error, OracleError::Aborted { .. }));
    }

    #[test]
    fn a_test_has_the_other_polarity() {
        check(&Rule::Test, &[(Exited(0), Bad), (Exited(1), Good)]);
    }

    #[test]
    fn a_failure_that_was_not_stated_cannot_be_judged() {
        let pattern = |text: &str| Expectation::Stderr(text.parse().unwrap());
        let rule = |text| Rule::Property(Property::new(vec![pattern(text)]).unwrap());
        check(&rule("IndexError"), &[(Exited(1), Bad), (Exited(0), Bad)]);
        check(
            &rule("KeyError"),
            &[
                (Exited(1), CannotTell(Reason::FailsOtherwise)),
                (Exited(0), Good),
                (Exited(127), CannotTell(Reason::CannotRun)),
            ],
        );
    }
}
