//! State that the passes of a pipeline hand on, in addition to the input itself.

use boildown_search::tree::LearnedRates;

use super::missed::MissedDeletions;
use crate::rewrite::MissedRewrites;

/// The knowledge that is carried from pass to pass.
#[derive(Debug, Clone, Default)]
pub(super) struct PassState {
    /// Rewritings that missed. They are not asked about again where nothing has changed.
    pub(super) missed: MissedRewrites,
    /// The same for deletions.
    pub(super) missed_deletions: MissedDeletions,
    /// The hit rates that the passes ordered by expected gain observed.
    pub(super) learned_rates: LearnedRates,
}
