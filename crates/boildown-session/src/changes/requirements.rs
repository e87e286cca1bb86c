//! Requirements on what sets of changes print, beyond the property.

use boildown_changes::ObjectId;
use boildown_oracle::Symptom;
use boildown_show::PartialCauseRecord;

/// The comparison by which other changes were found than the first with the property.
#[derive(Debug, Clone)]
pub(super) struct ComparedFailure {
    /// The first changes with the property.
    pub(super) partial: PartialCauseRecord,
    /// What the larger changes print, and the tree that it was read off; `None` if the changes with
    /// the property print the same.
    pub(super) required: Option<(Symptom, ObjectId)>,
}
