//! WebAssembly, as a binary and in text.

mod order;
#[cfg(test)]
pub(super) mod tests;
mod view;

use boildown_document::View;
use boildown_reduce::{Facts, Format, GatePolicy, Input, MissMemory, Pass};

use view::{
    ModuleUnits, is_overwritten, is_valid, is_valid_text, of_binary, of_text, without_brackets,
};

/// Modules of WebAssembly as binaries.
#[derive(Debug)]
pub(super) struct Wasm;

impl Format for Wasm {
    fn name(&self) -> &'static str {
        "WebAssembly"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.language.is_none() && input.bytes.starts_with(b"\0asm")
    }

    fn views(&self) -> Vec<View> {
        views_by(of_binary)
    }

    fn order(&self, _input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        order::order_of_binary(usual)
    }

    fn gate(&self, input: &Input<'_>) -> Option<GatePolicy> {
        is_valid(input.bytes).then_some(GatePolicy {
            gated_from: 0,
            misses: MissMemory::Nothing,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, module: &[u8]) -> Facts {
        Facts::of_validity(is_valid(module))
    }

    fn is_vain(&self, candidate: &[u8], best: &[u8]) -> bool {
        is_overwritten(best, candidate)
    }
}

/// Modules of WebAssembly in text.
#[derive(Debug)]
pub(super) struct WasmText;

impl Format for WasmText {
    fn name(&self) -> &'static str {
        "WebAssembly text"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in("S-expressions") && begins_like_a_module(input.bytes)
    }

    fn views(&self) -> Vec<View> {
        views_by(of_text)
    }

    fn order(&self, input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        order::order_of_text(usual, is_valid_text(input.bytes))
    }

    fn gate(&self, input: &Input<'_>) -> Option<GatePolicy> {
        is_valid_text(input.bytes).then_some(GatePolicy {
            gated_from: 0,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        Facts::of_validity(is_valid_text(text))
    }

    /// Returns a module with its instructions one after another, without brackets.
    fn own_forms(&self, text: &[u8]) -> Vec<Vec<u8>> {
        Vec::from_iter(without_brackets(text))
    }
}

/// Returns the views of each kind of units; none in builds that cannot read modules.
fn views_by(view: fn(ModuleUnits) -> View) -> Vec<View> {
    let units = ModuleUnits::ALL.into_iter();
    units.filter(|_| cfg!(feature = "wasm")).map(view).collect()
}

/// Returns whether a text begins with `(module`, after white space and comments.
fn begins_like_a_module(text: &[u8]) -> bool {
    let mut rest = text.trim_ascii_start();
    loop {
        let end = match rest.get(..2) {
            Some(b";;") => rest.iter().position(|&byte| byte == b'\n'),
            Some(b"(;") => rest.windows(2).position(|window| window == b";)"),
            _ => break,
        };
        let Some(end) = end else {
            return false;
        };
        rest = rest[end..].trim_ascii_start();
        rest = rest.strip_prefix(b";)").unwrap_or(rest).trim_ascii_start();
    }
    let inside = rest.strip_prefix(b"(").unwrap_or_default();
    let inside = inside.trim_ascii_start().strip_prefix(b"module");
    inside.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}
