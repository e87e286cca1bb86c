//! The damage that syntax errors did to a tree: whether the grammar lost structure, and which
//! tokens there are.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::document::delimiters::partners;
use crate::document::words::{trim, words};
use crate::languages::language::Recovery;
use crate::steps::at_once;
use crate::{Language, parse};

/// An error of more bytes than this hides structure.
const SWALLOWED: usize = 256;

/// Returns whether a text has lost structure and is in a language with statements.
pub(super) fn is_division_needed(tree: &Tree, language: &Language, text: &[u8]) -> bool {
    language.recovery != Recovery::None && has_swallowed(tree, text)
}

/// Returns whether a text has lost structure when it was parsed.
pub fn is_lost(bytes: &[u8], language: &Language) -> bool {
    let tree = at_once(parse::Parser::new(language).parse(bytes));
    tree.is_none_or(|tree| has_swallowed(&tree, bytes))
}

/// Returns whether a statement has kept all of its structure.
pub(super) fn is_understood(tree: &Tree, text: &[u8]) -> bool {
    !has_swallowed(tree, text)
        && troubles(tree).all(|node| !node.is_missing() || node.kind() != ";")
}

/// Returns whether there is a large error, an error with unbalanced delimiters, or a missing
/// delimiter.
fn has_swallowed(tree: &Tree, text: &[u8]) -> bool {
    troubles(tree).any(|node| {
        let bytes = node.byte_range();
        bytes.len() > SWALLOWED || is_unbalanced(node, text)
    })
}

fn is_unbalanced(node: Node<'_>, text: &[u8]) -> bool {
    let is_delimiter = |text: &[u8]| matches!(text, b"(" | b")" | b"[" | b"]" | b"{" | b"}");
    if node.is_missing() {
        return is_delimiter(node.kind().as_bytes());
    }
    let mut texts: Vec<&[u8]> = Vec::new();
    each_token(node, |token| match token.is_error() {
        true => texts.extend(words(text, token.byte_range()).map(|word| &text[word])),
        false => texts.push(&text[token.byte_range()]),
    });
    texts.retain(|text| is_delimiter(text));
    2 * partners(texts.iter().copied()).iter().flatten().count() != texts.len()
}

/// Returns the outermost nodes that are errors or missing.
fn troubles(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = tree.walk();
    let mut is_over = false;
    std::iter::from_fn(move || {
        while !is_over {
            let node = cursor.node();
            let is_one = node.is_error() || node.is_missing();
            if is_one || !node.has_error() || !cursor.goto_first_child() {
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        is_over = true;
                        break;
                    }
                }
            }
            if is_one {
                return Some(node);
            }
        }
        None
    })
}

/// Returns whether this token stands at a byte.
pub(super) fn has_token(tree: &Tree, at: usize, token: &str) -> bool {
    let node = tree.root_node().descendant_for_byte_range(at, at + 1);
    node.is_some_and(|node| node.kind() == token && node.start_byte() == at)
}

/// Returns the tokens of a text. A string or a comment is one token.
pub(super) fn tokens(tree: &Tree, bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut covered = start;
    each_token(tree.root_node(), |token| {
        let at = start + token.start_byte()..start + token.end_byte();
        // Within an error there are no nodes for tokens without a name in the grammar.
        tokens.extend(words(bytes, covered..at.start.max(covered)));
        covered = at.end;
        match token.is_error() {
            true => tokens.extend(words(bytes, at)),
            false => tokens.push(trim(bytes, at)),
        }
    });
    tokens.extend(words(
        bytes,
        covered..start + tree.root_node().end_byte().max(covered - start),
    ));
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Calls `tell` for each token of a node. A string or a comment is one token.
fn each_token<'t>(node: Node<'t>, mut tell: impl FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    let is_text = |kind: &str| {
        ["string", "comment", "char"]
            .iter()
            .any(|part| kind.contains(part))
    };
    loop {
        let node = cursor.node();
        let is_token = node.is_named() && !node.has_error() && is_text(node.kind());
        if !is_token && cursor.goto_first_child() {
            continue;
        }
        tell(node);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
