//! Building a document from left to right: open a node, add atoms, close it.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{Gaps, Node, NodeId, SiblingList, Slot, Tree};

use super::frames::Repairs;
use super::{Document, View};

/// Where a node stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The kind of place, as an index into the slots.
    pub(super) slot: usize,
    /// The field of its parent that it is, by the grammar's number; 0 when it is none.
    pub(super) field: u16,
    pub(super) role: Role,
}

/// How a node takes part in the row of its siblings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// It is an element of its parent's row.
    #[default]
    Element,
    /// It is one, and what stands between it and the next is its own: `public:`.
    Label,
    /// It may stand anywhere and belongs to no row.
    Extra,
}

pub(super) struct Builder {
    bytes: Arc<[u8]>,
    atoms: Vec<Range<u32>>,
    tokens: Vec<u32>,
    tree: Tree,
    /// By node.
    fields: Vec<u16>,
    open: Vec<Open>,
}

struct Open {
    node: NodeId,
    role: Role,
    rows: Vec<SiblingList>,
    row: Vec<NodeId>,
    /// Whether the atoms since the last child could separate it from the next.
    separator: Separator,
    /// The text that separates the elements of the current row, as the first such atom.
    example: Option<usize>,
    /// Whether some elements of the current row have nothing between them.
    is_bare: bool,
    /// Whether one of them is a label.
    is_labelled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// No atom since the last child.
    None,
    /// This atom, and no other.
    One(usize),
    /// Something that cannot be a separator.
    Other,
}

impl Builder {
    /// Starts on a text. The slots are what places speak of; none: nothing fits anywhere.
    pub(super) fn new(bytes: Arc<[u8]>) -> Self {
        Self {
            bytes,
            atoms: Vec::new(),
            tokens: Vec::new(),
            tree: Tree {
                slots: vec![Slot::default()],
                ..Tree::default()
            },
            fields: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Begins a node.
    pub(super) fn open(&mut self, kind: u16, place: Place) {
        let node = self.tree.nodes.len();
        let at = self.atoms.len();
        self.tree.nodes.push(Node {
            atoms: at..at,
            end: node + 1,
            kind,
            slot: place.slot,
            lists: 0..0,
        });
        self.fields.push(place.field);
        self.open.push(Open {
            node,
            role: place.role,
            rows: Vec::new(),
            row: Vec::new(),
            separator: Separator::None,
            example: None,
            is_bare: false,
            is_labelled: false,
        });
    }

    /// Adds an atom that is a token of its own, and no node.
    pub(super) fn atom(&mut self, bytes: Range<usize>) {
        self.push(bytes, StartsToken::Yes);
        if let Some(open) = self.open.last_mut() {
            open.separator = Separator::Other;
        }
    }

    /// Adds an atom that may separate the children before and after it.
    pub(super) fn separator(&mut self, bytes: Range<usize>) {
        self.push(bytes, StartsToken::Yes);
        if let Some(open) = self.open.last_mut() {
            open.separator = match open.separator {
                Separator::None => Separator::One(self.atoms.len() - 1),
                Separator::One(_) | Separator::Other => Separator::Other,
            };
        }
    }

    /// Adds a token made of several atoms, each of them a node.
    pub(super) fn words(&mut self, kind: u16, words: impl Iterator<Item = Range<usize>>) {
        for (position, word) in words.enumerate() {
            self.open(kind, Place::default());
            self.push(
                word,
                if position == 0 {
                    StartsToken::Yes
                } else {
                    StartsToken::No
                },
            );
            self.close();
        }
    }

    fn push(&mut self, bytes: Range<usize>, token: StartsToken) {
        debug_assert!(
            (self.atoms.last()).is_none_or(|last| last.end as usize <= bytes.start),
            "atoms come in order"
        );
        if token == StartsToken::Yes {
            self.tokens.push(small(self.atoms.len()));
        }
        self.atoms.push(small(bytes.start)..small(bytes.end));
    }

    /// Ends the node that was opened last.
    pub(super) fn close(&mut self) {
        let mut open = self.open.pop().expect("every close follows its open");
        self.end_row(&mut open);
        let lists = self.tree.lists.len()..self.tree.lists.len() + open.rows.len();
        self.tree.lists.extend(open.rows);
        let end = self.tree.nodes.len();
        let node = &mut self.tree.nodes[open.node];
        (node.end, node.lists, node.atoms.end) = (end, lists, self.atoms.len());
        if node.atoms.is_empty() {
            return;
        }
        match open.role {
            Role::Extra => self.tree.extras.push(open.node),
            Role::Element | Role::Label => self.append(open.node, open.role),
        }
    }

    /// Adds a finished child to the row of the node that is open.
    fn append(&mut self, child: NodeId, role: Role) {
        let Some(mut parent) = self.open.pop() else {
            return;
        };
        match parent.separator {
            Separator::None => parent.is_bare |= !parent.row.is_empty(),
            Separator::One(atom) if parent.row.is_empty() || is_bracket(self.text(atom)) => {
                self.end_row(&mut parent);
            }
            Separator::One(atom) => parent.example = parent.example.or(Some(atom)),
            Separator::Other => self.end_row(&mut parent),
        }
        parent.row.push(child);
        parent.is_labelled |= role == Role::Label;
        parent.separator = Separator::None;
        self.open.push(parent);
    }

    fn end_row(&self, open: &mut Open) {
        let example = open.example.take();
        let is_bare = std::mem::take(&mut open.is_bare);
        let is_labelled = std::mem::take(&mut open.is_labelled);
        let Some(&last) = open.row.last() else { return };
        let mut end = self.tree.nodes[last].atoms.end;
        // In `a, b,` the last comma stays with whatever is left; in `return x;` the semicolon is none of the row's.
        let trails =
            |text: &[u8]| example.map_or(text == b",", |example| text == self.text(example));
        if end < self.atoms.len() && trails(self.text(end)) {
            end += 1;
        }
        // A semicolon between some elements only does not separate them, it ends those that need it.
        let is_semicolon = || example.is_some_and(|example| self.text(example) == b";");
        let ends = is_labelled || is_bare && is_semicolon();
        open.rows.push(SiblingList {
            elements: std::mem::take(&mut open.row),
            end,
            gaps: if ends { Gaps::Ends } else { Gaps::Separators },
        });
    }

    fn text(&self, atom: usize) -> &[u8] {
        &self.bytes[self.atoms[atom].start as usize..self.atoms[atom].end as usize]
    }

    /// Ends the document. `slots` are what the places spoke of.
    pub(super) fn finish(mut self, view: View, slots: Vec<Slot>) -> Document {
        if !slots.is_empty() {
            self.tree.slots = slots;
        }
        let mut spans: Vec<u32> = (1..=self.atoms.len()).map(small).collect();
        for node in self.tree.nodes.iter().skip(1) {
            if let Some(span) = spans.get_mut(node.atoms.start) {
                *span = (*span).max(small(node.atoms.end));
            }
        }
        Document {
            view,
            bytes: self.bytes,
            atoms: self.atoms,
            tokens: self.tokens,
            spans,
            fields: self.fields,
            tree: Arc::new(self.tree),
            frames: None,
            repairs: Repairs::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartsToken {
    Yes,
    No,
}

fn small(index: usize) -> u32 {
    u32::try_from(index).expect("documents are at most 4 GiB, and an atom is at least a byte")
}

fn is_bracket(text: &[u8]) -> bool {
    matches!(text, b"(" | b")" | b"[" | b"]" | b"{" | b"}")
}

#[cfg(test)]
mod tests {
    use boildown_search::Subset;

    use super::*;
    use crate::Language;

    /// What is left of a text without each of the nodes right below the root, or below the first of these.
    fn without_each(language: &str, text: &str, parent: NodeId) -> Option<Vec<String>> {
        let language = Language::named(language)?;
        let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
        let tree = document.tree();
        let lists = tree.nodes[parent].lists.clone();
        let row = tree.lists[lists]
            .iter()
            .max_by_key(|list| list.elements.len())?;
        let without = |gone: usize| {
            let cuts = row.cuts(tree, |position| position != gone);
            let kept = Subset::full(document.len()).without(cuts);
            String::from_utf8_lossy(&document.render(&kept))
                .trim()
                .to_owned()
        };
        Some((0..row.elements.len()).map(without).collect())
    }

    #[test]
    fn what_ends_an_element_goes_with_it() {
        let left = without_each("C", "struct a {}; int b() {} struct c {};", 0);
        let want = [
            "int b() {} struct c {};",
            "struct a {}; struct c {};",
            "struct a {}; int b() {}",
        ];
        assert!(left.is_none_or(|left| left == want));
    }

    #[test]
    fn the_sign_before_an_optional_part_goes_with_it() {
        let left = without_each("Rust", "fn a(b: c) -> d {}", 1);
        assert!(left.is_none_or(|left| left.contains(&"fn a(b: c) {}".to_owned())));
    }

    #[test]
    fn a_separator_goes_with_one_of_two() {
        let left = without_each("JSON", "[1, 2, 3]", 1);
        assert!(left.is_none_or(|left| left == ["[2, 3]", "[1, 3]", "[1, 2]"]));
    }
}
