//! The sizes of inputs that several orders have in common, in bytes.

/// 1,024 bytes.
pub const KIB: usize = 1 << 10;
pub(crate) const MIB: usize = 1 << 20;

/// Inputs of this many bytes or more are reduced by lines before they are parsed.
pub const PARSE_LIMIT: usize = 8 * MIB;

/// Only below this size: passes over single bytes, of which each would be a node.
pub(crate) const BYTEWISE_LIMIT: usize = 2 * MIB;

/// Only below this size: comment-prefix deletion, and deletions that break the syntax.
pub const TINY_LIMIT: usize = 128;
