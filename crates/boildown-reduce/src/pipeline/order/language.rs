//! The order for texts in a language: large deletions first, then rewriting, then the proof.

use boildown_document::{Language, View};

use super::limits::{KIB, MIB, PARSE_LIMIT, TINY_LIMIT};
use crate::pipeline::pass::{Method, Pass, SmallestDeletion, UsualAlgorithm};
use crate::pipeline::pass_id::PassId;
use crate::rewrite::{RewriteKind, has_macros};

/// Only from this size: an order by expected gain. Of smaller inputs nearly all queries have to be
/// asked anyway.
pub(in crate::pipeline) const EXPECTED_GAIN_FROM: usize = 64 * KIB;

/// Only below this size: rewriting.
const REWRITE_LIMIT: usize = MIB;

/// Only below this size: passes over the characters of words and of white space.
const CHARACTERS_LIMIT: usize = 64 * KIB;

/// From this size on, in bytes, passes over a single text take turns. What a smaller input is asked
/// about takes less time than finding out who should ask.
const TURNS_FROM: usize = 512 * KIB;

/// Returns the passes over the texts of a folder as one input, the main language of which is given:
/// those that find something across files. What is left is reduced file by file.
pub(in crate::pipeline) fn order_of_joined(language: &'static Language) -> Vec<Pass> {
    let parsed = |id, method| Pass::new(id, View::Syntax(language), method).parsed();
    let one_in = SmallestDeletion::OneIn;
    let large = |id, method| {
        let pass = parsed(id, method).starting_at(EXPECTED_GAIN_FROM);
        pass.in_turns_from(EXPECTED_GAIN_FROM)
    };
    vec![
        // First, because it deletes whole files, whatever their definitions are used for.
        large(PassId::EXPECTED_GAIN, Method::ExpectedGain(one_in(2000))),
        large(PassId::COMMENTS, Method::Comments(one_in(1000))).whole(),
        // Where most files are needed, most of what their functions do is not.
        large(PassId::BODIES, Method::Bodies(one_in(100))).whole(),
        large(PassId::REWRITING_BODIES, Method::Stubs(one_in(100))).whole(),
        parsed(PassId::UNUSED_LARGE, Method::Unused(one_in(100)))
            .in_turns_from(EXPECTED_GAIN_FROM)
            .whole(),
        parsed(PassId::COARSE_TREE, Method::Tree(one_in(100))),
        parsed(PassId::FILES_WITH_MENTIONS, Method::FilesWithMentions),
        parsed(
            PassId::UNUSED_AFTER_COARSE_TREE,
            Method::Unused(one_in(1000)),
        ),
        parsed(PassId::FINE_TREE, Method::Tree(one_in(1000))),
        parsed(PassId::UNUSED_AFTER_FINE_TREE, Method::Unused(one_in(1000))),
        parsed(PassId::TREE, Method::Tree(SmallestDeletion::OneToken)),
        parsed(PassId::REWRITING, Method::Rewrites(RewriteKind::Smaller)).below(REWRITE_LIMIT),
        parsed(
            PassId::INLINED_FILES,
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
    let halving = Method::List(UsualAlgorithm::Halving);
    let rewrites = Method::Rewrites;
    let passes = vec![
        unparsed(PassId::REPORTED, Method::Reported).once(),
        Pass::new(PassId::LINES, View::Lines, halving).starting_at(PARSE_LIMIT),
        Pass {
            view: View::Lines,
            ..unparsed(PassId::REWRITING_WHOLE, rewrites(RewriteKind::WholeInput))
        },
        unparsed(PassId::COMMENTS, Method::Comments(one_in(1000))).starting_at(EXPECTED_GAIN_FROM),
        parsed(PassId::UNUSED_LARGE, Method::Unused(one_in(100))).in_turns_from(TURNS_FROM),
        unparsed(PassId::BODIES, Method::Bodies(one_in(1000)))
            .starting_at(EXPECTED_GAIN_FROM)
            .in_turns_from(TURNS_FROM),
        parsed(PassId::UNUSED_AFTER_BODIES, Method::Unused(one_in(1000)))
            .starting_at(EXPECTED_GAIN_FROM),
        parsed(PassId::EXPECTED_GAIN, Method::ExpectedGain(one_in(2000)))
            .starting_at(EXPECTED_GAIN_FROM)
            .in_turns_from(TURNS_FROM),
        Pass::new(PassId::BLOCKS, View::Blocks, Method::Tree(one_in(100)))
            .below(EXPECTED_GAIN_FROM),
        parsed(PassId::REWRITING_BODIES, Method::Stubs(one_in(100)))
            .starting_at(KIB)
            .below(REWRITE_LIMIT),
        parsed(PassId::REWRITING_EXPORTS, Method::Exported(one_in(20)))
            .starting_at(KIB)
            .below(REWRITE_LIMIT),
        // In later rounds the sweep over all nodes finds as much as the passes over the tree.
        parsed(PassId::COARSE_TREE, Method::Tree(one_in(100))).once(),
        parsed(
            PassId::UNUSED_AFTER_COARSE_TREE,
            Method::Unused(one_in(1000)),
        ),
        parsed(
            PassId::REWRITING_MACROS,
            rewrites(RewriteKind::ExpandedMacros),
        )
        .below(REWRITE_LIMIT),
        Pass::new(PassId::LONG_WORDS, View::LongWords, halving),
        parsed(PassId::FINE_TREE, Method::Tree(one_in(1000))).once(),
        parsed(PassId::UNUSED_AFTER_FINE_TREE, Method::Unused(one_in(1000))),
        unparsed(PassId::EQUAL_TOKENS, Method::EqualTokens).once(),
        parsed(PassId::TREE, Method::Tree(any)).once(),
        unparsed(PassId::COLUMNS, Method::Columns),
        parsed(PassId::NEIGHBOURS, Method::Neighbours).below(MIB),
        parsed(PassId::REWRITING, rewrites(RewriteKind::Smaller)).below(REWRITE_LIMIT),
        parsed(
            PassId::REWRITING_NAMES,
            rewrites(RewriteKind::CanonicalNames),
        )
        .below(REWRITE_LIMIT),
        characters(PassId::REWRITING_LETTERS, letters, Method::Letters),
        characters(PassId::LAYOUT, spaces, Method::Layout),
        characters(PassId::SPACES, spaces, halving),
        parsed(PassId::NODES, Method::Nodes),
        unparsed(PassId::NODES_UNPARSED, Method::Nodes).below(TINY_LIMIT),
        unparsed(PassId::DELIMITERS, Method::Delimiters),
        unparsed(PassId::TOKENS, Method::Window(1)),
        Pass::new(
            PassId::COMMENT_PREFIXES,
            View::Bytes(1),
            Method::CommentPrefixes(language),
        )
        .below(TINY_LIMIT),
        // Last: words that are made of several tokens cannot be taken apart any more.
        parsed(
            PassId::REWRITING_WIDTHS,
            rewrites(RewriteKind::WidthPreserving),
        )
        .below(REWRITE_LIMIT),
        unparsed(PassId::REWRITING_JOINS, rewrites(RewriteKind::Joined)).below(REWRITE_LIMIT),
    ];
    for_language(passes, language)
}

/// Returns the order for a language, from that for all of them.
fn for_language(mut passes: Vec<Pass>, language: &Language) -> Vec<Pass> {
    passes.retain(|pass| pass.id != PassId::REWRITING_BODIES || language.stub.is_some());
    passes.retain(|pass| pass.id != PassId::REWRITING_EXPORTS || language.export_mark.is_some());
    passes.retain(|pass| pass.id != PassId::REWRITING_MACROS || has_macros(language));
    passes
}
