//! The languages that boildown can parse, and their detection.

mod detect;
pub(crate) mod directives;
mod grammar;
pub(crate) mod language;
pub(crate) mod nested;
mod own;
mod parts;
#[cfg(feature = "lang-perl")]
mod perl;
#[cfg(test)]
pub(crate) mod samples;
mod table;

pub use language::Language;
pub use own::{OwnLanguage, OwnLanguageError};
