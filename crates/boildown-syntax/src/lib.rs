//! Inputs as trees of removable units, and the search that reduces them.
//!
//! [`reduction`] is the whole reduction of one input, as a [`Search`](boildown_search::Search):
//! it asks about [`Candidate`]s and is told their verdicts. [`folder_reduction`] is that of a
//! folder. Nothing in this crate does any I/O; the oracle that decides whether a candidate is
//! interesting is the caller's.
//!
//! # Example
//! ```
//! use boildown_search::{Search as _, Verdict, run};
//! use boildown_syntax::{Language, Strategy, reduction};
//!
//! let c = Language::named("C").expect("C is in the default build");
//! let input = b"int g(int a) { return a; }\nint main() { crash(g(23), a + b); return 0; }\n";
//! let search = reduction(&input.as_slice().into(), Some(c), Strategy::default());
//! let search = run(search, |candidate| {
//!     let text = String::from_utf8_lossy(candidate.bytes());
//!     // Stands for a compiler that crashes on a call of `crash`.
//!     match c.errors(candidate.bytes()) == 0 && text.contains("main() { crash(") {
//!         true => Verdict::Interesting,
//!         false => Verdict::Uninteresting,
//!     }
//! });
//! assert_eq!(search.best().bytes()[..], *b"int main() { crash(); }\n");
//! assert!(search.inner().is_proved());
//! ```
//!
//! # Guarantee
//! The result is interesting. A search that ran to its end leaves a 1-minimal result: the removal
//! of any single token made the property fail (of any single byte, for inputs in no language). For
//! a language the same holds for every node whose removal leaves a text that parses. The queries
//! and the result depend on the input, the strategy and the verdicts only; they are the same for
//! any number of workers. [`Pipeline::is_proved`] tells whether the proof is complete: it is not
//! when passes were skipped or deselected, or when the result is too large for them.
//!
//! # Modules
//! - `languages`: the grammars of the build, and which of them a file needs
//! - `document`: a [`Document`]: an input as tokens and a tree over them, under a [`View`]; any
//!   subset of the tokens as bytes again
//! - `candidate`: a [`Candidate`]: kept tokens of a document, and replacements for some
//! - `classes`: which tokens of a text are comments, strings, keywords and so on
//! - `archive`: ZIP archives, whose members are reduced like inputs of their own
//! - `pipeline`: [`reduction`]: the passes, their default order, and the state machine that runs
//!   them
//! - `text_order`: the order in which every hit makes the input smaller
//! - `unused`: the pass that deletes definitions that nothing refers to
//! - `rewrite`: the passes that replace text: rules and built-in rewritings
//! - `symbols`: which names an input defines, and where they are used
//! - `edit_plan`: deletions and replacements of nodes that are made together
//! - `allocations`: how often parsers allocate memory, by which slow ones are stopped
//! - `gate`, `parse`, `shield`: the parse gate: skips candidates that bring new syntax errors
//! - `plausible`: the same for modules in text, by their names and neighbouring words
//! - `steps`: long computations in small steps: documents are read, and candidates parsed, so that
//!   the caller can stop soon
//! - `file_graph`: which files of a folder mention which others
//! - `mentions`: which lines of a folder's texts mention one of its files
//! - `outline`: an [`Outline`]: the statements of a text, and their [`Alignment`] with another's
//! - `canonical`: the [canonical form](canonical_form()) of a text, which finds duplicates
//! - `remaining`: the parts of a text, and the text without each of them
//! - `split`: a [`Split`]: the elements of an input that is a list
//! - `strategy`, `keep`: the options of a reduction
//! - `isolate`: [`Isolation`]: the smallest difference between an input that passes and one that
//!   fails
//!
//! Almost everything works for any grammar: nodes that can be removed, their separators and the
//! kinds that may replace them are read from the tree and from the grammar's list of node types.
//! Only a few tables name particular languages: the rewrite rules (`rules/*.rules`), the nested
//! languages, the shields of scanners, and the languages whose statements end with semicolons or
//! blocks.
#![warn(clippy::disallowed_methods)]

mod allocations;
mod archive;
mod bodies;
mod candidate;
mod canonical;
mod classes;
mod comments;
mod common_ends;
mod document;
mod edit_plan;
mod fact_gate;
mod facts;
mod file_graph;
mod format;
#[cfg(test)]
mod format_samples;
mod formats;
mod gate;
mod grouped_deletions;
mod hashing;
mod inclusions;
mod isolate;
mod keep;
mod languages;
#[cfg(test)]
mod memory_folder;
mod mentions;
mod name_gate;
mod name_uses;
mod outline;
mod parse;
mod pipeline;
#[cfg(all(test, feature = "lang-cpp"))]
mod reduced_text;
mod remaining;
mod rewrite;
mod shield;
mod split;
mod steps;
mod strategy;
mod stubs;
mod symbols;
mod text_order;
mod unused;

pub use allocations::count_parser_allocations;
pub use candidate::{Candidate, Check};
pub use canonical::canonical_form;
pub use classes::{ClassifiedToken, TokenClass};
pub use document::{Document, FormatView, View};
pub use facts::Proof;
pub use file_graph::files_named_in;
pub use formats::{format_names, format_views};
pub use gate::Gated;
pub use isolate::{Finest, Isolation, Text, have_keys};
pub use keep::Keep;
pub use languages::{Language, OwnLanguage, OwnLanguageError};
pub use name_uses::NameUses;
pub use outline::{Alignment, ItemSort, Outline, OutlineItem};
pub use pipeline::{
    IdleReason, PassId, Pipeline, Reduction, count_tokens, folder_reduction, idle_passes,
    language_of_file, pass_names, proof_of, reduction,
};
pub use remaining::{Removal, Removals, RemovedUnit, TextPart, text_parts};
pub use rewrite::{RuleError, Rules};
pub use split::{CommandParts, CommandWords, Split, SplitError, command_words};
pub use strategy::{
    ElementOrder, GateMode, Layout, NamePolicy, PassSelection, Strategy, TrivialInputs, Units,
};
