//! Processes and memory of a run: counted now and then, for the system has no limit on what several processes take together.
//!
//! Most runs are over before the first look. A look costs two short reads; only when the machine as a whole has changed much, or
//! a second has passed, all processes are gone through.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::limits::Limits;
use super::survivors::Claim;
use super::system::{self, Usage};
use crate::Resource;

/// The time to the first look, and the longest between two.
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(100);

/// How long nobody needs to count when nothing seems to have changed.
const COUNT_AFTER: Duration = Duration::from_secs(1);

/// So many more processes and threads on the machine are a reason to count those of the run.
const MANY: u64 = 64;

/// How long a run may go on multiplying while it is being killed.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a run is watched for.
#[derive(Debug)]
pub(super) struct Overuse {
    limits: Limits,
    next_look: Instant,
    pause: Duration,
    /// The last time that the run's processes were counted, or the first look.
    counted: Option<Counted>,
}

/// A moment, and how the machine was.
#[derive(Debug)]
struct Counted {
    at: Instant,
    tasks: u64,
    memory_left: u64,
}

impl Counted {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            tasks: system::tasks().unwrap_or(0),
            memory_left: system::memory_left().unwrap_or(u64::MAX),
        }
    }
}

impl Overuse {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            next_look: Instant::now() + FIRST,
            pause: FIRST,
            counted: None,
        }
    }

    /// Returns when to look next.
    pub(super) fn next_look(&self) -> Instant {
        self.next_look
    }

    /// Returns what the run has too much of.
    pub(super) fn look(&mut self, leader: Pid, claim: &Claim) -> Option<Resource> {
        let now = Counted::now();
        self.next_look = now.at + self.pause;
        self.pause = (2 * self.pause).min(LONGEST);
        let Some(counted) = &self.counted else {
            self.limits.impose_below(leader, claim.mark());
            self.counted = Some(now);
            return None;
        };
        let little = self.limits.memory.map_or(0, |memory| memory / 8);
        let worth_it = now.at >= counted.at + COUNT_AFTER
            || now.tasks >= counted.tasks + MANY
            || now.memory_left + little < counted.memory_left;
        if !worth_it {
            return None;
        }
        let (exceeded, took) = (self.count(leader, claim, now.memory_left), now.at.elapsed());
        // On a machine with so many processes that counting takes long, it is not done all the time.
        self.next_look = self.next_look.max(Instant::now() + 4 * took);
        self.counted = Some(Counted {
            at: Instant::now(),
            ..now
        });
        exceeded
    }

    fn count(&self, leader: Pid, claim: &Claim, memory_left: u64) -> Option<Resource> {
        let processes = of_run(leader, claim);
        if self
            .limits
            .processes
            .is_some_and(|most| processes.len() > most)
        {
            return Some(Resource::Processes);
        }
        let mut most = self.limits.memory?;
        // Several runs at once may need more than there is, each of them less than it may have.
        if memory_left < most / 8 {
            most /= 8;
        }
        let roughly: u64 = processes.iter().map(|process| process.memory).sum();
        // Pages that processes share are counted for each. To know better takes long.
        let exceeded =
            roughly > most && processes.iter().map(system::fair_memory).sum::<u64>() > most;
        exceeded.then_some(Resource::Memory)
    }
}

/// Kills the processes of a run whose leader is dead, until there are none.
pub(super) fn kill_all(leader: Pid, claim: &Claim) {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        // All of a group at once, so that it cannot grow meanwhile.
        kill_process_group(leader, Signal::KILL).ok();
        let processes = of_run(leader, claim);
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
fn of_run(leader: Pid, claim: &Claim) -> Vec<Usage> {
    let Some(first) = system::usage(leader) else {
        return Vec::new();
    };
    system::all_processes()
        .filter_map(system::usage)
        .filter(|process| {
            // Most others are older: of these nobody asks more.
            !process.ended
                && process.started >= first.started
                && (claim.covers_group(process.group) || claim.covers_mark_of(process.pid))
        })
        .collect()
}
