//! Monitoring of the memory and the processes of a run, because the system has no limit on what
//! several processes use together.
//!
//! Most runs end before the first check. A check costs two short reads. Only when the totals of the
//! whole machine have changed much, or a second has passed, are the processes of the run counted,
//! which means reading the state of every process on the machine.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::escaped::RunMarks;
use super::limits::Limits;
use super::system::{self, ProcessUsage};
use boildown_oracle::Resource;

/// The time before the first check; it doubles with every check.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest time between two checks.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The longest time between two counts, when the totals of the machine hardly change.
const COUNT_AFTER: Duration = Duration::from_secs(1);

/// The increase of processes and threads on the machine that causes a count.
const MANY_TASKS: u64 = 64;

/// How long [`kill_all`] continues while the run starts new processes.
const KILL_TIMEOUT: Duration = Duration::from_secs(30);

/// The monitor of one run.
#[derive(Debug)]
pub(super) struct ResourceMonitor {
    limits: Limits,
    next_check: Instant,
    pause: Duration,
    /// The totals of the machine when the processes of the run were last counted, or at the first
    /// check.
    last_count: Option<Snapshot>,
}

/// The totals of the machine at a moment.
#[derive(Debug)]
struct Snapshot {
    at: Instant,
    /// Processes and threads.
    task_count: u64,
    available_memory: u64,
}

impl Snapshot {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            task_count: system::task_count().unwrap_or(0),
            available_memory: system::available_memory().unwrap_or(u64::MAX),
        }
    }
}

impl ResourceMonitor {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            next_check: Instant::now() + FIRST_PAUSE,
            pause: FIRST_PAUSE,
            last_count: None,
        }
    }

    /// Returns when the next check is due.
    pub(super) fn next_check(&self) -> Instant {
        self.next_check
    }

    /// Checks the run. Returns the resource of which it uses more than its limit.
    pub(super) fn check(&mut self, leader: Pid, marks: &RunMarks) -> Option<Resource> {
        let now = Snapshot::now();
        self.next_check = now.at + self.pause;
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        let Some(last_count) = &self.last_count else {
            self.limits.apply_to_children(leader, marks.mark());
            self.last_count = Some(now);
            return None;
        };
        let memory_change = self.limits.memory.map_or(0, |memory| memory / 8);
        let needs_count = now.at >= last_count.at + COUNT_AFTER
            || now.task_count >= last_count.task_count + MANY_TASKS
            || now.available_memory + memory_change < last_count.available_memory;
        if !needs_count {
            return None;
        }
        let (exceeded, took) = (
            self.count(leader, marks, now.available_memory),
            now.at.elapsed(),
        );
        // If counting is slow because the machine has many processes, it takes at most a fifth of
        // the time.
        self.next_check = self.next_check.max(Instant::now() + 4 * took);
        self.last_count = Some(Snapshot {
            at: Instant::now(),
            ..now
        });
        exceeded
    }

    /// Counts the processes of the run and their memory. Returns the resource of which they use
    /// more than the limit.
    fn count(&self, leader: Pid, marks: &RunMarks, available_memory: u64) -> Option<Resource> {
        let processes = processes_of_run(leader, marks);
        if self
            .limits
            .processes
            .is_some_and(|most| processes.len() > most)
        {
            return Some(Resource::Processes);
        }
        let mut most = self.limits.memory?;
        // Several runs at the same time may exhaust the memory, though each is below its limit.
        if available_memory < most / 8 {
            most /= 8;
        }
        let roughly: u64 = processes.iter().map(|process| process.memory).sum();
        // The rough sum counts shared pages once per process. The exact sum is slow.
        let exceeded = roughly > most
            && processes
                .iter()
                .map(system::proportional_memory)
                .sum::<u64>()
                > most;
        exceeded.then_some(Resource::Memory)
    }
}

/// Kills the processes of a run whose leader is dead, until none is left.
pub(super) fn kill_all(leader: Pid, marks: &RunMarks) {
    let started = Instant::now();
    while started.elapsed() < KILL_TIMEOUT {
        // Kills the group in one call, so that it cannot grow during the call.
        kill_process_group(leader, Signal::KILL).ok();
        let processes = processes_of_run(leader, marks);
        if processes.is_empty() {
            return;
        }
        for process in processes {
            kill_process(process.pid, Signal::KILL).ok();
        }
        thread::yield_now();
    }
}

/// Returns the processes of a run that have not ended.
fn processes_of_run(leader: Pid, marks: &RunMarks) -> Vec<ProcessUsage> {
    let Some(first) = system::usage(leader) else {
        return Vec::new();
    };
    system::all_processes()
        .filter_map(system::usage)
        .filter(|process| {
            // The start time excludes most processes of others, without further reads.
            !process.ended
                && process.started >= first.started
                && (marks.includes_group(process.group) || marks.includes_mark_of(process.pid))
        })
        .collect()
}
