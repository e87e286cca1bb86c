//! One output stream of a command: drained without end, kept up to a cap.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use super::ready::ready;

/// Bytes taken from a pipe at once; the default size of a pipe, so that one read usually empties it.
const CHUNK: usize = 64 * 1024;

/// The largest pipe an ordinary process can make, hence the most that can be left in one after its writer's end.
const LARGEST_PIPE: usize = 1024 * 1024;

/// The reading end of a command's output, and what was kept of it.
#[derive(Debug)]
pub(super) struct Stream {
    /// `None` when the output is not wanted or has ended.
    pipe: Option<OwnedFd>,
    kept: Clipped,
}

impl Stream {
    pub(super) fn new(pipe: Option<OwnedFd>, cap: usize) -> Self {
        Self {
            pipe,
            kept: Clipped::new(cap),
        }
    }

    /// Returns what to poll for more output, if more can come.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|pipe| pipe.as_fd())
    }

    /// Takes what is in the pipe, once. Blocks when it is empty and open: poll first. Returns the number of bytes.
    pub(super) fn read(&mut self) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        let mut chunk = [0; CHUNK];
        match rustix::io::read(pipe, &mut chunk) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                self.kept.push(&chunk[..count]);
                return Ok(count);
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(0)
    }

    /// Takes what the command had written by its end and returns everything kept.
    ///
    /// Stops at a pipe's worth, for a process that escaped could hold the pipe open and write for ever.
    pub(super) fn finish(mut self) -> io::Result<Vec<u8>> {
        let mut taken = 0;
        while taken < LARGEST_PIPE && ready([self.fd()], Some(Duration::ZERO))?[0] {
            taken += self.read()?;
        }
        Ok(self.kept.into_bytes())
    }
}

/// The beginning and the end of a stream of bytes of any length.
#[derive(Debug)]
struct Clipped {
    /// Bytes kept at either side.
    half: usize,
    /// The first bytes. Invariant: not longer than `half`.
    head: Vec<u8>,
    /// The bytes after `head`, of which the last `half` count. Trimmed when it reaches twice that, so that each byte is moved
    /// once on average.
    tail: Vec<u8>,
    /// Bytes already trimmed from `tail`.
    dropped: usize,
}

impl Clipped {
    fn new(cap: usize) -> Self {
        Self {
            half: cap / 2,
            head: Vec::new(),
            tail: Vec::new(),
            dropped: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * self.half {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
        self.dropped += excess;
    }

    /// Returns all bytes if they fit the cap, else both ends around a line that says so. Without that line, a pattern could
    /// match across the cut.
    fn into_bytes(mut self) -> Vec<u8> {
        self.trim();
        if self.dropped > 0 {
            self.head
                .extend_from_slice(format!("\n[{} bytes left out]\n", self.dropped).as_bytes());
        }
        self.head.extend_from_slice(&self.tail);
        self.head
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clip(cap: usize, chunks: &[&[u8]]) -> String {
        let mut clipped = Clipped::new(cap);
        for chunk in chunks {
            clipped.push(chunk);
        }
        String::from_utf8(clipped.into_bytes()).unwrap()
    }

    #[test]
    fn short_output_is_kept_whole() {
        assert_eq!(clip(8, &[b"abc", b"", b"defgh"]), "abcdefgh");
        assert_eq!(clip(8, &[]), "");
    }

    #[test]
    fn long_output_keeps_both_ends_around_a_line_that_says_so() {
        assert_eq!(
            clip(4, &[b"abc", b"defg", b"h"]),
            "ab\n[4 bytes left out]\ngh"
        );
        assert_eq!(clip(0, &[b"abc"]), "\n[3 bytes left out]\n");
    }

    proptest! {
        #[test]
        fn what_is_kept_does_not_depend_on_the_chunks(bytes in prop::collection::vec(b'a'..=b'z', 0..200), cap in 0usize..40, step in 1usize..50) {
            let chunks: Vec<_> = bytes.chunks(step).collect();
            prop_assert_eq!(clip(cap, &chunks), clip(cap, &[&bytes]));
        }

        #[test]
        fn memory_stays_below_twice_the_cap(cap in 0usize..40, step in 1usize..50) {
            let mut clipped = Clipped::new(cap);
            for _ in 0..100 {
                clipped.push(&vec![b'x'; step]);
                prop_assert!(clipped.head.len() + clipped.tail.len() <= 2 * cap);
            }
        }
    }
}
