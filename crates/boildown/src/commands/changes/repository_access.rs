//! Paths in a repository, and errors of reading it.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use boildown_changes::{ChangesError, FilePath};

use crate::error::{CliError, ExitKind};

/// A repository or a directory could not be read.
impl From<ChangesError> for CliError {
    fn from(error: ChangesError) -> Self {
        let kind = match error {
            ChangesError::Interrupted { .. } => return Self::interrupted_before("the search"),
            ChangesError::Revision { .. } | ChangesError::Repository { .. } => {
                ExitKind::InvalidUsage
            }
            _ => ExitKind::CannotRun,
        };
        let failed = Self::failed_to(kind, &error);
        match error {
            ChangesError::Repository { .. } => failed.hint(
                "run it inside a git repository, or give two directories: boildown changes old/ new/ -- COMMAND",
            ),
            _ => failed,
        }
    }
}

/// Returns a path relative to the user's directory as a path in the tree, unless it leads outside.
pub(super) fn inside(dir: &Path, path: &Path) -> Option<FilePath> {
    let whole = dir.join(path);
    let mut names: Vec<&[u8]> = Vec::new();
    for component in whole.components() {
        match component {
            Component::Normal(name) => names.push(name.as_bytes()),
            Component::CurDir => {}
            Component::ParentDir => drop(names.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(names.join(&b'/').into())
}
