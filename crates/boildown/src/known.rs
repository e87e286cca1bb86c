//! Verdicts of other runs: `--known`.

use std::path::PathBuf;

use boildown_session::prepare::EarlierSessions;

use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;
use crate::report::format::count;
use crate::report::reporter::Reporter;

/// Reads the verdicts of these stores, and reports which ones can be used. `flags` state the
/// property of this session.
pub(crate) fn read(
    stores: &[PathBuf],
    earlier: &mut EarlierSessions,
    flags: &str,
    reporter: &mut dyn Reporter,
) -> Result<(), CliError> {
    for store in stores {
        let shown = store.escaped();
        let found = earlier.read_known(store, flags).map_err(|error| {
            CliError::failed_to(ExitKind::InvalidUsage, &error).hint(
                "--known names a .boildown folder, a folder that has one, or a file .boildown/NAME/ID.db",
            )
        })?;
        reporter.note(&match found {
            Some(Ok(verdicts)) => {
                format!("using {} from {shown}", count(verdicts, "known verdict"))
            }
            Some(Err(differs)) => format!(
                "the verdicts in {shown} are not used: they are those of another run, which differs in {}",
                differs.join(", ")
            ),
            None => format!("the verdicts in {shown} are not used: this run has no store"),
        });
    }
    Ok(())
}
