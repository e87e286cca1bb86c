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
#[cfg(any(test, feature = "testing"))]
pub mod samples;
mod table;

pub use directives::{DirectiveForm, Imports, Packages};
pub use language::{Keys, Language};
pub use own::{OwnLanguage, OwnLanguageError};
