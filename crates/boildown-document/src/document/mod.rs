//! Documents: an input as tokens and a tree over them, and any subset of the tokens as bytes again.
//!
//! A [`View`] decides what the tokens and nodes are:
//!
//! - `tokens.rs`: the views, and the document that each of them makes of an input
//! - `read.rs`: reads an input under any of the views
//! - `syntax/`: the trees of grammars, one inside the other where languages are nested
//! - `joined.rs`: the texts of a folder as one input
//! - `kinds.rs`: the kinds of nodes, as numbers
//! - `slots.rs`: the kinds of nodes that a grammar accepts in each slot
//! - `blocks.rs`, `delimiters.rs`: lines, bracket groups and words of any text
//! - `nested_lines.rs`: whole lines, nested by brackets and indentation
//! - `elements.rs`: the elements of a list
//! - `flat.rs`: lines only, and pieces of equal size
//! - `binary.rs`, `frames/`: the parts of binaries, whose lengths and checksums are corrected
//! - `writable_module.rs`, `module_layout.rs`: what the views of modules in text have in common
//! - `characters.rs`: single characters of words, and of white space
//! - `builder.rs`: builds the tree, with its sibling lists and separators
//! - `render.rs`: turns kept tokens into bytes

mod binary;
mod blocks;
pub mod builder;
mod characters;
mod columns;
mod delimiters;
mod elements;
pub(crate) mod flat;
mod frames;
mod joined;
mod kinds;
#[cfg(any(test, feature = "testing"))]
pub mod module_checks;
pub mod module_layout;
mod nested_lines;
mod phrases;
mod read;
mod render;
mod slots;
mod syntax;
mod tokens;
mod words;
pub mod writable_module;

pub use characters::comment_prefixes;
pub(crate) use frames::crc32;
pub use joined::{JoinedPart, MARK, append as append_to_joined, parts as parts_of_joined};
pub use kinds::{CLAUSE, ERROR, UNPARSED, WORD};
pub use render::Substitutes;
pub use syntax::is_lost;
pub use tokens::ReadUnits;
pub use tokens::{Document, FormatView, View};
pub use words::{is_binary, is_word, words};
