//! Chains: nested nodes reduced as a list of levels.

use super::expected_gain::{OwnerState, QueryKind};
use super::search::TreeSearch;
use super::tasks::{Share, TaskId};
use crate::list::ListAlgorithm;
use crate::tree::{NodeId, SlotId};

/// Chains of this many nodes, or fewer, get no task: the replacement tasks of the nodes suffice.
const MIN_CHAIN: usize = 6;

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Adds the task for the chain that starts at a node, unless the node is on a chain that starts
    /// further out.
    ///
    /// For example, the chain of `((a + b) + c) + d` is a list of three levels, which delete `+ d`,
    /// `+ c` and `+ b`.
    ///
    /// Nested statements are no chain: their neighbours can rarely be deleted before the inner
    /// statement is reduced itself.
    pub(super) fn push_chain(&mut self, node: NodeId, slot: SlotId, share: Share) {
        if self.tree.slots[slot].many || self.chain_nodes.contains(&node) {
            return;
        }
        let chain = self.replacements().chain(node, slot);
        let Some(&innermost) = chain.last().filter(|_| chain.len() > MIN_CHAIN) else {
            return;
        };
        for &node in &chain {
            // `push_survivor` looks nodes up by their core.
            self.chain_nodes.insert_mut(self.core(node));
        }
        let weight = share.apply(self.weight(node) - self.weight(innermost));
        let start = self.tree.nodes[node].tokens().start;
        self.chains.insert_mut(node, chain.into());
        let id = TaskId::Chain(node);
        self.push(QueryKind::Unwrap, OwnerState::Needed, id, weight, start);
    }

    /// Returns the levels of a chain, outermost first: each node with the next one inside it.
    pub(super) fn levels(&self, outermost: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let nodes: &[NodeId] = self.chains.get(&outermost).map_or(&[], |nodes| nodes);
        nodes.iter().copied().zip(nodes.iter().copied().skip(1))
    }
}
