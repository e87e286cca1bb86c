//! Errors of a preparation.

use std::path::PathBuf;

use boildown_oracle::{OracleError, Property, Run};

use crate::BaselineError;

/// Why a reduction or an isolation cannot begin. The first run is that on the input, or on the bad
/// file.
#[derive(Debug, thiserror::Error)]
pub enum PreparationError {
    /// The first run shows no failure, and no property is stated.
    #[error("the command {}, and no property is stated", .run.outcome)]
    NothingToPreserve {
        /// The first run.
        run: Box<Run>,
    },
    /// Stack frames have to stay the same, and the first run printed none.
    #[error("the command printed no stack trace that names a function")]
    NoStackTrace,
    /// In the sandbox the property holds on the empty input too, and outside it does not: the
    /// command decides by a file that it cannot write.
    #[error(
        "the property holds on the empty input, because the sandbox keeps the command from writing elsewhere"
    )]
    WritesElsewhere {
        /// The file or directory that it could not write, if it said so.
        path: Option<PathBuf>,
    },
    /// The failure is that the command does not find a file of the user, which is beside what the
    /// runs have.
    #[error("runs do not find {}", .path.display())]
    LeftBehind {
        /// The file or directory.
        path: PathBuf,
    },
    /// The good file fails in the same way as the bad one.
    #[error("the command fails on the good file too, in the same way")]
    GoodFailsToo {
        /// The run on the good file.
        run: Box<Run>,
        /// What failing means.
        failing: Property,
    },
    /// The good file neither passes nor fails.
    #[error("the command does not pass on the good file: it {}", .run.outcome)]
    GoodDoesNotPass {
        /// The run on the good file.
        run: Box<Run>,
    },
    /// The property or the inputs are unusable, or the command could not be run.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

impl From<OracleError> for PreparationError {
    fn from(error: OracleError) -> Self {
        Self::Baseline(error.into())
    }
}
