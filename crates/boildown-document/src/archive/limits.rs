//! Limits on what is unpacked, and the level of compression.

/// The largest content that is unpacked, and the most that all contents together may have, in
/// bytes. The content of any other member stays as it is.
pub(super) const MAX_CONTENT: usize = 64 << 20;
pub(super) const MAX_CONTENTS: usize = 256 << 20;

/// The level of compression. Higher ones take longer for less than a percent.
pub(super) const LEVEL: u8 = 6;
