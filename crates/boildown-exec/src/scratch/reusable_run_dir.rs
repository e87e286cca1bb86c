//! The directories and the thread of a run in a sandbox, which later runs use again.

use super::attributes::Attributes;
use super::run_dir::RunDir;
use crate::spawn::{Sandbox, SandboxThread};

/// The directories of a run, and a thread in a sandbox that may write to them.
///
/// They are kept for the next run, because creating them costs more than emptying them. A run
/// cannot replace the directories, because it may not write to their parent; directories with
/// changed attributes are not used again.
#[derive(Debug)]
pub(super) struct ReusableRunDir {
    // Declared first, because the thread has to end before its directories are removed.
    pub(super) thread: SandboxThread,
    pub(super) dir: RunDir,
    /// The attributes with which its directories were made.
    pub(super) as_made: [Attributes; 2],
    pub(super) sandbox: Sandbox,
}
