//! The directories and the thread of a run in a sandbox, which later runs use again.

use super::attributes::Attributes;
use super::candidate_file::CandidateFile;
use super::run_dir::RunDir;
use crate::spawn::{Sandbox, SandboxThread};
use boildown_oracle::OracleError;

/// The directories of a run, and a thread, in a sandbox or not, that may write to them.
///
/// They are kept for the next run, because creating them costs more than emptying them. A run
/// cannot replace the directories, because it may not write to their parent; directories with
/// changed attributes are not used again.
#[derive(Debug)]
pub(crate) struct ReusableRunDir {
    // Declared first, because the thread has to end before its directories are removed.
    pub(crate) thread: SandboxThread,
    pub(crate) dir: RunDir,
    /// The attributes with which its directories were made.
    pub(super) as_made: [Attributes; 2],
    pub(super) sandbox: Option<Sandbox>,
}

impl ReusableRunDir {
    /// Empties the directories. Returns whether another run can use them.
    pub(crate) fn clear(&mut self) -> bool {
        self.dir.clear(&self.as_made)
    }

    /// Writes another candidate into the emptied directory.
    pub(crate) fn refill(&mut self, file: &CandidateFile, bytes: &[u8]) -> Result<(), OracleError> {
        self.dir.refill(file, bytes)
    }
}
