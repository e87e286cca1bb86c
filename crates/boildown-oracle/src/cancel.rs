//! A handle that stops runs from another thread.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};

use crate::OracleError;

/// Stops the runs that were given it, from any thread. Clones share one state; once cancelled, always cancelled.
///
/// Costs two file descriptors for all clones together.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<State>);

/// A pipe whose reading end becomes readable when the writing end closes: something a run can poll together with the
/// output of its command, which a flag is not.
#[derive(Debug)]
struct State {
    reader: PipeReader,
    /// `None` once cancelled.
    writer: Mutex<Option<PipeWriter>>,
}

impl Cancel {
    /// Returns a fresh handle, not cancelled.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn new() -> Result<Self, OracleError> {
        let (reader, writer) = io::pipe().map_err(|source| OracleError::CancelHandle { source })?;
        Ok(Self(Arc::new(State {
            reader,
            writer: Mutex::new(Some(writer)),
        })))
    }

    /// Stops every run that was given this handle, and those that will be. Returns at once; the runs clean up on their threads.
    pub fn cancel(&self) {
        drop(
            self.0
                .writer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }

    /// Returns whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }
}

impl AsFd for Cancel {
    /// Returns a descriptor that polls as ready for ever once the handle is cancelled.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.reader.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_shares_the_state() {
        let cancel = Cancel::new().unwrap();
        let clone = cancel.clone();
        assert!(!clone.is_cancelled());
        cancel.cancel();
        cancel.cancel();
        assert!(clone.is_cancelled());
    }
}
