//! Rules that read from a run whether a state is good, bad, or cannot be judged.

use boildown_oracle::{OracleError, Outcome, Property, Run, Signature, Verdict, is_named_by};

/// The rule by which the outcome of a run tells a good state from a bad one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutcomeRule {
    /// Bad if it fails as the bad state does: by the property that the runs on the bad state show.
    /// Until that is read, as [`ExitCode`](Self::ExitCode).
    SameFailure,
    /// Exit code 0 is good; 125 is unresolved, and so are 126 and 127 (a program could not be run);
    /// any other exit code or signal is bad.
    ExitCode,
    /// As `git bisect run` reads a script: 0 is good, 125 is unresolved, any other code up to 127
    /// is bad, and anything else ends the search.
    BisectRun,
    /// An interestingness test: 0 is bad, 125, 126 and 127 are unresolved, anything else is good.
    Test,
    /// Bad if the property holds. Good if it does not hold and the exit code is 0. Any other
    /// failure is unresolved.
    Property(Property),
    /// As [`Property`](Self::Property), but a run that prints an exception or another crash is
    /// unresolved: the bad state prints none.
    SilentFailure(Property),
    /// Runs with the property are bad, as with [`Property`](Self::Property), if it names their
    /// failure. An exception that was raised while that of the bad state was handled is another
    /// failure.
    NamedFailure(Property),
}

/// The goal of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTarget {
    /// The change that breaks a good state.
    Culprit,
    /// The change that fixes a broken state.
    Fix,
}

/// Why a state could not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnresolvedReason {
    /// The changes do not apply, or make no valid folder of files.
    DoesNotApply,
    /// A file with some of its changes has syntax errors.
    DoesNotParse,
    /// The statements of a file with some of its changes are where neither state has them.
    BreaksBlocks,
    /// The changes use a name without its definition, and the rule cannot tell such a failure from
    /// that of the bad state.
    LacksDefinition,
    /// The build command failed.
    DoesNotBuild,
    /// The command exited with 125.
    Exited125,
    /// The command, or one that it calls, could not be run: exit code 126 or 127.
    CannotRun,
    /// It failed, but the stated property does not hold.
    FailsOtherwise,
    /// It reached the time limit.
    TimedOut,
    /// It reached another limit.
    LimitExceeded,
    /// The build reached its time limit.
    BuildTimedOut,
    /// The build reached another limit.
    BuildLimitExceeded,
    /// The search was interrupted.
    Interrupted,
}

impl UnresolvedReason {
    /// Returns whether the build failed, so that the command was not run.
    pub(super) fn is_of_build(self) -> bool {
        matches!(
            self,
            Self::DoesNotBuild | Self::BuildTimedOut | Self::BuildLimitExceeded
        )
    }

    /// Returns whether the candidate was rejected without a run.
    pub(super) fn needs_no_run(self) -> bool {
        matches!(
            self,
            Self::DoesNotApply | Self::DoesNotParse | Self::BreaksBlocks | Self::LacksDefinition
        )
    }

    /// Returns a phrase for messages, to follow a number of runs. Also the key in the JSON output.
    pub fn words(self) -> &'static str {
        match self {
            Self::DoesNotApply => "did not apply",
            Self::DoesNotParse => "did not parse",
            Self::BreaksBlocks => "broke a block",
            Self::LacksDefinition => "lacked a definition",
            Self::DoesNotBuild => "did not build",
            Self::Exited125 => "exited with 125",
            Self::CannotRun => "could not be run",
            Self::FailsOtherwise => "failed in another way",
            Self::TimedOut => "timed out",
            Self::LimitExceeded => "took too much",
            Self::BuildTimedOut => "timed out while building",
            Self::BuildLimitExceeded => "took too much while building",
            Self::Interrupted => "was interrupted",
        }
    }
}

/// The verdict of a run on a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateVerdict {
    Good,
    Bad,
    Unresolved(UnresolvedReason),
}

impl StateVerdict {
    /// Returns what it means to the search. States like the last revision of the history path are
    /// interesting: bad states if a culprit is searched, good states if a fix is.
    pub(super) fn verdict(self, target: SearchTarget) -> Verdict {
        match (self, target) {
            (Self::Good, SearchTarget::Fix) | (Self::Bad, SearchTarget::Culprit) => {
                Verdict::Interesting
            }
            (Self::Good, SearchTarget::Culprit) | (Self::Bad, SearchTarget::Fix) => {
                Verdict::Uninteresting
            }
            (Self::Unresolved(_), _) => Verdict::Unresolved,
        }
    }

    /// Returns the state verdict behind a recorded verdict, and the recorded outcome of its run.
    /// No run is recorded for a state that did not build.
    pub(super) fn from_record(
        verdict: Verdict,
        outcome: Option<Outcome>,
        target: SearchTarget,
    ) -> Self {
        match (verdict, target) {
            (Verdict::Interesting, SearchTarget::Culprit)
            | (Verdict::Uninteresting, SearchTarget::Fix) => Self::Bad,
            (Verdict::Interesting, SearchTarget::Fix)
            | (Verdict::Uninteresting, SearchTarget::Culprit) => Self::Good,
            (Verdict::Unresolved, _) => Self::Unresolved(match outcome {
                None => UnresolvedReason::DoesNotBuild,
                Some(Outcome::TimedOut) => UnresolvedReason::TimedOut,
                Some(Outcome::Exceeded(_)) => UnresolvedReason::LimitExceeded,
                Some(Outcome::Exited(UNRESOLVED)) => UnresolvedReason::Exited125,
                Some(Outcome::Exited(code)) if NOT_RUN.contains(&code) => {
                    UnresolvedReason::CannotRun
                }
                Some(_) => UnresolvedReason::FailsOtherwise,
            }),
        }
    }
}

/// Exit code by which a command says that a state cannot be judged, as for `git bisect run`.
const UNRESOLVED: i32 = 125;
/// Exit codes of a shell whose program is not executable, or does not exist.
const NOT_RUN: std::ops::RangeInclusive<i32> = 126..=127;

impl OutcomeRule {
    /// Returns the rule for a failure that was read off the bad state. `run` is the last run there.
    pub(super) fn of_failure(failure: Property, run: Option<&Run>) -> Self {
        let is_exit_alone = failure.expectations().len() == 1;
        let crashes = run.is_some_and(|run| Signature::of_run(run).is_some());
        if is_exit_alone && !crashes {
            Self::SilentFailure(failure)
        } else if run.is_some_and(|run| is_named_by(&failure, run)) {
            Self::NamedFailure(failure)
        } else {
            Self::Property(failure)
        }
    }

    /// Returns what a run shows about the state that it ran on.
    ///
    /// # Errors
    /// [`OracleError::Aborted`] when a script for `git bisect run` ends the search.
    pub(super) fn state_verdict(&self, run: &Run) -> Result<StateVerdict, OracleError> {
        use StateVerdict::{Bad, Good, Unresolved};
        use UnresolvedReason::{CannotRun, Exited125, FailsOtherwise, LimitExceeded, TimedOut};
        if run.outcome == Outcome::Exited(UNRESOLVED) && !self.states(run.outcome) {
            return Ok(Unresolved(Exited125));
        }
        let asks_for_hang = self.property().is_some_and(|it| it.hang().is_some());
        if run.outcome == Outcome::TimedOut && !asks_for_hang {
            return Ok(Unresolved(TimedOut));
        }
        if let Outcome::Exceeded(_) = run.outcome {
            return Ok(Unresolved(LimitExceeded));
        }
        Ok(match (self, run.outcome) {
            (Self::BisectRun, Outcome::Exited(0)) => Good,
            (Self::BisectRun, Outcome::Exited(1..=127)) => Bad,
            (Self::BisectRun, ended) => {
                let ended = ended.to_string();
                return Err(OracleError::Aborted { ended });
            }
            (Self::ExitCode | Self::SameFailure | Self::Test, Outcome::Exited(code))
                if NOT_RUN.contains(&code) =>
            {
                Unresolved(CannotRun)
            }
            (Self::ExitCode | Self::SameFailure, Outcome::Exited(0)) => Good,
            (Self::Test, Outcome::Exited(0)) => Bad,
            (Self::ExitCode | Self::SameFailure, _) => Bad,
            (Self::Test, _) => Good,
            (Self::SilentFailure(property), _)
                if property.verdict(run).is_interesting() && Signature::of_run(run).is_some() =>
            {
                Unresolved(FailsOtherwise)
            }
            (Self::NamedFailure(property), _)
                if property.verdict(run).is_interesting() && !is_named_by(property, run) =>
            {
                Unresolved(FailsOtherwise)
            }
            (
                Self::Property(property)
                | Self::SilentFailure(property)
                | Self::NamedFailure(property),
                ended,
            ) => match ended {
                _ if property.verdict(run).is_interesting() => Bad,
                Outcome::Exited(0) => Good,
                Outcome::Exited(code) if NOT_RUN.contains(&code) => Unresolved(CannotRun),
                _ => Unresolved(FailsOtherwise),
            },
        })
    }

    /// Returns whether this outcome is an exit code that was stated.
    pub(super) fn states(&self, outcome: Outcome) -> bool {
        let stated = |code| self.property().is_some_and(|it| it.states_exit_code(code));
        matches!(outcome, Outcome::Exited(code) if stated(code))
    }

    /// Returns the stated property, if there is one.
    pub(super) fn property(&self) -> Option<&Property> {
        match self {
            Self::Property(property)
            | Self::SilentFailure(property)
            | Self::NamedFailure(property) => Some(property),
            Self::ExitCode | Self::SameFailure | Self::BisectRun | Self::Test => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use boildown_oracle::{Expectation, Resource};

    use super::*;
    use Outcome::{Exceeded, Exited, Signalled, TimedOut};
    use StateVerdict::{Bad, Good, Unresolved};

    const TRACEBACK: &[u8] = b"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n\
        IndexError: 7\n";

    #[track_caller]
    fn check(rule: &OutcomeRule, expected: &[(Outcome, StateVerdict)]) {
        for (outcome, verdict) in expected {
            let run = Run {
                outcome: *outcome,
                stdout: Vec::new(),
                stderr: TRACEBACK.to_vec(),
                took: Duration::from_secs(1),
            };
            assert_eq!(rule.state_verdict(&run).unwrap(), *verdict, "{outcome}");
        }
    }

    #[test]
    fn exit_codes_mean_the_same_as_for_git_bisect() {
        let common = [
            (Exited(0), Good),
            (Exited(1), Bad),
            (Exited(124), Bad),
            (Exited(125), Unresolved(UnresolvedReason::Exited125)),
            (TimedOut, Unresolved(UnresolvedReason::TimedOut)),
            (
                Exceeded(Resource::Memory),
                Unresolved(UnresolvedReason::LimitExceeded),
            ),
        ];
        check(&OutcomeRule::ExitCode, &common);
        check(&OutcomeRule::BisectRun, &common);
        check(
            &OutcomeRule::ExitCode,
            &[
                (Exited(127), Unresolved(UnresolvedReason::CannotRun)),
                (Signalled(11), Bad),
                (Exited(139), Bad),
            ],
        );
        check(&OutcomeRule::BisectRun, &[(Exited(127), Bad)]);
    }

    #[test]
    fn any_failure_is_bad_until_the_failure_of_the_bad_state_is_read() {
        check(
            &OutcomeRule::SameFailure,
            &[
                (Exited(0), Good),
                (Exited(1), Bad),
                (Signalled(11), Bad),
                (Exited(127), Unresolved(UnresolvedReason::CannotRun)),
            ],
        );
    }

    #[test]
    fn a_bisect_script_that_aborts_ends_the_search() {
        let run = Run::ended(Exited(128), "");
        let error = OutcomeRule::BisectRun.state_verdict(&run).unwrap_err();
        assert!(matches!(error, OracleError::Aborted { .. }));
    }

    #[test]
    fn a_test_exits_with_0_on_a_bad_state() {
        check(&OutcomeRule::Test, &[(Exited(0), Bad), (Exited(1), Good)]);
    }

    #[test]
    fn an_exception_while_that_of_the_bad_state_is_handled_is_another_failure() {
        let property = "^ValueError: no number$".parse().map(Expectation::Stderr);
        let property = Property::new(vec![property.unwrap()]).unwrap();
        let rule = OutcomeRule::NamedFailure(property);
        let error = b"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n\
            ValueError: no number\n";
        let then = b"\nDuring handling of the above exception, another exception occurred:\n\n";
        let judge = |stderr: Vec<u8>| {
            let run = Run::ended(Exited(1), stderr);
            rule.state_verdict(&run).unwrap()
        };
        assert_eq!(judge(error.to_vec()), Bad);
        assert_eq!(judge([TRACEBACK, then, error].concat()), Bad);
        let otherwise = Unresolved(UnresolvedReason::FailsOtherwise);
        assert_eq!(judge([error, &then[..], TRACEBACK].concat()), otherwise);
    }

    #[test]
    fn an_exception_is_unresolved_if_the_bad_state_prints_none() {
        let property = Property::new(vec![Expectation::Exit(boildown_oracle::ExitSpec::Code(1))]);
        let rule = OutcomeRule::SilentFailure(property.unwrap());
        check(
            &rule,
            &[
                (Exited(1), Unresolved(UnresolvedReason::FailsOtherwise)),
                (Exited(0), Good),
            ],
        );
        let run = Run::ended(Exited(1), b"fatal: no tag\n");
        assert_eq!(rule.state_verdict(&run).unwrap(), Bad);
    }

    #[test]
    fn a_failure_without_the_stated_property_is_unresolved() {
        let pattern = |text: &str| Expectation::Stderr(text.parse().unwrap());
        let rule = |text| OutcomeRule::Property(Property::new(vec![pattern(text)]).unwrap());
        check(&rule("IndexError"), &[(Exited(1), Bad), (Exited(0), Bad)]);
        check(
            &rule("KeyError"),
            &[
                (Exited(1), Unresolved(UnresolvedReason::FailsOtherwise)),
                (Exited(0), Good),
                (Exited(127), Unresolved(UnresolvedReason::CannotRun)),
            ],
        );
    }
}
