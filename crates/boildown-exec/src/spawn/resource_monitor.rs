//! Monitoring of the memory and the processes of a run, because the system has no limit on what
//! several processes use together.
//!
//! Most runs end before the first check. A check costs two short reads. Only when the totals of the
//! whole machine have changed much, or a second has passed, are the processes of the run counted,
//! which means reading the state of every process on the machine, once for all runs.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::limits::Limits;
use super::process_table::{LATEST, Totals, kill_processes_of_run};
use super::run_marks::RunMarks;
use super::system::{self, ProcessUsage};
use boildown_oracle::Resource;

/// The time before the first check; it doubles with every check.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The time between two checks of a run that is measured.
const METERED_PAUSE: Duration = Duration::from_millis(2);

/// The longest time between two checks.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The longest time between two counts, when the totals of the machine hardly change.
const COUNT_AFTER: Duration = Duration::from_secs(1);

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
    last_count: Option<Totals>,
}

impl ResourceMonitor {
    pub(super) fn new(limits: &Limits) -> Self {
        let pause = match limits.meter {
            Some(_) => METERED_PAUSE,
            None => FIRST_PAUSE,
        };
        Self {
            limits: limits.clone(),
            next_check: Instant::now() + pause,
            pause,
            last_count: None,
        }
    }

    /// Returns when the next check is due.
    pub(super) fn next_check(&self) -> Instant {
        self.next_check
    }

    /// Checks the run. Returns the resource of which it uses more than its limit.
    pub(super) fn check(&mut self, leader: Pid, marks: &RunMarks) -> Option<Resource> {
        let now = Totals::now();
        self.next_check = now.at + self.pause;
        if let Some(meter) = &self.limits.meter {
            meter.record_peak(system::largest_peak(leader));
        } else if !self.limits.measures_memory {
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        }
        let Some(last_count) = &self.last_count else {
            self.limits.apply_to_children(leader, marks.mark());
            self.last_count = Some(now);
            return None;
        };
        if self.limits.measures_memory
            && let Some(most) = self.limits.memory
            && system::largest_peak(leader) >= most
        {
            return Some(Resource::Memory);
        }
        let memory_change = self.limits.memory.map_or(u64::MAX, |memory| memory / 8);
        if now.at < last_count.at + COUNT_AFTER && !now.have_grown(last_count, memory_change) {
            return None;
        }
        let table = LATEST.newer_than(last_count.at, &now, memory_change);
        self.last_count = Some(table.totals);
        self.count(&table.of_run(leader, marks), now.available_memory)
    }

    /// Counts the processes of the run and their memory. Returns the resource of which they use
    /// more than the limit.
    fn count(&self, processes: &[&ProcessUsage], available_memory: u64) -> Option<Resource> {
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
        let exactly = || -> u64 {
            let processes = processes.iter();
            processes
                .map(|process| system::proportional_memory(process))
                .sum()
        };
        (roughly > most && exactly() > most).then_some(Resource::Memory)
    }
}

/// Kills the processes of a run whose leader is dead, until none is left.
pub(super) fn kill_all(leader: Pid, marks: &RunMarks) {
    let started = Instant::now();
    while started.elapsed() < KILL_TIMEOUT {
        // Kills the group in one call, so that it cannot grow during the call.
        kill_process_group(leader, Signal::KILL).ok();
        if !kill_processes_of_run(leader, marks) {
            return;
        }
        thread::yield_now();
    }
}
