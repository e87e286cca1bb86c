//! Limits of a run.

use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Resource};

use super::run_meter::RunMeter;
use super::sandbox::Sandbox;
use super::system;

/// Limits of a run: time, output, memory, processes, files, and the sandbox.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Wall time after which the command is stopped. [`Duration::MAX`] means no limit.
    pub timeout: Duration,
    /// Whether a run is said to take the processor time that it used, not the wall time.
    pub counts_processor_time: bool,
    /// Measures what the run uses.
    pub meter: Option<Arc<RunMeter>>,
    /// Time between the request to stop (SIGTERM) and SIGKILL.
    pub grace: Duration,
    /// Bytes kept of each output stream: half of them from its beginning and half from its end. The
    /// middle is dropped while it is read.
    pub output_cap: usize,
    /// Bytes of memory that all processes of the run may use together. Reserved address space does
    /// not count, so sanitizers and virtual machines run as usual.
    pub memory: Option<u64>,
    /// Whether it counts if a process of the run reaches the limit of memory, so that their peaks
    /// are read every few milliseconds.
    pub measures_memory: bool,
    /// The number of processes that the run may have at the same time.
    pub processes: Option<usize>,
    /// The size of the largest file that the run may write, in bytes.
    pub file_size: Option<u64>,
    /// The number of files that each process of the run may have open.
    pub open_files: Option<u64>,
    /// The sandbox. Without one, the run may do all that the user may.
    pub sandbox: Option<Sandbox>,
}

/// The number of cores, determined once because that is slow.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

impl Default for Limits {
    /// Returns limits that stop accidents before they affect the machine, and that are far above
    /// what tests need.
    fn default() -> Self {
        static MEMORY: LazyLock<Option<u64>> = LazyLock::new(|| Some(system::total_memory()? / 2));
        Self {
            timeout: Duration::from_secs(300),
            grace: Duration::from_millis(150),
            counts_processor_time: false,
            meter: None,
            output_cap: 1 << 20,
            memory: *MEMORY,
            measures_memory: false,
            processes: Some((16 * *CORES).max(512)),
            file_size: Some(4 << 30),
            open_files: Some(1 << 16),
            sandbox: None,
        }
    }
}

impl Limits {
    /// Returns no limits, except the one on captured output.
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

    /// Returns processor time, in seconds, that no process can use within the time limit. It ends
    /// processes that continue to run after boildown was killed.
    fn processor_seconds(&self) -> Option<u64> {
        let wall = self.timeout.checked_add(self.grace)?.as_secs();
        wall.checked_add(60)?.checked_mul(*CORES as u64)
    }

    /// Applies the limits that the system can enforce to a process, and marks it. The processes
    /// that it starts from now on inherit both.
    ///
    /// The mark is a limit too: a limit of thousands of years on the time of real-time processes.
    /// It affects no program, and unlike an environment variable it cannot be removed.
    /// [`apply_to_children`](Self::apply_to_children) handles the processes that were started
    /// before.
    pub(super) fn apply(&self, pid: Pid, mark: u64) {
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

    /// Limits and marks the descendants that a process started before it was limited itself.
    pub(super) fn apply_to_children(&self, parent: Pid, mark: u64) {
        for child in system::children(parent) {
            if system::mark(child) != Some(mark) {
                self.apply(child, mark);
                self.apply_to_children(child, mark);
            }
        }
    }
}
