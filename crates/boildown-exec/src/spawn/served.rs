//! A process that answers requests: it is started once and asked many times.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::adoption;
use super::escaped;
use super::invocation::Invocation;
use super::limits::Limits;
use super::output::OutputStream;
use super::poll::poll_readable;
use super::resource_monitor::{self, ResourceMonitor};
use super::run_marks::{ActiveRun, RunMarks};
use super::sandbox_thread::SandboxThread;
use super::started_process::StartedProcess;
use super::system;
use boildown_oracle::{Interrupt, OracleError, Resource};

/// The longest time that a process may take to die of SIGKILL.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes read from the answers at once.
const CHUNK: usize = 64 * 1024;

/// Bytes kept of the messages of the process.
const MESSAGES: usize = 4096;

/// The longest request, in bytes: what an empty pipe takes without being read.
const LONGEST_REQUEST: usize = 60 * 1024;

/// A process that reads requests, lines on its standard input, and writes answers, lines on its
/// standard output. Dropping it kills it with everything that it started.
///
/// It has the session, the marks and the limits of a run, and its sandbox thread confines it. What
/// it starts for a request is the run; after the answer, everything that the run has left is
/// killed, as after a run that boildown started itself.
#[derive(Debug)]
pub(crate) struct ServedProcess {
    process: StartedProcess,
    leader: Pid,
    program: String,
    /// Polls as readable once the process has exited.
    exit: OwnedFd,
    requests: File,
    answers: OwnedFd,
    /// What was read after the last answer.
    unread: Vec<u8>,
    messages: OutputStream,
    marks: RunMarks,
    /// Whether it may start processes faster than they can be killed one by one.
    is_flooding: bool,
}

/// How long to wait for an answer, and what the run may use until then.
#[derive(Debug)]
pub(crate) struct AnswerLimits<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) deadline: Option<Instant>,
    /// The longest answer, in bytes.
    pub(crate) longest: usize,
}

/// The reaction to a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A line, without its end.
    Line(Vec<u8>),
    /// There was no answer in time.
    Deadline,
    Interrupted,
    /// The process and what it started use more than a limit.
    Exceeded(Resource),
    /// The process has ended, or does not read.
    Ended,
    /// The answer is too long, or there was one without a request.
    Flooded,
}

impl ServedProcess {
    /// Starts the process by this thread, which has to exist as long as the process.
    pub(crate) fn start(
        thread: &mut SandboxThread,
        invocation: &Invocation,
        limits: &Limits,
    ) -> Result<Self, OracleError> {
        let program = invocation.program.display().to_string();
        let watch_error = |source: io::Error| OracleError::Watch {
            program: program.clone(),
            source,
        };
        let (reading, writing) = request_pipe().map_err(watch_error)?;
        let marks = RunMarks::new();
        let _active = ActiveRun::begin();
        let mut process = thread.start_reading(reading, invocation, limits, &marks)?;
        let leader = process.pid;
        let (stdout, stderr) = (process.stdout.take(), process.stderr.take());
        let watched = system::exit_watch(leader).and_then(|exit| {
            let answers = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
            Ok((exit, answers))
        });
        match watched {
            Ok((exit, answers)) => Ok(Self {
                marks: marks.with_process(&process),
                process,
                leader,
                program,
                exit,
                requests: writing,
                answers,
                unread: Vec::new(),
                messages: OutputStream::new(stderr, MESSAGES),
                is_flooding: false,
            }),
            Err(source) => {
                kill_process_group(leader, Signal::KILL).ok();
                process.wait().ok();
                adoption::forget_child(leader);
                Err(watch_error(source))
            }
        }
    }

    /// Waits for the first line, which the process writes without a request.
    pub(crate) fn greeting(
        &mut self,
        within: &AnswerLimits<'_>,
        interrupt: &Interrupt,
    ) -> Result<Reply, OracleError> {
        self.wait_for_line(within, Some(interrupt))
    }

    /// Sends a request and waits for its answer. Everything that the run has left is killed.
    pub(crate) fn ask(
        &mut self,
        request: &[u8],
        within: &AnswerLimits<'_>,
        interrupt: &Interrupt,
    ) -> Result<Reply, OracleError> {
        let active = ActiveRun::begin();
        if !self.unread.is_empty() {
            return Ok(Reply::Flooded);
        }
        if request.len() > LONGEST_REQUEST || self.requests.write_all(request).is_err() {
            return Ok(Reply::Ended);
        }
        let reply = self.wait_for_line(within, Some(interrupt))?;
        if matches!(reply, Reply::Line(_)) {
            escaped::sweep(&self.marks, &active);
        }
        self.is_flooding |= matches!(reply, Reply::Exceeded(_));
        Ok(reply)
    }

    /// Stops the run that the process has not answered about: sends SIGTERM to what it has started,
    /// and SIGKILL after the grace period. Returns the answer, if there is one.
    pub(crate) fn stop_run(
        &mut self,
        within: &AnswerLimits<'_>,
    ) -> Result<Option<Vec<u8>>, OracleError> {
        let active = ActiveRun::begin();
        for (signal, patience) in [
            (Signal::TERM, within.limits.grace),
            (Signal::KILL, KILL_TIMEOUT),
        ] {
            if !self.signal_runs(signal) {
                // It runs candidates in its own process.
                return Ok(None);
            }
            let within = AnswerLimits {
                deadline: Instant::now().checked_add(patience),
                ..*within
            };
            match self.wait_for_line(&within, None)? {
                Reply::Line(line) => {
                    escaped::sweep(&self.marks, &active);
                    return Ok(Some(line));
                }
                Reply::Deadline => {}
                reply => {
                    self.is_flooding |= matches!(reply, Reply::Exceeded(_));
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Signals the groups of the processes that this one has started. Returns whether there are
    /// any.
    fn signal_runs(&self, signal: Signal) -> bool {
        let children = system::children(self.leader);
        for child in &children {
            if kill_process_group(*child, signal).is_err() {
                // It has no group of its own yet.
                kill_process(*child, signal).ok();
            }
        }
        !children.is_empty()
    }

    /// Returns the end of what the process wrote to its standard error so far.
    pub(crate) fn messages(&mut self) -> Vec<u8> {
        let read = std::mem::replace(&mut self.messages, OutputStream::new(None, 0));
        read.finish().unwrap_or_default()
    }

    fn wait_for_line(
        &mut self,
        within: &AnswerLimits<'_>,
        interrupt: Option<&Interrupt>,
    ) -> Result<Reply, OracleError> {
        let mut monitor = ResourceMonitor::new(within.limits);
        loop {
            if let Some(reply) = self.read_line(within.longest) {
                return Ok(reply);
            }
            let until = |moment: Instant| moment.saturating_duration_since(Instant::now());
            let until_deadline = within.deadline.map(until);
            let until_check = until(monitor.next_check());
            let watched = [
                Some(self.exit.as_fd()),
                interrupt.map(Interrupt::as_fd),
                Some(self.answers.as_fd()),
                self.messages.fd(),
            ];
            let timeout = until_deadline.map_or(until_check, |left| left.min(until_check));
            let [exited, interrupted, answer, message] =
                poll_readable(watched, Some(timeout)).map_err(|error| self.watch_error(error))?;
            if interrupted {
                return Ok(Reply::Interrupted);
            }
            if message {
                let read = self.messages.read();
                read.map_err(|source| self.watch_error(source))?;
            }
            if answer {
                match self.read_answers() {
                    Ok(0) => return Ok(Reply::Ended),
                    Ok(_) => {}
                    Err(source) => return Err(self.watch_error(source)),
                }
            } else if exited {
                return Ok(Reply::Ended);
            }
            if until_deadline.is_some_and(|left| left.is_zero()) {
                return Ok(Reply::Deadline);
            }
            if until_check.is_zero()
                && let Some(resource) = monitor.check(self.leader, &self.marks)
            {
                return Ok(Reply::Exceeded(resource));
            }
        }
    }

    /// Reads answers once. Returns the number of bytes.
    fn read_answers(&mut self) -> io::Result<usize> {
        let mut chunk = [0; CHUNK];
        let read = || rustix::io::read(&self.answers, &mut chunk);
        let count = rustix::io::retry_on_intr(read)?;
        self.unread.extend_from_slice(&chunk[..count]);
        Ok(count)
    }

    /// Takes the next line of what was read, if it is complete.
    fn read_line(&mut self, longest: usize) -> Option<Reply> {
        match self.unread.iter().position(|byte| *byte == b'\n') {
            Some(end) if end <= longest => {
                let rest = self.unread.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                Some(Reply::Line(line))
            }
            None if self.unread.len() <= longest => None,
            _ => Some(Reply::Flooded),
        }
    }

    fn watch_error(&self, source: io::Error) -> OracleError {
        OracleError::Watch {
            program: self.program.clone(),
            source,
        }
    }
}

/// Returns the two ends of a pipe, first the one to read. Writing to a full pipe is an error.
fn request_pipe() -> io::Result<(File, File)> {
    let (reading, writing) = io::pipe()?;
    fcntl_setfl(&writing, OFlags::NONBLOCK)?;
    let [reading, writing] = [OwnedFd::from(reading), OwnedFd::from(writing)].map(File::from);
    Ok((reading, writing))
}

impl Drop for ServedProcess {
    fn drop(&mut self) {
        let active = ActiveRun::begin();
        self.signal_runs(Signal::KILL);
        kill_process_group(self.leader, Signal::KILL).ok();
        let ended = poll_readable([Some(self.exit.as_fd())], Some(KILL_TIMEOUT));
        if self.is_flooding {
            resource_monitor::kill_all(self.leader, &self.marks);
        }
        escaped::sweep(&self.marks, &active);
        if ended.is_ok_and(|[ended]| ended) {
            self.process.wait().ok();
        }
        // If it dies later, a later sweep reaps it, because it is no longer recorded.
        adoption::forget_child(self.leader);
    }
}
