//! Earlier sessions of the same triage, and the lock on its results.

use std::ffi::OsStr;
use std::time::Duration;

use boildown_session::prepare::{PrepareEvent, lock_result};
use boildown_store::{Identity, InputRuns, StoreFolder};

use super::args::TriageArgs;
use super::results::ResultFolder;
use crate::error::CliError;
use crate::limits;
use crate::property::PropertyCommands;
use crate::report::reporter::{Reporter, noting};

/// Returns everything that a run depends on, but for the input.
pub(super) fn identity(
    args: &TriageArgs,
    commands: &PropertyCommands,
    name: &OsStr,
    timeout: Duration,
) -> Identity {
    let mut identity = Identity::default();
    identity.add("the name of the input", format!("{name:?}"));
    commands.add_to_identity(&mut identity);
    identity.add("--timeout", format!("{timeout:?}"));
    limits::add_to_identity(&mut identity, &args.sandbox);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    identity
}

/// The runs of earlier sessions, and the lock on the results.
pub(super) struct Remembered {
    // Closed before another session may open it.
    pub(super) runs: Option<InputRuns>,
    _folder: Option<StoreFolder>,
}

impl Remembered {
    pub(super) fn open(
        results: &ResultFolder,
        identity: &Identity,
        is_fresh: bool,
        reporter: &mut dyn Reporter,
    ) -> Result<Self, CliError> {
        results.create()?;
        let mut on_event = noting(reporter);
        let folder = lock_result(&results.report(), &mut on_event)
            .map_err(|error| CliError::busy(&error))?;
        let Some(folder) = folder else {
            return Ok(Self {
                runs: None,
                _folder: None,
            });
        };
        if is_fresh {
            results.forget()?;
            folder.forget_input_runs(identity).ok();
        }
        let runs = match folder.input_runs(identity) {
            Ok(runs) => Some(runs),
            Err(error) => {
                on_event(PrepareEvent::NotRemembered(&error));
                None
            }
        };
        Ok(Self {
            runs,
            _folder: Some(folder),
        })
    }
}
