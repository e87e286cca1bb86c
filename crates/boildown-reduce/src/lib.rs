//! The reduction of an input, as a search: passes over a document, behind gates.
//!
//! [`reduction`] is the whole reduction of one input, as a [`Search`](boildown_search::Search):
//! it asks about [`Candidate`](boildown_document::Candidate)s and is told their verdicts.
//! [`folder_reduction`] is that of a folder. Nothing in this crate does any I/O; the oracle that
//! decides whether a candidate is interesting is the caller's.
//!
//! # Example
//! ```
//! use boildown_document::Language;
//! use boildown_reduce::{Strategy, reduction};
//! use boildown_search::{Search as _, Verdict, run};
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
//! - `format`: **the door**: the trait [`Format`], what this crate asks about a format. It knows
//!   none by name: they are a field of the [`Strategy`]
//! - `pipeline`: [`reduction`]: the passes, their default order, and the state machine that runs
//!   them
//! - `unused`: the pass that deletes definitions that nothing refers to
//! - `rewrite`: the passes that replace text: rules and built-in rewritings
//! - `symbols`: which names an input defines, and where they are used
//! - `edit`: an [`Edit`]: what every pass, rule and format proposes; `edit_plan` makes edits of
//!   nodes, `grouped_edits` tries many at once
//! - `name_gate`: skips candidates without a definition of a name that they mention
//! - `facts`, `fact_gate`: skips candidates by what their format says about them
//! - `file_graph`: which files of a folder mention which others
//! - `mentions`: which lines of a folder's texts mention one of its files
//! - `canonical`: the [canonical form](canonical_form()) of a text, which finds duplicates
//! - `strategy`, `keep`: the options of a reduction
//! - `isolate`: [`Isolation`]: the smallest difference between an input that passes and one that
//!   fails
#![warn(clippy::disallowed_methods)]

mod bodies;
mod canonical;
mod comments;
mod edit;
mod edit_plan;
mod fact_gate;
mod facts;
mod file_graph;
mod file_paths;
mod format;
mod grouped_edits;
mod imports;
mod inclusions;
mod isolate;
mod keep;
#[cfg(any(test, feature = "testing"))]
pub mod memory_folder;
mod mentions;
mod name_gate;
mod name_uses;
mod packages;
mod pipeline;
mod redaction;
#[cfg(test)]
mod reduced_text;
mod remaining_words;
mod reported;
mod rewrite;
mod strategy;
mod stubs;
mod symbols;
mod unused;

pub use canonical::canonical_form;
pub use edit::Edit;
pub use fact_gate::FactGate;
pub use facts::{Facts, GatePolicy, MissMemory, Objection, Proof, Sampling, ScopedName};
pub use file_graph::files_named_in;
pub use format::{Format, Formats, Input};
pub use isolate::{Finest, Isolation, Text, have_keys};
pub use keep::Keep;
pub use name_uses::{NameUses, blocks, name_uses};
pub use pipeline::{
    IdleReason, KIB, Method, PARSE_LIMIT, Pass, PassId, Pipeline, Reduction, SmallestDeletion,
    TINY_LIMIT, UsualAlgorithm, count_tokens, folder_reduction, idle_passes, language_of_file,
    order_for, pass_names, reduction,
};
pub use remaining_words::{RemainingWord, remaining_words};
#[cfg(any(test, feature = "testing"))]
pub use rewrite::text_after;
pub use rewrite::{BuiltIn, BuiltIns, RewriteKind, RuleError, Rules, WordList};
pub use strategy::{
    ElementOrder, GateMode, Layout, NamePolicy, PassSelection, Strategy, TrivialInputs, Units,
};
