//! Oracles that run a command on this machine.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::project::ProjectRun;
use crate::scratch::SandboxedRun;
use crate::spawn::{self, Limits, is_not_executable};
use crate::{CandidateFile, CommandLine, ExtraTest, Project, Scratch};
use boildown_oracle::{
    Answer, Capture, Interrupt, Oracle, OracleError, Outcome, Property, Run, Verdict,
};

/// Runs a command on candidates, each in a fresh directory or in a copy of a project.
#[derive(Debug, Clone)]
pub struct Runner {
    /// The command.
    pub command: CommandLine,
    /// The project in which the command is run; `None` for a directory that holds only the
    /// candidate.
    pub project: Option<Arc<Project>>,
    /// The directory in which the directories of the runs are created.
    pub scratch: Arc<Scratch>,
    /// The name and permissions of the file that a candidate is written to.
    pub file: CandidateFile,
    /// The limits of a run.
    pub limits: Limits,
    /// Tests that an interesting candidate has to pass or to fail too, each in a run of its own.
    pub extra_tests: Vec<ExtraTest>,
}

impl Runner {
    /// Runs the command on a candidate, once.
    ///
    /// # Errors
    /// [`OracleError::Interrupted`] when `interrupt` was triggered; another error when the command
    /// could not be run, even if only because the candidate is the program and cannot be executed.
    /// [`LocalOracle`] turns that case into a verdict.
    pub fn run(
        &self,
        candidate: &[u8],
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        self.run_within(&self.limits, candidate, capture, interrupt)
    }

    fn run_within(
        &self,
        limits: &Limits,
        candidate: &[u8],
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let command = self.command.for_candidate(candidate)?;
        let run = if let Some(project) = &self.project {
            let run = ProjectRun {
                command: &command,
                capture,
                mode: self.file.mode,
                candidate,
                limits,
            };
            project.run(&run, interrupt)?
        } else if let Some(sandbox) = &limits.sandbox {
            let run = SandboxedRun {
                sandbox,
                command: &command,
                capture,
                file: &self.file,
                candidate,
                limits,
            };
            self.scratch.run_sandboxed(&run, interrupt)?
        } else {
            let run_dir = self.scratch.run_dir(&self.file, candidate)?;
            spawn::run(&command.invocation(&run_dir, capture), limits, interrupt)?
        };
        // The files of this run are removed, so if the disk is full now, it is not because of them.
        self.scratch.check_room()?;
        Ok(run)
    }

    /// Runs an extra test on a candidate, once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_extra(
        &self,
        test: &ExtraTest,
        candidate: &[u8],
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let runner = Self {
            command: test.command.clone(),
            ..self.clone()
        };
        runner
            .with_timeout(test.timeout)
            .run(candidate, capture, interrupt)
    }

    /// Returns the verdict on a candidate that the extra tests confirm, or do not: the first one
    /// that does not end as expected decides.
    pub(crate) fn confirm(
        &self,
        verdict: Verdict,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Verdict, OracleError> {
        let mut verdict = verdict;
        for test in &self.extra_tests {
            if !verdict.is_interesting() {
                break;
            }
            let run = self.run_extra(test, candidate, Capture::Nothing, interrupt)?;
            verdict = test.expected.verdict(&run);
        }
        Ok(verdict)
    }

    /// Returns this runner with every run in a copy of a project.
    #[must_use]
    pub fn within(mut self, project: Arc<Project>) -> Self {
        self.project = Some(project);
        self
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
/// When the candidate is the program itself, a candidate that the system cannot execute is
/// uninteresting: no command was run, so the property cannot hold. Any other program that cannot be
/// started is an error.
#[derive(Debug, Clone)]
pub struct LocalOracle {
    runner: Runner,
    property: Property,
    /// `None` when the time limit is constant.
    adaptive_timeout: Option<Arc<AdaptiveTimeout>>,
}

/// A time limit that follows from the times of the latest interesting runs.
#[derive(Debug)]
struct AdaptiveTimeout {
    /// Returns the time limit for the slowest of the times.
    limit: fn(Duration) -> Duration,
    /// At most [`REMEMBERED`] times, the latest last.
    times: Mutex<VecDeque<Duration>>,
}

/// The number of interesting runs that decide the time limit. With several of them, one fast run
/// among slow ones does not lower the limit.
const REMEMBERED: usize = 8;

impl AdaptiveTimeout {
    fn times(&self) -> MutexGuard<'_, VecDeque<Duration>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current time limit.
    fn limit(&self) -> Duration {
        (self.limit)(self.times().iter().max().copied().unwrap_or_default())
    }

    /// Records the time of an interesting run.
    fn record(&self, time: Duration) {
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
            adaptive_timeout: None,
        }
    }

    /// Returns this oracle with a time limit that adapts to the interesting runs.
    ///
    /// The time limit is `limit` of the slowest of the last eight interesting runs, beginning with
    /// `slowest`. Smaller candidates run faster, so a candidate that hangs is detected sooner. If
    /// the property expects a hang, the time limit stays that of the hang.
    #[must_use]
    pub fn with_adaptive_timeout(
        mut self,
        slowest: Duration,
        limit: fn(Duration) -> Duration,
    ) -> Self {
        if self.property.hang().is_none() {
            let times = Mutex::new(VecDeque::from([slowest]));
            self.adaptive_timeout = Some(Arc::new(AdaptiveTimeout { limit, times }));
        }
        self
    }

    /// Returns the property.
    #[must_use]
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// Returns the runner of the command.
    #[must_use]
    pub fn runner(&self) -> &Runner {
        &self.runner
    }
}

impl Oracle for LocalOracle {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        if !self.runner.command.is_command_for(candidate) {
            return Ok(Answer {
                verdict: Verdict::Uninteresting,
                run: None,
            });
        }
        let capture = self.property.capture();
        let mut limits = self.runner.limits.clone();
        if let Some(adaptive_timeout) = &self.adaptive_timeout {
            limits.timeout = adaptive_timeout.limit();
        }
        match self
            .runner
            .run_within(&limits, candidate, capture, interrupt)
        {
            // The input could be executed in the first run, so the fault is with this candidate.
            Err(error) if self.runner.command.runs_candidate() && is_not_executable(&error) => {
                Ok(Answer {
                    verdict: Verdict::Uninteresting,
                    run: None,
                })
            }
            run => {
                let run = run?;
                let verdict = self.property.verdict(&run);
                let verdict = self.runner.confirm(verdict, candidate, interrupt)?;
                if let Some(adaptive_timeout) = &self.adaptive_timeout
                    && verdict.is_interesting()
                {
                    adaptive_timeout.record(run.took);
                }
                Ok(Answer {
                    verdict,
                    run: Some(run),
                })
            }
        }
    }
}

/// Checks by the first run that the command itself works, so that its verdicts can be trusted.
///
/// Shells exit with 127 when a command is not found and with 126 when it cannot be executed. In
/// later runs these exit codes are judged like all others, because a candidate may break the
/// script.
///
/// # Errors
/// [`OracleError::SetUp`] when the run exited with 126 or 127 and the property does not state that
/// exit code.
pub fn check_set_up(
    baseline: &Run,
    command: &CommandLine,
    stated: Option<&Property>,
) -> Result<(), OracleError> {
    let mistake = match baseline.outcome {
        Outcome::Exited(code) if stated.is_some_and(|property| property.states_exit_code(code)) => {
            return Ok(());
        }
        Outcome::Exited(126) => "a program that it calls could not be executed (exit code 126)",
        Outcome::Exited(127) => "a program that it calls was not found (exit code 127)",
        Outcome::Exited(_) | Outcome::Signalled(_) | Outcome::TimedOut | Outcome::Exceeded(_) => {
            return Ok(());
        }
    };
    let stderr = String::from_utf8_lossy(&baseline.stderr);
    let reason = match stderr.lines().rfind(|line| !line.trim().is_empty()) {
        Some(last) => format!("{mistake}: {}", last.trim()),
        None => mistake.to_owned(),
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
    fn the_time_limit_follows_the_slowest_of_the_latest_interesting_runs() {
        let adaptive_timeout = AdaptiveTimeout {
            limit: |slowest| 10 * slowest,
            times: Mutex::new(VecDeque::from([Duration::from_secs(9)])),
        };
        assert_eq!(adaptive_timeout.limit(), Duration::from_secs(90));
        for _ in 0..REMEMBERED - 1 {
            adaptive_timeout.record(Duration::from_secs(1));
            assert_eq!(adaptive_timeout.limit(), Duration::from_secs(90));
        }
        adaptive_timeout.record(Duration::from_secs(2));
        assert_eq!(adaptive_timeout.limit(), Duration::from_secs(20));
    }

    fn set_up_error(outcome: Outcome, stderr: &str, stated: Option<&str>) -> Option<String> {
        let run = Run {
            outcome,
            stdout: Vec::new(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        };
        let command = CommandLine::script(Path::new("test.sh"), Path::new("/src"));
        let stated = stated.map(|spec| {
            Property::new(vec![boildown_oracle::Expectation::Exit(
                spec.parse().unwrap(),
            )])
            .unwrap()
        });
        check_set_up(&run, &command, stated.as_ref())
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_missing_program_inside_the_test_is_an_error() {
        assert_eq!(
            set_up_error(
                Outcome::Exited(127),
                "test.sh: 3: frobnicate: not found\n\n",
                None
            )
            .unwrap(),
            "run `/src/test.sh {}`: a program that it calls was not found (exit code 127): test.sh: 3: frobnicate: not found"
        );
        assert_eq!(
            set_up_error(Outcome::Exited(126), "", Some("nonzero")).unwrap(),
            "run `/src/test.sh {}`: a program that it calls could not be executed (exit code 126)"
        );
    }

    #[test]
    fn exit_code_127_is_accepted_when_the_property_states_it() {
        assert_eq!(set_up_error(Outcome::Exited(127), "", Some("127")), None);
    }

    #[test]
    fn other_outcomes_are_accepted() {
        for outcome in [
            Outcome::Exited(0),
            Outcome::Exited(1),
            Outcome::Signalled(11),
            Outcome::TimedOut,
        ] {
            assert_eq!(set_up_error(outcome, "", None), None);
        }
    }
}
