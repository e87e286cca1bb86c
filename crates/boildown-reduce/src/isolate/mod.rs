//! Isolation: the smallest difference between an input that passes and one that fails.
//!
//! The difference is a list of changes that turn the passing input into the failing one. Any of
//! them can be applied without the others. [`Isolation`] narrows it from both sides, level by
//! level: first in the largest nodes of the tree, then inside those that remain, down to
//! characters. Both inputs may change, so that they are equal in the end except for what matters.

mod difference;
mod keys;
mod level;
mod search;
mod text_units;

pub use keys::have_keys;
pub use level::Finest;
pub use search::{Isolation, Text};
