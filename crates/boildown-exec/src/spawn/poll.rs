//! Waiting for several file descriptors.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Waits until a descriptor is readable or was closed at its other end, and returns which ones are.
///
/// A descriptor that is `None` is never readable. All are `false` after the timeout, and when a
/// signal arrived; the caller has to check its own conditions and call again.
pub(super) fn poll_readable<const N: usize>(
    fds: [Option<BorrowedFd<'_>>; N],
    timeout: Option<Duration>,
) -> io::Result<[bool; N]> {
    // A timeout that is too long for the system is treated as none.
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    let mut polled: Vec<_> = fds
        .iter()
        .flatten()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    match poll(&mut polled, timeout.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok([false; N]),
        Err(error) => return Err(error.into()),
    }
    let mut polled = polled.iter();
    Ok(fds.map(|fd| {
        let result = fd.and_then(|_| polled.next());
        result.is_some_and(|result| !result.revents().is_empty())
    }))
}
