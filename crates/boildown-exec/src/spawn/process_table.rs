//! The list of all processes of the machine, read once for the monitors of all runs.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::run_marks::RunMarks;
use super::system::{self, ProcessUsage};

/// The increase of processes and threads on the machine that makes a list out of date.
const MANY_TASKS: u64 = 64;

/// The totals of the machine at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Totals {
    pub(super) at: Instant,
    /// Processes and threads.
    task_count: u64,
    pub(super) available_memory: u64,
}

impl Totals {
    pub(super) fn now() -> Self {
        Self {
            at: Instant::now(),
            task_count: system::task_count().unwrap_or(0),
            available_memory: system::available_memory().unwrap_or(u64::MAX),
        }
    }

    /// Returns whether there are many more tasks than before, or this much less memory.
    pub(super) fn have_grown(&self, before: &Self, memory: u64) -> bool {
        self.task_count >= before.task_count + MANY_TASKS
            || self.available_memory.saturating_add(memory) < before.available_memory
    }
}

/// All processes at a moment.
#[derive(Debug)]
pub(super) struct ProcessTable {
    pub(super) totals: Totals,
    took: Duration,
    processes: Vec<ListedProcess>,
}

/// A process, and its mark, which is read when it is first asked for.
#[derive(Debug)]
struct ListedProcess {
    usage: ProcessUsage,
    mark: OnceLock<Option<u64>>,
}

/// The list that was read last.
#[derive(Debug)]
pub(super) struct LatestTable(Mutex<Option<Arc<ProcessTable>>>);

/// The list for the monitors of all runs.
pub(super) static LATEST: LatestTable = LatestTable(Mutex::new(None));

impl LatestTable {
    /// Returns a list that is newer than `after`, and that was read while the totals of the machine
    /// were about those of `now`: the one that another monitor has read, if it is, otherwise a new
    /// one.
    ///
    /// # Cost
    /// A new list takes a read for each process of the machine. If that is slow because there are
    /// many, it takes at most a fifth of the time: in between, an older list is returned.
    pub(super) fn newer_than(
        &self,
        after: Instant,
        now: &Totals,
        memory: u64,
    ) -> Arc<ProcessTable> {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_enough = |table: &&Arc<ProcessTable>| {
            let is_new = table.totals.at > after && !now.have_grown(&table.totals, memory);
            is_new || now.at < table.totals.at + 5 * table.took
        };
        match latest.as_ref().filter(is_enough) {
            Some(table) => Arc::clone(table),
            None => Arc::clone(latest.insert(Arc::new(ProcessTable::read(*now)))),
        }
    }
}

impl ProcessTable {
    /// Reads a list that is not shared.
    fn read(totals: Totals) -> Self {
        let listed = |usage| ListedProcess {
            usage,
            mark: OnceLock::new(),
        };
        let processes = system::all_processes().filter_map(system::usage);
        Self {
            totals,
            processes: processes.map(listed).collect(),
            took: totals.at.elapsed(),
        }
    }

    /// Returns the processes of a run that have not ended.
    pub(super) fn of_run(&self, leader: Pid, marks: &RunMarks) -> Vec<&ProcessUsage> {
        let Some(first) = system::usage(leader) else {
            return Vec::new();
        };
        let is_of_run = |process: &&ListedProcess| {
            let ListedProcess { usage, mark } = process;
            // The start time excludes most processes of others, without further reads.
            !usage.ended
                && usage.started >= first.started
                && (marks.includes_group(usage.group)
                    || marks.includes_mark(*mark.get_or_init(|| system::mark(usage.pid))))
        };
        let processes = self.processes.iter().filter(is_of_run);
        processes.map(|process| &process.usage).collect()
    }
}

/// Kills the processes of a run that have not ended. Returns whether there were any.
pub(super) fn kill_processes_of_run(leader: Pid, marks: &RunMarks) -> bool {
    let table = ProcessTable::read(Totals::now());
    let processes = table.of_run(leader, marks);
    for process in &processes {
        // Opened before the process is looked at again: it refers to one process even if the id is
        // reused.
        if let Ok(exit) = system::exit_watch(process.pid)
            && system::usage(process.pid).is_some_and(|now| now.started == process.started)
        {
            system::kill_watched(&exit).ok();
        }
    }
    !processes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_once_for_all_and_again_when_it_is_out_of_date() {
        let latest = LatestTable(Mutex::new(None));
        let newer_than = |after, now: &Totals| latest.newer_than(after, now, u64::MAX);
        let before = Instant::now();
        let first = newer_than(before, &Totals::now());
        assert!(Arc::ptr_eq(&first, &newer_than(before, &first.totals)));
        let later = Totals {
            at: first.totals.at + 5 * first.took + Duration::from_secs(1),
            ..first.totals
        };
        let many = Totals {
            task_count: later.task_count + MANY_TASKS,
            ..later
        };
        assert!(Arc::ptr_eq(&first, &newer_than(before, &later)));
        let second = newer_than(before, &many);
        assert!(!Arc::ptr_eq(&first, &second));
        let even_later = Totals {
            at: later.at + 5 * second.took + Duration::from_secs(1),
            ..second.totals
        };
        assert!(Arc::ptr_eq(&second, &newer_than(before, &even_later)));
        assert!(!Arc::ptr_eq(
            &second,
            &newer_than(even_later.at, &even_later)
        ));
    }
}
