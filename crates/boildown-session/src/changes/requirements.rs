//! Requirements on what sets of changes print, beyond the property.

use boildown_changes::ObjectId;
use boildown_oracle::Symptom;

/// Changes that fail as well, but are only a part of the cause.
#[derive(Debug, Clone)]
pub struct PartialCause {
    /// The location of each of its hunks: the file, with the line if it has one.
    pub locations: Vec<String>,
    /// The line of output that these changes lack, with the one that they have in its place if
    /// there is one. `None` if they fail as all changes do, and all other changes as well.
    pub missing: Option<(String, Option<String>)>,
}

/// The comparison by which other changes were found than the first with the property.
#[derive(Debug, Clone)]
pub(super) struct ComparedFailure {
    /// The first changes with the property.
    pub(super) partial: PartialCause,
    /// What the larger changes print, and the tree that it was read off; `None` if the changes with
    /// the property print the same.
    pub(super) required: Option<(Symptom, ObjectId)>,
}
