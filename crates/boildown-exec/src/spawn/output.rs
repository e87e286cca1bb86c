//! An output stream of a command: read to its end, kept up to a limit.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use super::poll::poll_readable;

/// Bytes read from a pipe at once: the default size of a pipe, so that one read usually empties it.
const CHUNK: usize = 64 * 1024;

/// The size of the largest pipe that an ordinary process can create, and so the most that can be
/// left in a pipe after its writer has ended.
const LARGEST_PIPE: usize = 1024 * 1024;

/// The reading end of an output stream of a command, and the output that was kept.
#[derive(Debug)]
pub(super) struct OutputStream {
    /// `None` when the output is not captured or has ended.
    pipe: Option<OwnedFd>,
    kept: ClippedOutput,
}

impl OutputStream {
    pub(super) fn new(pipe: Option<OwnedFd>, cap: usize) -> Self {
        Self {
            pipe,
            kept: ClippedOutput::new(cap),
        }
    }

    /// Returns the descriptor to poll for more output; `None` when there cannot be more.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|pipe| pipe.as_fd())
    }

    /// Reads from the pipe once and returns the number of bytes. Blocks when the pipe is empty and
    /// open, so poll it first.
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

    /// Reads what the command had written before its end, and returns the output that was kept.
    ///
    /// Reads at most the size of the largest pipe, because an escaped process could hold the pipe
    /// open and write for ever.
    pub(super) fn finish(mut self) -> io::Result<Vec<u8>> {
        let mut total = 0;
        while self.pipe.is_some()
            && total < LARGEST_PIPE
            && poll_readable([self.fd()], Some(Duration::ZERO))?[0]
        {
            total += self.read()?;
        }
        Ok(self.kept.into_bytes())
    }
}

/// The beginning and the end of a stream of bytes of any length.
///
/// For example, of the ten bytes `abcdefghij` with a limit of four, `ab` and `ij` are kept.
#[derive(Debug)]
struct ClippedOutput {
    /// Bytes kept at each end.
    half: usize,
    /// The first bytes. Invariant: at most `half` of them.
    head: Vec<u8>,
    /// The bytes after `head`, of which the last `half` are kept. Trimmed when its length exceeds
    /// twice `half`, so each byte is moved about once.
    tail: Vec<u8>,
    /// The number of bytes already trimmed from `tail`.
    dropped: usize,
}

impl ClippedOutput {
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

    /// Returns all bytes if they fit the limit, else both ends with a line between them that says
    /// how many bytes were left out. Without that line, a pattern could match across the gap.
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
        let mut clipped_output = ClippedOutput::new(cap);
        for chunk in chunks {
            clipped_output.push(chunk);
        }
        String::from_utf8(clipped_output.into_bytes()).unwrap()
    }

    #[test]
    fn short_output_is_kept_completely() {
        assert_eq!(clip(8, &[b"abc", b"", b"defgh"]), "abcdefgh");
        assert_eq!(clip(8, &[]), "");
    }

    #[test]
    fn long_output_keeps_both_ends_and_says_how_many_bytes_are_left_out() {
        assert_eq!(
            clip(4, &[b"abc", b"defg", b"h"]),
            "ab\n[4 bytes left out]\ngh"
        );
        assert_eq!(clip(0, &[b"abc"]), "\n[3 bytes left out]\n");
    }

    proptest! {
        #[test]
        fn the_kept_output_does_not_depend_on_the_chunks(
            bytes in prop::collection::vec(b'a'..=b'z', 0..200),
            cap in 0usize..40,
            step in 1usize..50,
        ) {
            let chunks: Vec<_> = bytes.chunks(step).collect();
            prop_assert_eq!(clip(cap, &chunks), clip(cap, &[&bytes]));
        }

        #[test]
        fn memory_is_at_most_twice_the_limit(cap in 0usize..40, step in 1usize..50) {
            let mut clipped_output = ClippedOutput::new(cap);
            for _ in 0..100 {
                clipped_output.push(&vec![b'x'; step]);
                prop_assert!(clipped_output.head.len() + clipped_output.tail.len() <= 2 * cap);
            }
        }
    }
}
