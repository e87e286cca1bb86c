//! Rewriting: what a smaller text can be that is not a part of this one.
//!
//! Rules are data (`rules/*.rules`): a [`Pattern`](pattern::Pattern) over the tokens and nodes of a document, and what takes its
//! place. Ideas ([`ideas`]) need no rules; they are read off the document. Both make [`Proposal`]s, and
//! [`Rewrites`] asks about them one after another.

mod ideas;
mod joint;
mod machine;
mod matching;
mod pattern;
mod proposal;
mod rename;
mod rules;
mod widths;

pub(crate) use ideas::Sorts;
pub(crate) use machine::{Missed, Rewrites, Setup};
pub(crate) use proposal::{Edit, Proposal};
pub use rules::{RuleError, Rules};
