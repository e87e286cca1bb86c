//! The directories and the thread of a run, which later runs use again.

use super::candidate_file::CandidateFile;
use super::empty_dir::{ChangeTime, EmptyDir};
use super::run_dir::RunDir;
use crate::spawn::{Sandbox, SandboxThread};
use boildown_oracle::OracleError;

/// The directories of a run, and a thread, in a sandbox or not, that may write to them.
///
/// They are kept for the next run, because creating them costs more than emptying them. Directories
/// that a run has replaced, moved, or given other attributes are not used again.
#[derive(Debug)]
pub(crate) struct ReusableRunDir {
    // Declared first, because the thread has to end before its directories are removed.
    pub(crate) thread: SandboxThread,
    pub(crate) dir: RunDir,
    /// The states in which its directories were made.
    pub(super) states: [EmptyDir; 2],
    pub(super) sandbox: Option<Sandbox>,
}

impl ReusableRunDir {
    /// Empties the directories. Returns whether another run can use them.
    pub(crate) fn clear(&mut self) -> bool {
        self.dir.clear(&mut self.states)
    }

    /// Returns when the directory of the candidate was changed last, as [`clear`](Self::clear) has
    /// found it.
    pub(super) fn changed(&self) -> Option<ChangeTime> {
        self.states[0].changed()
    }

    /// Writes another candidate into the emptied directory.
    pub(crate) fn refill(&mut self, file: &CandidateFile, bytes: &[u8]) -> Result<(), OracleError> {
        self.dir.refill(file, bytes)
    }
}
