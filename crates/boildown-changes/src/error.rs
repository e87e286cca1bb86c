//! The error type of this crate.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// An error of another library.
type BoxedError = Box<dyn Error + Send + Sync>;

/// A failure to read a state, or to write a configuration to disk.
///
/// Messages are fragments that fit "failed to …"; the cause is in `source`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangesError {
    /// There is no readable git repository.
    #[error("open the git repository of {}", path.display())]
    Repository {
        /// The directory in which, and above which, it was searched.
        path: PathBuf,
        /// The error of the git library.
        source: BoxedError,
    },
    /// A revision does not name a commit.
    #[error("find the revision `{name}`: {advice}")]
    Revision {
        /// The revision as the user typed it.
        name: String,
        /// The reason, with a command that helps where there is one.
        advice: String,
    },
    /// An object of the repository is missing or damaged.
    #[error("read {what} from the repository{advice}")]
    Object {
        /// The object, such as "commit 0123…".
        what: String,
        /// A hint that starts with "; ", or the empty string.
        advice: &'static str,
        /// The error of the git library.
        source: BoxedError,
    },
    /// A filter of `.gitattributes` or of the git configuration failed.
    #[error("convert {path} with the filters of .gitattributes and the git configuration")]
    Filter {
        /// The file that was converted.
        path: String,
        /// The error of the git library or of the filter.
        source: BoxedError,
    },
    /// An archive could not be read.
    #[error("read the archive {}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The error of the library that reads it.
        source: BoxedError,
    },
    /// A filter was stopped because the session is interrupted.
    #[error("convert {path}: it was interrupted")]
    Interrupted {
        /// The file that was converted.
        path: String,
    },
    /// A file or directory could not be read or written.
    #[error("{action} {}", path.display())]
    File {
        /// The operation: "read", "write", "create" or "remove".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file that belongs to a state has changed since the state was read.
    #[error("read {} again: the file was changed during the run", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A path in a configuration would be written outside the workspace or into `.git`.
    #[error("write a file at `{path}`: the path leads out of the tree or into .git")]
    Path {
        /// The path.
        path: String,
    },
}

impl ChangesError {
    /// Returns a function that wraps an I/O error, for `map_err`.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }
}
