//! Functions that a compiler evaluates: where their heads say so.

use std::ops::Range;

use boildown_document::{Document, Language};
use boildown_search::tree::NodeId;

use crate::symbols::parents;

/// A word that says that a function can be evaluated: `constexpr` of C++.
#[derive(Debug)]
pub(super) struct ConstantHead<'a> {
    pub(super) word: usize,
    /// The name of the function, without those of what it is a member of.
    pub(super) name: &'a [u8],
    /// The declaration or definition that it is in.
    pub(super) function: NodeId,
}

/// Returns these words in the heads of all functions that are outside of bodies. `bodies` has what
/// is inside of them, in order.
pub(super) fn heads<'a>(
    document: &'a Document,
    language: &Language,
    words: &[&[u8]],
    bodies: &[Range<usize>],
) -> Vec<ConstantHead<'a>> {
    let grammar = language.grammar();
    let kinds = ["function_declarator", "operator_cast"];
    let kinds = kinds.map(|kind| grammar.id_for_node_kind(kind, true));
    let tree = document.tree();
    if kinds[0] == 0 || bodies.is_empty() {
        return Vec::new();
    }
    let is_declarator = |node: NodeId| {
        let kind = grammar.node_kind_for_id(tree.nodes[node].kind);
        kind.is_some_and(|kind| kind.contains("declarator"))
    };
    let parents = parents(tree);
    let mut bodies = bodies.iter().peekable();
    let mut heads = Vec::new();
    for node in tree
        .nodes
        .ids()
        .filter(|&node| kinds.contains(&tree.nodes[node].kind))
    {
        let start = tree.nodes[node].tokens().start;
        while bodies.next_if(|body| body.end <= start).is_some() {}
        if bodies.peek().is_some_and(|body| body.start <= start) {
            continue;
        }
        let mut function = parents[node];
        while is_declarator(function) {
            function = parents[function];
        }
        let before = tree.nodes[function].tokens().start..start;
        let found = before.filter(|&token| words.contains(&document.token(token)));
        heads.extend(found.map(|word| ConstantHead {
            word,
            name: name(document, node),
            function,
        }));
    }
    heads
}

/// Returns the last part of the name of a function, as it is written: `f` of `a::f(int)`.
fn name(document: &Document, declarator: NodeId) -> &[u8] {
    let tree = document.tree();
    let first = tree.children(declarator).next().unwrap_or(declarator);
    let tokens = tree.nodes[first].tokens();
    let qualifier = tokens
        .clone()
        .rev()
        .find(|&token| document.token(token) == b"::");
    document.text(qualifier.map_or(tokens.start, |qualifier| qualifier + 1)..tokens.end)
}
