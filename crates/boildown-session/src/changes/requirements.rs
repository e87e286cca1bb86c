//! Requirements on sets of changes beyond the property: definitions, and what they print.

use std::sync::atomic::{AtomicBool, Ordering};

use boildown_changes::{ChangedDefinitions, ObjectId};
use boildown_oracle::Symptom;
use boildown_search::Subset;

/// Changes that fail as well, but not as the state with all changes does.
#[derive(Debug, Clone)]
pub struct PartialCause {
    /// The location of each of its hunks: the file, with the line if it has one.
    pub locations: Vec<String>,
    /// The line of output that these changes lack, with the one that they have in its place if
    /// there is one. `None` if they print the same, but use a new name without its definition.
    pub missing: Option<(String, Option<String>)>,
}

/// The definitions of the names in the changes, and whether a set of changes must hold those of
/// the names that it uses.
pub(super) struct RequiredDefinitions {
    definitions: ChangedDefinitions,
    are_required: AtomicBool,
}

impl RequiredDefinitions {
    pub(super) fn new(definitions: ChangedDefinitions, are_required: bool) -> Self {
        Self {
            definitions,
            are_required: AtomicBool::new(are_required),
        }
    }

    pub(super) fn require_all(&self) {
        self.are_required.store(true, Ordering::Relaxed);
    }

    /// Returns whether a set of changes lacks a definition, also if it need not hold it.
    pub(super) fn are_lacking_in(&self, set: &Subset) -> bool {
        self.definitions.are_incomplete(set)
    }

    /// Returns whether a set of changes lacks a definition that it must hold.
    pub(super) fn rejects(&self, set: &Subset) -> bool {
        self.are_required.load(Ordering::Relaxed) && self.definitions.are_incomplete(set)
    }
}

/// The comparison by which larger changes were found than those with the property.
#[derive(Debug, Clone)]
pub(super) struct ComparedFailure {
    /// The changes with the property.
    pub(super) partial: PartialCause,
    /// What the larger changes print, and the tree that it was read off.
    pub(super) required: (Symptom, ObjectId),
}
