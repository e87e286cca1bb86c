//! Functions that a compiler evaluates: where their heads say so.

use std::collections::BTreeMap;

use boildown_search::tree::NodeId;

use super::{Body, CONSTANT};
use crate::grouped_deletions::Deletion;
use crate::symbols::parents;
use crate::{Document, Language};

/// A word that says that a function can be evaluated: `constexpr` of C++.
#[derive(Debug)]
pub(crate) struct ConstantHead<'a> {
    word: usize,
    /// The name of the function, without those of what it is a member of.
    name: &'a [u8],
    /// The declaration or definition that it is in.
    function: NodeId,
}

/// Returns the words of all functions that are outside of these bodies.
pub(super) fn heads<'a>(
    document: &'a Document,
    language: &Language,
    bodies: &[Body],
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
        let start = tree.nodes[node].tokens.start;
        while bodies.next_if(|body| body.inside.end <= start).is_some() {}
        if bodies.peek().is_some_and(|body| body.inside.start <= start) {
            continue;
        }
        let mut function = parents[node];
        while is_declarator(function) {
            function = parents[function];
        }
        let before = tree.nodes[function].tokens.start..start;
        let words = before.filter(|&token| CONSTANT.contains(&document.token(token)));
        heads.extend(words.map(|word| ConstantHead {
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
    let tokens = tree.nodes[first].tokens.clone();
    let qualifier = tokens
        .clone()
        .rev()
        .find(|&token| document.token(token) == b"::");
    document.text(qualifier.map_or(tokens.start, |qualifier| qualifier + 1)..tokens.end)
}

/// Returns what goes together when these bodies do: those of constant functions of one name, and
/// all words with this name; of the others, each alone.
pub(super) fn deletions(bodies: &[&Body], heads: &[ConstantHead<'_>]) -> Vec<Deletion> {
    let functions = heads.iter().map(|head| (head.function, head.name));
    let names: BTreeMap<NodeId, &[u8]> = functions.collect();
    let mut of_names: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut deletions: Vec<Deletion> = Vec::new();
    for body in bodies {
        let name = names.get(&body.function);
        let known = name.map(|name| *of_names.entry(name).or_insert(deletions.len()));
        match known.and_then(|known| deletions.get_mut(known)) {
            Some(deletion) => deletion.push(body.inside.clone()),
            None => deletions.push(vec![body.inside.clone()]),
        }
    }
    for head in heads {
        if let Some(&deletion) = of_names.get(head.name) {
            deletions[deletion].push(head.word..head.word + 1);
        }
    }
    deletions
}
