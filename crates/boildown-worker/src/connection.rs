//! The connection of a client to one worker: what was asked, and who waits for which answer.

use std::collections::HashMap;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use boildown_exec::RunRequest;
use boildown_oracle::{Capture, Interrupt, OracleError, Run};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::difference::{Base, Difference};
use super::frame::Frame;
use super::message::{Body, RunMessage, ToWorker};

/// Below this size, in bytes, a candidate is sent as a whole.
const SMALL: usize = 2 << 10;

/// Time that an answer may take in addition to the time limit of its run.
const EXTRA_TIME: Duration = Duration::from_secs(30);

/// The slowest link that is waited for, in bytes a second.
const SLOWEST_LINK: u64 = 32 << 10;

/// What became of a run.
#[derive(Debug)]
pub(crate) enum Reply {
    Ended(Result<Run, OracleError>),
    /// The worker is gone, or silent: the candidate has to be run elsewhere.
    Lost,
}

/// The run of a candidate that a thread may wait for.
#[derive(Debug)]
struct PendingRun {
    /// `None` when the answer is no longer of use.
    waiter: Option<Arc<Waiter>>,
    /// The latest time of the answer.
    deadline: Option<Instant>,
}

/// A thread that waits for an answer.
#[derive(Debug)]
struct Waiter {
    reply: Mutex<Option<Reply>>,
    done: Interrupt,
}

impl Waiter {
    fn wake(&self, reply: Reply) {
        *self.reply.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
        self.done.trigger();
    }
}

/// The connection to one worker, which many threads use.
#[derive(Debug)]
pub(crate) struct Connection {
    outgoing: Mutex<Outgoing>,
    pending: Mutex<HashMap<u64, PendingRun>>,
    /// Number of jobs of the worker that are in use.
    taken: AtomicUsize,
    heard: Mutex<Instant>,
    /// Why the worker cannot be trusted any more.
    failure: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Outgoing {
    /// `None` when the connection is closed.
    frames: Option<Sender<Frame>>,
    /// The content that candidates are compared with; the worker has it too.
    base: Option<Base>,
    next: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// Returns a connection that sends these frames.
    pub(crate) fn new(frames: Sender<Frame>) -> Self {
        Self {
            outgoing: Mutex::new(Outgoing {
                frames: Some(frames),
                base: None,
                next: 0,
            }),
            pending: Mutex::default(),
            taken: AtomicUsize::new(0),
            heard: Mutex::new(Instant::now()),
            failure: Mutex::default(),
        }
    }

    /// Sends a frame. It is lost if the connection is closed.
    pub(crate) fn send(&self, frame: Frame) {
        if let Some(frames) = &lock(&self.outgoing).frames {
            frames.send(frame).ok();
        }
    }

    /// Records a sign of life.
    pub(crate) fn hear(&self) {
        *lock(&self.heard) = Instant::now();
    }

    /// Returns the time since the last sign of life.
    pub(crate) fn silence(&self) -> Duration {
        lock(&self.heard).elapsed()
    }

    /// Counts nothing against the worker of this time, in which this process could not listen.
    pub(crate) fn excuse(&self, time: Duration) {
        self.hear();
        #[expect(clippy::iter_over_hash_type, reason = "the same is done to all")]
        for run in lock(&self.pending).values_mut() {
            run.deadline = (run.deadline).and_then(|deadline| deadline.checked_add(time));
        }
    }

    /// Takes one of the jobs of the worker; `false` if all are in use.
    pub(crate) fn take_job(&self, jobs: usize) -> bool {
        let take = |taken| (taken < jobs).then_some(taken + 1);
        let order = Ordering::AcqRel;
        (self.taken.fetch_update(order, Ordering::Acquire, take)).is_ok()
    }

    /// Returns the number of jobs in use.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }

    /// Runs a command, for which a job was taken. Returns `None` when it was interrupted; the job
    /// is free again when the worker has answered.
    pub(crate) fn run(
        &self,
        command: u32,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Option<Reply>, OracleError> {
        let waiter = Arc::new(Waiter {
            reply: Mutex::new(None),
            done: Interrupt::new()?,
        });
        let Some(id) = self.begin(command, request, &waiter) else {
            self.taken.fetch_sub(1, Ordering::AcqRel);
            return Ok(Some(Reply::Lost));
        };
        loop {
            let mut polled = [interrupt.as_fd(), waiter.done.as_fd()]
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
            match poll(&mut polled, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => {
                    return Err(OracleError::Elsewhere {
                        action: "wait for a worker".to_owned(),
                        source: error.into(),
                    });
                }
            }
            if let Some(reply) = lock(&waiter.reply).take() {
                return Ok(Some(reply));
            }
            if interrupt.is_triggered() {
                self.cancel(id);
                return Ok(None);
            }
        }
    }

    /// Sends a run; `None` if the connection is closed.
    fn begin(&self, command: u32, request: &RunRequest<'_>, waiter: &Arc<Waiter>) -> Option<u64> {
        let mut outgoing = lock(&self.outgoing);
        let outgoing = &mut *outgoing;
        let frames = outgoing.frames.as_ref()?;
        let id = outgoing.next;
        outgoing.next += 1;
        let candidate = request.candidate;
        let difference = match &outgoing.base {
            // From a much larger base, finding the parts takes long.
            Some(base) if candidate.len() > SMALL && base.len() / 2 < candidate.len() => {
                Some(base.difference(candidate)).filter(|parts| parts.size() < candidate.len() / 2)
            }
            _ => None,
        };
        let (body, content) = match difference {
            Some(Difference { pieces, new }) => (Body::Difference(pieces), new),
            None if candidate.len() > SMALL => (Body::Base, vec![candidate]),
            None => (Body::Whole, vec![candidate]),
        };
        let is_base = body == Body::Base;
        let timeout = request.limits.timeout;
        let run = RunMessage {
            id,
            command,
            captures: request.capture == Capture::Output,
            timeout,
            body,
        };
        let frame = Frame::new(&ToWorker::Run(run), &content);
        let sending = Duration::from_secs(frame.len() as u64 / SLOWEST_LINK);
        let allowed = timeout.checked_add(request.limits.grace + EXTRA_TIME + sending);
        let pending = PendingRun {
            waiter: Some(Arc::clone(waiter)),
            deadline: allowed.and_then(|allowed| Instant::now().checked_add(allowed)),
        };
        lock(&self.pending).insert(id, pending);
        frames.send(frame).ok();
        if is_base {
            outgoing.base = Some(Base::new(candidate));
        }
        Some(id)
    }

    /// Stops a run whose answer is no longer of use.
    fn cancel(&self, id: u64) {
        if let Some(run) = lock(&self.pending).get_mut(&id) {
            run.waiter = None;
        }
        self.send(Frame::new(&ToWorker::Cancel(id), &[]));
    }

    /// Delivers an answer. One that came before, or that nothing was asked for, is ignored.
    pub(crate) fn deliver(&self, id: u64, result: Result<Run, OracleError>) {
        let Some(run) = lock(&self.pending).remove(&id) else {
            return;
        };
        self.taken.fetch_sub(1, Ordering::AcqRel);
        if let Some(waiter) = run.waiter {
            waiter.wake(Reply::Ended(result));
        }
    }

    /// Gives all runs to others, and stops them here: the worker is silent.
    pub(crate) fn give_away(&self) {
        let mut given = Vec::new();
        #[expect(clippy::iter_over_hash_type, reason = "the same is done to all")]
        for (id, run) in lock(&self.pending).iter_mut() {
            if let Some(waiter) = run.waiter.take() {
                waiter.wake(Reply::Lost);
                given.push(*id);
            }
        }
        for id in given {
            self.send(Frame::new(&ToWorker::Cancel(id), &[]));
        }
    }

    /// Closes the connection. What was asked is lost.
    pub(crate) fn close(&self) {
        lock(&self.outgoing).frames = None;
        #[expect(clippy::iter_over_hash_type, reason = "the same is done to all")]
        for (_, run) in lock(&self.pending).drain() {
            if let Some(waiter) = run.waiter {
                waiter.wake(Reply::Lost);
            }
        }
    }

    /// Records that the worker could not run a command, which is not the fault of the candidate.
    pub(crate) fn fail(&self, reason: String) {
        *lock(&self.failure) = Some(reason);
    }

    /// Returns why the worker could not run a command.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }

    /// Returns whether an answer is later than it can be.
    pub(crate) fn is_overdue(&self) -> bool {
        let now = Instant::now();
        let is_late = |run: &PendingRun| run.deadline.is_some_and(|deadline| deadline < now);
        lock(&self.pending).values().any(is_late)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn time_in_which_the_client_did_not_run_makes_no_answer_late() {
        let connection = Connection::new(channel().0);
        let past = Instant::now().checked_sub(Duration::from_secs(1));
        let run = PendingRun {
            waiter: None,
            deadline: past,
        };
        lock(&connection.pending).insert(1, run);
        assert!(connection.is_overdue());
        connection.excuse(Duration::from_secs(1000));
        assert!(!connection.is_overdue());
    }
}
