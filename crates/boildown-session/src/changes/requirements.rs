//! Requirements on what sets of changes print, beyond the property.

use boildown_changes::ObjectId;
use boildown_oracle::Symptom;
use boildown_show::PartialCauseRecord;

/// The comparison by which larger changes were found than those with the property.
#[derive(Debug, Clone)]
pub(super) struct ComparedFailure {
    /// The changes with the property.
    pub(super) partial: PartialCauseRecord,
    /// What the larger changes print, and the tree that it was read off.
    pub(super) required: (Symptom, ObjectId),
}
