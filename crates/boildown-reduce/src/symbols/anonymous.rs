//! Anonymous definitions: what declares something without a name of its own.

use std::collections::BTreeSet;

use boildown_document::UNPARSED;
use boildown_search::tree::NodeId;

use super::kinds::{ANNOTATION_KINDS, DECLARING_KINDS, LIST_KINDS, TYPE_KINDS};
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
        let is_any = |node: NodeId, parts: &[&str]| {
            let kind = self.kind(node);
            parts.iter().any(|part| kind.contains(part))
        };
        let is_in_type =
            |node| (self.index.around(node).skip(1)).any(|node| is_any(node, TYPE_KINDS));
        let has_statements = self.grammar.id_for_node_kind("translation_unit", true) == 0;
        (self.tree.nodes.ids().skip(1))
            .filter(|&node| self.index.is_unit(node) && !defined.contains(&node))
            .filter(|&node| {
                (is_any(node, DECLARING_KINDS)
                    || self.tree.nodes[node].kind == UNPARSED
                    || !has_statements && self.is_among_declarations(node))
                    && !is_any(node, ANNOTATION_KINDS)
                    && !is_any(node, LIST_KINDS)
                    && !is_in_type(node)
            })
            .filter(|&node| self.scope(node, Evidence::Declared) == NodeId::ROOT)
            .collect()
    }
}
