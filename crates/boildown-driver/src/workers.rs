//! Worker threads that put candidates to the oracle.

use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use boildown_oracle::{Answer, Interrupt, Oracle, OracleError};
use boildown_search::QueryId;

use crate::config::{Config, ReadProcessorUse};
use crate::room::Room;
use crate::threads;

/// A query for a worker.
struct Job<C> {
    id: QueryId,
    candidate: C,
    interrupt: Interrupt,
}

/// A query that a worker has finished.
pub(crate) struct FinishedQuery {
    pub(crate) id: QueryId,
    pub(crate) answer: OracleResult,
    /// Whether no other query ran at any time between its start and its end.
    pub(crate) was_alone: bool,
}

type OracleResult = Result<Answer, OracleError>;

/// What a worker returns.
struct WorkerAnswer {
    id: QueryId,
    answer: std::thread::Result<OracleResult>,
    /// The time that the oracle took.
    took: Duration,
}

/// A fixed number of worker threads. Dropping it cancels what runs and ends the threads.
pub(crate) struct Workers<C> {
    jobs: Sender<Job<C>>,
    finished: Receiver<WorkerAnswer>,
    count: usize,
    /// Why there is no thread at all.
    refused: Option<io::Error>,
    /// How many queries at a time the system has shown to allow.
    most: usize,
    /// How many of them wait for other machines.
    elsewhere: usize,
    running: HashMap<QueryId, RunningQuery>,
    /// A moving average of the duration of a run, in seconds.
    average_run: f64,
    /// How many runs at a time the processors have room for; `None` when that is not known.
    room: Option<(Room, ReadProcessorUse)>,
    started: Instant,
    /// Cancels all of them.
    interrupt: Option<Interrupt>,
    /// The handles of finished queries, which later ones use again: each has two open files.
    unused: Vec<Interrupt>,
}

/// A query that was handed to a worker and has no answer yet.
struct RunningQuery {
    interrupt: Interrupt,
    is_alone: bool,
}

/// Average run, in seconds, below which each worker gets its next query in advance. A thread that
/// waits between two runs that short loses a good part of its time. With longer runs, a query that
/// turns out to be unnecessary costs more than the waiting.
const SHORT_RUN: f64 = 0.02;

impl<C: Send> Workers<C> {
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        oracle: &'scope dyn Oracle<C>,
        config: &Config,
    ) -> Self
    where
        C: 'scope,
    {
        let count = config.jobs.max(1);
        let elsewhere = config.jobs_elsewhere.min(count);
        let (jobs, queue) = channel::<Job<C>>();
        let (answers, finished) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let work = move || {
            loop {
                // Locked while waiting: the thread that holds the lock takes the next job.
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Job {
                    id,
                    candidate,
                    interrupt,
                }) = job
                else {
                    return;
                };
                // The driver's thread would wait for this answer forever, so a panic of the
                // oracle is passed on to it.
                let began = Instant::now();
                let answer =
                    catch_unwind(AssertUnwindSafe(|| oracle.judge(&candidate, &interrupt)));
                let took = began.elapsed();
                drop(candidate);
                if answers.send(WorkerAnswer { id, answer, took }).is_err() {
                    return;
                }
            }
        };
        // With fewer threads the search takes longer, and has the same result.
        let (count, refused) = threads::start(scope, count, work);
        let elsewhere = elsewhere.min(count);
        Self {
            jobs,
            finished,
            // The first query returns the error when there is none.
            count: count.max(1),
            refused: refused.filter(|_| count == 0),
            most: count.max(1),
            elsewhere,
            running: HashMap::new(),
            average_run: 1.0,
            room: config.processor_use.and_then(|read| {
                let cores = std::thread::available_parallelism().ok()?.get();
                let here = count.max(1) - elsewhere;
                let room = Room::new(here, cores, read()?);
                (here > cores).then_some((room, read))
            }),
            started: Instant::now(),
            interrupt: config.interrupt.clone(),
            unused: Vec::new(),
        }
    }

    /// Returns the number of queries that are to run at the same time.
    fn limit(&self) -> usize {
        let room = self.room.as_ref();
        let limit = room.map_or(self.count, |(room, _)| room.limit() + self.elsewhere);
        limit.min(self.most)
    }

    /// Runs fewer queries at a time from now on: the system has refused something to one of those
    /// that run, or have run, at the same time.
    pub(crate) fn reduce_limit(&mut self) {
        self.most = (self.most - 1).min(self.running.len()).max(1);
    }

    /// Returns whether another query would start at once, or soon enough to hand it out now.
    pub(crate) fn want_more(&self) -> bool {
        let limit = self.limit();
        let in_advance = if self.average_run < SHORT_RUN {
            limit
        } else {
            0
        };
        self.running.len() < limit + in_advance
    }

    /// Returns whether no query is running.
    pub(crate) fn are_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Hands a query to the workers.
    pub(crate) fn start_query(&mut self, id: QueryId, candidate: C) -> Result<(), OracleError> {
        if let Some(source) = self.refused.take() {
            return Err(OracleError::Thread { source });
        }
        // Runs end with the session also while its thread plans.
        let interrupt = match (self.unused.pop(), &self.interrupt) {
            (Some(unused), _) => unused,
            (None, Some(session)) => session.part()?,
            (None, None) => Interrupt::new()?,
        };
        let is_alone = self.running.is_empty();
        #[expect(clippy::iter_over_hash_type, reason = "the same is done to all")]
        for other in self.running.values_mut() {
            // A single worker runs one query after the other.
            other.is_alone &= self.count == 1;
        }
        let running = RunningQuery {
            interrupt: interrupt.clone(),
            is_alone: is_alone || self.count == 1,
        };
        self.running.insert(id, running);
        self.jobs
            .send(Job {
                id,
                candidate,
                interrupt,
            })
            .expect("the threads live as long as this");
        Ok(())
    }

    /// Cancels a query. Its answer still arrives, soon: [`OracleError::Interrupted`], or the real
    /// answer if the run had ended already.
    pub(crate) fn interrupt(&self, id: QueryId) {
        if let Some(running) = self.running.get(&id) {
            running.interrupt.trigger();
        }
    }

    /// Returns the next finished query; waits for one no longer than `timeout`.
    pub(crate) fn wait_for_answer(&mut self, timeout: Duration) -> Option<FinishedQuery> {
        let WorkerAnswer { id, answer, took } = self.finished.recv_timeout(timeout).ok()?;
        let ended = self.running.remove(&id);
        let was_alone = ended.as_ref().is_some_and(|running| running.is_alone);
        // One that was triggered stays so. Those that are triggered later are so with the session.
        self.unused.extend(
            ended
                .map(|running| running.interrupt)
                .filter(|interrupt| !interrupt.is_triggered()),
        );
        let answer = answer.unwrap_or_else(|panic| resume_unwind(panic));
        if let Ok(Answer { run: Some(run), .. }) = &answer {
            self.average_run += (run.took.as_secs_f64() - self.average_run) / 8.0;
        }
        if let Some((room, read)) = &mut self.room
            && let Some(used) = read()
        {
            // Which runs were made here is not known: as many as the share of the places.
            let places = room.limit() as f64;
            let here = places / (places + self.elsewhere as f64);
            room.note_end(self.started.elapsed(), took.as_secs_f64() * here, used);
        }
        Some(FinishedQuery {
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
            reason = "all are cancelled; the order has no effect"
        )]
        for running in self.running.values() {
            running.interrupt.trigger();
        }
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{FnOracle, Verdict};

    use super::*;
    use crate::config::ProcessorUse;

    #[test]
    fn runs_on_other_machines_are_not_limited_by_the_processors_of_this_one() {
        let limit = |here: usize, jobs_elsewhere: usize| {
            let config = Config {
                jobs: here + jobs_elsewhere,
                jobs_elsewhere,
                processor_use: Some(|| Some(ProcessorUse::default())),
                ..Config::default()
            };
            let oracle = FnOracle::new(|_: &()| Verdict::Uninteresting);
            std::thread::scope(|scope| Workers::start(scope, &oracle, &config).limit())
        };
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(limit(1, 50), 51);
        assert_eq!(limit(100 * cores, 0), cores);
        assert_eq!(limit(100 * cores, 50), cores + 50);
    }
}
