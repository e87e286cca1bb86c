//! The order for modules of MLIR.

use boildown_document::{Check, View};
use boildown_reduce::{Method, PARSE_LIMIT, Pass, PassId, RewriteKind, TINY_LIMIT};

use super::view::OPERATIONS;
use crate::ir::{EACH_INSTRUCTION, for_modules, instructions, with_trees_once};

/// [`PassId::DELIMITERS`], although the rest does not look like a module. For inputs
/// below 128 bytes.
const DELIMITERS_UNPARSED: PassId = PassId::new("delimiters", 0);

/// Returns the order for a module, from that for its language: operations first, their proof last.
pub(super) fn order(usual: Vec<Pass>) -> Vec<Pass> {
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let forms = Pass::new(PassId::REWRITING_FORMS, View::Lines, forms);
    let mut passes = vec![forms.below(PARSE_LIMIT).once()];
    // What else there is to delete, such as attributes, is deleted before the proof.
    let is_proof = |pass: &Pass| pass.id == EACH_INSTRUCTION;
    let operations = with_trees_once(instructions(OPERATIONS));
    let (proof, operations): (Vec<_>, Vec<_>) = operations.into_iter().partition(is_proof);
    passes.extend(operations);
    passes.extend(for_modules(usual).into_iter().map(|mut pass| {
        // New names would have to be proved again.
        pass.is_once |= pass.id == PassId::REWRITING_NAMES;
        // The passes over operations have come before those over words.
        pass.is_about_details = matches!(pass.view, View::Syntax(_));
        pass
    }));
    // A tiny module may be more than what is needed: one that is none shows that.
    let brackets = passes.iter().find(|pass| pass.id == PassId::DELIMITERS);
    let brackets = brackets.map(|pass| Pass {
        id: DELIMITERS_UNPARSED,
        check: Check::Nothing,
        ..pass.clone().below(TINY_LIMIT)
    });
    passes.extend(brackets);
    passes.extend(proof.into_iter().map(|pass| Pass {
        is_repeated: true,
        ..pass
    }));
    passes
}
