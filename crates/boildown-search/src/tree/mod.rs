//! Trees over tokens, and the best-first search that reduces them.

mod best_first;
mod ids;

use std::ops::Range;

pub use best_first::{LearnedRates, TreeSearch};
use ids::small;
pub use ids::{Id, IdRange, IdVec, ListId, NodeId, SlotId};

/// A tree over a list of tokens, the smallest removable units, such as the tokens of a program. It
/// is independent of any language: its slots say which kinds of nodes fit where.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// All nodes in preorder; the first is the root.
    pub nodes: IdVec<NodeId, Node>,
    /// The sibling lists. Those of one owner are adjacent.
    pub lists: IdVec<ListId, SiblingList>,
    /// The elements of the sibling lists, list by list.
    elements: Vec<NodeId>,
    /// Nodes that can be deleted anywhere, such as comments, in order. They are in no sibling list.
    pub extras: Vec<NodeId>,
    /// The slots: for each kind of position in the tree, the kinds of nodes that fit there.
    pub slots: IdVec<SlotId, Slot>,
    /// The weight of each node as an element of a list. Empty if it is the number of its kept
    /// tokens, as in every reduction; other weights are for comparison.
    pub weights: IdVec<NodeId, u32>,
}

/// A node of a [`Tree`].
#[derive(Debug, Clone)]
pub struct Node {
    /// The first token of the node and its descendants, and the one after the last.
    tokens: (u32, u32),
    /// The index after its last descendant.
    pub end: NodeId,
    /// The kind of the node, as listed in [`Slot::kinds`].
    pub kind: u16,
    /// The slot that the node fills.
    pub slot: SlotId,
    /// The sibling lists that the node owns.
    pub lists: IdRange<ListId>,
}

/// Children of one node that can be deleted one by one, with the tokens between them. The tree has
/// the [elements](Tree::elements).
#[derive(Debug, Clone)]
pub struct SiblingList {
    /// The first of the elements in those of all lists, and the one after the last.
    elements: (u32, u32),
    /// The end of the separator after the last element, or of the last element if there is none.
    end: u32,
    /// The role of the tokens between two elements.
    pub gaps: Gaps,
}

/// The role of the tokens between the elements of a sibling list. [`TreeSearch`] respects it; the
/// schedules of the literature take all of them for separators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gaps {
    /// Separators, as in `a, b, c`: one stays between any two kept elements.
    #[default]
    Separators,
    /// Terminators, as in `struct a {}; void b() {}`: they are kept or deleted with the element
    /// before them.
    Ends,
}

/// The nodes that fit a kind of position in the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The kinds of nodes that fit, in ascending order.
    pub kinds: Vec<u16>,
    /// Whether several nodes in sequence fit.
    pub many: bool,
}

impl Slot {
    /// Returns whether a node of this kind fits.
    #[must_use]
    pub fn accepts(&self, kind: u16) -> bool {
        self.kinds.binary_search(&kind).is_ok()
    }
}

impl Node {
    /// Returns a node without descendants, which fills a slot and owns no list yet.
    ///
    /// # Panics
    /// From 2^32 tokens on.
    #[must_use]
    pub fn new(tokens: Range<usize>, end: NodeId, kind: u16, slot: SlotId) -> Self {
        Self {
            tokens: (small(tokens.start), small(tokens.end)),
            end,
            kind,
            slot,
            lists: IdRange::default(),
        }
    }

    /// Returns the tokens of the node and its descendants, as a range of token indices.
    #[inline]
    #[must_use]
    pub const fn tokens(&self) -> Range<usize> {
        self.tokens.0 as usize..self.tokens.1 as usize
    }

    /// Sets the end of its tokens, and the index after its last descendant.
    ///
    /// # Panics
    /// From 2^32 tokens on.
    pub fn end_at(&mut self, token: usize, end: NodeId) {
        (self.tokens.1, self.end) = (small(token), end);
    }
}

impl Tree {
    /// Returns the elements of a sibling list: at least one node, in order. They do not overlap.
    #[inline]
    #[must_use]
    pub fn elements(&self, list: &SiblingList) -> &[NodeId] {
        &self.elements[list.elements.0 as usize..list.elements.1 as usize]
    }

    /// Adds a sibling list. `end` is that of the separator after the last element, or of the last
    /// element if there is none.
    ///
    /// # Panics
    /// From 2^32 tokens or elements on.
    pub fn push_list(
        &mut self,
        elements: impl IntoIterator<Item = NodeId>,
        end: usize,
        gaps: Gaps,
    ) -> ListId {
        let first = small(self.elements.len());
        self.elements.extend(elements);
        let elements = (first, small(self.elements.len()));
        let end = small(end);
        let list = SiblingList {
            elements,
            end,
            gaps,
        };
        self.lists.push(list)
    }

    /// Gives back the memory that no element needs.
    pub fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.elements.shrink_to_fit();
        self.extras.shrink_to_fit();
    }

    /// Returns the children of a node, in order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[node].end;
        let before_end = move |child: NodeId| (child < end).then_some(child);
        std::iter::successors(before_end(node.next()), move |&child| {
            before_end(self.nodes[child].end)
        })
    }

    /// Returns the weight of a node with this number of kept tokens as an element of a list: 0 only
    /// if there are none.
    pub fn weigh(&self, node: NodeId, kept_tokens: usize) -> u32 {
        match kept_tokens {
            0 => 0,
            _ if self.weights.is_empty() => u32::try_from(kept_tokens).unwrap_or(u32::MAX),
            _ => self.weights[node].max(1),
        }
    }

    /// Returns every range of tokens that is one unit of the tree: each node, alone and together
    /// with the separator on either side.
    #[must_use]
    pub fn units(&self) -> Vec<Range<usize>> {
        let mut units: Vec<Range<usize>> = self.nodes.iter().skip(1).map(Node::tokens).collect();
        for list in &self.lists {
            let elements = self.elements(list);
            for (position, &element) in elements.iter().enumerate() {
                let tokens = self.nodes[element].tokens();
                if let Some(&before) = position
                    .checked_sub(1)
                    .and_then(|before| elements.get(before))
                {
                    units.push(self.nodes[before].tokens().end..tokens.end);
                }
                let next = elements
                    .get(position + 1)
                    .map_or(list.end(), |&next| self.nodes[next].tokens().start);
                units.push(tokens.start..next);
            }
        }
        units.retain(|unit| !unit.is_empty());
        units
    }

    /// Returns every run of this many neighbouring parts of a node: child nodes, and tokens between
    /// them. In `else a();`, for example, the word and the statement are two parts. Not those of a
    /// sibling list alone, whose elements can be deleted one by one.
    #[must_use]
    pub fn neighbours(&self, length: usize) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        let mut parts: Vec<Range<usize>> = Vec::new();
        for node in self.nodes.ids() {
            parts.clear();
            let whole = self.nodes[node].tokens();
            let mut end = whole.start;
            for child in self.children(node) {
                let tokens = self.nodes[child].tokens();
                parts.extend((end..tokens.start).map(|token| token..token + 1));
                parts.extend((!tokens.is_empty()).then(|| tokens.clone()));
                end = tokens.end;
            }
            parts.extend((end..whole.end).map(|token| token..token + 1));
            let mut lists = self.lists[self.nodes[node].lists.clone()].iter().peekable();
            for run in parts.windows(length) {
                let run = run[0].start..run[length - 1].end;
                while lists.next_if(|list| list.end() < run.end).is_some() {}
                let is_listed = lists.peek().is_some_and(|list| {
                    let first = self.elements(list)[0];
                    self.nodes[first].tokens().start <= run.start
                });
                if run != whole && !is_listed {
                    all.push(run);
                }
            }
        }
        all
    }

    /// Returns what is deleted when a node is replaced by one of its parts: for each node, the
    /// tokens before and after each of the nearest descendants that fit its slot.
    #[must_use]
    pub fn surroundings(&self) -> Vec<Vec<Range<usize>>> {
        let mut all = Vec::new();
        let mut below: Vec<NodeId> = Vec::new();
        for node in self.nodes.ids().skip(1) {
            let (slot, whole) = (
                &self.slots[self.nodes[node].slot],
                self.nodes[node].tokens(),
            );
            below.extend(self.children(node));
            while let Some(part) = below.pop() {
                let tokens = self.nodes[part].tokens();
                if !slot.accepts(self.nodes[part].kind) || tokens == whole {
                    below.extend(self.children(part));
                } else if !tokens.is_empty() {
                    let cuts = [whole.start..tokens.start, tokens.end..whole.end];
                    all.push(cuts.into_iter().filter(|cut| !cut.is_empty()).collect());
                }
            }
        }
        all
    }
}

impl SiblingList {
    /// Returns the end of the separator after the last element, or of the last element if there is
    /// none.
    #[inline]
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end as usize
    }

    /// Returns the cuts that leave exactly the elements for which `kept` holds.
    ///
    /// Every kept element but the first keeps the separator right before it, and a separator after
    /// the last element stays; all other separators are deleted. Terminators are deleted with their
    /// elements. For example, deleting `a` from `a, b, c,` leaves `b, c,`, and deleting `c` leaves
    /// `a, b,`.
    pub fn cuts<'a>(
        &'a self,
        tree: &'a Tree,
        kept: impl Fn(usize) -> bool + 'a,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let elements = tree.elements(self);
        let tokens = |position: usize| tree.nodes[elements[position]].tokens();
        let count = elements.len();
        let first = match self.gaps {
            Gaps::Separators => (0..count).find(|&position| kept(position)),
            Gaps::Ends => Some(0),
        };
        let front = match first {
            Some(position) => tokens(0).start..tokens(position).start,
            None => tokens(0).start..self.end(),
        };
        let rest = match self.gaps {
            Gaps::Separators => first.map_or(count, |position| position + 1),
            Gaps::Ends => 0,
        };
        let cut = move |position: usize| match self.gaps {
            Gaps::Separators => tokens(position - 1).end..tokens(position).end,
            Gaps::Ends if position + 1 < count => {
                tokens(position).start..tokens(position + 1).start
            }
            Gaps::Ends => tokens(position).start..self.end(),
        };
        std::iter::once(front).chain(
            (rest..count)
                .filter(move |&position| !kept(position))
                .map(cut),
        )
    }
}
