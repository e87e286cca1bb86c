//! The orders for modules of WebAssembly: items, instructions, then those of binaries or texts.

use boildown_document::View;
use boildown_reduce::{Method, PARSE_LIMIT, Pass, PassId, RewriteKind, SmallestDeletion};

use super::view::{ModuleUnits, of_binary, of_text};

/// Deletes items of a module of WebAssembly: types, imports, functions, segments, exports. A
/// function may also keep its type and lose its body. Indices are made right, and what mentions
/// a deleted item goes with it or becomes a default value.
const MODULE_ITEMS: PassId = PassId::new("module items", 0);

/// [`MODULE_ITEMS`], and instructions, parameters, results and local
/// variables. A missing operand becomes the default value of its type. In deletions of at
/// least 1/100 of all tokens.
const COARSE_MODULE: PassId = PassId::new("coarse module", 0);

/// [`COARSE_MODULE`], in deletions of any size.
const MODULE: PassId = PassId::new("module", 0);

/// Deletes each node of a module.
const MODULE_NODES: PassId = PassId::new("module nodes", 0);

/// Deletes each single unit of a module.
const MODULE_TOKENS: PassId = PassId::new("module tokens", 0);

/// Returns the order for modules in text, from that for their language: items, instructions, then,
/// of valid modules, what leaves such. First of all, instructions lose their brackets, because the
/// next passes write them as they are; some tools need brackets.
pub(super) fn order_of_text(usual: Vec<Pass>, is_valid: bool) -> Vec<Pass> {
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let forms = Pass::new(PassId::REWRITING_FORMS, View::Lines, forms).below(PARSE_LIMIT);
    let mut passes = vec![forms];
    passes.extend(modules(of_text));
    let checked = |pass: Pass| if is_valid { pass.parsed() } else { pass };
    // The width of a module does not matter, and two words that are joined are another one.
    let usual = usual.into_iter().filter(|pass| !pass.is_of_columns());
    passes.extend(usual.map(checked));
    passes
}

/// Returns the order for modules as binaries, from that for binaries. Their counts follow from
/// their items.
pub(super) fn order_of_binary(usual: Vec<Pass>) -> Vec<Pass> {
    let mut passes = Vec::from(modules(of_binary));
    let is_of_counts = |pass: &Pass| matches!(pass.id, PassId::COUNTS | PassId::RUNS_OF_BYTES);
    let usual = usual.into_iter().filter(|pass| !is_of_counts(pass));
    passes.extend(usual.map(Pass::parsed));
    passes
}

/// Returns the passes over the items and instructions of a module.
fn modules(view: fn(ModuleUnits) -> View) -> [Pass; 5] {
    let items = view(ModuleUnits::Items);
    let instructions = view(ModuleUnits::Instructions);
    let tree = Method::Tree(SmallestDeletion::OneToken);
    let coarse = Method::Tree(SmallestDeletion::OneIn(100));
    [
        Pass::new(MODULE_ITEMS, items, tree),
        Pass::new(COARSE_MODULE, instructions, coarse),
        Pass::new(MODULE, instructions, tree),
        Pass::new(MODULE_NODES, instructions, Method::Nodes),
        Pass::new(MODULE_TOKENS, instructions, Method::Window(1)),
    ]
}
