//! The lists that hierarchical algorithms minimise, one by one.

use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::list::List;
use boildown_search::tree::{NodeId, Tree};

use super::node_list::{NodeList, Nodes};
use super::tree_index::TreeIndex;

/// The lists of a tree that [`Hdd`](super::Hdd) and [`Hddr`](super::Hddr) minimise, for a driver
/// that looks at each of them: the children of some nodes.
#[derive(Debug, Clone)]
pub struct TreeLists(Arc<TreeIndex>);

/// One of them. Its elements are positions of nodes.
#[derive(Debug, Clone)]
pub struct TreeList {
    index: Arc<TreeIndex>,
    nodes: Arc<NodeList>,
    /// The tokens before any node is deleted.
    kept: Subset,
}

impl TreeLists {
    /// Prepares the lists of a tree.
    #[must_use]
    pub fn new(tree: &Arc<Tree>) -> Self {
        Self(TreeIndex::new(Arc::clone(tree)))
    }

    /// Returns the root, whose children are the first list; nothing for an empty tree.
    #[must_use]
    pub fn root(&self) -> Vec<NodeId> {
        self.0.root()
    }

    /// Returns the list of the children of nodes that have kept tokens.
    #[must_use]
    pub fn children_of(&self, kept: &Subset, parents: &[NodeId]) -> TreeList {
        let (nodes, _) = NodeList::children_of(&self.0, kept, parents, Nodes::All);
        TreeList {
            index: Arc::clone(&self.0),
            nodes: Arc::new(nodes),
            kept: kept.clone(),
        }
    }
}

impl TreeList {
    /// Returns the list for a list algorithm.
    #[must_use]
    pub fn list(&self) -> List {
        self.nodes.to_list()
    }

    /// Returns the tokens that are kept with these elements of the list.
    #[must_use]
    pub fn tokens(&self, elements: &Subset) -> Subset {
        let all = Subset::full(self.nodes.nodes().len());
        self.kept.without(self.nodes.cuts(&all, elements))
    }

    /// Returns the nodes that are left with these elements, in the order of the tree: those whose
    /// children are the next lists.
    #[must_use]
    pub fn below(&self, elements: &Subset) -> Vec<NodeId> {
        let kept = self.tokens(elements);
        let nodes = elements.iter().map(|element| self.nodes.nodes()[element]);
        let nodes = nodes.filter(|&node| self.nodes.weight(&kept, node) > 0);
        let mut below: Vec<NodeId> = nodes
            .map(|node| self.index.innermost(&kept, node))
            .filter(|&node| self.index.has_children(node))
            .collect();
        below.sort_unstable();
        below
    }
}
