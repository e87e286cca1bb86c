//! Why two states could not be read, or a tree of files not be written.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// What another library says; its own causes are below it.
type Cause = Box<dyn Error + Send + Sync>;

/// Why two states could not be read, or a tree of files not be written.
///
/// Messages are fragments that fit "failed to …"; causes are in the source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangesError {
    /// There is no repository.
    #[error("open the git repository of {}", path.display())]
    Repository {
        /// Where it was looked for.
        path: PathBuf,
        /// What git's library said.
        source: Cause,
    },
    /// A revision was not understood.
    #[error("find the revision `{name}`: {advice}")]
    Revision {
        /// As it was typed.
        name: String,
        /// What to do.
        advice: String,
    },
    /// An object of the repository is missing or damaged.
    #[error("read {what} from the repository{advice}")]
    Object {
        /// Which.
        what: String,
        /// What to do, or nothing.
        advice: &'static str,
        /// What git's library said.
        source: Cause,
    },
    /// A filter of `.gitattributes` or of the configuration failed.
    #[error("convert {path} as .gitattributes and the configuration of git say")]
    Filter {
        /// Of which file.
        path: String,
        /// What git's library said.
        source: Cause,
    },
    /// A file or directory could not be read or written.
    #[error("{action} {}", path.display())]
    File {
        /// What was tried: "read", "write" …
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the user is another one than when the run began.
    #[error("read {} again: it was changed meanwhile", path.display())]
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// A path that no tree of files may hold: it would be written elsewhere.
    #[error("write a file at `{path}`: the path leads out of the tree")]
    Path {
        /// The path.
        path: String,
    },
}

impl ChangesError {
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
