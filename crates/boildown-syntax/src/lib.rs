//! Texts as trees of removable units, and the search that reduces them.
//!
//! A [`Document`] is a text cut into atoms and a tree over them, through the grammar of a [`Language`] or without one; any subset of
//! the atoms renders as a text again. [`reduction`] is the whole job as one [`Search`](boildown_search::Search) over [`Draft`]s: passes
//! over such documents, behind a parse gate. Nothing here does any I/O.
#![warn(clippy::disallowed_methods)]

mod document;
mod draft;
mod gate;
mod isolate;
mod keep;
mod languages;
mod names;
mod parse;
mod pipeline;
mod plan;
mod rewrite;
mod shield;
mod strategy;
mod unused;

pub use document::{Document, View};
pub use draft::{Check, Draft};
pub use gate::Gated;
pub use isolate::{Finest, Isolation, Text};
pub use keep::Keep;
pub use languages::Language;
pub use pipeline::{Pass, Pipeline, Reduction, count_tokens, pass_names, reduction};
pub use rewrite::{RuleError, Rules};
pub use strategy::{Gate, Layout, Names, Passes, Strategy};
