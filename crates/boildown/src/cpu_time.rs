//! The processor time that boildown itself uses.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time of this process in seconds, without the commands that it ran.
pub(crate) fn own_cpu_seconds() -> f64 {
    process_cpu_time().as_secs_f64()
}

/// Returns the processor time of this process, without the commands that it ran.
pub(crate) fn process_cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Returns the processor time that this thread has used.
pub(crate) fn thread_cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
