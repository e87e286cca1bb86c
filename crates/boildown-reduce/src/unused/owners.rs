//! The units that nodes are in.

use std::collections::BTreeMap;

use boildown_document::Document;
use boildown_search::tree::{IdVec, NodeId};

use crate::symbols::SymbolIndex;

/// The innermost unit that each node is in.
pub(super) struct Owners(IdVec<NodeId, u32>);

/// In no unit.
const NO_UNIT: u32 = u32::MAX;

impl Owners {
    pub(super) fn new(
        document: &Document,
        index: &SymbolIndex<'_>,
        units: &BTreeMap<NodeId, usize>,
    ) -> Self {
        let nodes = &document.tree().nodes;
        let mut owners = IdVec::filled(NO_UNIT, nodes.len());
        for node in nodes.ids().skip(1) {
            let own = units.get(&node).map(|&unit| {
                u32::try_from(unit).expect("a unit is a node, of which there are fewer than 2^32")
            });
            owners[node] = own.unwrap_or(owners[index.parent(node)]);
        }
        Self(owners)
    }

    pub(super) fn of(&self, node: NodeId) -> Option<usize> {
        let unit = self.0[node];
        (unit != NO_UNIT).then_some(unit as usize)
    }
}
