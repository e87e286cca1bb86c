//! A handle that stops runs from another thread.

use std::io::{PipeReader, PipeWriter, Write as _, pipe};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::OracleError;

/// Stops the runs that were given this handle, from any thread.
///
/// Clones share one state. Once triggered, a handle stays triggered.
///
/// # Cost
/// Two file descriptors for all clones together.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<State>);

#[derive(Debug)]
struct State {
    triggered: AtomicBool,
    /// Readable once triggered, and for ever, because the byte in the pipe is never read. A run can
    /// poll it together with the output of its command, which it cannot do with a flag.
    read: PipeReader,
    write: PipeWriter,
}

impl Interrupt {
    /// Returns a new handle that is not triggered.
    ///
    /// # Errors
    /// [`OracleError::InterruptHandle`] when the process has no file descriptor left.
    pub fn new() -> Result<Self, OracleError> {
        let (read, write) = pipe().map_err(|source| OracleError::InterruptHandle { source })?;
        Ok(Self(Arc::new(State {
            triggered: AtomicBool::new(false),
            read,
            write,
        })))
    }

    /// Stops every run that has this handle, or is given it later. Returns at once; each run cleans
    /// up on its own thread.
    pub fn trigger(&self) {
        if !self.0.triggered.swap(true, Ordering::AcqRel) {
            // Written once, so the pipe cannot be full. Closing the writing end is not enough: a
            // program that is being started may hold a copy of it.
            (&self.0.write).write_all(b".").ok();
        }
    }

    /// Returns whether [`trigger`](Self::trigger) was called.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0.triggered.load(Ordering::Acquire)
    }
}

impl AsFd for Interrupt {
    /// Returns a descriptor that polls as readable for ever once the handle is triggered.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.read.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn polls_as_readable(interrupt: &Interrupt) -> bool {
        let mut fds = [PollFd::new(interrupt, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).unwrap() == 1
    }

    #[test]
    fn a_clone_shares_the_state_and_it_stays_triggered() {
        let interrupt = Interrupt::new().unwrap();
        let clone = interrupt.clone();
        assert!(!clone.is_triggered() && !polls_as_readable(&clone));
        interrupt.trigger();
        interrupt.trigger();
        for _ in 0..2 {
            assert!(clone.is_triggered() && polls_as_readable(&clone));
        }
    }
}
