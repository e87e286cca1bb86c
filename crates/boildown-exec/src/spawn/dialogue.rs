//! A program that boildown talks to, one line each way.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};

use super::companion::{Companion, CompanionStreams};
use super::output::OutputStream;
use super::poll::poll_readable;
use boildown_oracle::Interrupt;

/// Bytes read from the program at once.
const CHUNK: usize = 64 * 1024;

/// Bytes kept of what the program writes to its standard error.
const MESSAGES: usize = 4096;

/// The longest line, in bytes: a subset of ten million elements takes less.
const LONGEST: usize = 128 * 1024 * 1024;

/// Time between two attempts to write to a pipe that was full.
const PAUSE: Duration = Duration::from_millis(5);

/// A [`Companion`] that is sent lines and answers each with a line.
#[derive(Debug)]
pub(crate) struct Dialogue {
    requests: File,
    answers: OwnedFd,
    /// What was read after the last answer.
    unread: Vec<u8>,
    messages: OutputStream,
    // Declared last: it ends at the latest when its pipes are closed.
    _program: Companion,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The program has ended, or closed its output.
    Ended,
    /// There was none in time.
    Deadline,
    Interrupted,
    /// The answer is too long, or there was one without a request.
    Flooded,
    System(io::Error),
}

impl From<io::Error> for NoAnswer {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl Dialogue {
    /// Starts a line of shell.
    pub(crate) fn start(line: &OsStr) -> io::Result<Self> {
        let (program, streams) = Companion::start(line)?;
        let CompanionStreams {
            stdin,
            stdout,
            stderr,
        } = streams;
        let requests = File::from(OwnedFd::from(stdin));
        fcntl_setfl(&requests, OFlags::NONBLOCK)?;
        Ok(Self {
            requests,
            answers: stdout.into(),
            unread: Vec::new(),
            messages: OutputStream::new(Some(stderr.into()), MESSAGES),
            _program: program,
        })
    }

    /// Sends a line, which has its end, and returns the answer without its end.
    pub(crate) fn exchange(
        &mut self,
        line: &[u8],
        patience: Duration,
        interrupt: Option<&Interrupt>,
    ) -> Result<Vec<u8>, NoAnswer> {
        if !self.unread.is_empty() {
            return Err(NoAnswer::Flooded);
        }
        let deadline = Instant::now() + patience;
        let mut unsent = line;
        loop {
            self.send(&mut unsent)?;
            if let Some(answer) = self.take_line()? {
                return Ok(answer);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let pause = if unsent.is_empty() { left } else { PAUSE };
            let watched = [
                Some(self.answers.as_fd()),
                self.messages.fd(),
                interrupt.map(Interrupt::as_fd),
            ];
            let [answered, complained, interrupted] =
                poll_readable(watched, Some(pause.min(left)))?;
            if interrupted {
                return Err(NoAnswer::Interrupted);
            }
            if complained {
                self.messages.read()?;
            }
            if answered && self.read()? == 0 {
                return Err(NoAnswer::Ended);
            }
            if left.is_zero() {
                return Err(NoAnswer::Deadline);
            }
        }
    }

    /// Writes as much as the pipe takes.
    fn send(&mut self, unsent: &mut &[u8]) -> io::Result<()> {
        while !unsent.is_empty() {
            match self.requests.write(unsent) {
                Ok(count) => *unsent = &unsent[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It does not read any more. Its output says whether it has ended.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => *unsent = &[],
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads once. Returns the number of bytes.
    fn read(&mut self) -> io::Result<usize> {
        let mut chunk = [0; CHUNK];
        let read = || rustix::io::read(&self.answers, &mut chunk);
        let count = rustix::io::retry_on_intr(read)?;
        self.unread.extend_from_slice(&chunk[..count]);
        Ok(count)
    }

    /// Takes the next line of what was read, if it is complete.
    fn take_line(&mut self) -> Result<Option<Vec<u8>>, NoAnswer> {
        // The end of a line can only be in what was read last.
        let searched = self.unread.len().saturating_sub(CHUNK);
        let end = self.unread[searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        match end {
            Some(end) => {
                let rest = self.unread.split_off(searched + end + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                Ok(Some(line))
            }
            None if self.unread.len() <= LONGEST => Ok(None),
            None => Err(NoAnswer::Flooded),
        }
    }

    /// Returns the end of what the program wrote to its standard error.
    pub(crate) fn into_messages(self) -> String {
        let text = self.messages.finish().unwrap_or_default();
        String::from_utf8_lossy(&text).trim().to_owned()
    }
}
