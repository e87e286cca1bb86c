//! Errors of culprit searches.

use boildown_changes::ChangesError;
use boildown_oracle::OracleError;

use super::tree_oracle::TreeAnswer;

/// Why a culprit search has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A state is not good or bad as it should be.
    #[error("{name} is not {wanted}")]
    NotAsStated {
        /// The name of the state.
        name: String,
        /// The expected state: `good` or `bad`.
        wanted: &'static str,
        /// The answer on it.
        answer: Box<TreeAnswer>,
    },
    /// The first state is bad and the second one good.
    #[error("{good} is bad and {bad} is good")]
    Swapped {
        /// The name of the first state.
        good: String,
        /// The name of the second state.
        bad: String,
    },
    /// Two runs on the same state gave different verdicts.
    #[error("two runs on {name} did not end alike")]
    Flaky {
        /// The name of the state.
        name: String,
    },
    /// The two states have the same files.
    #[error("nothing differs between {good} and {bad}")]
    Same {
        /// The name of the first state.
        good: String,
        /// The name of the second state.
        bad: String,
    },
    /// A command could not be run.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// A state could not be read.
    #[error(transparent)]
    Changes(#[from] ChangesError),
}
