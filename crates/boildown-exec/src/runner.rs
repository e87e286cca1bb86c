//! The runner of a command, and the trait that decides where it runs.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::project::{Leftovers, ProjectRun};
use crate::scratch::ScratchRun;
use crate::spawn::Limits;
use crate::{CandidateFile, CommandLine, ExtraTest, Project, Scratch};
use boildown_oracle::{Capture, Interrupt, OracleError, Property, Run, Verdict};

/// Runs commands on candidates, here or on other machines.
///
/// Everything above a run is the same for all executors: properties, extra tests, repeated runs and
/// time limits are decided by the oracles, from the outcome and the output of the run.
pub trait Executor: fmt::Debug + Send + Sync {
    /// Runs the command of `runner` on a candidate, once. Blocks until it has ended or `interrupt`
    /// is triggered; is called from many threads at once.
    ///
    /// [`Runner::run_here`] runs it in this process.
    ///
    /// # Errors
    /// As [`Runner::run`]. What goes wrong on another machine is never an outcome: run the
    /// candidate again elsewhere, or return an error, which ends the session.
    fn execute(
        &self,
        runner: &Runner,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError>;
}

/// One run of the command of a [`Runner`].
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The content of the candidate.
    pub candidate: &'a [u8],
    /// Which output is read.
    pub capture: Capture,
    /// The limits of this run, which take the place of those of the runner.
    pub limits: &'a Limits,
}

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
    /// Where the command is run; `None` for this process.
    pub executor: Option<Arc<dyn Executor>>,
}

impl Runner {
    /// Runs the command on a candidate, once.
    ///
    /// # Errors
    /// [`OracleError::Interrupted`] when `interrupt` was triggered; another error when the command
    /// could not be run, even if only because the candidate is the program and cannot be executed.
    /// [`LocalOracle`](crate::LocalOracle) turns that case into a verdict.
    pub fn run(
        &self,
        candidate: &[u8],
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let request = RunRequest {
            candidate,
            capture,
            limits: &self.limits,
        };
        self.execute(&request, interrupt)
    }

    /// Runs the command once, where the executor decides, and counts the run.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn execute(
        &self,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        // A query that was cancelled while it waited for a worker.
        if interrupt.is_triggered() {
            return Err(OracleError::Interrupted);
        }
        self.counted(self.execute_uncounted(request, interrupt))
    }

    /// Counts a run of the command, unless it could not be started.
    pub(crate) fn counted(&self, run: Result<Run, OracleError>) -> Result<Run, OracleError> {
        if matches!(run, Ok(_) | Err(OracleError::Interrupted)) {
            self.scratch.count_command_run();
        }
        run
    }

    fn execute_uncounted(
        &self,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        match &self.executor {
            Some(_) if self.command.differs_by_candidate() => Err(OracleError::SetUp {
                command: self.command.to_string(),
                reason: "an executor runs the same command on every candidate".to_owned(),
            }),
            Some(executor) => executor.execute(self, request, interrupt),
            None => self.run_here(request, interrupt),
        }
    }

    /// Runs the command once in this process, whatever the executor.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_here(
        &self,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        self.run_in(self.leftovers(), request, interrupt)
    }

    /// Returns what the copies of the project do at present with the files that runs create.
    pub(crate) fn leftovers(&self) -> Leftovers {
        match (&self.project, &self.executor) {
            (Some(project), None) => project.leftovers(),
            _ => Leftovers::Removed,
        }
    }

    /// Runs the command once in this process; in a project, in such a copy.
    pub(crate) fn run_in(
        &self,
        leftovers: Leftovers,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let &RunRequest {
            candidate,
            capture,
            limits,
        } = request;
        let command = self.command.for_candidate(candidate)?;
        let run = if let Some(project) = &self.project {
            let run = ProjectRun {
                command: &command,
                capture,
                mode: self.file.mode,
                candidate,
                limits,
                leftovers,
            };
            project.run(&run, interrupt)?
        } else {
            let run = ScratchRun {
                command: &command,
                capture,
                file: &self.file,
                candidate,
                limits,
            };
            self.scratch.run(&run, interrupt)?
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
        let runner = runner.with_timeout(test.timeout);
        let request = RunRequest {
            candidate,
            capture,
            limits: &runner.limits,
        };
        match runner.leftovers() {
            // What it says is final, as a run in a clean copy.
            Leftovers::Kept => runner.run_in(Leftovers::Removed, &request, interrupt),
            Leftovers::Removed => runner.execute_uncounted(&request, interrupt),
        }
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
            let begun = Instant::now();
            let run = self.run_extra(test, candidate, test.expected.capture(), interrupt)?;
            verdict = test.expected.verdict(&run);
            test.tally.record(begun.elapsed(), verdict);
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

    /// Returns this runner with the limits that a property implies: the time limit of a hang, and
    /// the memory at which a run is stopped.
    #[must_use]
    pub fn with_limits_of(mut self, property: &Property) -> Self {
        self.limits.timeout = property.hang_limit().unwrap_or(self.limits.timeout);
        self.limits.counts_processor_time = property.measures_processor_time();
        if let Some(memory) = property.memory() {
            (self.limits.memory, self.limits.measures_memory) = (Some(memory), true);
        }
        self
    }
}
