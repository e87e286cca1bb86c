//! The names of a document as data: where each is defined, and where it is used.

use boildown_document::{Document, Language, steps::at_once};
use boildown_search::tree::NodeId;

use crate::symbols::SymbolIndex;

/// The mentions of a name that the grammar says is defined, within its scope. Numbers are tokens of
/// the document.
///
/// In `int f(int a) { return a; } int b = f(1);` one of them is `f`, with the tokens 1 and 14.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUses {
    /// Definitions and declarations, ascending; at least one.
    pub definitions: Vec<usize>,
    /// All other mentions, ascending.
    pub uses: Vec<usize>,
}

/// Returns the names that are defined in the document, which is in this language.
#[must_use]
pub fn name_uses(document: &Document, language: &Language) -> Vec<NameUses> {
    let index = at_once(SymbolIndex::new(document, language));
    let token = |node: NodeId| document.tree().nodes[node].tokens().start;
    let ascending = |mut tokens: Vec<usize>| {
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    };
    let symbols = index.symbols.iter();
    symbols
        .filter(|symbol| symbol.is_defined_by_grammar)
        .map(|symbol| {
            let definitions = symbol.definitions.iter();
            NameUses {
                definitions: ascending(definitions.map(|found| token(found.name)).collect()),
                uses: ascending(symbol.uses.iter().map(|&node| token(node)).collect()),
            }
        })
        .collect()
}

/// Returns the nodes in braces: the bodies of functions, loops and types. In order, so that a
/// block comes before those inside it.
#[must_use]
pub fn blocks(document: &Document) -> Vec<NodeId> {
    let nodes = &document.tree().nodes;
    let is_block = |&node: &NodeId| {
        let tokens = nodes[node].tokens();
        !tokens.is_empty() && document.token(tokens.start) == b"{"
    };
    nodes.ids().skip(1).filter(is_block).collect()
}

#[cfg(test)]
mod tests {
    use boildown_document::View;

    use super::*;

    #[test]
    fn a_name_has_its_definitions_and_its_uses() {
        let Some(c) = Language::named("C") else {
            return;
        };
        let text = b"int f(int a) { return a; } int b = f(1);";
        let document = Document::new(&text[..].into(), View::Syntax(c));
        let mut found = name_uses(&document, c);
        found.sort_by_key(|name| name.definitions.clone());
        let found: Vec<_> = (found.into_iter())
            .map(|name| (name.definitions, name.uses))
            .collect();
        assert_eq!(
            found,
            [
                (vec![1], vec![14]),
                (vec![4], vec![8]),
                (vec![12], Vec::new())
            ]
        );
        assert_eq!(blocks(&document).len(), 1);
    }
}
