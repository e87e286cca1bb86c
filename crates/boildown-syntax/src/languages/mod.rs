//! The languages that boildown can parse, and their detection.

mod detect;
mod grammar;
mod language;
mod nested;
mod notation;
#[cfg(feature = "lang-perl")]
mod perl;
#[cfg(test)]
pub(crate) mod samples;
mod table;

pub use language::Language;
