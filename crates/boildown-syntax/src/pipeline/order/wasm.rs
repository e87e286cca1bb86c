//! The order for modules of WebAssembly: items, instructions, then that of binaries.

use super::binary;
use super::language::is_of_columns;
use super::limits::PARSE_LIMIT;
use crate::document::{ModuleUnits, View};
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};
use crate::rewrite::RewriteKind;

/// Returns whether an input begins like a module.
pub(in crate::pipeline) fn is_wasm(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0asm")
}

/// Returns whether a text begins like a module: with `(module`, after white space and comments.
pub(in crate::pipeline) fn is_wat(text: &[u8]) -> bool {
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

/// Returns the order for modules in text, from that for their language: items, instructions, then,
/// of valid modules, what leaves such. First of all, instructions lose their brackets, because the
/// next passes write them as they are; some tools need brackets.
pub(super) fn order_of_text(language: Vec<Pass>, is_valid: bool) -> Vec<Pass> {
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let forms = Pass::new(PassId::RewritingForms, View::Lines, forms).below(PARSE_LIMIT);
    let mut passes = vec![forms];
    passes.extend(modules(View::ModuleText));
    let checked = |pass: Pass| if is_valid { pass.parsed() } else { pass };
    // The width of a module does not matter, and two words that are joined are another one.
    let language = language
        .into_iter()
        .filter(|pass| !is_of_columns(pass) && pass.id != PassId::RewritingForms);
    passes.extend(language.map(checked));
    passes
}

pub(super) fn order() -> Vec<Pass> {
    let mut passes = Vec::from(modules(View::Module));
    passes.extend(binary::order().into_iter().map(Pass::parsed));
    passes
}

/// Returns the passes over the items and instructions of a module.
fn modules(view: fn(ModuleUnits) -> View) -> [Pass; 5] {
    let items = view(ModuleUnits::Items);
    let instructions = view(ModuleUnits::Instructions);
    let tree = Method::Tree(SmallestDeletion::OneToken);
    let coarse = Method::Tree(SmallestDeletion::OneIn(100));
    [
        Pass::new(PassId::ModuleItems, items, tree),
        Pass::new(PassId::CoarseModule, instructions, coarse),
        Pass::new(PassId::Module, instructions, tree),
        Pass::new(PassId::ModuleNodes, instructions, Method::Nodes),
        Pass::new(PassId::ModuleTokens, instructions, Method::Window(1)),
    ]
}
