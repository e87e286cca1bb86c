//! An oracle with two properties: of runs that fail and of runs that pass.

use crate::Runner;
use crate::spawn::is_not_executable;
use boildown_oracle::{Answer, Capture, Interrupt, Oracle, OracleError, Property, Run, Verdict};

/// An oracle with a property of failing runs and a property of passing runs.
///
/// The verdict is [`Interesting`](Verdict::Interesting) when the run has the failing property, else
/// [`Uninteresting`](Verdict::Uninteresting) when it has the passing property, else
/// [`Unresolved`](Verdict::Unresolved): a candidate that fails in a new way says nothing about the
/// difference between failing and passing. When the candidate is the program itself, a candidate
/// that cannot be executed is unresolved too, and so is one that fails, but that an extra test of
/// the runner turns down.
#[derive(Debug, Clone)]
pub struct PassFailOracle {
    /// The runner of the command.
    pub runner: Runner,
    /// The property of runs that fail.
    pub failing: Property,
    /// The property of runs that pass.
    pub passing: Property,
}

impl PassFailOracle {
    /// Returns the verdict on a run.
    #[must_use]
    pub fn verdict(&self, run: &Run) -> Verdict {
        match self.failing.verdict(run) {
            Verdict::Uninteresting if self.passing.verdict(run).is_interesting() => {
                Verdict::Uninteresting
            }
            Verdict::Uninteresting | Verdict::Unresolved => Verdict::Unresolved,
            Verdict::Interesting => Verdict::Interesting,
        }
    }
}

impl Oracle for PassFailOracle {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let properties = [&self.failing, &self.passing];
        let reads_output = |property: &&Property| property.capture() == Capture::Output;
        let capture = if properties.iter().any(reads_output) {
            Capture::Output
        } else {
            Capture::Nothing
        };
        match self.runner.run(candidate, capture, interrupt) {
            // Both inputs could be executed in the first runs, so the fault is with this candidate.
            Err(error) if self.runner.command.runs_candidate() && is_not_executable(&error) => {
                Ok(Answer {
                    verdict: Verdict::Unresolved,
                    run: None,
                })
            }
            run => {
                let run = run?;
                let verdict = match self.verdict(&run) {
                    // The failure, but in a candidate that the user does not want.
                    Verdict::Interesting => {
                        let confirmed =
                            self.runner
                                .confirm(Verdict::Interesting, candidate, interrupt)?;
                        match confirmed {
                            Verdict::Interesting => confirmed,
                            Verdict::Uninteresting | Verdict::Unresolved => Verdict::Unresolved,
                        }
                    }
                    verdict => verdict,
                };
                Ok(Answer {
                    verdict,
                    run: Some(run),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::spawn::Limits;
    use crate::{CandidateFile, CommandLine, Scratch};
    use boildown_oracle::Outcome::{Exited, Signalled, TimedOut};
    use boildown_oracle::{ExitSpec, Expectation, Outcome};

    #[track_caller]
    fn check(failing: &[Expectation], passing: ExitSpec, runs: &[(Outcome, &str, Verdict)]) {
        let oracle = PassFailOracle {
            runner: Runner {
                project: None,
                command: CommandLine::script(Path::new("test.sh"), Path::new("/src")),
                scratch: Arc::new(Scratch::new(&std::env::temp_dir()).unwrap()),
                file: CandidateFile::named("in.txt"),
                limits: Limits::default(),
                extra_tests: Vec::new(),
                executor: None,
            },
            failing: Property::new(failing.to_vec()).unwrap(),
            passing: Property::new(vec![Expectation::Exit(passing)]).unwrap(),
        };
        for &(outcome, stderr, verdict) in runs {
            let run = Run {
                outcome,
                stdout: Vec::new(),
                stderr: stderr.into(),
                took: Duration::from_secs(5),
            };
            assert_eq!(oracle.verdict(&run), verdict, "{outcome}, {stderr:?}");
        }
    }

    #[test]
    fn a_run_that_neither_fails_nor_passes_is_unresolved() {
        use Verdict::{Interesting, Uninteresting, Unresolved};
        let crash = Expectation::Exit("SIGSEGV".parse().unwrap());
        check(
            &[crash],
            ExitSpec::Code(0),
            &[
                (Signalled(11), "", Interesting),
                (Exited(139), "", Interesting),
                (Exited(0), "", Uninteresting),
                (Exited(1), "syntax error", Unresolved),
                (Exited(125), "", Unresolved),
                (Signalled(6), "", Unresolved),
                (TimedOut, "", Unresolved),
            ],
        );
        // Both have the same exit status; only the message distinguishes them.
        check(
            &[Expectation::Stderr("wrong sum".parse().unwrap())],
            ExitSpec::Code(1),
            &[
                (Exited(1), "wrong sum", Interesting),
                (Exited(1), "no sum", Uninteresting),
                (Exited(0), "wrong sum", Interesting),
                (Exited(0), "", Unresolved),
                (Exited(125), "wrong sum", Unresolved),
            ],
        );
        // The failing property expects a run that takes this long, however it ends.
        check(
            &[Expectation::Hangs(Duration::from_secs(5))],
            ExitSpec::Code(0),
            &[
                (TimedOut, "", Interesting),
                (Exited(0), "", Interesting),
                (Exited(3), "", Interesting),
            ],
        );
    }
}
