//! The reader: the languages of an input, and the document that is being built from their trees.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, Tree};

use super::division::Division;
use crate::document::builder::{Builder, NodePosition};
use crate::document::kinds::{KindNumbers, WORD};
use crate::document::slots::Slots;
use crate::document::words::{is_word, trim, words};
use crate::steps::Pace;
use crate::{Language, parse};

/// A language with its parser and the numbers of its kinds.
pub(super) struct Grammar {
    pub(super) language: &'static Language,
    pub(super) parser: parse::Parser,
    pub(super) kinds: KindNumbers,
    /// The grammar's numbers of the kinds that the walk looks for: to ask each node for the name of
    /// its kind takes longer than all else.
    pub(super) label: Option<u16>,
    pub(super) attribute: Option<u16>,
    /// Lists of declarations, in which a semicolon belongs to what is before it.
    pub(super) declarations: [Option<u16>; 2],
    /// The kinds whose text may be in another language.
    pub(super) foreign: Vec<u16>,
}

/// The surroundings of the text that is being read.
#[derive(Clone, Copy, Default)]
pub(super) struct Context {
    /// The kind of the parent; 0 for none.
    pub(super) kind: u16,
    /// The number of outer languages.
    pub(super) depth: usize,
    /// The number of outer statements that were divided.
    pub(super) divided: usize,
}

/// Reads an input in a language, and in the languages nested in it.
pub(super) struct SyntaxReader<'a> {
    /// Every language met so far, the outermost first.
    pub(super) grammars: Vec<Arc<Grammar>>,
    pub(super) slots: Slots,
    pub(super) builder: Builder,
    /// Every byte before this one is in a token, or white space.
    pub(super) covered: usize,
    pub(super) bytes: &'a [u8],
    /// The stretches of tokens that are regular expressions.
    pub(super) patterns: Vec<Range<usize>>,
    /// The tree of the outermost language over the whole input.
    pub(super) parsed: Option<Tree>,
    pub(super) pace: Pace,
}

/// A part of the input in one language, and the position in its tree.
pub(super) struct Section<'a> {
    pub(super) grammar: &'a Grammar,
    /// The first byte.
    pub(super) start: usize,
    pub(super) context: Context,
    /// The kinds of the open nodes, outermost first.
    pub(super) open: Vec<u16>,
    /// The items with attributes that are open, outermost first, by the ids of their nodes.
    pub(super) attributed: Vec<usize>,
    /// Blocks whose contents were hidden from the parser.
    pub(super) blocks: Option<Blocks<'a>>,
}

/// The blocks of a statement that was parsed with their contents blanked out.
pub(super) struct Blocks<'a> {
    pub(super) division: &'a Division<'a>,
    pub(super) bodies: Vec<Range<usize>>,
}

impl<'a> Section<'a> {
    pub(super) fn new(grammar: &'a Grammar, start: usize, context: Context) -> Self {
        Self {
            grammar,
            start,
            context,
            open: Vec::new(),
            attributed: Vec::new(),
            blocks: None,
        }
    }

    /// Returns the kind of the innermost open node.
    pub(super) fn parent(&self) -> u16 {
        self.open.last().copied().unwrap_or(self.context.kind)
    }

    pub(super) fn bytes_of(&self, node: Node<'_>) -> Range<usize> {
        self.start + node.start_byte()..self.start + node.end_byte()
    }

    pub(super) fn is_outermost(&self) -> bool {
        self.context.depth == 0
    }
}

impl SyntaxReader<'_> {
    /// Returns the grammar of a language, with the parser; `None` when the kinds of all languages
    /// together are too many.
    pub(super) fn grammar(&mut self, language: &'static Language) -> Option<Arc<Grammar>> {
        let known = (self.grammars.iter()).find(|grammar| grammar.language == language);
        if let Some(grammar) = known {
            return Some(Arc::clone(grammar));
        }
        let end = self.grammars.last().map(|last| last.kinds.end());
        let kinds = KindNumbers::after(end.map_or(Some(0), |end| end)?, language)?;
        self.slots.add(language, &kinds);
        let own = language.grammar();
        let number = |name: &str| Some(own.id_for_node_kind(name, true)).filter(|&id| id != 0);
        let grammar = Arc::new(Grammar {
            language,
            parser: parse::Parser::new(language),
            kinds,
            label: number("access_specifier"),
            attribute: number("attribute_item"),
            declarations: ["translation_unit", "declaration_list"].map(number),
            foreign: language.kinds_of_nested().filter_map(number).collect(),
        });
        self.grammars.push(Arc::clone(&grammar));
        Some(grammar)
    }

    /// Adds the text between two nodes that is in neither of them as a token of its own.
    pub(super) fn catch_up(&mut self, to: usize) {
        if to > self.covered {
            let hidden = trim(self.bytes, self.covered..to);
            if !hidden.is_empty() && !self.path(hidden.clone()) {
                self.token(hidden);
            }
            self.covered = to;
        }
    }

    /// Adds names with `::` behind each, such as were hidden from the parser, as names: what they
    /// mean is needed. Returns whether the text is that.
    fn path(&mut self, bytes: Range<usize>) -> bool {
        let text = &self.bytes[bytes.clone()];
        let is_path = text.ends_with(b"::")
            && (text.iter()).all(|&byte| is_word(byte) || b": \n".contains(&byte));
        let mut grammars = self.grammars.iter();
        let kind = grammars.find_map(|grammar| grammar.kinds.named("namespace_identifier"));
        let Some(kind) = kind.filter(|_| is_path) else {
            return false;
        };
        let mut end = bytes.start;
        for part in text.chunk_by(|&left, &right| is_word(left) == is_word(right)) {
            let start = end;
            end += part.len();
            let own = trim(self.bytes, start..end);
            if is_word(part[0]) {
                self.builder.open(kind, NodePosition::default());
                self.builder.token(own);
                self.builder.close();
            } else if !own.is_empty() {
                self.builder.token(own);
            }
        }
        true
    }

    /// Adds a token of the language. If it consists of several words, as strings and comments do,
    /// each becomes a token that can be removed.
    pub(super) fn token(&mut self, bytes: Range<usize>) {
        if words(self.bytes, bytes.clone()).nth(1).is_some() {
            self.builder.words(WORD, words(self.bytes, bytes.clone()));
        } else {
            self.builder.token(trim(self.bytes, bytes.clone()));
        }
        self.covered = bytes.end;
    }
}
