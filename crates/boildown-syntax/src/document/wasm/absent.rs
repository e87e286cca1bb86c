//! The view of modules in builds that cannot read them: every input is a single token.

use std::sync::Arc;

use crate::document::{Document, ModuleUnits, View, flat};

/// A module; there is none.
#[derive(Debug)]
pub(in crate::document) enum Module {}

impl Module {
    pub(in crate::document) fn write(&self, _kept: &[bool]) -> Vec<u8> {
        match *self {}
    }

    pub(in crate::document) fn accepts(&self, _bytes: &[u8]) -> bool {
        match *self {}
    }
}

/// Reads an input as a single token.
pub(in crate::document) fn read(bytes: &Arc<[u8]>, units: ModuleUnits) -> Document {
    Document {
        view: View::Module(units),
        ..flat::pieces(bytes, usize::MAX)
    }
}
