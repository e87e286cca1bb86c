//! The state that the threads of a pool of workers share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use boildown_oracle::{Interrupt, OracleError};

use super::admission::Admission;
use super::connection::Connection;

/// The time after which a thread that waits for a place looks whether its run was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// What the threads of a pool share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<PoolState>,
    /// A place may be free.
    freed: Condvar,
    /// The state of a worker, or of the pool, has changed.
    changed: Condvar,
    closing: AtomicBool,
    /// The processors of this machine.
    cores: usize,
}

#[derive(Debug)]
struct PoolState {
    /// Runs in this process that are possible, and that are in progress.
    here: usize,
    running_here: usize,
    workers: Vec<WorkerState>,
    notes: Vec<String>,
    admission: Option<Arc<Admission>>,
}

/// The state of one worker.
#[derive(Debug)]
struct WorkerState {
    phase: Phase,
    /// The number of commands that it runs at the same time.
    jobs: usize,
    connection: Option<Arc<Connection>>,
    /// Why it is gone.
    reason: String,
}

/// How far a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is being started or checked, for the first time or again.
    Starting,
    /// It runs candidates.
    Ready,
    /// Nothing was heard of it for a while.
    Silent,
    /// It is not used any more.
    Gone,
}

/// Where a candidate is to be run.
pub(crate) enum Place<'a> {
    Here(HereGuard<'a>),
    /// On the worker of this number.
    Worker(usize, Arc<Connection>),
}

/// A run in this process, until it is dropped.
pub(crate) struct HereGuard<'a>(&'a Shared);

impl Drop for HereGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().running_here -= 1;
        self.0.freed.notify_one();
    }
}

impl Shared {
    /// Returns the state of a pool of this many workers, with `here` runs at a time in this
    /// process.
    pub(crate) fn new(workers: usize, here: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let worker = || WorkerState {
            phase: Phase::Starting,
            jobs: 0,
            connection: None,
            reason: String::new(),
        };
        Self {
            state: Mutex::new(PoolState {
                here,
                running_here: 0,
                workers: (0..workers).map(|_| worker()).collect(),
                notes: Vec::new(),
                admission: None,
            }),
            freed: Condvar::new(),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
            cores,
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all threads of the pool. Those that end later hold no command, and with it no directory
    /// of the session.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        let mut state = self.lock();
        for worker in &state.workers {
            if let Some(connection) = &worker.connection {
                connection.close();
            }
        }
        let admission = state.admission.take();
        drop(state);
        drop(admission);
        self.changed.notify_all();
        self.freed.notify_all();
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Waits this long, or until the pool is closed.
    pub(crate) fn pause(&self, time: Duration) {
        let is_open = |_: &mut PoolState| !self.is_closing();
        drop(self.changed.wait_timeout_while(self.lock(), time, is_open));
    }

    /// Adds a note for the user.
    pub(crate) fn note(&self, note: String) {
        self.lock().notes.push(note);
    }

    /// Returns the notes since the last call.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().notes)
    }

    /// Sets what workers have to be able to do.
    pub(crate) fn admit(&self, admission: Admission) {
        self.lock().admission = Some(Arc::new(admission));
        self.changed.notify_all();
    }

    /// Returns what workers have to be able to do, as soon as it is known; `None` when the pool is
    /// closed before.
    pub(crate) fn wait_for_admission(&self) -> Option<Arc<Admission>> {
        let is_waiting = |state: &mut PoolState| state.admission.is_none() && !self.is_closing();
        let state = self.changed.wait_while(self.lock(), is_waiting);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.admission.clone().filter(|_| !self.is_closing())
    }

    /// Returns what workers have to be able to do, if it is known.
    pub(crate) fn admission(&self) -> Option<Arc<Admission>> {
        self.lock().admission.clone()
    }

    /// Waits until no worker is being started. Returns `false` when it was interrupted.
    pub(crate) fn wait_for_workers(&self, interrupt: &Interrupt) -> bool {
        let mut state = self.lock();
        let is_starting = |worker: &WorkerState| worker.phase == Phase::Starting;
        while state.workers.iter().any(is_starting) {
            if interrupt.is_triggered() {
                return false;
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    /// Returns the number of commands that all workers run at the same time.
    pub(crate) fn jobs(&self) -> usize {
        self.lock().workers.iter().map(|worker| worker.jobs).sum()
    }

    /// Returns whether a worker could run candidates at any time.
    pub(crate) fn was_ready(&self, number: usize) -> bool {
        self.lock().workers[number].jobs > 0
    }

    /// Records that a worker can run candidates, this many at a time.
    pub(crate) fn set_ready(&self, number: usize, jobs: usize, connection: &Arc<Connection>) {
        let mut state = self.lock();
        let worker = &mut state.workers[number];
        worker.phase = Phase::Ready;
        worker.jobs = jobs;
        worker.connection = Some(Arc::clone(connection));
        drop(state);
        self.changed.notify_all();
        self.freed.notify_all();
    }

    /// Records that a worker cannot run candidates: for now, or for good and why.
    pub(crate) fn set_phase(&self, number: usize, phase: Phase, reason: &str) {
        let mut state = self.lock();
        let worker = &mut state.workers[number];
        worker.phase = phase;
        if phase == Phase::Gone {
            reason.clone_into(&mut worker.reason);
        }
        if matches!(phase, Phase::Gone | Phase::Starting) {
            worker.connection = None;
        }
        drop(state);
        self.changed.notify_all();
        self.freed.notify_all();
    }

    /// Gives a worker no more candidates over this connection.
    pub(crate) fn distrust(&self, number: usize, connection: &Arc<Connection>) {
        let mut state = self.lock();
        let worker = &mut state.workers[number];
        if (worker.connection.as_ref()).is_some_and(|current| Arc::ptr_eq(current, connection)) {
            worker.phase = Phase::Starting;
            worker.connection = None;
        }
        drop(state);
        self.freed.notify_all();
    }

    /// Says that a job of a worker may be free.
    pub(crate) fn job_is_free(&self) {
        drop(self.lock());
        self.freed.notify_one();
    }

    /// Waits for a place in which a candidate can be run, and takes it.
    ///
    /// # Errors
    /// [`OracleError::Interrupted`], or [`OracleError::Elsewhere`] when there is no place left.
    pub(crate) fn take_place(&self, interrupt: &Interrupt) -> Result<Place<'_>, OracleError> {
        let mut state = self.lock();
        loop {
            if interrupt.is_triggered() {
                return Err(OracleError::Interrupted);
            }
            if let Some(place) = self.free_place(&mut state) {
                return Ok(place);
            }
            let is_gone = |worker: &WorkerState| worker.phase == Phase::Gone;
            if state.here == 0 && state.workers.iter().all(is_gone) {
                return Err(state.all_gone());
            }
            let waited = self.freed.wait_timeout(state, LOOK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes a free place: here while a processor is free for it, then on the worker with the
    /// smallest part of its jobs in use, then here.
    fn free_place(&self, state: &mut PoolState) -> Option<Place<'_>> {
        if state.running_here < state.here.min(self.cores) {
            state.running_here += 1;
            return Some(Place::Here(HereGuard(self)));
        }
        let ready = state
            .workers
            .iter()
            .enumerate()
            .filter_map(|(number, worker)| {
                let connection = worker.connection.as_ref()?;
                let is_free = worker.phase == Phase::Ready && connection.taken() < worker.jobs;
                let load = 1000 * connection.taken() / worker.jobs.max(1);
                is_free.then_some((load, number, worker.jobs, connection))
            });
        let best = ready.min_by_key(|(load, number, ..)| (*load, *number));
        if let Some((_, number, jobs, connection)) = best
            && connection.take_job(jobs)
        {
            return Some(Place::Worker(number, Arc::clone(connection)));
        }
        if state.running_here < state.here {
            state.running_here += 1;
            return Some(Place::Here(HereGuard(self)));
        }
        None
    }
}

impl PoolState {
    fn all_gone(&self) -> OracleError {
        let reasons: Vec<_> = self
            .workers
            .iter()
            .map(|worker| worker.reason.as_str())
            .collect();
        OracleError::Elsewhere {
            action: "run candidates: no worker is left, and --jobs 0 runs none here".to_owned(),
            source: reasons.join("; ").into(),
        }
    }
}
