//! A text as a sequence of units.

use std::ops::Range;

/// An input as a sequence of units that covers it.
pub(super) struct TextUnits {
    pub(super) units: Vec<Range<usize>>,
    /// Whether there are finer nodes than these.
    pub(super) goes_deeper: bool,
    /// What the units of both texts are compared by; empty if by their bytes.
    pub(super) keys: Vec<Vec<u8>>,
}

impl TextUnits {
    /// Returns what the units of this text are compared by.
    pub(super) fn compared<'a>(&'a self, text: &'a [u8]) -> Vec<&'a [u8]> {
        match self.keys.is_empty() {
            true => (self.units.iter())
                .map(|unit| &text[unit.clone()])
                .collect(),
            false => self.keys.iter().map(Vec::as_slice).collect(),
        }
    }
}
