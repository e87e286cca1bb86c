//! The bytes that two texts have in common at their ends.

/// Returns the number of bytes that two texts have in common at the start. Compares whole blocks
/// first, which is much faster.
pub(crate) fn common_start(left: &[u8], right: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = left.chunks_exact(BLOCK).zip(right.chunks_exact(BLOCK));
    let start = blocks.take_while(|(left, right)| left == right).count() * BLOCK;
    let rest = left[start..].iter().zip(&right[start..]);
    start + rest.take_while(|(left, right)| left == right).count()
}

/// Returns the number of bytes that two texts have in common at the end.
pub(crate) fn common_end(left: &[u8], right: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = left.rchunks_exact(BLOCK).zip(right.rchunks_exact(BLOCK));
    let end = blocks.take_while(|(left, right)| left == right).count() * BLOCK;
    let rest = left[..left.len() - end]
        .iter()
        .rev()
        .zip(right[..right.len() - end].iter().rev());
    end + rest.take_while(|(left, right)| left == right).count()
}
