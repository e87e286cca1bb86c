//! Building a document from left to right: open a node, add tokens, close it.
//!
//! The builder also collects the sibling lists: the children of a node that can be removed alone.
//! A single token between two children is their separator. A bracket, or more than one token, ends
//! the list. So `(a, b)` has one list, of `a` and `b` with the separator `,`.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{Gaps, IdVec, Node, NodeId, Slot, SlotId, Tree};

use super::frames::Repairs;
use super::joined::JoinedFiles;
use super::{Document, View};

/// The position of a node in its parent.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodePosition {
    /// The slot: one of those given to [`Builder::finish`].
    pub(crate) slot: SlotId,
    /// The field in the parent, by the grammar's number; 0 when it has none.
    pub(crate) field: u16,
    pub(crate) role: Role,
}

impl NodePosition {
    /// Returns the position of an element in a slot, in no field.
    #[must_use]
    pub fn in_slot(slot: SlotId) -> Self {
        Self {
            slot,
            ..Self::default()
        }
    }
}

/// The role of a node in the sibling lists of its parent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// As an element.
    #[default]
    Element,
    /// As an element to which the text up to the next element belongs: `public:`.
    Label,
    /// Not at all: it may stand anywhere, as comments do.
    Extra,
}

/// A tree that is built while the tokens of a document are read in order.
#[derive(Debug)]
pub struct Builder {
    bytes: Arc<[u8]>,
    tokens: Vec<Range<u32>>,
    counted_starts: Vec<u32>,
    tree: Tree,
    /// The field of each node.
    fields: IdVec<NodeId, u16>,
    open: Vec<OpenNode>,
    /// The lists of the open nodes, and the elements of these and of the lists that have not ended:
    /// those of inner nodes after those of outer ones.
    open_lists: Vec<OpenList>,
    open_elements: Vec<NodeId>,
}

#[derive(Debug)]
struct OpenNode {
    node: NodeId,
    role: Role,
    /// The first of its lists in `open_lists`.
    lists: usize,
    /// The first of all its elements in `open_elements`, and the first of those of the list that
    /// has not ended.
    elements: usize,
    list: usize,
    /// The tokens since the last child.
    separator: Separator,
    /// The first separator in the current list. All separators of a list are taken to have its
    /// text.
    example: Option<usize>,
    /// Whether two neighbours in the current list have no token between them.
    is_bare: bool,
    /// Whether an element of the current list is a label.
    is_labelled: bool,
    /// Whether semicolons between its elements end these.
    has_ends: bool,
    /// The number of tokens so far that are no nodes and separate nothing.
    loose: usize,
}

/// A list of an open node.
#[derive(Debug)]
struct OpenList {
    elements: Range<usize>,
    end: usize,
    gaps: Gaps,
}

/// A node with more loose tokens than this has them because its text is flat, not because its rule
/// has them. The others become elements of its sibling lists, which are reduced by halves.
const LOOSE_TOKENS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// No token since the last child.
    None,
    /// A single token, which may be a separator.
    One(usize),
    /// Something that is no separator.
    Other,
}

impl Builder {
    /// Starts a document. Without slots, which are given to `finish`, no node may replace another.
    pub fn new(bytes: Arc<[u8]>) -> Self {
        let mut tree = Tree::default();
        tree.slots.push(Slot::default());
        Self {
            bytes,
            tokens: Vec::new(),
            counted_starts: Vec::new(),
            tree,
            fields: IdVec::default(),
            open: Vec::new(),
            open_lists: Vec::new(),
            open_elements: Vec::new(),
        }
    }

    /// Returns the number of tokens so far.
    pub fn count(&self) -> usize {
        self.tokens.len()
    }

    /// Returns whether a node is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Begins a node.
    pub fn open(&mut self, kind: u16, position: NodePosition) {
        let node = self.tree.nodes.next_id();
        let at = self.tokens.len();
        (self.tree.nodes).push(Node::new(at..at, node.next(), kind, position.slot));
        self.fields.push(position.field);
        self.open.push(OpenNode {
            node,
            role: position.role,
            lists: self.open_lists.len(),
            elements: self.open_elements.len(),
            list: self.open_elements.len(),
            separator: Separator::None,
            example: None,
            is_bare: false,
            is_labelled: false,
            has_ends: false,
            loose: 0,
        });
    }

    /// Returns the node that is opened next.
    pub(crate) fn next_node(&self) -> NodeId {
        self.tree.nodes.next_id()
    }

    /// Adds a token that belongs to the open node and is no node itself.
    pub fn token(&mut self, bytes: Range<usize>) {
        self.push(bytes, StartsToken::Yes);
        if let Some(open) = self.open.last_mut() {
            open.separator = Separator::Other;
        }
    }

    /// Lets semicolons between the elements of the open node end these, however many have one.
    pub(crate) fn end_elements(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.has_ends = true;
        }
    }

    /// Adds a token that may separate the children before and after it.
    pub(crate) fn separator(&mut self, bytes: Range<usize>) {
        let mut is_element = false;
        if let Some(open) = self.open.last_mut() {
            if open.separator == Separator::None {
                open.separator = Separator::One(self.tokens.len());
            } else {
                open.loose += 1;
                is_element = open.loose > LOOSE_TOKENS;
                if !is_element {
                    open.separator = Separator::Other;
                }
            }
        }
        if is_element {
            self.open(0, NodePosition::default());
        }
        self.push(bytes, StartsToken::Yes);
        if is_element {
            self.close();
        }
    }

    /// Adds one counted token made of several tokens, each of them a node.
    pub(crate) fn words(&mut self, kind: u16, words: impl Iterator<Item = Range<usize>>) {
        for (position, word) in words.enumerate() {
            self.open(kind, NodePosition::default());
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
            (self.tokens.last()).is_none_or(|last| last.end as usize <= bytes.start),
            "tokens come in order"
        );
        if token == StartsToken::Yes {
            self.counted_starts.push(small(self.tokens.len()));
        }
        self.tokens.push(small(bytes.start)..small(bytes.end));
    }

    /// Ends the node that was opened last.
    ///
    /// # Panics
    /// When no node is open.
    pub fn close(&mut self) {
        let mut open = self.open.pop().expect("every close follows its open");
        self.end_list(&mut open);
        let first = self.tree.lists.next_id();
        for list in self.open_lists.drain(open.lists..) {
            let elements = self.open_elements[list.elements].iter().copied();
            self.tree.push_list(elements, list.end, list.gaps);
        }
        self.open_elements.truncate(open.elements);
        let lists = self.tree.lists.ids_from(first);
        let end = self.tree.nodes.next_id();
        let node = &mut self.tree.nodes[open.node];
        node.end_at(self.tokens.len(), end);
        node.lists = lists;
        if node.tokens().is_empty() {
            return;
        }
        match open.role {
            Role::Extra => self.tree.extras.push(open.node),
            Role::Element | Role::Label => self.append(open.node, open.role),
        }
    }

    /// Adds a closed child to the sibling list of the open node.
    fn append(&mut self, child: NodeId, role: Role) {
        let Some(mut parent) = self.open.pop() else {
            return;
        };
        let is_first = parent.list == self.open_elements.len();
        match parent.separator {
            Separator::None => parent.is_bare |= !is_first,
            Separator::One(token) if is_first || is_bracket(self.text(token)) => {
                self.end_list(&mut parent);
            }
            Separator::One(token) => parent.example = parent.example.or(Some(token)),
            Separator::Other => self.end_list(&mut parent),
        }
        self.open_elements.push(child);
        parent.is_labelled |= role == Role::Label;
        parent.separator = Separator::None;
        self.open.push(parent);
    }

    fn end_list(&mut self, open: &mut OpenNode) {
        let example = open.example.take();
        let is_bare = std::mem::take(&mut open.is_bare);
        let is_labelled = std::mem::take(&mut open.is_labelled);
        let elements = open.list..self.open_elements.len();
        let Some(&last) = self.open_elements[elements.clone()].last() else {
            return;
        };
        open.list = elements.end;
        let mut end = self.tree.nodes[last].tokens().end;
        // In `a, b,` the last comma stays with whatever is left. In `return x;` the semicolon does
        // not belong to the list of `x`.
        let trails =
            |text: &[u8]| example.map_or(text == b",", |example| text == self.text(example));
        if end < self.tokens.len() && trails(self.text(end)) {
            end += 1;
        }
        // A semicolon between some but not all elements does not separate them; it ends those that
        // need one.
        let is_semicolon = || example.is_some_and(|example| self.text(example) == b";");
        let ends = is_labelled || (is_bare || open.has_ends) && is_semicolon();
        let gaps = if ends { Gaps::Ends } else { Gaps::Separators };
        self.open_lists.push(OpenList {
            elements,
            end,
            gaps,
        });
    }

    fn text(&self, token: usize) -> &[u8] {
        &self.bytes[self.tokens[token].start as usize..self.tokens[token].end as usize]
    }

    /// Ends the document. The positions of nodes refer to these slots.
    pub fn finish(mut self, view: View, slots: IdVec<SlotId, Slot>) -> Document {
        if !slots.is_empty() {
            self.tree.slots = slots;
        }
        let mut spans: Vec<u32> = (1..=self.tokens.len()).map(small).collect();
        for node in self.tree.nodes.iter().skip(1) {
            let tokens = node.tokens();
            if let Some(span) = spans.get_mut(tokens.start) {
                *span = (*span).max(small(tokens.end));
            }
        }
        // Documents are kept, many at a time with many workers.
        self.tokens.shrink_to_fit();
        self.counted_starts.shrink_to_fit();
        self.fields.shrink_to_fit();
        self.tree.shrink_to_fit();
        Document {
            view,
            bytes: self.bytes,
            tokens: self.tokens,
            counted_starts: self.counted_starts,
            spans,
            fields: self.fields,
            tree: Arc::new(self.tree),
            files: JoinedFiles::default(),
            frames: None,
            repairs: Repairs::default(),
            parsed: None,
            patterns: Vec::new(),
            pinned: Vec::new(),
            module: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartsToken {
    Yes,
    No,
}

fn small(index: usize) -> u32 {
    u32::try_from(index).expect("documents are at most 4 GiB, and a token is at least a byte")
}

fn is_bracket(text: &[u8]) -> bool {
    matches!(text, b"(" | b")" | b"[" | b"]" | b"{" | b"}")
}

#[cfg(all(test, feature = "all-languages"))]
mod tests {
    use boildown_search::Subset;

    use super::*;
    use crate::Language;

    /// Returns what is left of a text without each element of the longest sibling list of a node.
    fn without_each(language: &str, text: &str, parent: NodeId) -> Vec<String> {
        let language = Language::named(language).expect("the grammar is built");
        let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
        let tree = document.tree();
        let lists = tree.nodes[parent].lists.clone();
        let siblings = tree.lists[lists]
            .iter()
            .max_by_key(|list| tree.elements(list).len())
            .expect("the node has children");
        let without = |gone: usize| {
            let cuts = siblings.cuts(tree, |position| position != gone);
            let kept = Subset::full(document.len()).without(cuts);
            String::from_utf8_lossy(&document.render(&kept))
                .trim()
                .to_owned()
        };
        (0..tree.elements(siblings).len()).map(without).collect()
    }

    #[test]
    fn neighbours_are_parts_of_one_node_that_are_no_elements_of_a_list() {
        let language = Language::named("C").expect("the grammar is built");
        let text = b"int a = f(1, 2);";
        let document = Document::new(&text[..].into(), View::Syntax(language));
        let runs = document.tree().neighbours(2).into_iter();
        let texts = runs.map(|run| String::from_utf8_lossy(document.text(run)).into_owned());
        let texts: Vec<String> = texts.collect();
        // `a`, `f(1, 2)` and `1`, `2` are lists, of which any element can go alone.
        assert_eq!(texts, ["a = f(1, 2);", "(1", "2)"]);
    }

    #[test]
    fn many_tokens_in_a_row_are_elements_of_a_list() {
        let language = Language::named("Markdown").expect("the grammar is built");
        let text = "**_* ".repeat(100);
        let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
        let tree = document.tree();
        let longest = tree
            .lists
            .iter()
            .map(|list| tree.elements(list).len())
            .max();
        assert!(longest > Some(100), "{longest:?} of {}", document.len());
    }

    #[test]
    fn what_ends_an_element_is_deleted_with_it() {
        let left = without_each("C", "struct a {}; int b() {} struct c {};", NodeId::ROOT);
        let want = [
            "int b() {} struct c {};",
            "struct a {}; struct c {};",
            "struct a {}; int b() {}",
        ];
        assert_eq!(left, want);
    }

    #[test]
    fn the_sign_before_an_optional_part_is_deleted_with_it() {
        let left = without_each("Rust", "fn a(b: c) -> d {}", NodeId::new(1));
        assert!(left.contains(&"fn a(b: c) {}".to_owned()));
    }

    #[test]
    fn a_separator_is_deleted_with_one_of_two_elements() {
        let left = without_each("JSON", "[1, 2, 3]", NodeId::new(1));
        assert_eq!(left, ["[2, 3]", "[1, 3]", "[1, 2]"]);
    }
}
