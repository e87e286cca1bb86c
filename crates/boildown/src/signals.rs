//! Interruptions by Ctrl-C, Ctrl-\\, SIGTERM and a closed terminal.

use boildown_oracle::{Interrupt, OracleError};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{CliError, ExitKind};

/// Returns an interrupt handle that these signals trigger from now on.
pub(crate) fn interrupt_on_signals() -> Result<Interrupt, CliError> {
    let interrupt = Interrupt::new().map_err(|error| CliError::cannot_run(&error))?;
    let listened = [SIGINT, SIGQUIT, SIGTERM, SIGHUP];
    let listened = listened.into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(listened).map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to listen for Ctrl-C").because(error)
    })?;
    let triggered = interrupt.clone();
    let listener = std::thread::Builder::new().spawn(move || {
        for _ in signals.forever() {
            triggered.trigger();
        }
    });
    listener.map_err(|source| CliError::cannot_run(&OracleError::Thread { source }))?;
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
