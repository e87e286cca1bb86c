//! How much a run may take.

use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Resource};

use super::sandbox::Sandbox;
use super::system;

/// How much a run may take, and what it may do.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Wall time after which the command is stopped. [`Duration::MAX`] means no limit.
    pub timeout: Duration,
    /// Time between the request to stop (SIGTERM) and the end (SIGKILL).
    pub grace: Duration,
    /// Bytes kept of each output stream: the first half of it and the last; the middle is thrown away while it comes.
    pub output_cap: usize,
    /// Bytes of memory that all its processes may fill together. Reserved address space is free, so sanitizers and virtual machines
    /// run as usual.
    pub memory: Option<u64>,
    /// Processes that it may have at once.
    pub processes: Option<usize>,
    /// Bytes of the largest file that it may write.
    pub file_size: Option<u64>,
    /// Files that a process of it may have open at once.
    pub open_files: Option<u64>,
    /// What it may write to, and more; without one, whatever the user may.
    pub sandbox: Option<Sandbox>,
}

/// Finding out takes long.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

impl Default for Limits {
    /// Accidents are stopped before they hurt the machine; nothing that a test does on purpose comes near.
    fn default() -> Self {
        static MEMORY: LazyLock<Option<u64>> = LazyLock::new(|| Some(system::memory()? / 2));
        Self {
            timeout: Duration::from_secs(300),
            grace: Duration::from_millis(150),
            output_cap: 1 << 20,
            memory: *MEMORY,
            processes: Some((16 * *CORES).max(512)),
            file_size: Some(4 << 30),
            open_files: Some(1 << 16),
            sandbox: None,
        }
    }
}

impl Limits {
    /// Returns no limit at all, but for the cap on what we keep of the output ourselves.
    #[must_use]
    pub fn none() -> Self {
        Self {
            timeout: Duration::MAX,
            memory: None,
            processes: None,
            file_size: None,
            open_files: None,
            ..Self::default()
        }
    }

    /// Processor time that nobody can use within the time limit: it ends what runs on after we were killed.
    fn processor_seconds(&self) -> Option<u64> {
        let wall = self.timeout.checked_add(self.grace)?.as_secs();
        wall.checked_add(60)?.checked_mul(*CORES as u64)
    }

    /// Has the system hold a process, and what it starts from now on, to the limits that the system knows, and marks both.
    ///
    /// The mark is a limit too: one on the time of processes that have priority over all others, of thousands of years. No
    /// program cares, and unlike a variable of the environment it cannot be left behind. What the process started before this call
    /// is a matter of [`impose_below`](Self::impose_below).
    pub(super) fn impose(&self, pid: Pid, mark: u64) {
        system::mark_process(pid, mark);
        let wanted = [
            (Resource::Cpu, self.processor_seconds()),
            (Resource::Fsize, self.file_size),
            (Resource::Nofile, self.open_files),
        ];
        for (resource, limit) in wanted {
            if let Some(limit) = limit {
                system::limit(pid, resource, limit);
            }
        }
    }

    /// Limits and marks what a process started before it was limited itself.
    pub(super) fn impose_below(&self, parent: Pid, mark: u64) {
        for child in system::children(parent) {
            if system::mark(child) != Some(mark) {
                self.impose(child, mark);
                self.impose_below(child, mark);
            }
        }
    }
}
