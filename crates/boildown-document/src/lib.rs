//! Inputs as tokens and trees, and any subset of the tokens as bytes again.
//!
//! A [`Document`] is an input under a [`View`]: tokens, and a tree over them. A [`Candidate`] is
//! what is kept of it, with replacements for some tokens; its bytes are made once, when first
//! needed. Nothing here does any I/O.
//!
//! # Example
//! ```
//! use boildown_document::{Document, Language, View};
//! use boildown_search::Subset;
//!
//! let json = Language::named("JSON").expect("JSON is in the default build");
//! let input = br#"{"a": [1, 2], "b": 3}"#;
//! let document = Document::new(&input.as_slice().into(), View::Syntax(json));
//! assert_eq!(document.render(&Subset::full(document.len())), input);
//! ```
//!
//! # Modules
//! - `languages`: the grammars of the build, and which of them a file needs. All that is particular
//!   about a language is a field of its entry
//! - `document`: reading an input under a view, and rendering what is kept of it
//! - `candidate`: a [`Candidate`]: kept tokens of a document, and replacements for some
//! - `classes`: which tokens of a text are comments, strings, keywords and so on
//! - `archive`: ZIP, tar and gzip archives, whose members are inputs of their own
//! - `gate`, `parse`, `shield`: the parse gate: skips candidates that bring new syntax errors
//! - `allocations`: how often parsers allocate memory, by which slow ones are stopped
//! - [`steps`]: long computations in small steps: documents are read, and candidates parsed, so
//!   that the caller can stop soon
//! - `outline`: an [`Outline`]: the statements of a text, and their [`Alignment`] with another's
//! - `remaining`: the parts of a text, and the text without each of them
//! - `split`: a [`Split`]: the elements of an input that is a list
//! - `text_order`: the order in which every hit makes the input smaller
//!
//! Almost everything works for any grammar: nodes that can be removed, their separators and the
//! kinds that may replace them are read from the tree and from the grammar's list of node types.
#![warn(clippy::disallowed_methods)]

mod allocations;
mod archive;
mod candidate;
mod classes;
mod common_ends;
mod document;
mod gate;
pub mod hashing;
mod languages;
mod outline;
mod parse;
mod remaining;
mod shield;
mod split;
pub mod steps;
mod text_order;

pub use allocations::count_parser_allocations;
pub use archive::Archive;
pub use candidate::{
    Candidate, Check, fingerprint, fingerprint_of_texts, joined_texts, text_of_joined,
};
pub use classes::{ClassifiedToken, TokenClass};
#[cfg(any(test, feature = "testing"))]
pub use document::module_checks;
pub use document::{
    CLAUSE, Document, ERROR, FormatView, JoinedPart, MARK, ReadUnits, Substitutes, UNPARSED, View,
    WORD, append_to_joined, builder, comment_prefixes, is_binary, is_lost, is_word, module_layout,
    parts_of_joined, words, writable_module,
};
pub use gate::Gated;
#[cfg(any(test, feature = "testing"))]
pub use languages::samples;
pub use languages::{
    DirectiveForm, Imports, Keys, Language, OwnLanguage, OwnLanguageError, Packages,
};
pub use outline::{Alignment, ItemSort, Outline, OutlineItem};
pub use parse::Parser;
pub use remaining::{Removal, Removals, RemovedUnit, TextPart, text_parts};
pub use split::{CommandParts, CommandWords, Split, SplitError, command_words};
pub use text_order::{TextOrder, TextSize, is_digits};
