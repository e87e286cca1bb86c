//! The view of modules in builds that cannot read them: every input is a single token.

use std::sync::Arc;

use boildown_document::{Document, module_layout::no_module};

use super::units::ModuleUnits;

/// Reads an input as a single token.
pub(super) fn read(bytes: &Arc<[u8]>, _units: ModuleUnits) -> Document {
    no_module(bytes)
}

/// Reads an input as a single token.
pub(super) fn read_text(bytes: &Arc<[u8]>, _units: ModuleUnits) -> Document {
    no_module(bytes)
}

/// Returns whether a binary is a valid module: that is not known.
pub(crate) fn is_valid(_bytes: &[u8]) -> bool {
    false
}

/// Returns whether a text is a valid module: that is not known.
pub(crate) fn is_valid_text(_text: &[u8]) -> bool {
    false
}

/// Returns a module with its instructions in another form: it is not known which they are in.
pub(crate) fn without_brackets(_text: &[u8]) -> Option<Vec<u8>> {
    None
}

/// Returns whether an edit of a module gains nothing: that is not known.
pub(crate) fn is_overwritten(_module: &[u8], _edited: &[u8]) -> bool {
    false
}
