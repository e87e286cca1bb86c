//! The orders for modules of SPIR-V.

use crate::document::View;
use crate::formats::ir::{instructions, with_trees_once};
use crate::pipeline::{Method, PARSE_LIMIT, Pass, PassId, SmallestDeletion};

/// Returns the order for modules in text: instructions, then groups, lines and words.
pub(super) fn order_of_text(usual: Vec<Pass>) -> Vec<Pass> {
    let mut passes = order_of_instructions();
    passes.extend(Pass::checked(usual));
    passes
}

/// Returns the order for modules as binaries: instructions, then words wherever they are, then that
/// of binaries.
pub(super) fn order_of_binary(usual: Vec<Pass>) -> Vec<Pass> {
    let words = |id, method| {
        Pass::new(id, View::SpirvWords, method)
            .below(PARSE_LIMIT)
            .parsed()
    };
    let mut passes = order_of_instructions();
    passes.extend([
        words(PassId::Blocks, Method::Tree(SmallestDeletion::OneToken)),
        words(PassId::Words, Method::Window(1)),
    ]);
    passes.extend(usual.into_iter().map(Pass::parsed));
    passes
}

fn order_of_instructions() -> Vec<Pass> {
    let mut passes = with_trees_once(instructions(View::Spirv));
    passes.retain(|pass| pass.id != PassId::CoarseInstructions);
    passes
}
