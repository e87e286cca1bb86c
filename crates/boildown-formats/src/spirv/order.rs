//! The orders for modules of SPIR-V.

use boildown_reduce::{Method, PARSE_LIMIT, Pass, PassId, SmallestDeletion};

use super::view::{INSTRUCTIONS, WORDS};
use crate::ir::{COARSE_INSTRUCTIONS, instructions, with_trees_once};

/// Returns the order for modules in text: instructions, then groups, lines and words.
pub(super) fn order_of_text(usual: Vec<Pass>) -> Vec<Pass> {
    let mut passes = order_of_instructions();
    passes.extend(Pass::checked(usual));
    passes
}

/// Returns the order for modules as binaries: instructions, then words wherever they are, then that
/// of binaries.
pub(super) fn order_of_binary(usual: Vec<Pass>) -> Vec<Pass> {
    let words = |id, method| Pass::new(id, WORDS, method).below(PARSE_LIMIT).parsed();
    let mut passes = order_of_instructions();
    passes.extend([
        words(PassId::BLOCKS, Method::Tree(SmallestDeletion::OneToken)),
        words(PassId::WORDS, Method::Window(1)),
    ]);
    passes.extend(usual.into_iter().map(Pass::parsed));
    passes
}

fn order_of_instructions() -> Vec<Pass> {
    let mut passes = with_trees_once(instructions(INSTRUCTIONS));
    passes.retain(|pass| pass.id != COARSE_INSTRUCTIONS);
    passes
}
