//! Runs in directories of the scratch space, which later runs use again, with their thread.

use super::candidate_file::CandidateFile;
use super::reusable_run_dir::ReusableRunDir;
use super::scratch_space::Scratch;
use crate::CommandLine;
use crate::spawn::{self, Limits, Sandbox, SandboxThread};
use boildown_oracle::{Capture, Interrupt, OracleError, Run};

/// A run in the scratch space: the command, the candidate and the limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScratchRun<'a> {
    pub(crate) command: &'a CommandLine,
    pub(crate) capture: Capture,
    /// The name and permissions of the file that the candidate is written to.
    pub(crate) file: &'a CandidateFile,
    pub(crate) candidate: &'a [u8],
    pub(crate) limits: &'a Limits,
}

impl Scratch {
    /// Runs the command on a candidate, in a directory that holds only the candidate, and in the
    /// sandbox of the limits if they have one.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when there is no space for the candidate; those of
    /// [`run`](crate::spawn::run).
    pub(crate) fn run(
        &self,
        run: &ScratchRun<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let mut reusable = self.reusable_run_dir(run)?;
        let invocation = run.command.invocation(&reusable.dir, run.capture);
        let result = spawn::run_in(&mut reusable.thread, &invocation, run.limits, interrupt);
        // After an error, the state of the directories and the thread is unknown.
        let is_intact = matches!(result, Ok(_) | Err(OracleError::Interrupted));
        let is_clear = is_intact && reusable.clear();
        self.restore(is_clear.then(|| reusable.changed()).flatten());
        if is_clear {
            self.idle_run_dirs().push(reusable);
        }
        result
    }

    /// Returns idle directories of this sandbox, or new ones, with the candidate in them.
    fn reusable_run_dir(&self, run: &ScratchRun<'_>) -> Result<ReusableRunDir, OracleError> {
        let sandbox = run.limits.sandbox.as_ref();
        let idle = {
            let mut idle = self.idle_run_dirs();
            let has_sandbox = |one: &ReusableRunDir| match (&one.sandbox, sandbox) {
                (Some(one), Some(other)) => one.is(other),
                (one, other) => one.is_none() && other.is_none(),
            };
            idle.iter()
                .rposition(has_sandbox)
                .map(|index| idle.remove(index))
        };
        if let Some(mut reusable) = idle {
            reusable.refill(run.file, run.candidate)?;
            return Ok(reusable);
        }
        self.new_reusable_run_dir(sandbox, run.file, run.candidate)
    }

    /// Returns new directories with the candidate in them, for this sandbox or without one.
    pub(crate) fn new_reusable_run_dir(
        &self,
        sandbox: Option<&Sandbox>,
        file: &CandidateFile,
        candidate: &[u8],
    ) -> Result<ReusableRunDir, OracleError> {
        let dir = self.run_dir(file, candidate)?;
        Ok(ReusableRunDir {
            thread: SandboxThread::new(sandbox, &[dir.path(), dir.tmp()])?,
            states: dir.states().map_err(|source| OracleError::Scratch {
                action: "read the attributes of",
                path: dir.path().to_owned(),
                source,
            })?,
            dir,
            sandbox: sandbox.cloned(),
        })
    }
}
