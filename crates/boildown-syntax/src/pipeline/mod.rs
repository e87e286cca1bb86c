//! The whole reduction of an input, as one search: a pipeline of passes.
//!
//! - `order/language.rs`, `order/text.rs`, `order/binary.rs`: the default order of the passes, for
//!   each kind of input
//! - `pass.rs`: the identities of the passes, and what each of them does
//! - `search.rs`: the search that a pass runs
//! - `run.rs`: the state machine that runs one pass after another
//! - `idle.rs`: why a selection of passes has nothing to do
//! - `state.rs`: what is carried from pass to pass

mod idle;
mod order;
mod pass;
mod run;
mod search;
mod state;

use std::sync::Arc;

use boildown_search::Subset;

use crate::document::{Document, View, words};
use crate::rewrite::{RewriteSetup, Rules};
use crate::strategy::{GateMode, Strategy, Units};
use crate::text_order::TextOrder;
use crate::{Gated, Language};
pub use idle::{IdleReason, idle_passes};
pub(crate) use order::is_binary;
use order::{PARSE_LIMIT, order_for, size_of_example};
pub use pass::PassId;
pub use run::Pipeline;

/// The search that reduces an input: a pipeline of passes behind a parse gate.
pub type Reduction = Gated<Pipeline>;

impl Reduction {
    /// Ends the pass at work and begins the next one. Later hits may bring the pass back.
    pub fn skip_pass(&mut self) {
        self.change(Pipeline::skip_pass);
    }
}

/// Returns the search that reduces a text in a language, or any input without one.
#[must_use]
pub fn reduction(
    bytes: &Arc<[u8]>,
    language: Option<&'static Language>,
    strategy: Strategy,
) -> Reduction {
    let gated = language.filter(|_| strategy.gate == GateMode::Adaptive);
    let setup = language.map(|language| {
        let rules = Rules::built_in(language).and(&strategy.rules);
        let example = match size_of_example(bytes) {
            all if all == bytes.len() => Arc::clone(bytes),
            size => bytes[..size].into(),
        };
        Arc::new(RewriteSetup::new(language, rules, strategy.names, example))
    });
    let text_order = match language {
        None if is_binary(bytes) => TextOrder::Bytes,
        _ => TextOrder::Words,
    };
    let passes = order_for(bytes, language, strategy.units);
    let pipeline = Pipeline::new(bytes, passes, text_order, strategy, setup);
    Gated::new(pipeline, gated)
}

/// Returns the names of the passes for an input, in the order in which they begin, each once.
#[must_use]
pub fn pass_names(
    bytes: &[u8],
    language: Option<&'static Language>,
    units: Units,
) -> Vec<&'static str> {
    let mut names = Vec::new();
    for pass in order_for(bytes, language, units) {
        if !names.contains(&pass.id.name()) {
            names.push(pass.id.name());
        }
    }
    names
}

/// Returns the number of tokens of an input: those of its language, else its words and other
/// visible characters. `None` for a binary. An input too large to be parsed is counted in words,
/// whatever its language.
#[must_use]
pub fn count_tokens(bytes: &Arc<[u8]>, language: Option<&'static Language>) -> Option<usize> {
    match language {
        Some(language) if bytes.len() < PARSE_LIMIT => {
            let document = Document::new(bytes, View::Syntax(language));
            Some(document.count_tokens(&Subset::full(document.len())))
        }
        _ => (!is_binary(bytes)).then(|| words(bytes, 0..bytes.len()).count()),
    }
}
