//! Interruptions by Ctrl-C, Ctrl-\\, SIGTERM and a closed terminal.

use boildown_oracle::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{CliError, ExitKind};

/// Returns an interrupt handle that these signals trigger from now on.
pub(crate) fn interrupt_on_signals() -> Result<Interrupt, CliError> {
    let interrupt = Interrupt::new().map_err(|error| CliError::cannot_run(&error))?;
    let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP]).map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to listen for Ctrl-C").because(error)
    })?;
    let triggered = interrupt.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            triggered.trigger();
        }
    });
    Ok(interrupt)
}
