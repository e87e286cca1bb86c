//! Modules that were read from a text, whose units are the tokens of a document.

use std::fmt;

/// A module of which any set of units can be written.
pub(super) trait ModuleText: fmt::Debug + Send + Sync {
    /// Returns the module that consists of the kept tokens.
    fn write(&self, kept: &[bool]) -> Vec<u8>;
}

/// The token of a unit; `None` before the tokens are laid out, and for units that are always kept.
pub(super) type UnitToken = Option<usize>;

/// Returns whether a unit is kept.
pub(super) fn is_kept(token: UnitToken, kept: &[bool]) -> bool {
    token.is_none_or(|token| kept[token])
}
