//! The order for modules of MLIR.

use crate::candidate::Check;
use crate::document::View;
use crate::formats::ir::{for_modules, instructions, with_trees_once};
use crate::pipeline::{Method, PARSE_LIMIT, Pass, PassId, TINY_LIMIT};
use crate::rewrite::RewriteKind;

/// Returns the order for a module, from that for its language: operations first, their proof last.
pub(super) fn order(usual: Vec<Pass>) -> Vec<Pass> {
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let forms = Pass::new(PassId::RewritingForms, View::Lines, forms);
    let mut passes = vec![forms.below(PARSE_LIMIT).swept()];
    // What else there is to delete, such as attributes, is deleted before the proof.
    let is_proof = |pass: &Pass| pass.id == PassId::EachInstruction;
    let operations = with_trees_once(instructions(View::Mlir));
    let (proof, operations): (Vec<_>, Vec<_>) = operations.into_iter().partition(is_proof);
    passes.extend(operations);
    passes.extend(for_modules(usual).into_iter().map(|mut pass| {
        // New names would have to be proved again.
        pass.is_swept |= pass.id == PassId::RewritingNames;
        pass
    }));
    // A tiny module may be more than what is needed: one that is none shows that.
    let brackets = passes.iter().find(|pass| pass.id == PassId::Delimiters);
    let brackets = brackets.map(|pass| Pass {
        id: PassId::DelimitersUnparsed,
        check: Check::Nothing,
        ..pass.clone().below(TINY_LIMIT)
    });
    passes.extend(brackets);
    passes.extend(proof);
    passes
}
