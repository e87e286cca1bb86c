//! The order for texts in a language: large deletions first, then rewriting, then the proof.

use boildown_search::algorithms::Algorithm;

use super::limits::{KIB, MIB, PARSE_LIMIT};
use crate::Language;
use crate::candidate::Check;
use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};
use crate::rewrite::{RewriteKind, has_macros};
use crate::stubs::stub;
use crate::unused::mark;

/// Only from this size: an order by expected gain. Of smaller inputs nearly all queries have to be
/// asked anyway.
const EXPECTED_GAIN_FROM: usize = 64 * KIB;

/// Only from this size: coarse deletions of instructions. Of what is left in a later round, the
/// next pass has the same deletions.
const COARSE_FROM: usize = 4 * KIB;

/// Only below this size: rewriting.
const REWRITE_LIMIT: usize = MIB;

/// Only below this size: passes over the characters of words and of white space.
const CHARACTERS_LIMIT: usize = 64 * KIB;

/// Only below this size: comment-prefix deletion, and deleting nodes whose removal breaks the
/// syntax.
const TINY_LIMIT: usize = 128;

/// Returns the passes over the texts of a folder as one input, the main language of which is given:
/// those that find something across files. What is left is reduced file by file.
pub(in crate::pipeline) fn order_of_joined(language: &'static Language) -> Vec<Pass> {
    let parsed = |id, method| Pass::new(id, View::Syntax(language), method).parsed();
    let one_in = SmallestDeletion::OneIn;
    vec![
        // First, because it deletes whole files, whatever their definitions are used for.
        parsed(PassId::ExpectedGain, Method::ExpectedGain(one_in(2000)))
            .starting_at(EXPECTED_GAIN_FROM),
        parsed(PassId::UnusedLarge, Method::Unused(one_in(100))),
        parsed(PassId::CoarseTree, Method::Tree(one_in(100))),
        parsed(PassId::FilesWithMentions, Method::FilesWithMentions),
        parsed(PassId::UnusedAfterCoarseTree, Method::Unused(one_in(1000))),
        parsed(PassId::FineTree, Method::Tree(one_in(1000))),
        parsed(PassId::UnusedAfterFineTree, Method::Unused(one_in(1000))),
        parsed(PassId::Tree, Method::Tree(SmallestDeletion::OneToken)),
        parsed(PassId::Rewriting, Method::Rewrites(RewriteKind::Smaller)).below(REWRITE_LIMIT),
        parsed(
            PassId::InlinedFiles,
            Method::Rewrites(RewriteKind::InlinedFiles),
        )
        .below(REWRITE_LIMIT),
    ]
}

pub(super) fn order(language: &'static Language) -> Vec<Pass> {
    let syntax = |id, method| Pass::new(id, View::Syntax(language), method);
    let parsed = |id, method| syntax(id, method).parsed().below(PARSE_LIMIT);
    let unparsed = |id, method| syntax(id, method).below(PARSE_LIMIT);
    let letters = View::Letters(language);
    let spaces = View::Spaces(language);
    let characters = |id, view, method| {
        let pass = Pass::new(id, view, method);
        pass.parsed().below(CHARACTERS_LIMIT)
    };
    let one_in = SmallestDeletion::OneIn;
    let any = SmallestDeletion::OneToken;
    let halving = Method::List(Algorithm::HALVING);
    let rewrites = Method::Rewrites;
    let passes = vec![
        Pass::new(PassId::Lines, View::Lines, halving).starting_at(PARSE_LIMIT),
        Pass {
            view: View::Lines,
            ..unparsed(PassId::RewritingWhole, rewrites(RewriteKind::WholeInput))
        },
        unparsed(PassId::Comments, Method::Comments(one_in(1000))).starting_at(EXPECTED_GAIN_FROM),
        parsed(PassId::UnusedLarge, Method::Unused(one_in(100))),
        unparsed(PassId::Bodies, Method::Bodies(one_in(1000))).starting_at(EXPECTED_GAIN_FROM),
        parsed(PassId::UnusedAfterBodies, Method::Unused(one_in(1000)))
            .starting_at(EXPECTED_GAIN_FROM),
        parsed(PassId::ExpectedGain, Method::ExpectedGain(one_in(2000)))
            .starting_at(EXPECTED_GAIN_FROM),
        Pass::new(PassId::Blocks, View::Blocks, Method::Tree(one_in(100)))
            .below(EXPECTED_GAIN_FROM),
        parsed(PassId::RewritingBodies, Method::Stubs(one_in(100)))
            .starting_at(KIB)
            .below(REWRITE_LIMIT),
        parsed(PassId::RewritingExports, Method::Exported(one_in(20)))
            .starting_at(KIB)
            .below(REWRITE_LIMIT),
        // In later rounds the sweep over all nodes finds as much as the passes over the tree.
        parsed(PassId::CoarseTree, Method::Tree(one_in(100))).swept(),
        parsed(PassId::UnusedAfterCoarseTree, Method::Unused(one_in(1000))),
        parsed(
            PassId::RewritingMacros,
            rewrites(RewriteKind::ExpandedMacros),
        )
        .below(REWRITE_LIMIT),
        parsed(PassId::FineTree, Method::Tree(one_in(1000))).swept(),
        parsed(PassId::UnusedAfterFineTree, Method::Unused(one_in(1000))),
        parsed(PassId::Tree, Method::Tree(any)).swept(),
        parsed(PassId::PairsOfTokens, Method::Window(2)).below(MIB),
        parsed(PassId::TriplesOfTokens, Method::Window(3)).below(MIB),
        parsed(PassId::Rewriting, rewrites(RewriteKind::Smaller)).below(REWRITE_LIMIT),
        parsed(
            PassId::RewritingNames,
            rewrites(RewriteKind::CanonicalNames),
        )
        .below(REWRITE_LIMIT),
        characters(PassId::RewritingLetters, letters, Method::Letters),
        characters(PassId::Layout, spaces, Method::Layout),
        characters(PassId::Spaces, spaces, halving),
        parsed(PassId::Nodes, Method::Nodes),
        unparsed(PassId::NodesUnparsed, Method::Nodes).below(TINY_LIMIT),
        unparsed(PassId::Delimiters, Method::Delimiters),
        unparsed(PassId::Tokens, Method::Window(1)),
        Pass::new(
            PassId::CommentPrefixes,
            View::Bytes(1),
            Method::CommentPrefixes(language),
        )
        .below(TINY_LIMIT),
        // Last: words that are made of several tokens cannot be taken apart any more.
        parsed(
            PassId::RewritingWidths,
            rewrites(RewriteKind::WidthPreserving),
        )
        .below(REWRITE_LIMIT),
        unparsed(PassId::RewritingJoins, rewrites(RewriteKind::Joined)).below(REWRITE_LIMIT),
    ];
    for_language(passes, language)
}

/// Returns the order for a module of LLVM IR. Coarse deletions are worth their tests only where
/// there are hundreds of short definitions: in modules with debug information.
pub(super) fn order_of_ir(language: &'static Language, bytes: &[u8]) -> Vec<Pass> {
    let unit = b"!DICompileUnit";
    let has_debug_information = bytes.windows(unit.len()).any(|window| window == unit);
    let mut passes = order(language);
    passes.retain(|pass| has_debug_information || pass.id != PassId::CoarseInstructions);
    passes
}

/// Returns the order for a language, from that for all of them.
fn for_language(mut passes: Vec<Pass>, language: &Language) -> Vec<Pass> {
    passes.retain(|pass| pass.id != PassId::RewritingBodies || stub(language).is_some());
    passes.retain(|pass| pass.id != PassId::RewritingExports || mark(language).is_some());
    passes.retain(|pass| pass.id != PassId::RewritingMacros || has_macros(language));
    if language.name == "SMT-LIB" {
        rewrite_early(&mut passes);
        // Of a script, the width of a term does not matter, and what is joined is hard to read:
        // `0x` for `0 x`. Each hit is a reason to run all passes again. A few characters are no
        // script.
        passes.retain(|pass| !is_of_columns(pass) && pass.id != PassId::RewritingWhole);
        passes = checked(passes);
    }
    if language.name == "Verilog" {
        // Its tools do not care about columns either, and all of them begin with a parser.
        passes.retain(|pass| !is_of_columns(pass) && pass.id != PassId::RewritingWhole);
        passes = checked(passes);
    }
    if language.name == "SQL" {
        // A script that is lost is divided into statements and clauses: into more than blocks.
        passes.retain(|pass| pass.id != PassId::Blocks);
    }
    let module = match language.name {
        "LLVM IR" => Some(View::LlvmIr),
        "MLIR" => Some(View::Mlir),
        _ => None,
    };
    match module {
        Some(view) => order_of_module(passes, view),
        None => passes,
    }
}

/// Returns whether a pass only keeps the width of a text, or joins its words.
pub(super) fn is_of_columns(pass: &Pass) -> bool {
    matches!(pass.id, PassId::RewritingWidths | PassId::RewritingJoins)
}

/// Returns whether a pass only saves tests of those after it, or makes up for what they cannot
/// delete in a text whose statements depend on each other.
fn is_of_large_texts(pass: &Pass) -> bool {
    matches!(
        pass.id,
        PassId::UnusedLarge
            | PassId::UnusedAfterCoarseTree
            | PassId::UnusedAfterFineTree
            | PassId::CoarseTree
            | PassId::FineTree
            | PassId::PairsOfTokens
            | PassId::TriplesOfTokens
    )
}

/// Returns the order for a module in text, from that for its language: instructions first.
fn order_of_module(mut passes: Vec<Pass>, view: View) -> Vec<Pass> {
    // What is joined is hard to read, each hit is a reason to run all passes again, and two
    // instructions on a line would be one unit then.
    passes.retain(|pass| !matches!(pass.id, PassId::RewritingJoins | PassId::Layout));
    // No tool that reads a module cares about columns, and digits and letters of strings are not
    // worth a test each.
    passes.retain(|pass| !is_of_columns(pass) && pass.id != PassId::RewritingLetters);
    if view == View::Mlir {
        // New names would have to be proved again.
        let names = passes
            .iter_mut()
            .filter(|pass| pass.id == PassId::RewritingNames);
        names.for_each(|pass| pass.is_swept = true);
    }
    if view == View::LlvmIr {
        // What nothing mentions is deleted with the instructions, and what is left is short.
        passes.retain(|pass| !is_of_large_texts(pass));
    }
    // A body without instructions is no body; the view makes declarations.
    passes.retain(|pass| !matches!(pass.id, PassId::Bodies | PassId::UnusedAfterBodies));
    // The sweeps over instructions are the proof; of tokens, only those are tried that the gates
    // admit.
    let mut passes = checked(passes);
    // None of these texts is a module.
    passes.retain(|pass| pass.id != PassId::RewritingWhole);
    passes.splice(0..0, instructions(view));
    let forms = Method::Rewrites(RewriteKind::OwnForms);
    let forms = Pass::new(PassId::RewritingForms, View::Lines, forms).below(PARSE_LIMIT);
    if view == View::LlvmIr {
        passes.insert(0, forms.clone().swept());
    }
    if view == View::Mlir {
        // The proof comes last: what else there is to delete, such as attributes, is deleted
        // before it.
        let is_proof = |pass: &Pass| pass.id == PassId::EachInstruction;
        let (proof, others): (Vec<_>, Vec<_>) = passes.into_iter().partition(is_proof);
        // A tiny module may be more than what is needed: one that is none shows that.
        let brackets = others.iter().filter(|pass| pass.id == PassId::Delimiters);
        let brackets = brackets.map(|pass| Pass {
            id: PassId::DelimitersUnparsed,
            check: Check::Nothing,
            ..pass.clone().below(TINY_LIMIT)
        });
        let brackets = brackets.collect();
        passes = [vec![forms.swept()], others, brackets, proof].concat();
    }
    passes
}

/// Returns passes whose candidates go through the gates.
fn checked(passes: Vec<Pass>) -> Vec<Pass> {
    // A compact layout joins lines.
    let is_free = |pass: &Pass| matches!(pass.id, PassId::RewritingWhole | PassId::Spaces);
    let checked = passes.into_iter().map(|pass| match is_free(&pass) {
        true => pass,
        false => pass.parsed(),
    });
    checked.collect()
}

/// Moves rewriting before the fine deletions. Terms of SMT-LIB can rarely be deleted, because
/// operations have fixed numbers of arguments; but each can become a value of its sort.
fn rewrite_early(passes: &mut [Pass]) {
    let index_of = |id| passes.iter().position(|pass| pass.id == id);
    if let (Some(from), Some(to)) = (index_of(PassId::Rewriting), index_of(PassId::FineTree)) {
        passes[to..=from].rotate_right(1);
    }
}

/// Returns the passes over the instructions of a module in text.
pub(super) fn instructions(view: View) -> Vec<Pass> {
    let pass = |id, method| Pass::new(id, view, method).below(PARSE_LIMIT);
    let tree = Method::Tree;
    let coarse = Method::Tree(SmallestDeletion::OneIn(100));
    // Of LLVM IR, single units that go are rare until all that uses them is gone.
    let (code, smallest) = match view {
        View::LlvmIr => (View::LlvmCode, SmallestDeletion::TwoTokens),
        view => (view, SmallestDeletion::OneToken),
    };
    let passes = [
        Pass::new(PassId::CoarseInstructions, code, coarse)
            .below(PARSE_LIMIT)
            .starting_at(COARSE_FROM),
        pass(PassId::Instructions, tree(smallest)),
        pass(PassId::IdleInstructions, Method::IdleUnits),
        pass(PassId::EachInstruction, Method::Window(1)),
    ];
    let is_once = view != View::Rtlil;
    let passes = passes.map(|pass| match pass.method {
        Method::Tree(_) if is_once => pass.swept(),
        _ => pass,
    });
    let mut passes = Vec::from(passes);
    if view == View::LlvmIr {
        let zeros = Pass::new(PassId::ZeroOperands, View::LlvmZeros, Method::Window(1));
        passes.push(zeros.below(PARSE_LIMIT));
    }
    passes
}
