//! Requirements on what sets of changes print, beyond the property.

use boildown_changes::ObjectId;
use boildown_oracle::Symptom;

/// Changes that fail as well, but not as the state with all changes does.
#[derive(Debug, Clone)]
pub struct PartialCause {
    /// The location of each of its hunks: the file, with the line if it has one.
    pub locations: Vec<String>,
    /// The line of output that these changes lack, with the one that they have in its place if
    /// there is one.
    pub missing: (String, Option<String>),
}

/// The comparison by which larger changes were found than those with the property.
#[derive(Debug, Clone)]
pub(super) struct ComparedFailure {
    /// The changes with the property.
    pub(super) partial: PartialCause,
    /// What the larger changes print, and the tree that it was read off.
    pub(super) required: (Symptom, ObjectId),
}
