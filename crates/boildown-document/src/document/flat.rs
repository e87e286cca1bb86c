//! Flat views: lines, and pieces of equal size.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::IdVec;

use super::builder::{Builder, NodePosition};
use super::{Document, View};

/// Reads pieces of `size` bytes, the last one shorter.
pub(crate) fn pieces(bytes: &Arc<[u8]>, size: usize) -> Document {
    let end = bytes.len();
    let pieces = (0..end)
        .step_by(size)
        .map(|start| start..end.min(start.saturating_add(size)));
    flat(bytes, View::Bytes(size), pieces)
}

/// Reads lines, with their line breaks. A line longer than this many bytes is several units, so
/// that an input without line breaks has units too.
pub(crate) fn lines(bytes: &Arc<[u8]>) -> Document {
    const LONG: usize = 4096;
    let mut start = 0;
    let lines = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .flat_map(|line| line.chunks(LONG))
        .map(|piece| {
            start += piece.len();
            start - piece.len()..start
        });
    flat(bytes, View::Lines, lines)
}

fn flat(bytes: &Arc<[u8]>, view: View, pieces: impl Iterator<Item = Range<usize>>) -> Document {
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    for piece in pieces {
        builder.open(0, NodePosition::default());
        builder.token(piece);
        builder.close();
    }
    builder.close();
    builder.finish(view, IdVec::default())
}
