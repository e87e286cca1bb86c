//! Trust in a store: whether a report runs and reads what it names.

use boildown_store::LastSession;

use crate::provenance;

/// What a store may make this machine do. It may come from anywhere: with a repository, or from a
/// CI job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// The user said to run what it names.
    ToldToRun,
    /// This user has written it on this machine.
    Own,
    /// Nothing that it names is run or read.
    Foreign,
}

impl Trust {
    pub(super) fn of(is_told_to_run: bool, session: &LastSession) -> Self {
        if provenance::is_own(&session.file) {
            return Self::Own;
        }
        match is_told_to_run {
            true => Self::ToldToRun,
            false => Self::Foreign,
        }
    }
}
