//! The entries of a folder as a tree whose tokens are in proportion to the sizes of files.

use std::ops::Range;
use std::sync::Arc;

use boildown_folder::{FolderInput, FolderText};
use boildown_search::Subset;
use boildown_search::tree::{Gaps, Node, NodeId, Slot, SlotId, Tree};

/// The number of tokens that are shared among the files by their sizes, and of those in addition
/// for each file.
const SHARED_TOKENS: u64 = 1 << 12;
const TOKENS_FOR_EACH: u64 = 4;

/// Entries of a folder that can be deleted, each with the folders that it is in.
///
/// The schedules for trees order their work by the number of tokens. So each file has tokens in
/// proportion to its size, at least one. A deletion always concerns all tokens of an entry, because
/// a file is a leaf of the tree.
#[derive(Debug, Clone)]
pub(super) struct EntryTree {
    pub(super) tree: Arc<Tree>,
    /// The entries that are leaves, with the first token of each.
    leaves: Arc<[(usize, usize)]>,
    /// The number of tokens.
    tokens: usize,
}

impl EntryTree {
    /// Returns the tree of those kept entries for which `is_leaf` holds.
    pub(super) fn new(
        input: &FolderInput,
        text: &FolderText,
        is_leaf: impl Fn(usize) -> bool,
    ) -> Self {
        let listing = &input.listing;
        let leaves: Vec<usize> = text.kept().filter(|&entry| is_leaf(entry)).collect();
        let sizes = leaves.iter().map(|&entry| text.size_of(listing, entry));
        let all: u64 = sizes.sum::<u64>().max(1);
        let shared = SHARED_TOKENS + TOKENS_FOR_EACH * leaves.len() as u64;
        let mut builder = TreeBuilder::default();
        builder.open(None);
        let mut starts = Vec::with_capacity(leaves.len());
        for &leaf in &leaves {
            let mut around = Vec::new();
            let mut next = listing.parent(leaf);
            while let Some(folder) = next {
                around.push(folder);
                next = listing.parent(folder);
            }
            builder.enter(around.into_iter().rev());
            let size = u128::from(text.size_of(listing, leaf));
            let share = size * u128::from(shared) / u128::from(all);
            starts.push((leaf, builder.tokens));
            builder.leaf(1 + usize::try_from(share).unwrap_or(0));
        }
        builder.enter([].into_iter());
        builder.close();
        Self {
            tree: Arc::new(builder.tree),
            leaves: starts.into(),
            tokens: builder.tokens,
        }
    }

    /// Returns all tokens.
    pub(super) fn everything(&self) -> Subset {
        Subset::full(self.tokens)
    }

    /// Returns the tokens of each leaf.
    pub(super) fn units(&self) -> Vec<Vec<Range<usize>>> {
        let starts = self.leaves.iter().map(|&(_, start)| start);
        let ends = starts.clone().skip(1).chain([self.tokens]);
        starts
            .zip(ends)
            .map(|(start, end)| vec![start..end])
            .collect()
    }

    /// Returns the leaves whose tokens are kept, or those whose tokens are not.
    pub(super) fn leaves<'a>(
        &'a self,
        kept: &'a Subset,
        are_kept: bool,
    ) -> impl Iterator<Item = usize> + 'a {
        let of_interest = move |&&(_, token): &&(usize, usize)| kept.contains(token) == are_kept;
        self.leaves
            .iter()
            .filter(of_interest)
            .map(|&(leaf, _)| leaf)
    }
}

/// Builds the tree in preorder.
#[derive(Default)]
struct TreeBuilder {
    tree: Tree,
    tokens: usize,
    /// The open nodes: the folder, the node and its children so far.
    open: Vec<(Option<usize>, NodeId, Vec<NodeId>)>,
}

impl TreeBuilder {
    fn open(&mut self, folder: Option<usize>) {
        if self.tree.slots.is_empty() {
            self.tree.slots.push(Slot::default());
        }
        let node = self.node();
        self.open.push((folder, node, Vec::new()));
    }

    fn node(&mut self) -> NodeId {
        let (node, tokens) = (self.tree.nodes.next_id(), self.tokens..self.tokens);
        (self.tree.nodes).push(Node::new(tokens, node.next(), 0, SlotId::new(0)))
    }

    fn leaf(&mut self, tokens: usize) {
        let node = self.node();
        self.tokens += tokens;
        self.tree.nodes[node].end_at(self.tokens, node.next());
        self.append(node);
    }

    fn append(&mut self, node: NodeId) {
        if let Some((_, _, children)) = self.open.last_mut() {
            children.push(node);
        }
    }

    /// Closes and opens folders until these are open, the outermost first.
    fn enter(&mut self, folders: impl Iterator<Item = usize>) {
        let folders: Vec<usize> = folders.collect();
        let open = self.open[1..].iter().map(|(folder, ..)| *folder);
        let same = (open.zip(&folders)).take_while(|(open, folder)| *open == Some(**folder));
        let same = same.count();
        while self.open.len() > same + 1 {
            self.close();
        }
        for &folder in &folders[same..] {
            self.open(Some(folder));
        }
    }

    fn close(&mut self) {
        let Some((_, node, children)) = self.open.pop() else {
            return;
        };
        let first = self.tree.lists.next_id();
        if !children.is_empty() {
            (self.tree).push_list(children, self.tokens, Gaps::Separators);
        }
        let lists = self.tree.lists.ids_from(first);
        let end = self.tree.nodes.next_id();
        let closed = &mut self.tree.nodes[node];
        closed.end_at(self.tokens, end);
        closed.lists = lists;
        self.append(node);
    }
}
