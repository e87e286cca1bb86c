//! A handle that stops runs from another thread.

use std::io::{PipeReader, PipeWriter, Write as _, pipe};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::OracleError;

/// Stops the runs that were given it, from any thread. Clones share one state; once cancelled, always cancelled.
///
/// Costs two file descriptors for all clones together.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<State>);

#[derive(Debug)]
struct State {
    cancelled: AtomicBool,
    /// Readable once cancelled, for nobody ever reads it: something a run can poll together with the output of its command,
    /// which a flag is not.
    read: PipeReader,
    write: PipeWriter,
}

impl Cancel {
    /// Returns a fresh handle, not cancelled.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn new() -> Result<Self, OracleError> {
        let (read, write) = pipe().map_err(|source| OracleError::CancelHandle { source })?;
        Ok(Self(Arc::new(State {
            cancelled: AtomicBool::new(false),
            read,
            write,
        })))
    }

    /// Stops every run that was given this handle, and those that will be. Returns at once; the runs clean up on their threads.
    pub fn cancel(&self) {
        if !self.0.cancelled.swap(true, Ordering::AcqRel) {
            // Once: it cannot be full. Closing it would not do, as a program that is just being started may hold it open, too.
            (&self.0.write).write_all(b".").ok();
        }
    }

    /// Returns whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }
}

impl AsFd for Cancel {
    /// Returns a descriptor that polls as ready for ever once the handle is cancelled.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.read.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn polls_as_ready(cancel: &Cancel) -> bool {
        let mut fds = [PollFd::new(cancel, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).unwrap() == 1
    }

    #[test]
    fn a_clone_shares_the_state_for_good() {
        let cancel = Cancel::new().unwrap();
        let clone = cancel.clone();
        assert!(!clone.is_cancelled() && !polls_as_ready(&clone));
        cancel.cancel();
        cancel.cancel();
        for _ in 0..2 {
            assert!(clone.is_cancelled() && polls_as_ready(&clone));
        }
    }
}
