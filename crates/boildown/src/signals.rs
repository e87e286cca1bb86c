//! Ctrl-C and its relatives.

use boildown_oracle::Cancel;
use boildown_session::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{CliError, Kind};

/// Makes Ctrl-C, Ctrl-\\, SIGTERM and a closed terminal stop the session and cancel the run that its baseline is at.
pub(crate) fn stop_on_signals(stop: Stop, cancel: Cancel) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP]).map_err(|error| {
        CliError::new(Kind::CannotRun, "failed to listen for Ctrl-C").because(error)
    })?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            stop.request();
            cancel.cancel();
        }
    });
    Ok(())
}
