//! The order for texts in a language: large deletions first, then rewriting, then the proof.

use boildown_search::algorithms::Algorithm;

use super::limits::{KIB, MIB, PARSE_LIMIT, TINY_LIMIT};
use crate::Language;
use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};
use crate::rewrite::{RewriteKind, has_macros};
use crate::stubs::stub;
use crate::unused::mark;

/// Only from this size: an order by expected gain. Of smaller inputs nearly all queries have to be
/// asked anyway.
const EXPECTED_GAIN_FROM: usize = 64 * KIB;

/// Only below this size: rewriting.
const REWRITE_LIMIT: usize = MIB;

/// Only below this size: passes over the characters of words and of white space.
const CHARACTERS_LIMIT: usize = 64 * KIB;

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

/// Returns the order for a language, from that for all of them.
fn for_language(mut passes: Vec<Pass>, language: &Language) -> Vec<Pass> {
    passes.retain(|pass| pass.id != PassId::RewritingBodies || stub(language).is_some());
    passes.retain(|pass| pass.id != PassId::RewritingExports || mark(language).is_some());
    passes.retain(|pass| pass.id != PassId::RewritingMacros || has_macros(language));
    passes
}
