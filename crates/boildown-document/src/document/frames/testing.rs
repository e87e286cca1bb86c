//! Binaries without some of their parts, for tests.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;

use super::Frames;
use crate::document::binary;

/// Returns a binary without these parts, with all numbers that follow.
pub(super) fn without(
    bytes: &[u8],
    frames: Frames,
    is_gone: impl Fn(&Range<usize>) -> bool,
) -> Vec<u8> {
    let bytes: Arc<[u8]> = bytes.into();
    let gone: Vec<Range<usize>> = frames
        .parts()
        .iter()
        .filter(|&part| is_gone(part))
        .cloned()
        .collect();
    let document = binary::parts(&bytes, 4096, Arc::new(frames));
    let tokens = (0..document.len()).filter(|&token| {
        let start = document.byte_range(token..token + 1).start;
        gone.iter().any(|part| part.contains(&start))
    });
    let kept = Subset::full(document.len()).without(tokens.map(|token| token..token + 1));
    document.render(&kept)
}

/// Checks that a reader reads or refuses what is left of a file after damage, and that what it has
/// read is written as it was.
pub(super) fn check_damaged(
    file: &[u8],
    damage: &[(usize, u8)],
    length: usize,
    read: impl Fn(&[u8]) -> Option<Frames>,
) {
    let mut bytes = file[..length.min(file.len())].to_vec();
    for &(at, byte) in damage {
        let at = at % file.len();
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
    }
    if let Some(frames) = read(&bytes) {
        assert_eq!(without(&bytes, frames, |_| false), bytes);
    }
}

/// Returns bytes that look random.
pub(super) fn noise(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..length).map(next).collect()
}
