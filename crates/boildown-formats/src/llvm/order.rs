//! The order for modules of LLVM IR.

use boildown_document::View;
use boildown_reduce::{Method, PARSE_LIMIT, Pass, PassId, RewriteKind, SmallestDeletion};

use super::values;
use super::view::{CODE, DEFINITIONS, ZEROS};
use crate::ir::{COARSE_INSTRUCTIONS, INSTRUCTIONS, for_modules, instructions, with_trees_once};

/// Deletes each single unit of LLVM IR; uses of a deleted value become zero. A computation
/// with `poison` is `poison`, and tools delete it.
const ZERO_OPERANDS: PassId = PassId::new("zero operands", 0);

/// Writes functions that return a value early, or get it as a parameter.
const REWRITING_VALUES: PassId = PassId::new("rewriting values", 0);

/// Returns the order for a module, from that for its language: instructions first.
pub(super) fn order(bytes: &[u8], usual: Vec<Pass>) -> Vec<Pass> {
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let values = Pass::new(REWRITING_VALUES, View::Lines, forms).below(values::LIMIT);
    let forms = Pass::new(PassId::REWRITING_FORMS, View::Lines, forms);
    let mut passes = vec![forms.below(PARSE_LIMIT).once()];
    passes.extend(with_trees_once(instructions(DEFINITIONS).map(adapted)));
    // Coarse deletions are worth their tests only where there are hundreds of short definitions: in
    // modules with debug information.
    let unit = b"!DICompileUnit";
    let has_debug_information = bytes.windows(unit.len()).any(|window| window == unit);
    passes.retain(|pass| has_debug_information || pass.id != COARSE_INSTRUCTIONS);
    let zeros = Pass::new(ZERO_OPERANDS, ZEROS, Method::Window(1));
    passes.push(zeros.below(PARSE_LIMIT));
    // What nothing mentions is deleted with the instructions, and what is left is short.
    let others = for_modules(usual).into_iter();
    passes.extend(others.filter(|pass| !is_of_large_texts(pass)));
    // Last: with a value that is returned, there is less for others to choose from.
    passes.push(values);
    passes
}

/// Returns a pass over instructions as it works for LLVM IR, of which single units that go are rare
/// until all that uses them is gone.
fn adapted(pass: Pass) -> Pass {
    match pass.id {
        COARSE_INSTRUCTIONS => Pass { view: CODE, ..pass },
        INSTRUCTIONS => Pass {
            method: Method::Tree(SmallestDeletion::TwoTokens),
            ..pass
        },
        _ => pass,
    }
}

/// Returns whether a pass only saves tests of those after it, or makes up for what they cannot
/// delete in a text whose statements depend on each other.
fn is_of_large_texts(pass: &Pass) -> bool {
    matches!(
        pass.id,
        PassId::UNUSED_LARGE
            | PassId::UNUSED_AFTER_COARSE_TREE
            | PassId::UNUSED_AFTER_FINE_TREE
            | PassId::COARSE_TREE
            | PassId::FINE_TREE
            | PassId::NEIGHBOURS
    )
}
