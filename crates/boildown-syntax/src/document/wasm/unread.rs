//! The view of modules in builds that cannot read them: every input is a single token.

use std::sync::Arc;

use crate::document::{Document, ModuleUnits, View, flat};

/// Reads an input as a single token.
pub(in crate::document) fn read(bytes: &Arc<[u8]>, units: ModuleUnits) -> Document {
    Document {
        view: View::Module(units),
        ..flat::pieces(bytes, usize::MAX)
    }
}
