//! Parsing with tree-sitter, and counting what did not parse.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter::{InputEdit, Node, ParseOptions, ParseState, Point, Tree};

use crate::Language;
use crate::shield::Shield;

/// A parser for one language that clones share.
#[derive(Clone)]
pub(crate) struct Parser {
    parser: Arc<Mutex<tree_sitter::Parser>>,
    shield: Option<&'static Shield>,
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parser")
    }
}

impl Parser {
    pub(crate) fn new(language: &Language) -> Self {
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&language.grammar())
            .expect("a test loads every grammar of the build");
        Self {
            parser: Arc::new(Mutex::new(parser)),
            shield: Shield::of(language),
        }
    }

    /// What the parser is shown of a text.
    fn shown<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.shield
            .map_or(bytes.into(), |shield| shield.applied_to(bytes))
    }

    /// Parses a text. `None` when that would take forever.
    pub(crate) fn parse(&self, bytes: &[u8]) -> Option<Tree> {
        self.parse_from(bytes, None, Errors::Any)
    }

    /// Parses a text, from the tree of an older one when there is one. `None` when it gave up.
    fn parse_from(&self, bytes: &[u8], older: Option<&Tree>, errors: Errors) -> Option<Tree> {
        let mut parser = self.parser.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = self.shown(bytes);
        let mut patience = PATIENCE + bytes.len() / 4;
        let mut give_up = |state: &ParseState| {
            patience = patience.saturating_sub(1);
            match errors {
                Errors::None if state.has_error() => ControlFlow::Break(()),
                Errors::None | Errors::Any if patience == 0 => ControlFlow::Break(()),
                Errors::None | Errors::Any => ControlFlow::Continue(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut give_up);
        let tree = parser.parse_with_options(
            &mut |at, _| shown.get(at..).unwrap_or_default(),
            older,
            Some(options),
        );
        if tree.is_none() {
            parser.reset();
        }
        tree
    }
}

/// How often the parser may ask whether to go on, besides once for every four bytes. It does so for every fiftieth byte at most, unless
/// it tries out ways to read what cannot be read.
const PATIENCE: usize = 1000;

/// Which errors are worth parsing on for. Recovering from one costs more than all the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errors {
    /// None: the parser gives up once every way to read the text has an error.
    None,
    Any,
}

/// A text is parsed anew when what is left of the older one is less than one part in so many of what is not.
const FRESH: usize = 4;

impl Language {
    /// Returns how many nodes of the text's tree are errors or missing: what did not parse. More than any number when parsing would
    /// take forever.
    #[must_use]
    pub fn errors(&self, text: &[u8]) -> usize {
        Parsed::new(&Parser::new(self), text.into()).errors
    }

    /// Whether a text begins with a list that has a name, and one of the first lists holds another.
    pub(crate) fn begins_with_lists(&self, text: &[u8]) -> bool {
        let Some(tree) = Parser::new(self).parse(text) else {
            return false;
        };
        let mut cursor = tree.walk();
        let nodes = tree.root_node().named_children(&mut cursor);
        let nodes = nodes.filter(|node| {
            !node.is_extra() && !node.is_error() && !node.kind().contains("comment")
        });
        let begin: Vec<Node<'_>> = nodes.take(8).collect();
        let is = |node: &Node<'_>, at, kind| {
            (node.named_child(at)).is_some_and(|child: Node<'_>| child.kind() == kind)
        };
        let is_list = |node: &&Node<'_>| node.kind() == "list" && is(node, 0, "symbol");
        let holds_list = |node: &Node<'_>| (1..8).any(|at| is(node, at, "list"));
        begin.first().is_some_and(|first| is_list(&first))
            && begin.iter().filter(is_list).any(holds_list)
    }
}

/// A text and its tree.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub(crate) bytes: Arc<[u8]>,
    /// `None` when parsing it would take forever.
    tree: Option<Tree>,
    /// Nodes of the tree that are errors or missing; more than any number without a tree.
    pub(crate) errors: usize,
}

impl Parsed {
    pub(crate) fn new(parser: &Parser, bytes: Arc<[u8]>) -> Self {
        let tree = parser.parse(&bytes);
        let errors = tree.as_ref().map_or(usize::MAX, count_errors);
        Self {
            bytes,
            tree,
            errors,
        }
    }

    /// Whether the grammar has made nothing of the text.
    pub(crate) fn is_one_error(&self) -> bool {
        let root = self.tree.as_ref().map(Tree::root_node);
        root.is_none_or(|root| root.is_error())
    }

    /// Parses a text that came from this one, anew only where it differs, or all of it when that is nearly everything. `None` when
    /// it has more errors.
    pub(crate) fn reparse(&self, parser: &Parser, bytes: Arc<[u8]>) -> Option<Self> {
        let older = match difference(&parser.shown(&self.bytes), &parser.shown(&bytes)) {
            None => self.tree.clone(),
            Some(edit) => {
                let replaced = edit.old_end_byte - edit.start_byte;
                let same = self.bytes.len() - replaced;
                // The tree is marked node by node where it changed: with little left to reuse, a new parse costs less.
                let tree = self.tree.as_ref().filter(|_| replaced / FRESH <= same);
                tree.map(|tree| {
                    let mut tree = tree.clone();
                    tree.edit(&edit);
                    tree
                })
            }
        };
        let bearable = if self.errors == 0 {
            Errors::None
        } else {
            Errors::Any
        };
        let tree = parser.parse_from(&bytes, older.as_ref(), bearable)?;
        let errors = count_errors(&tree);
        (errors <= self.errors).then_some(Self {
            bytes,
            tree: Some(tree),
            errors,
        })
    }
}

/// The one stretch outside of which two texts are equal.
fn difference(old: &[u8], new: &[u8]) -> Option<InputEdit> {
    let start = common_start(old, new);
    if start == old.len() && start == new.len() {
        return None;
    }
    let after = common_end(&old[start..], &new[start..]);
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    let start_position = advance(Point::new(0, 0), &old[..start]);
    Some(InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position,
        old_end_position: advance(start_position, &old[start..old_end]),
        new_end_position: advance(start_position, &new[start..new_end]),
    })
}

/// The number of bytes that two texts begin with in common. Whole blocks first: comparing those is much faster than bytes.
fn common_start(left: &[u8], right: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = left.chunks_exact(BLOCK).zip(right.chunks_exact(BLOCK));
    let start = blocks.take_while(|(left, right)| left == right).count() * BLOCK;
    let rest = left[start..].iter().zip(&right[start..]);
    start + rest.take_while(|(left, right)| left == right).count()
}

/// The same for what they end with.
fn common_end(left: &[u8], right: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = left.rchunks_exact(BLOCK).zip(right.rchunks_exact(BLOCK));
    let end = blocks.take_while(|(left, right)| left == right).count() * BLOCK;
    let rest = left[..left.len() - end]
        .iter()
        .rev()
        .zip(right[..right.len() - end].iter().rev());
    end + rest.take_while(|(left, right)| left == right).count()
}

fn advance(from: Point, text: &[u8]) -> Point {
    match text.iter().rposition(|&byte| byte == b'\n') {
        Some(last) => {
            let rows = text.iter().filter(|&&byte| byte == b'\n').count();
            Point::new(from.row + rows, text.len() - last - 1)
        }
        None => Point::new(from.row, from.column + text.len()),
    }
}

/// Counts error and missing nodes, looking only where there are any.
fn count_errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_edit_covers_exactly_what_differs(
            (start, end) in ("[ab\n]{0,600}", "[ab\n]{0,600}"),
            (old, new) in ("[ab\n]{0,5}", "[ab\n]{0,5}"),
        ) {
            let [old, new] = [old, new].map(|middle| format!("{start}{middle}{end}").into_bytes());
            match difference(&old, &new) {
                None => prop_assert_eq!(old, new),
                Some(edit) => {
                    prop_assert_eq!(&old[..edit.start_byte], &new[..edit.start_byte]);
                    prop_assert_eq!(&old[edit.old_end_byte..], &new[edit.new_end_byte..]);
                    let at = |text: &[u8], end: usize| advance(Point::new(0, 0), &text[..end]);
                    prop_assert_eq!(edit.start_position, at(&old, edit.start_byte));
                    prop_assert_eq!(edit.old_end_position, at(&old, edit.old_end_byte));
                    prop_assert_eq!(edit.new_end_position, at(&new, edit.new_end_byte));
                }
            }
        }
    }

    #[test]
    fn what_would_take_forever_is_given_up_and_the_next_text_is_parsed_all_the_same() {
        let Some(cpp) = Language::named("C++") else {
            return;
        };
        let parser = Parser::new(cpp);
        let endless = "<!--".repeat(1500);
        assert!(parser.parse(endless.as_bytes()).is_none());
        assert!(parser.parse(b"int a;").is_some());
        let base = Parsed::new(&parser, endless.as_bytes().into());
        assert!(base.reparse(&parser, b"int a;".as_slice().into()).is_some());
    }

    #[test]
    fn a_text_with_more_errors_than_its_base_does_not_pass() {
        let Some(json) = Language::named("JSON") else {
            return;
        };
        let parser = Parser::new(json);
        let parses = |base: &str, text: &str| {
            Parsed::new(&parser, base.as_bytes().into())
                .reparse(&parser, text.as_bytes().into())
                .is_some()
        };
        assert!(parses("[1, 2, 3]", "[1, 3]"));
        assert!(!parses("[1, 2, 3]", "[1,, 3]"));
        assert!(parses("[1,, 2, 3]", "[1,, 3]"));
        let long = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";
        assert!(parses(long, "1"), "with nearly everything gone");
        assert!(!parses(long, "["));
        assert!(
            parses("[1, 2, 3]", "[1]"),
            "giving up on one text does not spoil the next"
        );
    }
}
