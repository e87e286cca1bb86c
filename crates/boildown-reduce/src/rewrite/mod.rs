//! Rewriting: changes to an input that are more than a deletion.
//!
//! A [`Proposal`] is a set of edits that are made together and make the input smaller. It comes
//! from one of two sources:
//!
//! - Rules are data (`rules/*.rules`): a [`Pattern`](pattern::Pattern) over the tokens and nodes
//!   of a document, and a replacement. `while ($C) $S ~> $S` makes `a();` of `while (b) a();`.
//! - Built-in rewritings ([`built_in`]) serve every language: they use the document and the kinds
//!   of nodes that its grammar allows in each slot. `f(12, "text")` becomes `f(0, "")`.
//!
//! [`Rewrites`] is the search that asks about the proposals one after another.

mod arguments;
mod built_in;
mod canonical_names;
mod indentation;
mod literals;
mod macros;
mod matching;
mod pattern;
mod proposal;
mod rules;
mod search;
mod symbols;
mod width_preserving;
mod word_list;
mod writing;

pub use built_in::{BuiltIn, BuiltIns, RewriteKind};
pub(crate) use canonical_names::is_keyword;
pub(crate) use macros::has_macros;
pub(crate) use proposal::Proposal;
#[cfg(any(test, feature = "testing"))]
pub use proposal::text_after;
pub use rules::{RuleError, Rules};
pub(crate) use search::{MissedRewrites, RewriteSetup, Rewrites};
pub use word_list::WordList;
