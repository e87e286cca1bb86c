//! Trees written as text, for tests: `a[bc](d,e){fg}X`.
//!
//! A small letter is a leaf, a capital letter an extra leaf. `[bc]` is a node with a sibling list,
//! in which commas are separators. `(d,e)` is the same, with two brackets of its own. The children
//! of `{fg}` are in no list. Letters, commas and round brackets are tokens; square and curly
//! brackets are not. The root is a node with one list of everything.

use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::{Gaps, Node, NodeId, Slot, SlotId, Tree};
use proptest::prelude::*;

/// A tree and its tokens, one character each.
#[derive(Debug, Clone)]
pub(crate) struct Grove {
    pub(crate) tree: Arc<Tree>,
    pub(crate) tokens: String,
}

/// The nodes that fit a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fits {
    Anything,
    /// A single node of the same kind: a leaf, an extra leaf, or a node with the same brackets.
    SameKind,
}

impl Grove {
    /// Parses a tree in which every node fits every slot.
    pub(crate) fn parse(text: &str) -> Self {
        Self::new(text, Fits::Anything)
    }

    pub(crate) fn new(text: &str, fits: Fits) -> Self {
        let mut parser = GroveParser {
            rest: text.bytes().peekable(),
            tree: Tree::default(),
            tokens: String::new(),
        };
        // For each kind, a slot in a list and one outside lists.
        parser.tree.slots = (0..2 * KINDS)
            .map(|slot| Slot {
                kinds: match fits {
                    Fits::Anything => (0..KINDS).collect(),
                    Fits::SameKind => vec![slot % KINDS],
                },
                many: fits == Fits::Anything && slot < KINDS,
            })
            .collect();
        parser.node(b'[', Parent::List);
        assert!(
            parser.rest.next().is_none(),
            "an unpaired bracket in {text}"
        );
        Self {
            tree: Arc::new(parser.tree),
            tokens: parser.tokens,
        }
    }

    pub(crate) fn full(&self) -> Subset {
        Subset::full(self.tokens.len())
    }

    /// The text of the kept tokens.
    pub(crate) fn text(&self, kept: &Subset) -> String {
        kept.iter()
            .map(|token| char::from(self.tokens.as_bytes()[token]))
            .collect()
    }
}

const KINDS: u16 = 5;

#[derive(Debug, Clone, Copy)]
enum Parent {
    List,
    Alone,
}

struct GroveParser<'a> {
    rest: std::iter::Peekable<std::str::Bytes<'a>>,
    tree: Tree,
    tokens: String,
}

impl GroveParser<'_> {
    fn token(&mut self, text: u8) {
        self.tokens.push(char::from(text));
    }

    /// Parses the rest of a node whose first byte has been read.
    fn node(&mut self, first: u8, parent: Parent) -> NodeId {
        let id = self.tree.nodes.next_id();
        let start = self.tokens.len();
        let kind = match first {
            b'[' => 1,
            b'(' => 2,
            b'{' => 3,
            b'A'..=b'Z' => 4,
            _ => 0,
        };
        let slot = SlotId::new(usize::from(match parent {
            Parent::List => kind,
            Parent::Alone => kind + KINDS,
        }));
        (self.tree.nodes).push(Node::new(start..start, id.next(), kind, slot));
        let mut elements = Vec::new();
        let mut end_of_list = 0;
        if matches!(first, b'[' | b'(' | b'{') {
            if first == b'(' {
                self.token(first);
            }
            while let Some(next) = self.rest.next_if(|next| !b"])}".contains(next)) {
                let parent = if first == b'{' {
                    Parent::Alone
                } else {
                    Parent::List
                };
                match next {
                    b',' => self.token(next),
                    b'A'..=b'Z' => {
                        let extra = self.node(next, parent);
                        self.tree.extras.push(extra);
                    }
                    _ => {
                        let child = self.node(next, parent);
                        if first != b'{' {
                            elements.push(child);
                        }
                    }
                }
            }
            end_of_list = self.tokens.len();
            self.rest.next();
            if first == b'(' {
                self.token(b')');
            }
        } else {
            self.token(first);
        }
        let begin = self.tree.lists.next_id();
        if !elements.is_empty() {
            (self.tree).push_list(elements, end_of_list, Gaps::Separators);
        }
        let (end, lists, tokens) = (
            self.tree.nodes.next_id(),
            self.tree.lists.ids_from(begin),
            self.tokens.len(),
        );
        let node = &mut self.tree.nodes[id];
        node.end_at(tokens, end);
        node.lists = lists;
        id
    }
}

/// Texts of random trees. [`Plain::Yes`] leaves out separators, extras and round brackets, so that
/// every node can be deleted as a range of its own.
pub(crate) fn groves(plain: Plain) -> impl Strategy<Value = String> {
    let leaf = match plain {
        Plain::Yes => Just("a".to_owned()).boxed(),
        Plain::No => prop_oneof![4 => Just("a".to_owned()), 1 => Just("X".to_owned())].boxed(),
    };
    let nodes = leaf.prop_recursive(3, 14, 4, move |inner| {
        let children = proptest::collection::vec(inner, 1..4);
        let siblings = children
            .clone()
            .prop_map(|siblings| format!("[{}]", siblings.concat()));
        let loose = children
            .clone()
            .prop_map(|siblings| format!("{{{}}}", siblings.concat()));
        match plain {
            Plain::Yes => prop_oneof![siblings, loose].boxed(),
            Plain::No => {
                let separated = children
                    .clone()
                    .prop_map(|siblings| format!("[{}]", siblings.join(",")));
                let call = children.prop_map(|siblings| format!("({})", siblings.join(",")));
                prop_oneof![siblings, loose, separated, call].boxed()
            }
        }
    });
    let usual = proptest::collection::vec(nodes, 1..3).prop_map(|nodes| nodes.concat());
    prop_oneof![4 => usual, 1 => chains(plain)]
}

/// Texts of nested nodes, each with little beside the next one.
fn chains(plain: Plain) -> impl Strategy<Value = String> {
    let kinds = match plain {
        Plain::Yes => 0..2_usize,
        Plain::No => 0..4,
    };
    proptest::collection::vec(kinds, 6..9).prop_map(|levels| {
        levels.iter().fold("a".to_owned(), |inner, kind| {
            let (before, after) = [("{a", "}"), ("{", "a}"), ("(", ")"), ("{X", "}")][*kind];
            format!("{before}{inner}{after}")
        })
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    Yes,
    No,
}
