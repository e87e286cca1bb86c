//! The work of the search for a layout, which is bounded.

use crate::steps::{Pace, pause};

/// The most parts that are read while lists are searched for, in addition to two for each byte.
/// A megabyte of zeros can be read as a list of empty parts in some five thousand ways; a binary
/// with lists ends nearly all attempts after a few parts.
pub(super) const READ_PARTS: usize = 1 << 25;

/// Counts the parts that are read while lists are searched for.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) read: usize,
    most: usize,
    pace: Pace,
}

impl Work {
    pub(super) fn new(bytes: &[u8]) -> Self {
        Self {
            read: 0,
            most: READ_PARTS.saturating_add(bytes.len().saturating_mul(2)),
            pace: Pace::default(),
        }
    }

    /// Counts an attempt that has read this many parts, and ends the step after many. Returns
    /// whether another attempt may be made.
    pub(super) async fn count(&mut self, parts: usize) -> bool {
        self.read += parts + 1;
        if self.pace.are_over(parts / 64 + 1) {
            pause().await;
        }
        self.read < self.most
    }
}
