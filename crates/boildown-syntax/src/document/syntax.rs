//! The view through grammars: tree-sitter's trees, one within the other, and nothing of the text lost.

mod divided;
mod division;

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use super::builder::{Builder, Place, Role};
use super::slots::{Kinds, Slots};
use super::words::words;
use super::{Document, View};
use crate::{Language, parse};
use divided::Blocks;
pub(crate) use divided::is_lost;

/// The kind of a word inside a token; no grammar has so many of its own.
pub(crate) const WORD: u16 = u16::MAX - 1;

/// The kind of a statement that was divided, since it does not parse.
pub(super) const UNPARSED: u16 = u16::MAX - 2;

/// So many languages may be within each other: pages in documents, scripts in pages.
const DEEPEST: usize = 3;

pub(super) fn read(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    read_with_kinds(bytes, language).0
}

/// Returns the document, and what its kinds of nodes are called.
pub(super) fn read_with_kinds(
    bytes: &Arc<[u8]>,
    language: &'static Language,
) -> (Document, KindNames) {
    let mut reader = Reader {
        grammars: Vec::new(),
        slots: Slots::default(),
        builder: Builder::new(Arc::clone(bytes)),
        covered: 0,
        bytes,
    };
    let outermost = reader.grammar(language).expect("one grammar always fits");
    reader.read(0..bytes.len(), &outermost, Around::default());
    let document = (reader.builder).finish(View::Syntax(language), reader.slots.into_used());
    (document, KindNames(reader.grammars))
}

/// What the kinds of nodes of a document are called.
pub(super) struct KindNames(Vec<Rc<Grammar>>);

impl KindNames {
    pub(super) fn of(&self, kind: u16) -> &str {
        let mut names = (self.0.iter().rev()).map(|grammar| grammar.kinds.name(kind));
        names.find_map(|name| name).unwrap_or("")
    }
}

/// A language as far as a document needs it.
struct Grammar {
    language: &'static Language,
    parser: parse::Parser,
    kinds: Kinds,
}

/// What a text is in.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The kind of the node; 0 for none.
    kind: u16,
    /// How many languages.
    depth: usize,
    /// How many statements that are divided.
    divided: usize,
}

struct Reader<'a> {
    /// All that were met so far, the outermost first.
    grammars: Vec<Rc<Grammar>>,
    slots: Slots,
    builder: Builder,
    /// Everything before this byte is in an atom, or white space.
    covered: usize,
    bytes: &'a [u8],
}

/// A part of the text that is in one language, and where the reader is in it.
struct Part<'a> {
    grammar: &'a Grammar,
    /// Where it begins.
    start: usize,
    around: Around,
    /// The kinds of the open nodes, outermost first.
    open: Vec<u16>,
    /// Blocks of which the tree does not know what is in them.
    blocks: Option<Blocks<'a>>,
}

impl<'a> Part<'a> {
    fn new(grammar: &'a Grammar, start: usize, around: Around) -> Self {
        Self {
            grammar,
            start,
            around,
            open: Vec::new(),
            blocks: None,
        }
    }

    /// The kind of the node that is open.
    fn parent(&self) -> u16 {
        self.open.last().copied().unwrap_or(self.around.kind)
    }

    fn bytes_of(&self, node: Node<'_>) -> Range<usize> {
        self.start + node.start_byte()..self.start + node.end_byte()
    }

    fn is_outermost(&self) -> bool {
        self.around.depth == 0
    }
}

impl Reader<'_> {
    /// Returns what is needed of a language; `None` when that is too much beside the others.
    fn grammar(&mut self, language: &'static Language) -> Option<Rc<Grammar>> {
        let known = (self.grammars.iter()).find(|grammar| grammar.language == language);
        if let Some(grammar) = known {
            return Some(Rc::clone(grammar));
        }
        let end = self.grammars.last().map(|last| last.kinds.end());
        let kinds = Kinds::after(end.map_or(Some(0), |end| end)?, language)?;
        self.slots.add(language, &kinds);
        let grammar = Rc::new(Grammar {
            language,
            parser: parse::Parser::new(language),
            kinds,
        });
        self.grammars.push(Rc::clone(&grammar));
        Some(grammar)
    }

    /// Reads a part of the text.
    fn read(&mut self, bytes: Range<usize>, grammar: &Grammar, around: Around) {
        match grammar.parser.parse(&self.bytes[bytes.clone()]) {
            Some(tree) if divided::is_needed(&tree, grammar, self.bytes, bytes.start) => {
                self.divide(&tree, bytes.start, grammar, around);
            }
            Some(tree) => self.walk(tree.walk(), Part::new(grammar, bytes.start, around)),
            None => self.read_words(bytes),
        }
    }

    /// Reads what a cursor stands on in the tree of a part of the text, and what follows beside it.
    fn walk(&mut self, mut cursor: TreeCursor<'_>, mut part: Part<'_>) {
        let top = cursor.depth();
        // Depth-first without recursion: inputs may be nested 10,000 levels deep.
        loop {
            if self.enter(&cursor, &mut part) && cursor.goto_first_child() {
                continue;
            }
            loop {
                self.leave(cursor.node(), &mut part);
                if cursor.goto_next_sibling() {
                    break;
                }
                if cursor.depth() == top || !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Reads a part of the text that cannot be parsed, word by word.
    fn read_words(&mut self, bytes: Range<usize>) {
        self.builder.open(0, Place::default());
        self.catch_up(bytes.end);
        self.builder.close();
    }

    /// Begins a node; returns whether its children are to be read.
    fn enter(&mut self, cursor: &TreeCursor<'_>, part: &mut Part<'_>) -> bool {
        let node = cursor.node();
        let bytes = part.bytes_of(node);
        if is_nothing(&bytes, self.bytes) {
            return false;
        }
        self.catch_up(bytes.start);
        if node.child_count() == 0 && !node.is_named() {
            self.covered = bytes.end;
            self.builder.separator(bytes.clone());
            self.read_block(bytes.start, part);
            return false;
        }
        let role = match node.kind() {
            _ if node.is_extra() && !node.is_error() => Role::Extra,
            "access_specifier" => Role::Label,
            _ => Role::Element,
        };
        let kind = part.grammar.kinds.of(node);
        let field = (
            cursor.field_id().map_or(0, u16::from),
            cursor.field_name().unwrap_or(""),
        );
        let place = Place {
            slot: self.slots.of_place(part.parent(), field, kind),
            // A number means nothing without its grammar.
            field: if part.is_outermost() { field.0 } else { 0 },
            role,
        };
        self.builder.open(kind, place);
        part.open.push(kind);
        if let Some(grammar) = self.inside(node, part) {
            let depth = part.around.depth + 1;
            let divided = 0;
            self.read(
                bytes,
                &grammar,
                Around {
                    kind,
                    depth,
                    divided,
                },
            );
            return false;
        }
        if node.child_count() == 0 {
            self.token(bytes);
            return false;
        }
        true
    }

    /// Returns the other language that the text of a node is in, if it is.
    fn inside(&mut self, node: Node<'_>, part: &Part<'_>) -> Option<Rc<Grammar>> {
        let before = &self.bytes[..part.start + node.start_byte()];
        let around = || node.parent().map_or("", |parent| parent.kind());
        let language = (part.grammar.language).inside(node.kind(), around, before)?;
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        // Of a plain text, grammars tell signs apart at most, and where its lines begin.
        let is_text = children
            .all(|child| !child.is_named() || is_nothing(&part.bytes_of(child), self.bytes));
        (is_text && part.around.depth + 1 < DEEPEST).then(|| self.grammar(language))?
    }

    /// Ends the node that `enter` began.
    fn leave(&mut self, node: Node<'_>, part: &mut Part<'_>) {
        let bytes = part.bytes_of(node);
        if is_nothing(&bytes, self.bytes) || node.child_count() == 0 && !node.is_named() {
            return;
        }
        self.catch_up(bytes.end);
        self.builder.close();
        part.open.pop();
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
fn is_nothing(node: &Range<usize>, bytes: &[u8]) -> bool {
    trim(bytes, node.clone()).is_empty()
}

/// A range without the white space at its ends.
fn trim(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &bytes[range.clone()];
    let end = range.start + text.trim_ascii_end().len();
    let start = range.end - text.trim_ascii_start().len();
    start.min(end)..end
}
