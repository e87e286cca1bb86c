//! Standard output, and errors of writing to it.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use boildown_show::Visible;

use crate::error::{CliError, ExitKind};

/// The first error of writing to standard output.
static ERROR: OnceLock<io::Error> = OnceLock::new();

/// Prints a text on standard output, for people.
pub(crate) fn print(text: impl Into<Visible>) {
    write(text.into().as_bytes());
}

/// Writes data to standard output as they are: JSON, a result, a page. An error does not stop a
/// search; [`error`] returns it at the end. A reader that stops early is not an error.
pub(crate) fn write(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => drop(ERROR.set(error)),
        _ => {}
    }
}

/// Returns the error of the command if something could not be written to standard output.
pub(crate) fn error() -> Option<CliError> {
    let error = ERROR.get()?;
    let what = "failed to write to standard output";
    let hint = "the files that this command writes are complete";
    let error = CliError::new(ExitKind::InvalidUsage, what).because(error.to_string());
    Some(error.hint(hint))
}
