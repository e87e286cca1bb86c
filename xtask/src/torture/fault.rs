//! A fault, what became of its injection, and the moment at which it is injected.

use std::time::Duration;

use anyhow::Result;

use super::work_dir::WorkDir;

/// Fault, and the promise that has to survive it.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    pub(crate) promise: &'static str,
    /// Injections for each round that was asked for.
    pub(crate) per_round: u32,
    /// Injects the fault once; the number is that of the injection. Fails when the promise is
    /// broken.
    pub(crate) inject: fn(&WorkDir, u32) -> Result<Injection>,
}

/// Result of an injection that broke no promise.
#[derive(Debug)]
pub(crate) enum Injection {
    Done,
    /// This machine does not allow the fault, for this reason.
    Skipped(&'static str),
}

/// Returns how long to wait before round `round` disturbs a reduction: a different time in each
/// round, from 0 to about as long as the reduction takes.
pub(crate) fn moment(round: u32) -> Duration {
    // Multiples of the golden ratio spread any number of moments evenly.
    let part = (u64::from(round) * 618_034) % 1_000_000;
    Duration::from_micros(part * 3)
}
