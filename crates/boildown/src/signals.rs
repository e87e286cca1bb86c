//! Interruptions by Ctrl-C, Ctrl-\\, SIGTERM, a closed terminal, and the limit on time.

use std::thread;
use std::time::Duration;

use boildown_oracle::{Interrupt, InterruptCause, OracleError};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{CliError, ExitKind};
use crate::{forced_end, time_limit};

/// The time after the limit for what is left to do then, such as the last check of the result. The
/// search itself stops at the limit.
const AFTER_TIME_LIMIT: Duration = Duration::from_millis(300);

/// Returns an interrupt handle that these signals trigger from now on, and that stops everything
/// soon after `time_left`, whatever is being done then.
pub(crate) fn interrupt_within(time_left: Option<Duration>) -> Result<Interrupt, CliError> {
    let interrupt = interrupt_on_signals()?;
    if let Some(time) = time_left.and_then(|left| left.checked_add(AFTER_TIME_LIMIT)) {
        let triggered = interrupt.clone();
        let timer = thread::Builder::new().spawn(move || {
            thread::sleep(time);
            time_limit::reach();
            triggered.trigger_for(InterruptCause::TimeLimit);
        });
        timer.map_err(|source| CliError::from(OracleError::Thread { source }))?;
    }
    Ok(interrupt)
}

/// Returns an interrupt handle that these signals trigger from now on.
pub(crate) fn interrupt_on_signals() -> Result<Interrupt, CliError> {
    let interrupt = Interrupt::new()?;
    let listened = [SIGINT, SIGQUIT, SIGTERM, SIGHUP];
    let listened = listened.into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(listened).map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to listen for Ctrl-C").because(error)
    })?;
    let triggered = interrupt.clone();
    let listener = thread::Builder::new().spawn(move || {
        for _ in signals.forever() {
            triggered.trigger();
        }
    });
    listener.map_err(|source| CliError::from(OracleError::Thread { source }))?;
    forced_end::watch(interrupt.clone());
    Ok(interrupt)
}

/// Returns whether boildown was started with this signal ignored, as by `nohup` or, in a script, by
/// `&`. Then it stays ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
