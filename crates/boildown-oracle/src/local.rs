//! Judging candidates by running a command on this machine.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::spawn::{self, Capture, Limits};
use crate::{
    Answer, Cancel, CandidateFile, CommandLine, Oracle, OracleError, Outcome, Property, Run,
    Scratch, Verdict,
};

/// Runs a command on candidates, each in a fresh directory.
#[derive(Debug, Clone)]
pub struct Runner {
    /// The command.
    pub command: CommandLine,
    /// Where the directories are made.
    pub scratch: Arc<Scratch>,
    /// The file that a candidate is written to.
    pub file: CandidateFile,
    /// How much a run may take.
    pub limits: Limits,
}

impl Runner {
    /// Runs the command on a candidate, once.
    ///
    /// # Errors
    /// [`OracleError::Cancelled`] when it was cancelled; any other error when it could not be run, be it for the candidate's
    /// sake: only [`LocalOracle`] makes a verdict of that.
    pub fn run(
        &self,
        candidate: &[u8],
        capture: Capture,
        cancel: &Cancel,
    ) -> Result<Run, OracleError> {
        self.run_within(&self.limits, candidate, capture, cancel)
    }

    fn run_within(
        &self,
        limits: &Limits,
        candidate: &[u8],
        capture: Capture,
        cancel: &Cancel,
    ) -> Result<Run, OracleError> {
        let run = if let Some(sandbox) = &limits.sandbox {
            let candidate = (&self.file, candidate);
            let limits = (limits, cancel);
            (self.scratch).run_in(sandbox, &self.command, capture, candidate, limits)?
        } else {
            let run_dir = self.scratch.run_dir(&self.file, candidate)?;
            spawn::run(&self.command.invocation(&run_dir, capture), limits, cancel)?
        };
        // The candidate is gone, so this is not about what its own run took.
        self.scratch.check_room()?;
        Ok(run)
    }

    /// Returns this runner with another time limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
        self
    }
}

/// An oracle that runs a command and judges the run by a property.
///
/// When the candidate is the program, one that the system cannot execute is uninteresting: nothing was run, so no property
/// can hold. Any other program that cannot be started is an error.
#[derive(Debug, Clone)]
pub struct LocalOracle {
    runner: Runner,
    property: Property,
    /// What adapts the time limit, if anything does.
    pace: Option<Arc<Pace>>,
}

/// The times of the last interesting runs, and what follows from them.
#[derive(Debug)]
struct Pace {
    limit: fn(Duration) -> Duration,
    /// The latest are last.
    times: Mutex<VecDeque<Duration>>,
}

/// How many interesting runs the time limit is made from: as many as forgive a fast one among slow ones.
const REMEMBERED: usize = 8;

impl Pace {
    fn times(&self) -> MutexGuard<'_, VecDeque<Duration>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self) -> Duration {
        (self.limit)(self.times().iter().max().copied().unwrap_or_default())
    }

    fn hear(&self, time: Duration) {
        let mut times = self.times();
        times.push_back(time);
        if times.len() > REMEMBERED {
            times.pop_front();
        }
    }
}

impl LocalOracle {
    /// Returns the oracle. A property that expects a hang sets the time limit.
    #[must_use]
    pub fn new(runner: Runner, property: Property) -> Self {
        let timeout = property.hang().unwrap_or(runner.limits.timeout);
        Self {
            runner: runner.with_timeout(timeout),
            property,
            pace: None,
        }
    }

    /// Returns this oracle with a time limit that follows the interesting runs: `limit` of the slowest of the last of them, from
    /// `slowest` on. Smaller candidates run faster, and then a hang is known for one sooner. A hang that is expected keeps its own.
    #[must_use]
    pub fn with_pace(mut self, slowest: Duration, limit: fn(Duration) -> Duration) -> Self {
        if self.property.hang().is_none() {
            let times = Mutex::new(VecDeque::from([slowest]));
            self.pace = Some(Arc::new(Pace { limit, times }));
        }
        self
    }

    /// Returns the property.
    #[must_use]
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// Returns what runs the command.
    #[must_use]
    pub fn runner(&self) -> &Runner {
        &self.runner
    }
}

impl Oracle for LocalOracle {
    fn judge(&self, candidate: &[u8], cancel: &Cancel) -> Result<Answer, OracleError> {
        let capture = self.property.capture();
        let mut limits = self.runner.limits.clone();
        if let Some(pace) = &self.pace {
            limits.timeout = pace.limit();
        }
        match self.runner.run_within(&limits, candidate, capture, cancel) {
            // The first run has shown that the input can be executed, so it is this candidate that cannot.
            Err(error) if self.runner.command.runs_candidate() && error.is_no_program() => {
                Ok(Answer {
                    verdict: Verdict::Uninteresting,
                    run: None,
                })
            }
            run => run.map(|run| {
                let verdict = self.property.verdict(&run);
                if let Some(pace) = &self.pace
                    && verdict.is_interesting()
                {
                    pace.hear(run.took);
                }
                Answer {
                    verdict,
                    run: Some(run),
                }
            }),
        }
    }
}

/// Checks on the first run that the command itself is in order, so that its verdicts can be trusted.
///
/// Shells exit with 127 when a command is not found and with 126 when it cannot be executed. Later on the same codes are
/// verdicts like others: a candidate may well break the script.
///
/// # Errors
/// [`OracleError::SetUp`] when the run ended with 126 or 127 and the property did not ask for that.
pub fn check_set_up(
    baseline: &Run,
    command: &CommandLine,
    stated: Option<&Property>,
) -> Result<(), OracleError> {
    let complaint = match baseline.outcome {
        Outcome::Exited(code) if stated.is_some_and(|property| property.states_exit_code(code)) => {
            return Ok(());
        }
        Outcome::Exited(126) => "it could not execute a program that it calls (exit code 126)",
        Outcome::Exited(127) => "it did not find a program that it calls (exit code 127)",
        Outcome::Exited(_) | Outcome::Signalled(_) | Outcome::TimedOut | Outcome::Exceeded(_) => {
            return Ok(());
        }
    };
    let stderr = String::from_utf8_lossy(&baseline.stderr);
    let reason = match stderr.lines().rfind(|line| !line.trim().is_empty()) {
        Some(last) => format!("{complaint}: {}", last.trim()),
        None => complaint.to_owned(),
    };
    Err(OracleError::SetUp {
        command: command.to_string(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_time_limit_follows_the_slowest_of_the_last_interesting_runs() {
        let pace = Pace {
            limit: |slowest| 10 * slowest,
            times: Mutex::new(VecDeque::from([Duration::from_secs(9)])),
        };
        assert_eq!(pace.limit(), Duration::from_secs(90));
        for _ in 0..REMEMBERED - 1 {
            pace.hear(Duration::from_secs(1));
            assert_eq!(pace.limit(), Duration::from_secs(90));
        }
        pace.hear(Duration::from_secs(2));
        assert_eq!(pace.limit(), Duration::from_secs(20));
    }

    fn complaint(outcome: Outcome, stderr: &str, stated: Option<&str>) -> Option<String> {
        let run = Run {
            outcome,
            stdout: Vec::new(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        };
        let command = CommandLine::script(Path::new("test.sh"), Path::new("/src"));
        let stated = stated.map(|spec| {
            Property::new(vec![crate::Expectation::Exit(spec.parse().unwrap())]).unwrap()
        });
        check_set_up(&run, &command, stated.as_ref())
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_program_missing_inside_the_test_is_a_broken_set_up() {
        assert_eq!(
            complaint(
                Outcome::Exited(127),
                "test.sh: 3: frobnicate: not found\n\n",
                None
            )
            .unwrap(),
            "run `/src/test.sh {}`: it did not find a program that it calls (exit code 127): test.sh: 3: frobnicate: not found"
        );
        assert_eq!(
            complaint(Outcome::Exited(126), "", Some("nonzero")).unwrap(),
            "run `/src/test.sh {}`: it could not execute a program that it calls (exit code 126)"
        );
    }

    #[test]
    fn these_codes_are_fine_when_they_were_asked_for() {
        assert_eq!(complaint(Outcome::Exited(127), "", Some("127")), None);
    }

    #[test]
    fn other_outcomes_are_no_broken_set_up() {
        for outcome in [
            Outcome::Exited(0),
            Outcome::Exited(1),
            Outcome::Signalled(11),
            Outcome::TimedOut,
        ] {
            assert_eq!(complaint(outcome, "", None), None);
        }
    }
}
