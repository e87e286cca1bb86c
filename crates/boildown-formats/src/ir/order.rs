//! The passes over the instructions of a module.

use boildown_document::View;
use boildown_reduce::{KIB, Method, PARSE_LIMIT, Pass, PassId, SmallestDeletion};

/// Deletes the units of a module, such as definitions, blocks, instructions and parameters, in
/// deletions of at least 1/100 of all units. The view makes right what mentions them: a use becomes
/// an operand of the deleted value, or an undefined value.
pub(crate) const COARSE_INSTRUCTIONS: PassId = PassId::new("coarse instructions", 0);

/// [`COARSE_INSTRUCTIONS`], in deletions of any size.
pub(crate) const INSTRUCTIONS: PassId = PassId::new("instructions", 0);

/// Deletes the units that a module does the same without, several at once: see
/// [`IdleUnits`](boildown_document::writable_module::IdleUnits).
pub(crate) const IDLE_INSTRUCTIONS: PassId = PassId::new("idle instructions", 0);

/// Deletes each single unit of a module.
pub(crate) const EACH_INSTRUCTION: PassId = PassId::new("each instruction", 0);

/// Only from this size: coarse deletions of instructions. Of what is left in a later round, the
/// next pass has the same deletions.
const COARSE_FROM: usize = 4 * KIB;

/// Returns the passes over the instructions of a module, in the order in which they begin: two
/// over the tree of its units, one over those that it does the same without, and the sweep.
pub(crate) fn instructions(view: View) -> [Pass; 4] {
    let pass = |id, method| Pass::new(id, view, method).below(PARSE_LIMIT);
    let tree = Method::Tree;
    [
        pass(COARSE_INSTRUCTIONS, tree(SmallestDeletion::OneIn(100))).starting_at(COARSE_FROM),
        pass(INSTRUCTIONS, tree(SmallestDeletion::OneToken)),
        pass(IDLE_INSTRUCTIONS, Method::IdleUnits),
        pass(EACH_INSTRUCTION, Method::Window(1)),
    ]
}

/// Marks the passes over trees as those that the sweep over the same units follows, so that they
/// are not needed again in later rounds.
pub(crate) fn with_trees_once(passes: impl IntoIterator<Item = Pass>) -> Vec<Pass> {
    let passes = passes.into_iter().map(|pass| match pass.method {
        Method::Tree(_) => pass.once(),
        _ => pass,
    });
    passes.collect()
}

/// Returns the order for the language of a module without the passes that are of no use for any
/// module in text.
pub(crate) fn for_modules(mut usual: Vec<Pass>) -> Vec<Pass> {
    usual.retain(|pass| {
        let is_useless = match pass.id {
            // What is joined is hard to read, each hit is a reason to run all passes again, and two
            // instructions on a line would be one unit then.
            PassId::REWRITING_JOINS | PassId::LAYOUT => true,
            // Digits and letters of strings are not worth a test each.
            PassId::REWRITING_LETTERS => true,
            // A body without instructions is no body; the view makes declarations.
            PassId::BODIES | PassId::UNUSED_AFTER_BODIES => true,
            // None of these texts is a module.
            PassId::REWRITING_WHOLE => true,
            // No tool that reads a module cares about columns.
            _ => pass.is_of_columns(),
        };
        !is_useless
    });
    // The sweeps over instructions are the proof; of tokens, only those are tried that the gates
    // admit.
    Pass::checked(usual)
}
