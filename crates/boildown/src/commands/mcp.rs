//! `boildown mcp`: reductions and culprit searches for a program that works with tools, such as the
//! agent of an editor.

use std::io;

use boildown_serve::serve_mcp;

use crate::error::{CliError, ExitKind};
use crate::stdout;

/// Serves the client at the other end of standard input and output until it closes the connection.
pub(crate) fn run() -> Result<ExitKind, CliError> {
    let failed = |what: &'static str| {
        move |error: io::Error| CliError::new(ExitKind::CannotRun, what).because(error)
    };
    let program =
        std::env::current_exe().map_err(failed("failed to find the program of boildown"))?;
    let write = |answer: &str| stdout::write(format!("{answer}\n").as_bytes());
    let served = serve_mcp(&program, io::stdin().lock(), write);
    served.map_err(failed("failed to read standard input"))?;
    Ok(ExitKind::Reduced)
}
