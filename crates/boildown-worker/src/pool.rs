//! The executor that runs candidates on workers and in this process.

use std::ffi::OsString;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use boildown_exec::spawn::is_not_executable;
use boildown_exec::{Executor, RunRequest, Runner};
use boildown_oracle::{Interrupt, OracleError, Run};

use super::admission::{Admission, WorkerCheck};
use super::connection::Reply;
use super::keeper::keep;
use super::message::with_causes;
use super::shared::{Phase, Place, Shared};

/// Workers, each started by a line of shell, and the runs in this process beside them.
///
/// A worker that ends, is silent or answers too late gives its candidates to others and is started
/// again a few times. When it is dropped, all workers are stopped.
#[derive(Debug)]
pub struct WorkerPool {
    shared: Arc<Shared>,
    keepers: Vec<JoinHandle<()>>,
}

impl WorkerPool {
    /// Starts the workers. They run nothing before [`admit`](Self::admit).
    ///
    /// `here` is the number of runs in this process at the same time.
    #[must_use]
    pub fn start(lines: Vec<OsString>, here: usize) -> Self {
        let shared = Arc::new(Shared::new(lines.len(), here));
        let keepers = lines.into_iter().enumerate().filter_map(|(number, line)| {
            let kept = Arc::clone(&shared);
            let keeper = thread::Builder::new().spawn(move || keep(&kept, number, &line));
            let refused = |source| {
                let why = with_causes(&OracleError::Thread { source });
                shared.note(format!(
                    "worker {} is not used: failed to {why}",
                    number + 1
                ));
                shared.set_phase(number, Phase::Gone, &why);
            };
            keeper.map_err(refused).ok()
        });
        Self {
            keepers: keepers.collect(),
            shared,
        }
    }

    /// Checks each worker: it has to have the command of the runner and its extra tests, and the
    /// runs of the checks have to be as expected there. Waits for all of them.
    ///
    /// What is wrong with a worker is in the [notes](Self::take_notes).
    ///
    /// # Errors
    /// [`OracleError::Interrupted`], or [`OracleError::Elsewhere`] when a file that the command
    /// names cannot be read.
    pub fn admit(
        &self,
        runner: &Runner,
        checks: Vec<WorkerCheck>,
        interrupt: &Interrupt,
    ) -> Result<(), OracleError> {
        let admission = Admission::new(runner, checks).map_err(|error| OracleError::Elsewhere {
            action: "read the files of the command for the workers".to_owned(),
            source: error.into(),
        })?;
        self.shared.admit(admission);
        match self.shared.wait_for_workers(interrupt) {
            true => Ok(()),
            false => Err(OracleError::Interrupted),
        }
    }

    /// Returns the number of candidates that all workers run at the same time.
    pub fn jobs(&self) -> usize {
        self.shared.jobs()
    }

    /// Returns what happened to workers since the last call, for the user.
    pub fn take_notes(&self) -> Vec<String> {
        self.shared.take_notes()
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.close();
        for keeper in self.keepers.drain(..) {
            // It panicked: the panic was printed.
            keeper.join().ok();
        }
    }
}

impl Executor for WorkerPool {
    fn execute(
        &self,
        runner: &Runner,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let admission = self.shared.admission();
        let number = admission.and_then(|admission| admission.number(runner, request));
        let Some(command) = number else {
            return runner.run_here(request, interrupt);
        };
        loop {
            let (worker, connection) = match self.shared.take_place(interrupt)? {
                Place::Here(_guard) => return runner.run_here(request, interrupt),
                Place::Worker(worker, connection) => (worker, connection),
            };
            match connection.run(command, request, interrupt)? {
                None => return Err(OracleError::Interrupted),
                Some(Reply::Ended(Ok(run))) => return Ok(run),
                Some(Reply::Ended(Err(error)))
                    if runner.command.runs_candidate() && is_not_executable(&error) =>
                {
                    return Err(error);
                }
                // The worker stops: it was asked to end.
                Some(Reply::Ended(Err(OracleError::Interrupted)) | Reply::Lost) => {}
                Some(Reply::Ended(Err(error))) => {
                    connection.fail(format!("it failed to {}", with_causes(&error)));
                    self.shared.distrust(worker, &connection);
                }
            }
        }
    }
}

/// Returns the launch commands in the text of a file: one a line, without empty lines and comments.
pub fn launch_lines(text: &str) -> Vec<OsString> {
    let lines = text.lines().map(str::trim);
    let is_command = |line: &&str| !line.is_empty() && !line.starts_with('#');
    lines.filter(is_command).map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use boildown_exec::spawn::Limits;
    use boildown_exec::{CandidateFile, CommandLine, Scratch};

    use super::*;

    #[test]
    fn threads_that_outlive_a_pool_keep_no_directory() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let path = scratch.path().to_owned();
        let runner = Runner {
            command: CommandLine::script(Path::new("/bin/true"), Path::new("/")),
            project: None,
            scratch: Arc::new(scratch),
            file: CandidateFile::named("in.txt"),
            limits: Limits::default(),
            extra_tests: Vec::new(),
            executor: None,
        };
        let pool = WorkerPool::start(vec!["true".into()], 1);
        pool.admit(&runner, Vec::new(), &Interrupt::new().unwrap())
            .unwrap();
        // As the thread that reads what a worker sends, which is not joined.
        let shared = Arc::clone(&pool.shared);
        drop((pool, runner));
        assert!(shared.is_closing());
        assert!(!path.exists());
    }
}
