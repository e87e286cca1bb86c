//! A meter of what a run uses.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use boildown_oracle::RunUsage;

/// Measures what the latest run used that had it among its limits.
#[derive(Debug, Default)]
pub struct RunMeter(Mutex<RunUsage>);

impl RunMeter {
    /// Returns what the run used, and begins anew.
    pub fn take(&self) -> RunUsage {
        std::mem::take(&mut *self.usage())
    }

    pub(super) fn record_peak(&self, bytes: u64) {
        let mut usage = self.usage();
        // A process that has ended has no memory any more.
        if bytes > 0 {
            usage.peak = usage.peak.max(Some(bytes));
        }
    }

    pub(super) fn record_end(&self, wall: Duration, processor: Option<Duration>) {
        let mut usage = self.usage();
        (usage.wall, usage.processor) = (wall, processor);
    }

    fn usage(&self) -> MutexGuard<'_, RunUsage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
