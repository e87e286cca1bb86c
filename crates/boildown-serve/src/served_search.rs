//! A job: a process of boildown that runs beside the server.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use boildown_exec::spawn::{Companion, CompanionStreams};

use crate::job_state::{HeardEvent, JobPhase, JobState};

/// How much of the messages of a process is kept, in bytes, from its end.
const MOST_STDERR: usize = 4096;

/// A process of boildown, and what it said so far.
#[derive(Debug)]
pub(crate) struct ServedSearch {
    /// What the process is tied to: it is asked to end when this is closed.
    stdin: Mutex<Option<ChildStdin>>,
    /// Ended when the job is dropped.
    #[expect(dead_code, reason = "it is kept for its end")]
    companion: Companion,
    directory: PathBuf,
    heard: Arc<Heard>,
}

/// What a process said, and when to look at it again.
#[derive(Debug, Default)]
struct Heard {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// What a client is told, but for its phase.
    told: JobState,
    stderr: Vec<u8>,
    is_closed: bool,
    is_stopped: bool,
}

impl Heard {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServedSearch {
    /// Starts boildown with these words in a directory. Each line that it prints is recorded.
    ///
    /// # Errors
    /// What failed, as a sentence.
    pub(crate) fn start(
        program: &Path,
        words: &[String],
        directory: &Path,
        record: impl FnMut(&[u8]) + Send + 'static,
    ) -> Result<Self, String> {
        let directory = fs::canonicalize(directory)
            .map_err(|error| format!("failed to enter {}: {error}", directory.display()))?;
        let (companion, streams) = Companion::start_tied(program, words, &directory)
            .map_err(|error| format!("failed to start boildown: {error}"))?;
        let heard = Arc::new(Heard::default());
        let stdin = Mutex::new(Some(listen(streams, &heard, record)?));
        Ok(Self {
            stdin,
            companion,
            directory,
            heard,
        })
    }

    /// Waits until the process has ended, at most this long.
    pub(crate) fn wait(&self, timeout: Duration) {
        let runs = |state: &mut State| !state.is_closed;
        let waited = &self.heard.changed;
        let waited = waited.wait_timeout_while(self.heard.state(), timeout, runs);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until the process has ended, and returns the state of the job.
    #[cfg(feature = "http")]
    pub(crate) fn end(&self) -> JobState {
        while !self.heard.state().is_closed {
            self.wait(Duration::from_secs(3600));
        }
        self.state()
    }

    /// Returns whether the process was asked to end.
    #[cfg(feature = "http")]
    pub(crate) fn is_stopped(&self) -> bool {
        self.heard.state().is_stopped
    }

    /// Asks the process to end, as Ctrl-C does: it keeps the best result.
    pub(crate) fn stop(&self) {
        self.heard.state().is_stopped = true;
        *self.stdin.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the state of the job.
    pub(crate) fn state(&self) -> JobState {
        let state = self.heard.state();
        // Errors are in the last event too.
        let is_silent = state.is_closed && state.told.end.is_none();
        JobState {
            state: state.phase(),
            messages: is_silent.then(|| String::from_utf8_lossy(&state.stderr).into_owned()),
            ..state.told.clone()
        }
    }

    /// Returns whether the process ended without a result.
    pub(crate) fn has_failed(&self) -> bool {
        self.heard.state().phase() == JobPhase::Failed
    }

    /// Returns the path of the best result, if there is one.
    pub(crate) fn output(&self) -> Option<PathBuf> {
        let state = self.heard.state();
        let output = state.told.output.as_ref()?;
        Some(self.directory.join(output))
    }
}

impl State {
    fn phase(&self) -> JobPhase {
        match &self.told.end {
            end if self.is_stopped && (end.is_some() || self.is_closed) => JobPhase::Stopped,
            Some(end) if end["event"] == "error" => JobPhase::Failed,
            Some(_) => JobPhase::Finished,
            None if self.is_closed => JobPhase::Failed,
            None => JobPhase::Running,
        }
    }

    fn hear(&mut self, line: &[u8]) {
        let told = &mut self.told;
        match serde_json::from_slice(line).unwrap_or(HeardEvent::Other) {
            HeardEvent::Started { output, bytes } => {
                (told.output, told.bytes_before) = (output, bytes);
            }
            HeardEvent::Pass { name } => told.pass = name,
            HeardEvent::Improved {
                bytes,
                tokens,
                tests,
                seconds,
            } => {
                (told.bytes, told.tokens) = (bytes, tokens);
                (told.tests, told.seconds) = (tests.or(told.tests), seconds.or(told.seconds));
            }
            HeardEvent::Progress { tests, seconds } => {
                (told.tests, told.seconds) = (tests.or(told.tests), seconds.or(told.seconds));
            }
            HeardEvent::Finished | HeardEvent::Error => {
                told.end = serde_json::from_slice(line).ok();
                // The end has its own.
                (told.pass, told.tests, told.seconds) = (None, None, None);
            }
            HeardEvent::Note { text } => told.notes.push(text),
            HeardEvent::Other => {}
        }
    }
}

/// Reads what a process says, on threads of their own, until it ends. Returns its standard input.
fn listen(
    streams: CompanionStreams,
    heard: &Arc<Heard>,
    mut record: impl FnMut(&[u8]) + Send + 'static,
) -> Result<ChildStdin, String> {
    let CompanionStreams {
        stdin,
        stdout,
        mut stderr,
    } = streams;
    let spawn = |work: Box<dyn FnOnce() + Send>| {
        let started = thread::Builder::new().spawn(work);
        started.map_err(|error| format!("failed to start a thread: {error}"))
    };
    let messages = Arc::clone(heard);
    spawn(Box::new(move || {
        let mut read = [0; 4096];
        while let Ok(count @ 1..) = stderr.read(&mut read) {
            let kept = &mut messages.state().stderr;
            kept.extend_from_slice(&read[..count]);
            let excess = kept.len().saturating_sub(MOST_STDERR);
            kept.drain(..excess);
        }
    }))?;
    let events = Arc::clone(heard);
    spawn(Box::new(move || {
        for line in BufReader::new(stdout).split(b'\n') {
            let Ok(line) = line else { break };
            record(&line);
            events.state().hear(&line);
        }
        events.state().is_closed = true;
        events.changed.notify_all();
    }))?;
    Ok(stdin)
}
