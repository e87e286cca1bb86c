//! Anonymous definitions: what declares something without a name of its own.

use std::collections::BTreeSet;

use boildown_search::tree::NodeId;

use super::kinds::{ANNOTATION_KINDS, DECLARING_KINDS, LIST_KINDS, TYPE_KINDS};
use super::{Evidence, Symbol, SymbolReader};
use crate::document::UNPARSED;

impl SymbolReader<'_, '_> {
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
        (self.tree.nodes.ids().skip(1))
            .filter(|&node| self.index.is_unit(node) && !defined.contains(&node))
            .filter(|&node| {
                (is_any(node, DECLARING_KINDS) || self.tree.nodes[node].kind == UNPARSED)
                    && !is_any(node, ANNOTATION_KINDS)
                    && !is_any(node, LIST_KINDS)
                    && !is_in_type(node)
            })
            .filter(|&node| self.scope(node, Evidence::Declared) == NodeId::ROOT)
            .collect()
    }
}
