//! LLVM IR.
//!
//! - `facts.rs`, `signatures.rs`: what a candidate is compared by
//! - `order.rs`: the passes over a module
//! - `values.rs`: functions that return a value early, or get it as a parameter

mod facts;
mod order;
mod signatures;
#[cfg(test)]
pub(super) mod tests;
mod values;
mod view;

use boildown_document::View;
use boildown_reduce::{Facts, Format, GatePolicy, Input, Objection, Pass, Sampling};

/// Modules of LLVM IR in text.
#[derive(Debug)]
pub(super) struct LlvmIr;

impl Format for LlvmIr {
    fn name(&self) -> &'static str {
        "LLVM IR"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in("LLVM IR")
    }

    fn views(&self) -> Vec<View> {
        vec![view::DEFINITIONS, view::CODE, view::ZEROS]
    }

    fn order(&self, input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        order::order(input.bytes, usual)
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            // The shortest function with a body has 26 bytes.
            gated_from: 32,
            forms_from: GatePolicy::MANY,
            // Many modules have nothing but new neighbours.
            new_form: Objection::Unfamiliar,
            malformed: Sampling::Strict,
            unfamiliar: Some(Sampling::Strict),
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        facts::facts(text)
    }

    fn is_never_sampled(&self, candidate: &Facts, best: &Facts, size: usize) -> bool {
        facts::hides_numbers(candidate, best, size < GatePolicy::MANY)
    }

    /// Returns a module with `ptr` for all pointers, and short ones with a value in another place.
    fn own_forms(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let opaque = view::with_opaque_pointers(text);
        opaque.into_iter().chain(values::forms(text)).collect()
    }
}
