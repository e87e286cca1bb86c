//! The sizes of inputs that several orders have in common, in bytes.

pub(super) const KIB: usize = 1 << 10;
pub(super) const MIB: usize = 1 << 20;

/// Inputs of this many bytes or more are reduced by lines before they are parsed.
pub(in crate::pipeline) const PARSE_LIMIT: usize = 8 * MIB;

/// Only below this size: passes over single bytes, of which each would be a node.
pub(super) const BYTEWISE_LIMIT: usize = 2 * MIB;
