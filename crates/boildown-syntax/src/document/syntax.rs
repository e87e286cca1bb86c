//! The view through a grammar: tree-sitter's tree, and nothing of the text lost.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use super::builder::{Builder, Place, Role};
use super::slots::Slots;
use super::words::words;
use super::{Document, View};
use crate::{Language, parse};

/// The kind of a word inside a token; no grammar has so many of its own.
pub(super) const WORD: u16 = u16::MAX - 1;

pub(super) fn read(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    let tree = parse::Parser::new(language).parse(bytes);
    let mut reader = Reader {
        slots: Slots::of(language),
        builder: Builder::new(Arc::clone(bytes)),
        kinds: vec![0],
        covered: 0,
        bytes,
    };
    let mut cursor = tree.walk();
    // Depth-first without recursion: inputs may be nested 10,000 levels deep.
    loop {
        if reader.enter(&cursor) && cursor.goto_first_child() {
            continue;
        }
        loop {
            reader.leave(cursor.node());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return reader
                    .builder
                    .finish(View::Syntax(language), reader.slots.into_used());
            }
        }
    }
}

struct Reader<'a> {
    slots: Slots,
    builder: Builder,
    /// The kinds of the open nodes, outermost first, below a root that is none.
    kinds: Vec<u16>,
    /// Everything before this byte is in an atom, or white space.
    covered: usize,
    bytes: &'a [u8],
}

impl Reader<'_> {
    /// Begins a node; returns whether its children are to be read.
    fn enter(&mut self, cursor: &TreeCursor<'_>) -> bool {
        let node = cursor.node();
        if is_nothing(node, self.bytes) {
            return false;
        }
        self.catch_up(node.start_byte());
        if node.child_count() == 0 && !node.is_named() {
            self.builder.separator(node.byte_range());
            self.covered = node.end_byte();
            return false;
        }
        let role = if node.is_extra() && !node.is_error() {
            Role::Extra
        } else {
            Role::Element
        };
        let parent = self.kinds.last().copied().unwrap_or(0);
        let field = (
            cursor.field_id().map_or(0, u16::from),
            cursor.field_name().unwrap_or(""),
        );
        let slot = self.slots.of_place(parent, field, node.kind_id());
        self.builder.open(
            node.kind_id(),
            Place {
                slot,
                field: field.0,
                role,
            },
        );
        self.kinds.push(node.kind_id());
        if node.child_count() == 0 {
            self.token(node.byte_range());
            return false;
        }
        true
    }

    /// Ends the node that `enter` began.
    fn leave(&mut self, node: Node<'_>) {
        if is_nothing(node, self.bytes) || node.child_count() == 0 && !node.is_named() {
            return;
        }
        self.catch_up(node.end_byte());
        self.builder.close();
        self.kinds.pop();
    }

    /// Turns what the grammar hides between two tokens into atoms of its own.
    fn catch_up(&mut self, to: usize) {
        if to > self.covered {
            let hidden = trim(self.bytes, self.covered..to);
            if !hidden.is_empty() {
                self.token(hidden);
            }
            self.covered = to;
        }
    }

    /// Adds a token: one atom, or when it is several words, such as a string or a comment, one for each.
    fn token(&mut self, bytes: Range<usize>) {
        if words(self.bytes, bytes.clone()).nth(1).is_some() {
            self.builder.words(WORD, words(self.bytes, bytes.clone()));
        } else {
            self.builder.atom(trim(self.bytes, bytes.clone()));
        }
        self.covered = bytes.end;
    }
}

/// Whether a node holds no atom: it is empty, or a line break that the grammar calls a token.
fn is_nothing(node: Node<'_>, bytes: &[u8]) -> bool {
    trim(bytes, node.byte_range()).is_empty()
}

/// A range without the white space at its ends.
fn trim(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &bytes[range.clone()];
    let end = range.start + text.trim_ascii_end().len();
    let start = range.end - text.trim_ascii_start().len();
    start.min(end)..end
}
