//! Trees written as text, for tests: `a[bc](d,e){fg}X`.
//!
//! A small letter is a leaf, a capital letter an extra leaf. `[bc]` is a node with a row of children, in which a comma separates two
//! of them; `(d,e)` the same with two brackets of its own; the children of `{fg}` are in no row. Letters, commas and
//! round brackets are atoms, the others are not. The root is a row around it all.

use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::{Gaps, Node, NodeId, SiblingList, Slot, Tree};
use proptest::prelude::*;

/// A tree and the text of its atoms.
#[derive(Debug, Clone)]
pub(crate) struct Grove {
    pub(crate) tree: Arc<Tree>,
    pub(crate) atoms: String,
}

/// What fits into a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fits {
    Anything,
    /// Only one node of the kind that stands there: a leaf, an extra leaf, or a node with the same brackets.
    SameKind,
}

impl Grove {
    /// Reads a tree in which everything fits everywhere.
    pub(crate) fn of(text: &str) -> Self {
        Self::new(text, Fits::Anything)
    }

    pub(crate) fn new(text: &str, fits: Fits) -> Self {
        let mut grower = Grower {
            rest: text.bytes().peekable(),
            tree: Tree::default(),
            atoms: String::new(),
        };
        // A slot for each kind, in a row and alone.
        grower.tree.slots = (0..2 * KINDS)
            .map(|slot| Slot {
                kinds: match fits {
                    Fits::Anything => (0..KINDS).collect(),
                    Fits::SameKind => vec![slot % KINDS],
                },
                many: fits == Fits::Anything && slot < KINDS,
            })
            .collect();
        grower.node(b'[', Place::Row);
        assert!(
            grower.rest.next().is_none(),
            "an unpaired bracket in {text}"
        );
        Self {
            tree: Arc::new(grower.tree),
            atoms: grower.atoms,
        }
    }

    pub(crate) fn full(&self) -> Subset {
        Subset::full(self.atoms.len())
    }

    /// The text of the kept atoms.
    pub(crate) fn text(&self, kept: &Subset) -> String {
        kept.iter()
            .map(|atom| char::from(self.atoms.as_bytes()[atom]))
            .collect()
    }
}

const KINDS: u16 = 5;

#[derive(Debug, Clone, Copy)]
enum Place {
    Row,
    Alone,
}

struct Grower<'a> {
    rest: std::iter::Peekable<std::str::Bytes<'a>>,
    tree: Tree,
    atoms: String,
}

impl Grower<'_> {
    fn atom(&mut self, text: u8) {
        self.atoms.push(char::from(text));
    }

    /// Reads a node whose first byte has been read, to its end.
    fn node(&mut self, first: u8, place: Place) -> NodeId {
        let id = self.tree.nodes.len();
        let start = self.atoms.len();
        let kind = match first {
            b'[' => 1,
            b'(' => 2,
            b'{' => 3,
            b'A'..=b'Z' => 4,
            _ => 0,
        };
        self.tree.nodes.push(Node {
            atoms: start..start,
            end: id + 1,
            kind,
            slot: usize::from(match place {
                Place::Row => kind,
                Place::Alone => kind + KINDS,
            }),
            lists: 0..0,
        });
        let (mut elements, mut lists) = (Vec::new(), Vec::new());
        if matches!(first, b'[' | b'(' | b'{') {
            if first == b'(' {
                self.atom(first);
            }
            while let Some(next) = self.rest.next_if(|next| !b"])}".contains(next)) {
                let place = if first == b'{' {
                    Place::Alone
                } else {
                    Place::Row
                };
                match next {
                    b',' => self.atom(next),
                    b'A'..=b'Z' => {
                        let extra = self.node(next, place);
                        self.tree.extras.push(extra);
                    }
                    _ => {
                        let child = self.node(next, place);
                        if first != b'{' {
                            elements.push(child);
                        }
                    }
                }
            }
            if !elements.is_empty() {
                lists.push(SiblingList {
                    elements,
                    end: self.atoms.len(),
                    gaps: Gaps::Separators,
                });
            }
            self.rest.next();
            if first == b'(' {
                self.atom(b')');
            }
        } else {
            self.atom(first);
        }
        let begin = self.tree.lists.len();
        self.tree.lists.extend(lists);
        let (end, last, atoms) = (
            self.tree.nodes.len(),
            self.tree.lists.len(),
            self.atoms.len(),
        );
        let node = &mut self.tree.nodes[id];
        (node.end, node.lists, node.atoms.end) = (end, begin..last, atoms);
        id
    }
}

/// Texts of random trees. `plain`: no separators, extras or brackets, so that every node is a range of its own.
pub(crate) fn groves(plain: Plain) -> impl Strategy<Value = String> {
    let leaf = match plain {
        Plain::Yes => Just("a".to_owned()).boxed(),
        Plain::No => prop_oneof![4 => Just("a".to_owned()), 1 => Just("X".to_owned())].boxed(),
    };
    let nodes = leaf.prop_recursive(3, 14, 4, move |inner| {
        let children = proptest::collection::vec(inner, 1..4);
        let row = children
            .clone()
            .prop_map(|row| format!("[{}]", row.concat()));
        let loose = children
            .clone()
            .prop_map(|row| format!("{{{}}}", row.concat()));
        match plain {
            Plain::Yes => prop_oneof![row, loose].boxed(),
            Plain::No => {
                let separated = children
                    .clone()
                    .prop_map(|row| format!("[{}]", row.join(",")));
                let call = children.prop_map(|row| format!("({})", row.join(",")));
                prop_oneof![row, loose, separated, call].boxed()
            }
        }
    });
    let usual = proptest::collection::vec(nodes, 1..3).prop_map(|nodes| nodes.concat());
    prop_oneof![4 => usual, 1 => spines(plain)]
}

/// Texts of nodes within each other, each with little beside the next.
fn spines(plain: Plain) -> impl Strategy<Value = String> {
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
