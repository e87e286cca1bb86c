//! Bytes that a grammar is shown in the place of those that it makes errors of.

/// A position, and the bytes that are shown from there on.
pub(super) type ShownBytes = (usize, &'static [u8]);
