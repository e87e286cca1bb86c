//! Top-level nodes of a parsed text.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, Tree, TreeCursor};

/// A node directly below the root of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: u16,
    /// Whether it may stand anywhere, such as a comment.
    pub(super) is_extra: bool,
    /// The number of error and missing nodes in it.
    pub(super) errors: usize,
}

/// The items of a text.
#[derive(Debug)]
pub(super) struct ItemList {
    pub(super) items: Vec<Item>,
    /// The kinds of items without errors that stand side by side in the text, or stood so in the
    /// text that was parsed as a whole before some edits. `None` stands for the ends.
    pub(super) neighbours: Arc<HashSet<(Option<u16>, Option<u16>)>>,
}

impl ItemList {
    /// Returns the list of a tree; `None` if it has none.
    pub(super) fn of(tree: &Tree) -> Option<Self> {
        let items = items_of(tree)?;
        let apart: Vec<&Item> = items.iter().filter(|item| !item.is_extra).collect();
        let kind = |item: Option<&&Item>| item.map(|item| item.kind);
        let inside = (apart.windows(2))
            .filter(|pair| pair[0].errors + pair[1].errors == 0)
            .map(|pair| (Some(pair[0].kind), Some(pair[1].kind)));
        let ends = [(None, kind(apart.first())), (kind(apart.last()), None)];
        let neighbours = inside.chain(ends).collect();
        Some(Self {
            neighbours: Arc::new(neighbours),
            items,
        })
    }
}

/// Returns the items of a tree. `None` if it has no list of items.
pub(super) fn items_of(tree: &Tree) -> Option<Vec<Item>> {
    let root = tree.root_node();
    if root.is_error() {
        return None;
    }
    let mut cursor = root.walk();
    let mut items = Vec::with_capacity(root.child_count() as usize);
    let mut is_at_child = cursor.goto_first_child();
    while is_at_child {
        let node = cursor.node();
        items.push(Item {
            start: node.start_byte(),
            end: node.end_byte(),
            kind: node.kind_id(),
            is_extra: node.is_extra(),
            errors: errors_in(node),
        });
        is_at_child = cursor.goto_next_sibling();
    }
    Some(items)
}

/// Counts error and missing nodes of a tree.
pub(super) fn count_errors(tree: &Tree) -> usize {
    errors_in(tree.root_node())
}

/// Counts error and missing nodes, visiting only subtrees that have any.
fn errors_in(top: Node<'_>) -> usize {
    let mut cursor: TreeCursor<'_> = top.walk();
    let mut errors = 0;
    loop {
        let node = cursor.node();
        errors += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

impl Item {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the item where its text stands after an edit: `from` is where it stood.
    pub(super) fn moved(self, from: usize, to: usize) -> Self {
        Self {
            start: self.start - from + to,
            end: self.end - from + to,
            ..self
        }
    }
}
