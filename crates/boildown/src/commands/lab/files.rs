//! The files that experiments write.

use std::path::{Path, PathBuf};

use boildown_exec::{Access, fsx};

use crate::error::CliError;
use crate::report::format::EscapedPath as _;

/// Checks that files can be written, before the experiment.
pub(super) fn check<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<(), CliError> {
    for path in paths {
        let dir = match path.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let problem = match (path.is_dir(), dir.is_dir()) {
            (true, _) => "it is a directory".to_owned(),
            (false, false) => format!("there is no directory {}", dir.escaped()),
            (false, true) => continue,
        };
        let what = format!("failed to write {}", path.escaped());
        return Err(CliError::usage(what)
            .because(problem)
            .hint("name a file in a directory that exists"));
    }
    Ok(())
}

/// Writes a file whole.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    fsx::write_atomic(&fsx::resolve_link(path), text.as_bytes(), Access::ANY)
        .map_err(CliError::from)
}
