//! Three outcomes of one command: it fails, it passes, or neither.

use crate::spawn::Capture;
use crate::{Answer, Cancel, Oracle, OracleError, Property, Run, Runner, Verdict};

/// An oracle that knows what passing looks like, too.
///
/// A run that has the property of failing runs is `Interesting`, another one that has that of passing runs `Uninteresting`, and any
/// other `Unresolved`: a candidate that breaks in a new way says nothing about the difference between the two. So is one that
/// cannot be executed when the candidate is the program.
#[derive(Debug, Clone)]
pub struct PassOrFail {
    /// What runs the command.
    pub runner: Runner,
    /// What all runs have that fail.
    pub failing: Property,
    /// What all runs have that pass.
    pub passing: Property,
}

impl PassOrFail {
    /// Returns what the run means.
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

impl Oracle for PassOrFail {
    fn judge(&self, candidate: &[u8], cancel: &Cancel) -> Result<Answer, OracleError> {
        let reads = [&self.failing, &self.passing];
        let capture = if reads.iter().any(|it| it.capture() == Capture::Output) {
            Capture::Output
        } else {
            Capture::Nothing
        };
        match self.runner.run(candidate, capture, cancel) {
            // The runs on the two inputs have shown that those can be executed, so it is this candidate that cannot.
            Err(error) if self.runner.command.runs_candidate() && error.is_no_program() => {
                Ok(Answer {
                    verdict: Verdict::Unresolved,
                    run: None,
                })
            }
            run => run.map(|run| Answer {
                verdict: self.verdict(&run),
                run: Some(run),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::Outcome::{Exited, Signalled, TimedOut};
    use crate::spawn::Limits;
    use crate::{CandidateFile, CommandLine, ExitSpec, Expectation, Outcome, Scratch};

    #[track_caller]
    fn check(failing: &[Expectation], passing: ExitSpec, runs: &[(Outcome, &str, Verdict)]) {
        let oracle = PassOrFail {
            runner: Runner {
                command: CommandLine::script(Path::new("test.sh"), Path::new("/src")),
                scratch: Arc::new(Scratch::new(&std::env::temp_dir()).unwrap()),
                file: CandidateFile::named("in.txt"),
                limits: Limits::default(),
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
    fn what_neither_fails_nor_passes_is_unresolved() {
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
        // Both end alike; only the message tells them apart.
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
        // A hang that is looked for.
        check(
            &[Expectation::Hangs(Duration::from_secs(5))],
            ExitSpec::Code(0),
            &[
                (TimedOut, "", Interesting),
                (Exited(0), "", Uninteresting),
                (Exited(3), "", Unresolved),
            ],
        );
    }
}
