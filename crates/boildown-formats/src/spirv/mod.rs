//! SPIR-V, in text and as a binary.
//!
//! - `facts.rs`, `header.rs`, `structure.rs`: what a candidate is compared by
//! - `order.rs`: the passes over a module

mod facts;
mod header;
mod order;
mod structure;
#[cfg(test)]
pub(super) mod tests;
mod view;

use boildown_document::View;
use boildown_reduce::{Facts, Format, GatePolicy, Input, MissMemory, PARSE_LIMIT, Pass, Sampling};

use view::{INSTRUCTIONS, WORDS, is_spirv_binary, spirv_text};

/// Modules of SPIR-V in text, as `spirv-dis` writes them.
#[derive(Debug)]
pub(super) struct Spirv;

impl Format for Spirv {
    fn name(&self) -> &'static str {
        "SPIR-V"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        let start = &input.bytes[..input.bytes.len().min(PARSE_LIMIT)];
        let is_model = |window: &[u8]| window == b"OpMemoryModel";
        input.is_plain_text() && start.windows(13).any(is_model)
    }

    fn views(&self) -> Vec<View> {
        vec![INSTRUCTIONS]
    }

    fn order(&self, _input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        order::order_of_text(usual)
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            malformed: Sampling::Strict,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        facts::facts(text)
    }
}

/// Modules of SPIR-V as binaries.
#[derive(Debug)]
pub(super) struct SpirvBinary;

impl Format for SpirvBinary {
    fn name(&self) -> &'static str {
        "SPIR-V binary"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.language.is_none() && is_spirv_binary(input.bytes)
    }

    fn views(&self) -> Vec<View> {
        vec![WORDS]
    }

    fn order(&self, _input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        order::order_of_binary(usual)
    }

    fn gate(&self, input: &Input<'_>) -> Option<GatePolicy> {
        spirv_text(input.bytes).map(|_| GatePolicy {
            gated_from: 0,
            misses: MissMemory::Nothing,
            malformed: Sampling::Strict,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, binary: &[u8]) -> Facts {
        match spirv_text(binary) {
            Some(text) => facts::facts(&text),
            None => Facts::of_validity(false),
        }
    }
}
