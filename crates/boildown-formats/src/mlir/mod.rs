//! MLIR.
//!
//! - `facts.rs`, `lines.rs`: what a candidate is compared by
//! - `order.rs`: the passes over a module

mod facts;
mod lines;
mod order;
#[cfg(test)]
pub(super) mod tests;
mod view;

use boildown_document::View;
use boildown_reduce::{Facts, Format, GatePolicy, Input, MissMemory, Objection, Pass, Sampling};

/// Modules of MLIR in text.
#[derive(Debug)]
pub(super) struct Mlir;

impl Format for Mlir {
    fn name(&self) -> &'static str {
        "MLIR"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in("MLIR")
    }

    fn views(&self) -> Vec<View> {
        vec![view::OPERATIONS]
    }

    fn order(&self, _input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        order::order(usual)
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            // The shortest function with a body has 27 bytes.
            gated_from: 32,
            misses: MissMemory::WordsAndChanges,
            // Of lines with new shapes there are thousands, and hardly any is a module. One that is
            // accepted says nothing about others. Whether the property needs a module is shown by
            // those that surely are none.
            new_form: Objection::Unfamiliar,
            malformed: Sampling::Rare,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        facts::facts(text)
    }

    /// Returns a module with operations in the forms of their dialects.
    fn own_forms(&self, text: &[u8]) -> Vec<Vec<u8>> {
        view::own_forms(&text.into())
    }
}
