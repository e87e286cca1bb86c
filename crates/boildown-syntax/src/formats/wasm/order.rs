//! The orders for modules of WebAssembly: items, instructions, then those of binaries or texts.

use crate::document::{ModuleUnits, View};
use crate::pipeline::{Method, PARSE_LIMIT, Pass, PassId, SmallestDeletion};
use crate::rewrite::RewriteKind;

/// Returns the order for modules in text, from that for their language: items, instructions, then,
/// of valid modules, what leaves such. First of all, instructions lose their brackets, because the
/// next passes write them as they are; some tools need brackets.
pub(super) fn order_of_text(usual: Vec<Pass>, is_valid: bool) -> Vec<Pass> {
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let forms = Pass::new(PassId::RewritingForms, View::Lines, forms).below(PARSE_LIMIT);
    let mut passes = vec![forms];
    passes.extend(modules(View::ModuleText));
    let checked = |pass: Pass| if is_valid { pass.parsed() } else { pass };
    // The width of a module does not matter, and two words that are joined are another one.
    let usual = usual.into_iter().filter(|pass| !pass.is_of_columns());
    passes.extend(usual.map(checked));
    passes
}

/// Returns the order for modules as binaries, from that for binaries.
pub(super) fn order_of_binary(usual: Vec<Pass>) -> Vec<Pass> {
    let mut passes = Vec::from(modules(View::Module));
    passes.extend(usual.into_iter().map(Pass::parsed));
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
