//! Hashes of words, which need not be safe from collisions.

/// The hash of nothing.
pub(super) const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues a hash, with FNV-1a.
pub(super) fn hash(before: u64, text: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    text.iter().fold(before, step)
}
