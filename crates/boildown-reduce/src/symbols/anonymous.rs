//! Anonymous definitions: what declares something without a name of its own.

use std::collections::BTreeSet;

use boildown_document::UNPARSED;
use boildown_search::tree::NodeId;

use super::kinds::KindClass;
use super::{Evidence, Symbol, SymbolReader};

impl SymbolReader<'_, '_> {
    /// Returns whether a node stands where the languages of C have nothing but declarations. Some
    /// are not called so: `extern "C" { … }`, `enum { a }`.
    fn is_among_declarations(&self, node: NodeId) -> bool {
        let parent = self.index.parent(node);
        let is_among = parent == NodeId::ROOT
            || self.document.is_whole_file(parent)
            || self.kind(parent) == "declaration_list";
        let is_code = !["comment", "preproc"]
            .iter()
            .any(|part| self.kind(node).contains(part));
        is_among && is_code && self.tree.nodes[node].tokens().len() > 1
    }

    /// Returns the removable nodes that declare or define something, but none of these symbols.
    pub(super) fn anonymous(&self, symbols: &[Symbol<'_>]) -> Vec<NodeId> {
        let definitions = symbols.iter().filter(|symbol| symbol.is_defined_by_grammar);
        let defined: BTreeSet<NodeId> = definitions
            .flat_map(|symbol| &symbol.definitions)
            .map(|definition| definition.unit)
            .collect();
        let is_in_type =
            |node| (self.index.around(node).skip(1)).any(|node| self.is(node, KindClass::Type));
        let has_statements = self.grammar.id_for_node_kind("translation_unit", true) == 0;
        (self.tree.nodes.ids().skip(1))
            .filter(|&node| self.index.is_unit(node) && !defined.contains(&node))
            .filter(|&node| {
                (self.is(node, KindClass::Declaring)
                    || self.tree.nodes[node].kind == UNPARSED
                    || !has_statements && self.is_among_declarations(node))
                    && !self.is(node, KindClass::Annotation)
                    && !self.is(node, KindClass::List)
                    && !is_in_type(node)
            })
            .filter(|&node| self.scope(node, Evidence::Declared) == NodeId::ROOT)
            .collect()
    }
}
