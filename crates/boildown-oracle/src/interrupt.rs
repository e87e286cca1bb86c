//! A handle that stops runs from another thread.

use std::io::{PipeReader, PipeWriter, Write as _, pipe};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::OracleError;

/// Stops the runs that were given this handle, from any thread.
///
/// Clones share one state. Once triggered, a handle stays triggered.
///
/// # Cost
/// Two file descriptors for all clones together.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<State>);

/// Why runs are stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptCause {
    /// The user asked for it, with Ctrl-C for example.
    Asked = 1,
    /// The time for the whole session is over.
    TimeLimit = 2,
}

#[derive(Debug)]
struct State {
    /// The number of the cause; 0 until triggered.
    cause: AtomicU8,
    /// Readable once triggered, and for ever, because the byte in the pipe is never read. A run can
    /// poll it together with the output of its command, which it cannot do with a flag.
    read: PipeReader,
    write: PipeWriter,
    /// The handles that are triggered with this one.
    parts: Mutex<Vec<Weak<Self>>>,
}

impl Interrupt {
    /// Returns a new handle that is not triggered.
    ///
    /// # Errors
    /// [`OracleError::InterruptHandle`] when the process has no file descriptor left.
    pub fn new() -> Result<Self, OracleError> {
        let (read, write) = pipe().map_err(|source| OracleError::InterruptHandle { source })?;
        Ok(Self(Arc::new(State {
            cause: AtomicU8::new(0),
            read,
            write,
            parts: Mutex::default(),
        })))
    }

    /// Returns a new handle that is triggered with this one, or alone.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn part(&self) -> Result<Self, OracleError> {
        let part = Self::new()?;
        let mut parts = self.0.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.retain(|other| other.strong_count() > 0);
        parts.push(Arc::downgrade(&part.0));
        drop(parts);
        // It may have been triggered before it knew of its part.
        if let Some(cause) = self.cause() {
            part.trigger_for(cause);
        }
        Ok(part)
    }

    /// Stops every run that has this handle, or is given it later, because the user asked for it.
    /// Returns at once; each run cleans up on its own thread.
    pub fn trigger(&self) {
        self.trigger_for(InterruptCause::Asked);
    }

    /// Stops the runs like [`trigger`](Self::trigger), for this cause. The first cause stays.
    pub fn trigger_for(&self, cause: InterruptCause) {
        let (new, order) = (cause as u8, Ordering::AcqRel);
        let set = (self.0.cause).compare_exchange(0, new, order, Ordering::Acquire);
        if set.is_ok() {
            // Written once, so the pipe cannot be full. Closing the writing end is not enough: a
            // program that is being started may hold a copy of it.
            (&self.0.write).write_all(b".").ok();
            let parts = self.0.parts.lock().unwrap_or_else(PoisonError::into_inner);
            let parts: Vec<Self> = parts.iter().filter_map(Weak::upgrade).map(Self).collect();
            for part in parts {
                part.trigger_for(cause);
            }
        }
    }

    /// Returns whether [`trigger`](Self::trigger) was called.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.cause().is_some()
    }

    /// Returns why the runs are stopped; `None` until the handle is triggered.
    #[must_use]
    pub fn cause(&self) -> Option<InterruptCause> {
        match self.0.cause.load(Ordering::Acquire) {
            0 => None,
            number if number == InterruptCause::TimeLimit as u8 => Some(InterruptCause::TimeLimit),
            _ => Some(InterruptCause::Asked),
        }
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

    #[test]
    fn a_part_is_triggered_with_the_whole_and_not_the_other_way_round() {
        let whole = Interrupt::new().unwrap();
        let parts = [whole.part().unwrap(), whole.part().unwrap()];
        parts[0].trigger();
        assert!(!whole.is_triggered() && !parts[1].is_triggered());
        whole.trigger_for(InterruptCause::TimeLimit);
        assert_eq!(parts[1].cause(), Some(InterruptCause::TimeLimit));
        assert!(polls_as_readable(&parts[1]));
        assert!(whole.part().unwrap().is_triggered(), "also a later one");
    }

    #[test]
    fn the_first_cause_stays() {
        let interrupt = Interrupt::new().unwrap();
        assert_eq!(interrupt.cause(), None);
        interrupt.trigger_for(InterruptCause::TimeLimit);
        interrupt.trigger();
        assert_eq!(interrupt.cause(), Some(InterruptCause::TimeLimit));
    }
}
