//! Texts as trees of removable units.
#![warn(clippy::disallowed_methods)]

mod languages;

pub use languages::Language;
