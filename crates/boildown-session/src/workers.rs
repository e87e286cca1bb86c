//! Threads that put questions to the oracle.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use boildown_oracle::{Answer, Cancel, Oracle, OracleError};
use boildown_search::QuestionId;

struct Job<C> {
    id: QuestionId,
    candidate: C,
    cancel: Cancel,
}

/// An answer, and the question it is to.
pub(crate) struct Done {
    pub(crate) id: QuestionId,
    pub(crate) answer: Judged,
    /// Whether no other question was being asked from its beginning to its end.
    pub(crate) was_alone: bool,
}

type Judged = Result<Answer, OracleError>;

/// A fixed number of threads. Dropping it cancels what runs and lets the threads end.
pub(crate) struct Workers<C> {
    jobs: Sender<Job<C>>,
    done: Receiver<(QuestionId, std::thread::Result<Judged>)>,
    count: usize,
    running: HashMap<QuestionId, Running>,
    /// A moving average of how long a run takes, in seconds.
    pace: f64,
}

/// A question that is being asked.
struct Running {
    cancel: Cancel,
    alone: bool,
}

/// Runs shorter than this, in seconds, are worth having the next one at hand: what a thread waits between two of them is then
/// a good part of the whole. A longer run on a question that turns out to be moot costs more than that.
const SHORT: f64 = 0.02;

impl<C: Send> Workers<C> {
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        oracle: &'scope dyn Oracle<C>,
        count: usize,
    ) -> Self
    where
        C: 'scope,
    {
        let (jobs, queue) = channel::<Job<C>>();
        let (answers, done) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..count {
            let (queue, answers) = (Arc::clone(&queue), answers.clone());
            scope.spawn(move || {
                loop {
                    // The lock is held while waiting: whoever has it takes the next job.
                    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job {
                        id,
                        candidate,
                        cancel,
                    }) = job
                    else {
                        return;
                    };
                    // A panic of the oracle is passed on to the session's own thread, which would wait for this answer forever.
                    let answer =
                        catch_unwind(AssertUnwindSafe(|| oracle.judge(&candidate, &cancel)));
                    drop(candidate);
                    if answers.send((id, answer)).is_err() {
                        return;
                    }
                }
            });
        }
        Self {
            jobs,
            done,
            count,
            running: HashMap::new(),
            pace: 1.0,
        }
    }

    /// Whether another question would be run at once, or soon enough to be worth handing out.
    pub(crate) fn want_more(&self) -> bool {
        let at_hand = if self.pace < SHORT { self.count } else { 0 };
        self.running.len() < self.count + at_hand
    }

    /// Whether nothing is being asked.
    pub(crate) fn are_idle(&self) -> bool {
        self.running.is_empty()
    }

    pub(crate) fn ask(&mut self, id: QuestionId, candidate: C) -> Result<(), OracleError> {
        let cancel = Cancel::new()?;
        let alone = self.running.is_empty();
        #[expect(clippy::iter_over_hash_type, reason = "the same is done to all")]
        for other in self.running.values_mut() {
            // One worker takes one after the other.
            other.alone &= self.count == 1;
        }
        let running = Running {
            cancel: cancel.clone(),
            alone: alone || self.count == 1,
        };
        self.running.insert(id, running);
        self.jobs
            .send(Job {
                id,
                candidate,
                cancel,
            })
            .expect("the threads live as long as this");
        Ok(())
    }

    /// Stops working on a question. Its answer still comes, soon, and says so, unless it is there already.
    pub(crate) fn cancel(&self, id: QuestionId) {
        if let Some(running) = self.running.get(&id) {
            running.cancel.cancel();
        }
    }

    /// Returns an answer that is there, or that comes within `wait`.
    pub(crate) fn next(&mut self, wait: Duration) -> Option<Done> {
        let (id, answer) = self.done.recv_timeout(wait).ok()?;
        let was_alone = self
            .running
            .remove(&id)
            .is_some_and(|running| running.alone);
        let answer = answer.unwrap_or_else(|panic| resume_unwind(panic));
        if let Ok(Answer { run: Some(run), .. }) = &answer {
            self.pace += (run.took.as_secs_f64() - self.pace) / 8.0;
        }
        Some(Done {
            id,
            answer,
            was_alone,
        })
    }
}

impl<C> Drop for Workers<C> {
    fn drop(&mut self) {
        #[expect(
            clippy::iter_over_hash_type,
            reason = "all are cancelled; the order shows nowhere"
        )]
        for running in self.running.values() {
            running.cancel.cancel();
        }
    }
}
