//! The file that a candidate is written to.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use boildown_oracle::OracleError;

/// The name and permissions of the file that a candidate is written to, like those of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateFile {
    /// The base name of the input.
    pub name: OsString,
    /// The permissions of the input, which may be a program. The owner can read and write a
    /// candidate in any case.
    pub mode: u32,
}

impl CandidateFile {
    /// Returns the name and the permissions of the input.
    ///
    /// # Errors
    /// [`OracleError::File`] when the file does not exist.
    pub fn like(input: &Path) -> Result<Self, OracleError> {
        let fail = |source| OracleError::File {
            action: "read",
            path: input.to_owned(),
            source,
        };
        let name = input
            .file_name()
            .ok_or_else(|| fail(io::ErrorKind::IsADirectory.into()))?
            .to_owned();
        let mode = fs::metadata(input).map_err(fail)?.permissions().mode();
        Ok(Self { name, mode })
    }

    /// Returns a file of this name with permissions 644.
    #[must_use]
    pub fn named(name: impl AsRef<OsStr>) -> Self {
        Self {
            name: name.as_ref().to_owned(),
            mode: 0o644,
        }
    }
}
