//! The view through grammars: tree-sitter's trees, nested where languages are, without losing any
//! text.
//!
//! - `nodes.rs`: walks over a tree, and begins again where a node contains another language
//! - `reader.rs`: what the walk needs and builds
//! - `damage.rs`: tells whether syntax errors cost a tree much of its structure
//! - `statements.rs`, `division.rs`: read such a text statement by statement
//! - `clauses.rs`: reads a statement of SQL that does not parse

mod clauses;
mod damage;
mod division;
mod nodes;
mod reader;
mod statements;

pub use damage::is_lost;
pub(super) use nodes::{read, read_with_kinds};
