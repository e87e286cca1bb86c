//! The test of a triage: runs the command on an input and reads off in which way it fails.

use boildown_exec::Runner;
use boildown_oracle::{
    Answer, Capture, Interrupt, Oracle, OracleError, Outcome, Property, Run, Verdict,
};
use boildown_triage::FailureKey;

/// Runs the command on an input, and reads off in which way it fails.
#[derive(Debug, Clone)]
pub struct FailureTest {
    /// Runs the command.
    pub runner: Runner,
    /// What the user stated about runs that fail; otherwise every run fails that does not exit
    /// with 0.
    pub stated: Option<Property>,
    /// The functions of the stack trace that distinguish failures, beyond the one that failed.
    pub frames: usize,
}

impl FailureTest {
    /// Returns how a run failed; `None` if it did not.
    pub fn key_of(&self, run: &Run) -> Option<FailureKey> {
        let fails = match &self.stated {
            Some(property) => property.verdict(run).is_interesting(),
            None => run.outcome != Outcome::Exited(0),
        };
        if !fails {
            return None;
        }
        let input = &self.runner.file.name;
        match run.outcome {
            // A test script that accepts the input says nothing about the program by its status.
            Outcome::Exited(0) => {
                let failed = Run {
                    outcome: Outcome::Exited(1),
                    ..run.clone()
                };
                Some(FailureKey::of_run(&failed, input, self.frames))
            }
            _ => Some(FailureKey::of_run(run, input, self.frames)),
        }
    }

    /// Runs the command on an input once.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn run(&self, input: &[u8], interrupt: &Interrupt) -> Result<Run, OracleError> {
        self.runner.run(input, Capture::Output, interrupt)
    }
}

/// The oracle of the reduction of a group: candidates have to fail as its example does.
pub(super) struct GroupOracle<'a, O> {
    /// Runs candidates, with their output.
    pub(super) oracle: O,
    pub(super) test: &'a FailureTest,
    pub(super) key: &'a FailureKey,
}

impl<O: Oracle> Oracle for GroupOracle<'_, O> {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let answer = self.oracle.judge(candidate, interrupt)?;
        let verdict = match (&answer.run, answer.verdict) {
            (Some(run), Verdict::Interesting)
                if self.test.key_of(run).as_ref() != Some(self.key) =>
            {
                Verdict::Uninteresting
            }
            (_, verdict) => verdict,
        };
        Ok(Answer { verdict, ..answer })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use boildown_exec::spawn::Limits;
    use boildown_exec::{CandidateFile, CommandLine, Scratch};
    use boildown_oracle::Expectation;

    use super::*;

    fn test(stated: Option<Property>) -> FailureTest {
        FailureTest {
            runner: Runner {
                command: CommandLine::script(Path::new("true"), Path::new("/")),
                project: None,
                scratch: Arc::new(Scratch::new(&std::env::temp_dir()).unwrap()),
                file: CandidateFile::named("input"),
                limits: Limits::default(),
                extra_tests: Vec::new(),
                executor: None,
            },
            stated,
            frames: 0,
        }
    }

    fn run(outcome: Outcome, stderr: &str) -> Run {
        Run::ended(outcome, stderr)
    }

    #[test]
    fn every_run_fails_that_does_not_exit_with_0() {
        let test = test(None);
        assert_eq!(test.key_of(&run(Outcome::Exited(0), "error: x")), None);
        assert!(test.key_of(&run(Outcome::Exited(1), "")).is_some());
        assert!(test.key_of(&run(Outcome::TimedOut, "")).is_some());
    }

    #[test]
    fn a_run_that_a_test_script_accepts_fails_by_what_it_printed() {
        let test = test(Property::new(vec![Expectation::Test]));
        let accepted = |stderr| test.key_of(&run(Outcome::Exited(0), stderr));
        let assertion = accepted("a.c:1: f: Assertion `x' failed.\n").unwrap();
        assert_eq!(assertion.kind_name(), "assertion");
        assert_ne!(accepted("Segmentation fault\n"), Some(assertion));
        assert_eq!(test.key_of(&run(Outcome::Exited(1), "")), None);
    }
}
